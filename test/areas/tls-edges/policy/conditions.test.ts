// Expressions as conditions for a proxy: they hold for exactly the connections for which the expressions are true.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Check, conditionOf, NotExpressible } from '../../../../src/areas/tls-edges/policy/conditions.ts';
import { evaluateExpression } from '../../../../src/areas/tls-edges/policy/expressions.ts';
import { readConnection } from '../../../../src/areas/tls-edges/policy/variables.ts';
import { covers, parseAddress, readStoredWords, wordsOf } from '../../../../src/domain/ip/cidr.ts';
import { runs } from '../../../support/runs.ts';

interface Asked {
  clientIp: string;
  serverName: string;
  clientPort: number;
  serverPort: number;
}

/** Returns whether a connection fulfils a check as a proxy sees it, which compares names regardless of case. */
function isFulfilled(check: Check, { clientIp, clientPort, serverPort, ...asked }: Asked): boolean {
  const serverName = asked.serverName.toLowerCase();
  switch (check.kind) {
    case 'serverName':
      if (check.match === 'equals') return serverName === check.text;
      return {
        startsWith: serverName.startsWith(check.text),
        endsWith: serverName.endsWith(check.text),
        contains: serverName.includes(check.text),
      }[check.match];
    case 'clientIn':
      return covers(readStoredWords(check.range), wordsOf(parseAddress('', clientIp)));
    case 'port': {
      const port = BigInt(check.side === 'client' ? clientPort : serverPort);
      return {
        '==': port === check.port,
        '<': port < check.port,
        '<=': port <= check.port,
        '>': port > check.port,
        '>=': port >= check.port,
      }[check.comparison];
    }
  }
}

describe('conditionOf', () => {
  it('writes alternatives of checks', () => {
    expect(conditionOf(["!(conn.tls.sni == 'a' && conn.client_ip != '10.0.0.1')", 'conn.client_port < 1024'])).toEqual([
      [
        { check: { kind: 'serverName', match: 'equals', text: 'a' }, holds: false },
        { check: { kind: 'port', side: 'client', comparison: '<', port: 1024n }, holds: true },
      ],
      [
        { check: { kind: 'clientIn', range: '10.0.0.1/32' }, holds: true },
        { check: { kind: 'port', side: 'client', comparison: '<', port: 1024n }, holds: true },
      ],
    ]);
    expect(conditionOf([])).toEqual([[]]);
    expect(conditionOf(['true', '!false'])).toEqual([[]]);
    expect(conditionOf(["conn.client_ip == '010.0.0.1'"])).toEqual([]);
  });

  it.each([
    'conn.foo == "x"',
    'conn.geo.city == "x"',
    'conn.tls.sni == "a b"',
    'conn.tls.sni == "a\\nb"',
    'conn.tls.sni == "#"',
    'conn.tls.sni == "A.example.com"',
    'conn.tls.sni == ""',
    'conn.tls.sni == conn.server_name',
    'conn.tls.sni < "a"',
    'conn.tls.sni.matches("a")',
    'conn.client_port == 1.5',
    'conn.client_port == 70000',
    'conn.client_ip in conn.tls.client.san',
    'inCidrRange(conn.server_ip, "10.0.0.0/8")',
    'conn.tls.sni == "a" ? true : false',
    'conn.tls.sni',
    '(((',
    Array(20).fill('(conn.client_port == 1 || conn.client_port == 2)').join(' && '),
    Array(300).fill('conn.client_port == 1').join(' || '),
  ])('refuses what it cannot express: %.60s', (expression) => {
    expect(() => conditionOf([expression])).toThrow(NotExpressible);
  });

  it('means what the expressions mean', () => {
    const name = fc.constantFrom('a.example.com', 'b.example.com', '.example.com', 'a.', 'example');
    const address = fc.constantFrom(
      '10.0.0.1',
      '10.0.0.2',
      '10.1.2.3',
      '::1',
      '2001:db8::1',
      '2001:DB8::1',
      '010.0.0.1',
    );
    const range = fc.constantFrom(
      '10.0.0.0/8',
      '10.1.2.3/16',
      '0.0.0.0/0',
      '::/0',
      '2001:db8::/32',
      '::ffff:0:0/96',
      '10.0.0.0',
      'x',
    );
    const port = fc.constantFrom(0, 1, 80, 443, 65_535);
    const quoted = (texts: string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`;
    const leaf = fc.oneof(
      fc
        .tuple(fc.constantFrom('conn.tls.sni', 'conn.server_name'), fc.constantFrom('==', '!='), name)
        .map(([path, op, text]) => `${path} ${op} '${text}'`),
      fc
        .tuple(fc.constantFrom('startsWith', 'endsWith', 'contains'), name)
        .map(([method, text]) => `conn.tls.sni.${method}('${text}')`),
      fc.array(name, { maxLength: 3 }).map((names) => `conn.tls.sni in ${quoted(names)}`),
      fc.tuple(fc.constantFrom('==', '!='), address).map(([op, text]) => `conn.client_ip ${op} '${text}'`),
      fc.array(address, { maxLength: 3 }).map((all) => `conn.client_ip in ${quoted(all)}`),
      range.map((text) => `inCidrRange(conn.client_ip, '${text}')`),
      fc.array(range, { maxLength: 3 }).map((all) => `inCidrRanges(conn.client_ip, ${quoted(all)})`),
      fc
        .tuple(fc.constantFrom('client', 'server'), fc.constantFrom('==', '!=', '<', '<=', '>', '>='), port)
        .map(([side, op, number]) => `conn.${side}_port ${op} ${number}`),
      fc.constantFrom('true', 'false'),
    );
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc
          .tuple(tie('expression'), fc.constantFrom('&&', '||'), tie('expression'))
          .map(([a, op, b]) => `(${a} ${op} ${b})`),
        tie('expression').map((inner) => `!(${inner})`),
      ),
    }));
    const asked = fc.record({
      clientIp: fc.constantFrom('10.0.0.1', '10.1.2.3', '192.0.2.1', '::1', '2001:db8::1', '::ffff:10.0.0.2'),
      serverName: fc.constantFrom('a.example.com', 'A.example.com', 'b.example.com', 'a.b'),
      clientPort: port,
      serverPort: port,
    });
    fc.assert(
      fc.property(fc.array(expression, { maxLength: 3 }), asked, (expressions, connection) => {
        const { clientIp, serverName, clientPort, serverPort } = connection;
        const variables = { 'conn.client_port': clientPort, 'conn.server_port': serverPort };
        const { values } = readConnection({ clientIp, serverName, variables }, new Date(0));
        const answers = expressions.map((text) => evaluateExpression(text, values, () => {}));
        expect(answers.filter(({ error }) => error !== null)).toEqual([]);
        const fulfilled = conditionOf(expressions).some((literals) =>
          literals.every((one) => isFulfilled(one.check, connection) === one.holds),
        );
        expect(fulfilled).toBe(answers.every(({ value }) => value));
      }),
      { numRuns: runs(1_000) },
    );
  });
});
