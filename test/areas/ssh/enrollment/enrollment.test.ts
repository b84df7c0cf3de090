// What an enrollment token allows, and what a host may ask for with one.

import { describe, expect, test } from 'vitest';
import {
  allows,
  checkAllowedPrincipals,
  checkEnrollment,
  checkKeyTypes,
  checkMaxUses,
  checkMaxValidity,
} from '../../../../src/areas/ssh/enrollment/enrollment.ts';
import { keyTypes } from '../../../../src/areas/ssh/keys/public-key.ts';
import type { SallyportError } from '../../../../src/domain/errors.ts';
import { hostKeys } from '../../../support/ssh.ts';

const now = new Date('2026-11-20T21:00:00.700Z');
const bounds = {
  principals: ['db1.example.com', '*.db.example.com', '10.1.0.0/16', '2001:db8::/32'],
  keyTypes,
  validitySeconds: 86_400,
};

/** Returns the code, field and message of the error that a function throws. */
function refusalOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    // These functions throw nothing else.
    const { code, field, message } = error as SallyportError;
    return [code, field, message];
  }
  return null;
}

describe('allows', () => {
  test.each([
    ['db1.example.com', 'db1.example.com', true],
    ['db1.example.com', 'db2.example.com', false],
    ['db1.example.com', 'x.db1.example.com', false],
    ['*.example.com', 'a.example.com', true],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'badexample.com', false],
    ['*.example.com', 'a.example.com.evil.org', false],
    ['*.0.0.1', '10.0.0.1', false],
    ['*', 'anything', true],
    ['*', '2001:db8::1', true],
    ['10.1.0.0/16', '10.1.255.255', true],
    ['10.1.0.0/16', '10.2.0.0', false],
    ['10.1.0.0/16', 'db1.example.com', false],
    ['10.1.0.0/16', '2001:db8::1', false],
    ['0.0.0.0/0', '192.0.2.1', true],
    ['10.1.2.3/32', '10.1.2.3', true],
    ['10.1.2.3', '10.1.2.3', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::1', '2001:db8::1', true],
  ])('%s, asked for %s: %s', (pattern, name, isAllowed) => {
    expect(allows(pattern, name)).toBe(isAllowed);
  });
});

describe('checkAllowedPrincipals', () => {
  test('takes names, wildcards, addresses and ranges, each once', () => {
    expect(checkAllowedPrincipals([...bounds.principals, '10.1.0.0/16', '*', '192.0.2.1'])).toEqual([
      ...bounds.principals,
      '*',
      '192.0.2.1',
    ]);
  });

  test.each([
    [[], 'principals', 'must not be empty: list the names, patterns or address ranges that hosts may ask for.'],
    [Array(257).fill('a'), 'principals', 'must have at most 256 entries. Use wildcards or address ranges.'],
    [
      ['a', 'DB1.example.com'],
      'principals[1]',
      'must be in lower case, as clients look it up: write "db1.example.com".',
    ],
    [['db*.example.com'], 'principals[0]', expect.stringContaining('must have a wildcard only as')],
    [['10.1.2.3/16'], 'principals[0]', 'must start at the lowest address of its range: write 10.1.0.0/16.'],
    [['10.1.0.0/33'], 'principals[0]', 'must have a mask from /0 to /32, in plain digits.'],
    [['2001:DB8::/32'], 'principals[0]', 'must be in the canonical form of the range: write 2001:db8::/32.'],
    [['example.com/16'], 'principals[0]', expect.stringContaining('must be an IPv4 or IPv6 range')],
  ])('refuses %j', (principals, field, message) => {
    expect(refusalOf(() => checkAllowedPrincipals(principals))).toEqual(['INVALID_INPUT', field, message]);
  });
});

test('key types are all by default, in one order, and never none', () => {
  expect([checkKeyTypes(null), checkKeyTypes(undefined)]).toEqual([keyTypes, keyTypes]);
  expect(checkKeyTypes(['rsa', 'ed25519', 'rsa'])).toEqual(['ed25519', 'rsa']);
  expect(refusalOf(() => checkKeyTypes([]))).toEqual([
    'INVALID_INPUT',
    'keyTypes',
    'must not be empty: leave it out to allow all types.',
  ]);
});

test('validity and uses have bounds and defaults', () => {
  expect([checkMaxValidity(null), checkMaxValidity(60), checkMaxValidity(315_360_000)]).toEqual([
    7_776_000, 60, 315_360_000,
  ]);
  expect([checkMaxUses(undefined), checkMaxUses(100_000)]).toEqual([1, 100_000]);
  for (const bad of [59, 315_360_001, -1, Number.NaN, 60.5]) {
    expect(refusalOf(() => checkMaxValidity(bad))).toEqual([
      'INVALID_INPUT',
      'maxValidity',
      'must be a whole number from 60 to 315360000.',
    ]);
  }
  for (const bad of [0, 100_001, 1.5, Number.NaN]) {
    expect(refusalOf(() => checkMaxUses(bad))).toEqual([
      'INVALID_INPUT',
      'maxUses',
      'must be a whole number from 1 to 100000.',
    ]);
  }
});

describe('checkEnrollment', () => {
  const asked = { publicKey: hostKeys.ed25519, principals: ['x.db.example.com', '10.1.2.3'] };

  test('gives what to sign: the names in their order, from now on, for as long as the token allows', () => {
    expect(checkEnrollment(asked, bounds, now)).toMatchObject({
      publicKey: { keyType: 'ed25519' },
      principals: ['x.db.example.com', '10.1.2.3'],
      validAfter: new Date('2026-11-20T21:00:00Z'),
      validUntil: new Date('2026-11-21T21:00:00Z'),
    });
    expect(checkEnrollment({ ...asked, validUntil: '2026-11-20T22:00:00Z' }, bounds, now).validUntil).toEqual(
      new Date('2026-11-20T22:00:00Z'),
    );
  });

  test.each([
    [{ principals: [] }, 'INVALID_INPUT', 'principals', 'must not be empty: name the host.'],
    [{ principals: null }, 'INVALID_INPUT', 'principals', 'must not be empty: name the host.'],
    [{ publicKey: 'ssh-rsa' }, 'INVALID_INPUT', 'publicKey', expect.any(String)],
    [{ validUntil: '2026-11-20T21:00:00Z' }, 'INVALID_INPUT', 'validUntil', expect.any(String)],
    [
      { principals: ['x.db.example.com', 'www.example.com'] },
      'FORBIDDEN',
      'principals[1]',
      'must be a name or address that the enrollment token allows, which www.example.com is not.',
    ],
    [
      { principals: ['*.db.example.com'] },
      'FORBIDDEN',
      'principals[0]',
      'must be one name or address: a host cannot enroll with a wildcard.',
    ],
    [{ principals: ['*'] }, 'FORBIDDEN', 'principals[0]', expect.stringContaining('a wildcard')],
    [
      { validUntil: '2026-11-21T21:00:01Z' },
      'FORBIDDEN',
      'validUntil',
      'must not be later than the enrollment token allows, which is 2026-11-21T21:00:00Z at this time.',
    ],
  ])('refuses %j', (change, code, field, message) => {
    expect(refusalOf(() => checkEnrollment({ ...asked, ...change }, bounds, now))).toEqual([code, field, message]);
  });

  test('refuses a type of key that the token does not allow', () => {
    expect(
      refusalOf(() =>
        checkEnrollment({ ...asked, publicKey: hostKeys.rsa }, { ...bounds, keyTypes: ['ed25519', 'ecdsa'] }, now),
      ),
    ).toEqual(['FORBIDDEN', 'publicKey', 'must be of a type that the enrollment token allows: ed25519, ecdsa.']);
  });
});
