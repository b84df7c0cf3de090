// What `principals.ts` promises: which names pass, unchanged and in order, and why the others are refused.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPrincipals, principalsMax } from '../../../../src/areas/ssh/certificates/principals.ts';
import { SallyportError } from '../../../../src/domain/errors.ts';
import { runs } from '../../../support/runs.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `host-${index}.example.com`);
const label = 'a'.repeat(63);
const longest = `${label}.${label}.${label}.${'a'.repeat(61)}`;

describe('checkPrincipals keeps', () => {
  it.each([
    ['no names', []],
    ['a host name', ['host.example.com']],
    ['a short name', ['bastion']],
    ['a name with digits, dashes and underscores', ['web-01_a.example.com']],
    ['an international name', ['xn--mnchen-3ya.example']],
    ['a label of digits', ['7.rack']],
    ['an IPv4 address', ['10.0.0.5']],
    ['an IPv6 address', ['2001:db8::1']],
    ['the shortest IPv6 addresses', ['::', '::1']],
    ['an IPv4 address written as IPv6', ['::ffff:10.0.0.5']],
    ['every host', ['*']],
    ['every host of a domain', ['*.example.com']],
    ['the order given', ['b.example.com', '10.0.0.5', 'a.example.com']],
    ['the longest name', [longest]],
    ['as many as OpenSSH reads', names(principalsMax)],
  ])('ok/%s', (_, principals) => {
    expect(checkPrincipals(principals)).toEqual(principals);
  });

  it('the first of equal names', () => {
    expect(checkPrincipals(['b', 'a', 'b', 'a', 'c'])).toEqual(['b', 'a', 'c']);
  });
});

describe('checkPrincipals refuses', () => {
  const empty = 'must not be empty: an empty name matches no host. Remove the entry.';
  const control = 'must not contain control characters or ill-formed Unicode. Remove them.';
  const oneName = 'must be one name, without spaces or commas. Send each name as a separate entry.';
  const ascii = 'must be ASCII. Send an international name in its xn-- form, as in the DNS.';
  const lower = (name: string) => `must be in lower case, as clients look it up: write "${name}".`;
  const canonical = (name: string) =>
    `must be in the canonical form of the address, as clients look it up: write "${name}".`;
  const port = (name: string) => `must not have a port, as clients look up the name alone: write "${name}".`;
  const brackets = (name: string) => `must not have brackets: write "${name}".`;
  const dot = (name: string) => `must not end with a dot: write "${name}".`;
  const zone = 'must not have a zone, which differs between clients. Use a host name.';
  const wildcard =
    'must be one name or address: list each. Only `*`, alone or as the whole first label, is accepted, and clients before ' +
    'OpenSSH 10.3 refuse even that.';
  const slash = 'must not have a slash: certificates contain neither ranges nor URLs. List the names or addresses.';
  const notAName =
    'must be a host name, or an IPv4 or IPv6 address. A host name has letters, digits, `-` and `_` between single dots.';

  it.each([
    ['an empty name', '', empty],
    ['NUL', 'a\u0000b', control],
    ['a line break', 'a\nb', control],
    ['DEL', 'a\u007fb', control],
    ['half of a surrogate pair', 'a\ud800', control],
    ['a space', 'a b', oneName],
    ['a space at the end', 'host ', oneName],
    ['a comma', 'a,b', oneName],
    ['a no-break space', 'a\u00a0b', oneName],
    ['an international name that is not encoded', 'münchen.example', ascii],
    ['a zero-width space', 'host\u200b', ascii],
    ['254 bytes', `${longest}a`, 'must be at most 253 bytes; it has 254. No host name is longer.'],
    ['254 bytes in 127 characters', 'ü'.repeat(127), 'must be at most 253 bytes; it has 254. No host name is longer.'],
    ['a capital', 'Any.example.com', lower('any.example.com')],
    ['a wildcard with capitals', '*.Example.COM', lower('*.example.com')],
    ['a trailing dot', 'host.example.com.', dot('host.example.com')],
    ['a trailing dot and a capital', 'Host.', dot('host')],
    ['a port', 'host:2222', port('host')],
    ['a port and a capital', 'Host.example.com:22', port('host.example.com')],
    ['a port after an IPv4 address', '10.0.0.5:22', port('10.0.0.5')],
    ['a colon without a port', 'host:', port('host')],
    ['brackets', '[2001:db8::1]', brackets('2001:db8::1')],
    ['brackets around a host name', '[host]', brackets('host')],
    ['brackets and a port', '[2001:DB8:0::1]:2222', port('2001:db8::1')],
    ['an open bracket', '[host', notAName],
    ['a URL', 'ssh://host', slash],
    ['a user', 'root@host', notAName],
    ['capitals in an IPv6 address', '2001:DB8::1', canonical('2001:db8::1')],
    ['zeros in an IPv6 address', '2001:db8:0::1', canonical('2001:db8::1')],
    ['leading zeros in an IPv6 address', '2001:0db8::1', canonical('2001:db8::1')],
    ['an IPv6 address in full', '0:0:0:0:0:0:0:1', canonical('::1')],
    ['one group that is cut short', '1::3:4:5:6:7:8', canonical('1:0:3:4:5:6:7:8')],
    ['an IPv4 address written as hexadecimal IPv6', '::ffff:102:304', canonical('::ffff:1.2.3.4')],
    ['a hexadecimal end that glibc and BSD write dotted', '::1:2', canonical('::0.1.0.2')],
    ['a dotted end that is not canonical', '64:ff9b::1.2.3.4', canonical('64:ff9b::102:304')],
    ['a zone', 'fe80::1%eth0', zone],
    ['five colons', 'a:b:c:d:e:f', notAName],
    ['an IPv6 address with a group too many', '1:2:3:4:5:6:7:8:9', notAName],
    ['an IPv4 address of two parts', '10.1', canonical('10.0.0.1')],
    ['an IPv4 address in octal', '010.0.0.5', canonical('8.0.0.5')],
    ['an IPv4 address in hexadecimal', '0x7f.0.0.1', canonical('127.0.0.1')],
    ['an IPv4 address as one number', '2130706433', canonical('127.0.0.1')],
    ['an IPv4 address out of range', '10.0.0.256', notAName],
    ['a range of IPv4 addresses', '10.0.0.0/8', slash],
    ['a range of IPv6 addresses', '2001:db8::/32', slash],
    ['a wildcard inside a label', 'web*.example.com', wildcard],
    ['a wildcard behind the first label', 'web.*.com', wildcard],
    ['two wildcards', '*.*.com', wildcard],
    ['a wildcard for one character', 'web?.example.com', wildcard],
    ['a wildcard of nothing', '*.', notAName],
    ['a wildcard with a port', '*:22', wildcard],
    ['a wildcard in brackets', '[*]', wildcard],
    ['two stars', '**', wildcard],
    ['an empty label', 'host..example.com', notAName],
    ['a leading dot', '.example.com', notAName],
    ['a dot alone', '.', notAName],
    ['an exclamation mark', '!host', notAName],
  ])('%s', (_, principal, message) => {
    expect(() => checkPrincipals(['ok', principal])).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field: 'principals[1]', message }),
    );
  });
});

describe('the suggestion in a refusal', () => {
  const parts = fc.array(fc.constantFrom('a', 'B', '.', ':', '::', '1', '0', 'db8', '[', ']', '*', '-'), {
    minLength: 1,
    maxLength: 12,
  });

  it('is itself accepted', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          parts.map((list) => list.join('')),
          fc.ipV6(),
          fc.domain(),
          fc.ipV4Extended(),
        ),
        (name) => {
          const suggestion = suggestionFor(name);
          if (suggestion !== null) expect(checkPrincipals([suggestion])).toEqual([suggestion]);
        },
      ),
      { numRuns: runs(5000) },
    );
  });
});

/** Returns the form that the refusal of a name suggests, or null if the name passes or nothing is suggested. */
function suggestionFor(name: string): string | null {
  try {
    checkPrincipals([name]);
    return null;
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    return / write "(.*)"\./.exec(error.message)?.[1] ?? null;
  }
}
