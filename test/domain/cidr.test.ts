// What `domain/ip/cidr.ts` promises: which texts are addresses and ranges, and which addresses a range holds. The property
// tests compare it with a naive twin that computes on whole numbers and knows no library.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SallyportError } from '../../src/domain/errors.ts';
import { contains, formatRange, parseAddress, parseRange, readStoredRange } from '../../src/domain/ip/cidr.ts';
import { runs } from '../support/runs.ts';

interface TwinAddress {
  bits: number;
  value: bigint;
}

const twinAddress = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((value) => ({ bits: 32, value })),
  // Low numbers as well, because those include the addresses that embed an IPv4 address.
  fc
    .oneof(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), fc.bigInt({ min: 0n, max: 2n ** 49n - 1n }))
    .map((value) => ({ bits: 128, value })),
);

/** A range with an address that is often near it, because random addresses are hardly ever inside random ranges. */
const twinRangeAndAddress = fc
  .tuple(twinAddress, fc.nat(128), twinAddress, fc.option(fc.nat(127)))
  .map(([{ bits, value }, anyPrefix, elsewhere, flippedBit]) => {
    const prefixBits = anyPrefix % (bits + 1);
    const range = { bits, lowest: lowestOf(bits, value, prefixBits), prefixBits };
    const near = { bits, value: value ^ (flippedBit === null ? 0n : 1n << BigInt(flippedBit % bits)) };
    return { range, address: flippedBit === 3 ? elsewhere : near };
  });

function lowestOf(bits: number, value: bigint, prefixBits: number): bigint {
  const hostBits = BigInt(bits - prefixBits);
  return (value >> hostBits) << hostBits;
}

function isMapped({ bits, value }: TwinAddress): boolean {
  return bits === 128 && value >> 32n === 0xffffn;
}

function write({ bits, value }: TwinAddress): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn);
  return groups.map((group) => group.toString(16)).join(':');
}

function writeDotted({ value }: TwinAddress): string {
  const hexadecimal = write({ bits: 128, value }).split(':').slice(0, 6).join(':');
  return `${hexadecimal}:${write({ bits: 32, value: value & 0xffffffffn })}`;
}

function errorOf(action: () => unknown): SallyportError {
  try {
    action();
  } catch (error) {
    if (error instanceof SallyportError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

describe('parseAddress', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:db8::192.0.2.1', '2001:db8::c000:201'],
  ])('reads %s', (text, canonical) => {
    expect(parseAddress('address', text).toString()).toBe(canonical);
  });

  test.each(['::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:192.0.2.1'])('reads %s as IPv4', (text) => {
    expect(parseAddress('address', text).toString()).toBe('192.0.2.1');
  });

  test.each(['::192.0.2.1', '0:0:0:0:0:0:192.0.2.1', '64:ff9b::192.0.2.1', '::ffff:0:192.0.2.1'])(
    'keeps %s, which is not IPv4-mapped, as IPv6',
    (text) => {
      expect(parseAddress('address', text).kind()).toBe('ipv6');
    },
  );

  test.each([
    ['nothing', ''],
    ['a space around it', ' 192.0.2.1'],
    ['a line break behind it', '192.0.2.1\n'],
    ['an octal number', '010.0.0.1'],
    ['a hexadecimal number', '0x0a.0.0.1'],
    ['fewer parts', '10.1'],
    ['one number', '2130706433'],
    ['five parts', '1.2.3.4.5'],
    ['a part above 255', '256.0.0.1'],
    ['a zone', 'fe80::1%eth0'],
    ['brackets', '[2001:db8::1]'],
    ['a port', '192.0.2.1:80'],
    ['a mask', '192.0.2.1/32'],
    ['a name', 'localhost'],
    ['two gaps', '1::2::3'],
    ['nine groups', '1:2:3:4:5:6:7:8:9'],
    ['a group of five digits', '12345::'],
    ['full-width digits', '１92.0.2.1'],
    ['NUL', '192.0.2.1\u0000'],
  ])('refuses %s', (_, text) => {
    expect(errorOf(() => parseAddress('address', text))).toMatchObject({
      code: 'INVALID_INPUT',
      field: 'address',
      message: 'must be an IPv4 or IPv6 address such as 192.0.2.1 or 2001:db8::1.',
    });
  });

  test('reads every IPv6 address the same with a dotted end as without', () => {
    fc.assert(
      fc.property(twinAddress, ({ value }) => {
        const plain = parseAddress('address', write({ bits: 128, value }));
        expect(parseAddress('address', writeDotted({ bits: 128, value })).toString()).toBe(plain.toString());
      }),
    );
  });
});

describe('parseRange', () => {
  test.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['192.0.2.1/32', '192.0.2.1/32'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['2001:0db8:0:0:0:0:0:0/32', '2001:db8::/32'],
    ['::/0', '::/0'],
    ['::1/128', '::1/128'],
    ['::192.0.2.0/120', '::c000:200/120'],
  ])('reads %s', (text, canonical) => {
    expect(formatRange(parseRange('cidr', text))).toBe(canonical);
  });

  test.each([
    ['10.0.0.1/8', '10.0.0.0/8'],
    ['192.0.2.255/31', '192.0.2.254/31'],
    ['255.255.255.255/0', '0.0.0.0/0'],
    ['2001:DB8::1/32', '2001:db8::/32'],
    ['::ff/121', '::80/121'],
    ['::192.0.2.1/120', '::c000:200/120'],
  ])('suggests for %s the lowest address of its range', (text, suggestion) => {
    expect(errorOf(() => parseRange('cidr', text))).toMatchObject({
      code: 'INVALID_INPUT',
      field: 'cidr',
      message: `must start at the lowest address of its range: write ${suggestion}.`,
    });
  });

  test.each([
    ['192.0.2.1', '192.0.2.1/32'],
    ['2001:db8::1', '2001:db8::1/128'],
  ])('suggests a mask for %s', (text, suggestion) => {
    expect(errorOf(() => parseRange('cidr', text)).message).toBe(
      `must have a mask; for this one address write ${suggestion}.`,
    );
  });

  test.each(['10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0.0/', '10.0.0.0/8.0', '10.0.0.0/ 8', '10.0.0.0/1e1'])(
    'refuses the mask of %s',
    (text) => {
      expect(errorOf(() => parseRange('cidr', text)).message).toBe('must have a mask from /0 to /32, in plain digits.');
    },
  );

  test.each(['::/129', '::/0x10', '2001:db8::/255.255.0.0'])('refuses the mask of %s', (text) => {
    expect(errorOf(() => parseRange('cidr', text)).message).toBe('must have a mask from /0 to /128, in plain digits.');
  });

  test.each([
    '',
    '/8',
    'all',
    '10/8',
    '010.0.0.0/8',
    ' 10.0.0.0/8',
    'fe80::%1/64',
    '10.0.0.0/8/8',
    '10.0.0.0-10.0.0.9',
  ])('refuses the form of "%s"', (text) => {
    expect(errorOf(() => parseRange('cidr', text)).message).toBe(
      'must be an IPv4 or IPv6 range in CIDR notation, such as 10.0.0.0/8 or 2001:db8::/32.',
    );
  });

  test.each(['::ffff:10.0.0.0/104', '::ffff:a00:0/104'])(
    'refuses %s, which no address would match, and names the IPv4 address',
    (text) => {
      expect(errorOf(() => parseRange('cidr', text)).message).toBe(
        'must be written as an IPv4 range; the address is 10.0.0.0.',
      );
    },
  );

  test('takes exactly the lowest address of a range, and suggests it for any other', () => {
    fc.assert(
      fc.property(twinAddress, fc.nat(128), ({ bits, value }, anyPrefix) => {
        fc.pre(!isMapped({ bits, value }));
        const prefixBits = anyPrefix % (bits + 1);
        const lowest = lowestOf(bits, value, prefixBits);
        const text = `${write({ bits, value })}/${prefixBits}`;
        const canonical = formatRange(parseRange('cidr', `${write({ bits, value: lowest })}/${prefixBits}`));
        if (lowest === value) {
          expect(formatRange(parseRange('cidr', text))).toBe(canonical);
        } else {
          expect(errorOf(() => parseRange('cidr', text)).message).toContain(`write ${canonical}.`);
        }
      }),
    );
  });
});

describe('formatRange', () => {
  test('gives equal ranges equal text, however they were written, and other ranges other text', () => {
    fc.assert(
      fc.property(twinRangeAndAddress, twinAddress, ({ range: { bits, lowest, prefixBits } }, other) => {
        fc.pre(!isMapped({ bits, value: lowest }) && !isMapped(other));
        const text = `${write({ bits, value: lowest })}/${prefixBits}`;
        const canonical = formatRange(parseRange('cidr', text));
        expect(formatRange(parseRange('cidr', text.toUpperCase()))).toBe(canonical);
        expect(formatRange(parseRange('cidr', canonical))).toBe(canonical);
        if (bits === 128) {
          const dotted = `${writeDotted({ bits, value: lowest })}/${prefixBits}`;
          expect(formatRange(parseRange('cidr', dotted))).toBe(canonical);
        }
        const otherRange = formatRange(parseRange('cidr', `${write(other)}/${other.bits}`));
        const isSame = bits === other.bits && lowest === other.value && prefixBits === other.bits;
        expect(otherRange === canonical).toBe(isSame);
      }),
    );
  });
});

describe('contains', () => {
  test.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::10.1.2.3', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::', false],
    ['::/0', '10.0.0.1', false],
    ['::/0', '::ffff:10.0.0.1', false],
    ['::/0', 'ffff::', true],
    ['192.0.2.1/32', '192.0.2.1', true],
    ['192.0.2.1/32', '192.0.2.0', false],
  ])('%s holds %s: %s', (range, address, expected) => {
    expect(contains(parseRange('cidr', range), parseAddress('address', address))).toBe(expected);
  });

  test('agrees with a twin on whole numbers', () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(twinRangeAndAddress, ({ range: { bits, lowest, prefixBits }, address }) => {
        fc.pre(!isMapped({ bits, value: lowest }));
        const range = parseRange('cidr', `${write({ bits, value: lowest })}/${prefixBits}`);
        const version = isMapped(address) ? 32 : address.bits;
        const value = isMapped(address) ? address.value & 0xffffffffn : address.value;
        const expected = bits === version && lowestOf(bits, value, prefixBits) === lowest;
        expect(contains(range, parseAddress('address', write(address)))).toBe(expected);
        seen.add(expected);
      }),
      { numRuns: runs(1000) },
    );
    expect(seen).toEqual(new Set([true, false]));
  });
});

describe('readStoredRange', () => {
  test('reads back what formatRange has written', () => {
    fc.assert(
      fc.property(twinRangeAndAddress, ({ range: { bits, lowest, prefixBits } }) => {
        fc.pre(!isMapped({ bits, value: lowest }));
        const range = parseRange('cidr', `${write({ bits, value: lowest })}/${prefixBits}`);
        expect(formatRange(readStoredRange(formatRange(range)))).toBe(formatRange(range));
      }),
    );
  });

  test('takes a broken range for a broken invariant, not for a mistake of the client', () => {
    expect(() => readStoredRange('everything')).toThrow(Error);
    expect(() => readStoredRange('everything')).not.toThrow(SallyportError);
  });
});
