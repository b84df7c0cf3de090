// What `cel.ts` promises: which texts are CEL expressions, and that no text takes long to refuse.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { celBytesMax, checkCel } from '../../../../src/areas/tls-edges/policy/cel.ts';
import { runs } from '../../../support/runs.ts';

const field = 'inbound[0].expressions[2]';

describe('checkCel', () => {
  it.each([
    ['a method', "conn.tls.version.contains('1.3')"],
    ['a macro of the edge', "inCidrRanges(conn.client_ip, ['10.0.0.0/8', '2001:db8::/32'])"],
    ['a macro of the language', "conn.tls.client.san.dns_names.exists(name, name.endsWith('.example.com'))"],
    ['logic', "!(conn.geo.country_code in ['DE', 'FR']) && (conn.client_port > 1024 || has(conn.tls.sni))"],
    ['a choice', 'conn.client_port == 443 ? true : false'],
    ['arithmetic and time', "timestamp(time.now) - duration('1h') < conn.ts.start"],
    ['unicode in text', "conn.tls.sni == 'bücher 😀'"],
    ['several lines and a comment', 'true // always\n  && true'],
    ['an unknown function, as nothing is evaluated', 'somethingNew(1, "a")'],
    ['a pattern that would take for ever to match', 'conn.tls.sni.matches("(a+)+$")'],
    ['the longest text', `'${'a'.repeat(celBytesMax - 2)}'`],
  ])('ok/%s', (_, expression) => {
    expect(() => checkCel(field, expression)).not.toThrow();
  });

  it.each([
    ['nothing', '', 'must be a CEL expression. Unexpected token: EOF, at position 0.'],
    ['spaces', '   ', 'must be a CEL expression. Unexpected token: EOF, at position 3.'],
    ['an end too early', 'a &&', 'must be a CEL expression. Unexpected token: EOF, at position 4.'],
    ['a text without its end', 'a == "b', 'must be a CEL expression. Unterminated string, at position 5.'],
    ['an unknown escape', '"\\q"', 'must be a CEL expression. Invalid escape sequence: \\q, at position 1.'],
    ['one ampersand', 'a & b', 'must be a CEL expression. Unexpected character: &, at position 2.'],
    ['two expressions', 'a b', "must be a CEL expression. Unexpected character: 'b', at position 2."],
    ['an error on the second line', 'true &&\n)', 'must be a CEL expression. Unexpected token: RPAREN, at position 8.'],
    ['4096 parentheses', '('.repeat(4096), 'must be a CEL expression. Exceeded maxDepth (250), at position 250.'],
    ['4096 brackets', '['.repeat(4096), 'must be a CEL expression. Exceeded maxDepth (250), at position 250.'],
    ['10,000 parentheses', '('.repeat(10_000), 'must be at most 4096 bytes of UTF-8; it has 10000.'],
    ['4097 bytes', `'${'ü'.repeat(2047)}x'`, 'must be at most 4096 bytes of UTF-8; it has 4097.'],
    ['5 MB', 'a'.repeat(5_000_000), 'must be at most 4096 bytes of UTF-8; it has 5000000.'],
    ['NUL', "a == '\u0000'", 'must not contain the NUL character (U+0000).'],
    ['half of a surrogate pair', "a == '\ud800'", 'must be well-formed Unicode; it contains an unpaired surrogate.'],
  ])('refuses %s', (_, expression, message) => {
    expect(() => checkCel(field, expression)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field, message }),
    );
  });

  it('answers for a stack that is nearly full as for any other mistake', () => {
    const atTheEndOfTheStack = (check: () => void): void => {
      try {
        atTheEndOfTheStack(check);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        check();
      }
    };
    const row = `${'!'.repeat(4095)}a`;
    expect(() => atTheEndOfTheStack(() => checkCel(field, row))).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field }),
    );
    expect(() => checkCel(field, row)).not.toThrow();
  });

  it('passes or refuses any text, without another kind of error', () => {
    const token = fc.constantFrom(
      ...'a 1 1.5 "s" b"x" ( ) [ ] { } . , ? : ! - + * / % == != < && || in has map \\ \' @'.split(' '),
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join(' ')),
    );
    fc.assert(
      fc.property(text, (expression) => {
        try {
          checkCel(field, expression);
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_INPUT', field });
        }
      }),
      { numRuns: runs(2_000) },
    );
  });
});
