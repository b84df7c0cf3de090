// Expressions of traffic policies: their result for a connection, and expressions that are refused before they cost anything.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateExpression, expressionCostMax } from '../../../../src/areas/tls-edges/policy/expressions.ts';
import { readConnection } from '../../../../src/areas/tls-edges/policy/variables.ts';
import { runs } from '../../../support/runs.ts';

const variables = {
  'conn.tls.version': '1.3',
  'conn.server_port': 443,
  'conn.tls.client.subject': { common_name: 'host.example.com', organization: ['Example'] },
  'conn.tls.client.san': { dns_names: ['a.example.com', 'b.example.com'] },
  'conn.tls.client.validity.not_after': '2027-01-31T09:30:00+01:00',
};
const input = { clientIp: '::ffff:10.1.2.3', serverName: 'WWW.Example.com', time: '2026-11-20T21:00:00Z', variables };
const { values } = readConnection(input, new Date(0));

const evaluate = (expression: string) => {
  const { value, error } = evaluateExpression(expression, values, () => {});
  return value ?? error;
};
const list = (length: number, element = '1') => `[${Array(length).fill(element).join(',')}]`;

describe('evaluateExpression', () => {
  it.each([
    ['conn.client_ip == "10.1.2.3"', true],
    // The standard conversions.
    ['timestamp(conn.ts.start) == timestamp(time.now)', true],
    ['duration(duration("90s")) == duration("1m30s")', true],
    ['string(conn.ts.start)', 'The expression must be true or false.'],
    ['string(conn.ts.start) == "2026-11-20T21:00:00Z"', true],
    ['string(timestamp("2026-11-20T21:00:00.050Z")) == "2026-11-20T21:00:00.05Z"', true],
    ['string(duration("-1.5s")) == "-1.5s" && string(duration("90m")) == "5400s"', true],
    ['int(conn.ts.start) == 1795208400 && int(timestamp("1969-12-31T23:59:59.5Z")) == -1', true],
    ['int(7u) == 7 && int("7") == 7 && int(7.9) == 7 && uint(7) == 7u && double(7) == 7.0', true],
    ['string(7u) == "7" && bytes("a") == b"a" && bool("true") && dyn(7) == 7 && type(7) == int', true],
    ['conn.client_ip in ["::1", "10.1.2.3"]', true],
    ['conn.tls.sni.endsWith(".example.com") && conn.server_name == conn.tls.sni', true],
    ['conn.tls.sni.matches("^[a-z]{1,63}\\\\.example\\\\.com$")', true],
    ['conn.tls.sni.matches("(?i)WWW")', true],
    ["conn.tls.version.contains('1.3')", true],
    ['conn.server_port == 443 && conn.server_port > 442.5', true],
    ['conn.ts.start == timestamp("2026-11-20T21:00:00Z")', true],
    ['timestamp(time.now) - duration("1h30m") < conn.ts.start', true],
    ['conn.ts.start.getDayOfWeek() == 5 && conn.ts.start.getHours() >= 20', true],
    ['conn.tls.client.validity.not_after == timestamp("2027-01-31T08:30:00Z")', true],
    ['conn.tls.client.subject.common_name == "host.example.com"', true],
    ['conn.tls.client.san.dns_names.exists(name, name.startsWith("b."))', true],
    ['endpoint.protocol == "tls"', true],
    ['has(conn.geo.city)', false],
    ['has(conn.tls.version)', true],
    ['inCidrRange(conn.client_ip, "10.0.0.0/8")', true],
    ['inCidrRange(conn.client_ip, "10.9.9.9/8")', true],
    ['inCidrRange(conn.client_ip, "::/0")', false],
    ['inCidrRange(conn.client_ip, "10.0.0.0/33") || inCidrRange("nonsense", "10.0.0.0/8")', false],
    ['inCidrRange("2001:db8::1", "2001:db8::/32")', true],
    ['inCidrRanges(conn.client_ip, ["nonsense", "10.1.0.0/16"])', true],
    ['inCidrRanges(conn.client_ip, [])', false],
  ])('%s is %s', (expression, value) => {
    expect(evaluate(expression)).toBe(value);
  });

  it.each([
    ['foo == 1', 'Unknown variable: foo, at position 0.'],
    ['true || conn.geo.town == "x"', 'Unknown variable: conn.geo.town, at position 8.'],
    ['ja4 == "t13d"', 'Unknown variable: ja4, at position 0.'],
    ['conn.tls.ja4_fingerprint == "t13d"', 'Unknown variable: conn.tls.ja4_fingerprint, at position 0.'],
    ['conn.client_ip.categories.exists(c, c == "x")', 'Unknown variable: conn.client_ip.categories, at position 0.'],
    ['conn.client_ip["geo"] == "DE"', 'Unknown variable: conn.client_ip.geo, at position 0.'],
    ['int(18446744073709551615u) == 1', 'The number is too large for int, at position 0.'],
    ['has(req.url)', 'Unknown variable: req, at position 4.'],
    ['conn.geo.city == "x"', 'No such key: city (the connection in question does not give it), at position 9.'],
    ['conn.client_ip > 5', 'no such overload: string > int, at position 0.'],
    ['conn.client_ip', 'The expression must be true or false.'],
    ['getReqHeader("a") == "b"', 'Unknown function: getReqHeader, at position 0.'],
    ['cel.bind(a, 1, a == 1)', 'Unknown function: bind, at position 0.'],
    ['1 / 0 == 1', 'division by zero, at position 0.'],
    ['conn.tls.sni.matches("[")', 'matches() has a pattern that is not a regular expression.'],
    ['conn.tls.sni.matches("(a)(?=b)")', 'matches() has a pattern that is not a regular expression.'],
    ['conn.tls.sni.matches(conn.tls.sni)', 'matches() must have a pattern that is a literal string, at position 0.'],
    ['5.matches("a")', "found no matching overload for 'int.matches(string)', at position 0."],
    ['"a".matchesInLinearTime("a")', 'Unknown function: matchesInLinearTime, at position 0.'],
    [`${'!'.repeat(4000)}true`, 'The expression nests too deep.'],
    ['conn.tls.sni ==', 'Unexpected token: EOF, at position 15.'],
  ])('%s: %s', (expression, error) => {
    expect(evaluate(expression)).toBe(error);
  });

  it.each([
    `${list(900)}.all(x, ${list(900)}.all(y, x + y > 0))`,
    `${list(60)}.all(x, ${list(60)}.all(y, ${list(60)}.all(z, x + y + z > 0)))`,
    `["a"].map(x, x + x)${'.map(x, x + x)'.repeat(40)}.size() == 1`,
    `[[1]].map(x, x + x)${'.map(x, x + x)'.repeat(40)}.size() == 1`,
    `[1].map(x, [x, x])${'.map(x, [x, x])'.repeat(40)}.size() == 1`,
    `["a,a"].map(x, x.split(""))${'.map(x, x.join(x[0]).split(""))'.repeat(40)}.size() == 1`,
    `duration("${'1'.repeat(3000)}") == duration("1s")`,
    `${list(900)}.exists(x, conn.ts.start.getHours("America/New_York") == x)`,
    `"${'a'.repeat(500)}".matches("((a{100}){9})")`,
    `conn.tls.sni.matches("${'.{1000}'.repeat(20)}")`,
    `${list(900)}.exists(x, conn.tls.sni.matches("(a+)+b"))`,
    // A cost of zero multiplied by an unbounded cost.
    `[].all(z, ["aaaaaaaaaa"].all(a, [a.split(a).join(a)].all(b, [b.split(b).join(b)].all(c, [c.split(c).join(c)].all(d, ` +
      `[d.split(d).join(d)].all(e, [e.split(e).join(e)].all(f, true)))))))`,
    // Fields of a variable, however they are reached.
    '(true ? conn : conn).tls.client.extensions.all(a, a != "")',
  ])('refuses what would cost too much: %.60s', (expression) => {
    expect(evaluate(expression)).toBe('The expression is too costly to evaluate.');
  });

  it('counts a field that is reached by its name in brackets as what it holds', () => {
    const extensions = 'conn["tls"]["client"]["extensions"]';
    const nested = `${extensions}.all(a, ${extensions}.all(b, ${extensions}.all(c, ${extensions}.all(d, true))))`;
    const variables = { 'conn.tls.client.extensions': Array.from({ length: 1000 }, () => 1) };
    const { values } = readConnection({ ...input, variables }, new Date(0));
    expect(evaluateExpression(nested, values, () => {}).error).toBe('The expression is too costly to evaluate.');
    expect(evaluate('conn["tls"]["version"] == "1.3"')).toBe(true);
    expect(evaluate('conn["client" + "_ip"] == "192.0.2.1"')).toBe(
      'Fields of a variable must be named, at position 0.',
    );
  });

  it('takes linear time for patterns that take others exponential time', () => {
    expect(evaluate(`"${'a'.repeat(60)}".matches("(a+)+b")`)).toBe(false);
  });

  it('cannot be had to hide what a pattern repeats', () => {
    expect(evaluate('"a".matches("(a{100})\\\\Q\\\\E{1000}")')).toBe(
      'matches() must have a pattern without \\Q, at position 12.',
    );
  });

  it('says what it costs before it does it, and stops when that is too much', () => {
    const charged: number[] = [];
    const stop = () => {
      throw new Error('too much');
    };
    evaluateExpression('conn.client_ip == "a"', values, (cost) => void charged.push(cost));
    expect(charged).toEqual([105.25, 6.75]);
    expect(() => evaluateExpression('true', values, stop)).toThrow('too much');
  });

  it('answers any text, within the cost that it may have', () => {
    const token = fc.constantFrom(
      ...'a 1 1.5 "s" b"x" ( ) [ ] { } . , ? : ! - + * / % == != < && || in has map conn tls sni matches split'.split(
        ' ',
      ),
      'conn.tls.sni',
      '[1, 2].map(a,',
      '["x", "y"].exists(a,',
      '.split("")',
      '.join(conn.client_ip)',
    );
    const text = fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join(' '));
    fc.assert(
      fc.property(text, (expression) => {
        let cost = 0;
        const { value, error } = evaluateExpression(expression, values, (more) => {
          cost += more;
        });
        expect(value === null).toBe(error !== null);
        expect(cost).toBeLessThan(expressionCostMax + 1_200);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

describe('readConnection', () => {
  it.each([
    [{ clientIp: '10.1' }, 'INVALID_INPUT', 'connection.clientIp'],
    [{ serverName: 'a'.repeat(256) }, 'INVALID_INPUT', 'connection.serverName'],
    [{ time: 'yesterday' }, 'INVALID_INPUT', 'connection.time'],
    [{ variables: ['conn.client_port'] }, 'INVALID_INPUT', 'connection.variables'],
    [{ variables: { 'conn.client_port': '80' } }, 'INVALID_INPUT', 'connection.variables'],
    [{ variables: { 'conn.client_port': 1.5 } }, 'INVALID_INPUT', 'connection.variables'],
    [{ variables: { 'conn.tls.version': 1.3 } }, 'INVALID_INPUT', 'connection.variables'],
    [{ variables: { 'conn.tls.client.validity.not_before': 'soon' } }, 'INVALID_INPUT', 'connection.variables'],
    [{ variables: { 'conn.tls.client.extensions': {} } }, 'INVALID_INPUT', 'connection.variables'],
    [{ variables: { 'conn.client_ip': '10.0.0.1' } }, 'INVALID_INPUT', 'connection.variables'],
    [{ variables: { 'conn.tls.sni': 'a' } }, 'INVALID_INPUT', 'connection.variables'],
    [{ variables: { 'conn.geo': {} } }, 'UNKNOWN_FIELD', 'connection.variables'],
    [{ variables: { 'conn.geo.town': 'x' } }, 'UNKNOWN_FIELD', 'connection.variables'],
    [{ variables: { 'conn.__proto__': 'x' } }, 'UNKNOWN_FIELD', 'connection.variables'],
    [{ variables: { 'actions.ngrok.restrict_ips.action': 'x' } }, 'UNKNOWN_FIELD', 'connection.variables'],
    [{ variables: { 'conn.tls.version': 'x'.repeat(17_000) } }, 'INVALID_INPUT', 'connection.variables'],
    [{ variables: { 'conn.tls.client.san': [[[[[[[[1]]]]]]]] } }, 'INVALID_INPUT', 'connection.variables'],
  ])('refuses %j', (change, code, field) => {
    const broken = () => readConnection({ clientIp: '10.1.2.3', ...change }, new Date(0));
    expect(broken).toThrow(expect.objectContaining({ code, field }));
  });
});
