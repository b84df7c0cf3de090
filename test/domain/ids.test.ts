// What `domain/values/ids.ts` promises: ids in the TypeID format whose order is the order of creation, and how they are
// distinguished from other text.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createNewId, hasCollection, isIdOf, type Kind, kindOfId, kinds } from '../../src/domain/values/ids.ts';

const noon = Date.UTC(2026, 10, 20, 12);
const digits = '0123456789abcdefghjkmnpqrstvwxyz';

/** Creates a source of bytes that are the same in every run. */
function bytesFrom(seed: string): (size: number) => Uint8Array {
  let count = 0;
  return (size) => createHash('shake256', { outputLength: size }).update(`${seed} ${count++}`).digest();
}

/** Returns the 128 bits of an id. */
function bitsOf(id: string): bigint {
  const text = id.slice(id.indexOf('_') + 1);
  return [...text].reduce((value, digit) => value * 32n + BigInt(digits.indexOf(digit)), 0n);
}

describe('createNewId', () => {
  test('makes the prefix of the kind and 26 digits', () => {
    const newId = createNewId(() => noon, bytesFrom('ids'));
    for (const kind of Object.keys(kinds) as Kind[]) {
      expect(newId(kind)).toMatch(new RegExp(`^${kinds[kind].prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
    }
  });

  test('holds a UUID of version 7 with the time in its first 48 bits', () => {
    const bits = bitsOf(createNewId(() => noon, bytesFrom('ids'))('IpPolicy'));
    expect(Number(bits >> 80n)).toBe(noon);
    expect((bits >> 76n) & 0xfn).toBe(7n);
    expect((bits >> 62n) & 0b11n).toBe(0b10n);
  });

  test('writes the bits as the TypeID format does', () => {
    // The example of the TypeID specification, v0.3: 01890a5d-ac96-774b-bcce-b302099a8057.
    expect(bitsOf('prefix_01h455vb4pex5vsknk084sn02q').toString(16)).toBe('1890a5dac96774bbcceb302099a8057');
  });

  test('increases strictly under a clock that stands still, leaps, or goes back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -100_000, max: 100_000 })), { minLength: 2 }),
        fc.string(),
        (leaps, seed) => {
          let time = noon;
          let calls = 0;
          const now = () => {
            time += leaps[calls++ % leaps.length] ?? 0;
            return time;
          };
          const newId = createNewId(now, bytesFrom(seed));
          const ids = Array.from({ length: leaps.length * 2 }, () => newId('IpPolicy'));
          expect(ids).toEqual([...new Set(ids)].sort());
        },
      ),
    );
  });

  test('increases also over kinds', () => {
    const newId = createNewId(() => noon, bytesFrom('ids'));
    expect(bitsOf(newId('IpPolicyRule'))).toBeLessThan(bitsOf(newId('IpPolicy')));
  });

  test('has room to count within one millisecond even when it starts with the highest number', () => {
    const newId = createNewId(
      () => noon,
      (size) => new Uint8Array(size).fill(0xff),
    );
    const ids = Array.from({ length: 1000 }, () => newId('IpPolicy'));
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(new Set(ids.map((id) => Number(bitsOf(id) >> 80n)))).toEqual(new Set([noon]));
  });

  test('asks for fresh random bytes for every id, and starts the count of a millisecond at random', () => {
    const sizes: number[] = [];
    const newId = createNewId(
      () => noon,
      (size) => {
        sizes.push(size);
        return new Uint8Array(size);
      },
    );
    newId('IpPolicy');
    newId('IpPolicy');
    expect(sizes).toEqual([4, 16, 16]);
  });
});

describe('kindOfId', () => {
  test('tells the kind of every id that is made', () => {
    const newId = createNewId(() => noon, bytesFrom('ids'));
    for (const kind of Object.keys(kinds) as Kind[]) expect(kindOfId(newId(kind))).toBe(kind);
  });

  const suffix = '01h455vb4pex5vsknk084sn02q';
  test.each([
    ['nothing', ''],
    ['a suffix alone', suffix],
    ['an unknown prefix', `nope_${suffix}`],
    ['a prefix that every object inherits', `constructor_${suffix}`],
    ['upper case', `ipp_${suffix.toUpperCase()}`],
    ['an upper-case prefix', `IPP_${suffix}`],
    ['a digit too few', `ipp_${suffix.slice(1)}`],
    ['a digit too many', `ipp_0${suffix}`],
    ['more than 128 bits', `ipp_8${suffix.slice(1)}`],
    ['a letter that is no digit', `ipp_${suffix.slice(0, -1)}u`],
    ['a space', `ipp_${suffix} `],
    ['a line break', `ipp_${suffix}\n`],
    ['NUL', `ipp_${suffix}\u0000`],
  ])('knows no id in %s', (_, text) => {
    expect(kindOfId(text)).toBeNull();
  });
});

describe('isIdOf', () => {
  test('takes the ids of one kind only', () => {
    const id = 'ipp_01h455vb4pex5vsknk084sn02q';
    expect([isIdOf('IpPolicy', id), isIdOf('IpPolicyRule', id), isIdOf('IpPolicy', 'ipp_')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('kinds', () => {
  test('never share a prefix', () => {
    const prefixes = Object.values(kinds).map(({ prefix }) => prefix);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  test('have a collection only where clients list them', () => {
    expect([hasCollection('IpPolicy'), hasCollection('Account'), hasCollection('Request')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
