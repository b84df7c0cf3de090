// What `wire.ts` promises: the bytes of RFC 4251, section 5, and reading them back.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeMpint,
  encodeString,
  encodeUint32,
  encodeUint64,
  WireReader,
} from '../../../../src/areas/ssh/keys/wire.ts';

describe('writing', () => {
  it('writes strings and integers as RFC 4251 shows them', () => {
    expect(encodeString('testing').toString('hex')).toBe('0000000774657374696e67');
    expect(encodeString('ü').toString('hex')).toBe('00000002c3bc');
    expect(encodeString('').toString('hex')).toBe('00000000');
    expect(encodeUint32(699_921_578).toString('hex')).toBe('29b7f4aa');
    expect(encodeUint64(2n ** 64n - 1n).toString('hex')).toBe('ffffffffffffffff');
  });

  it.each([
    ['zero', '', '00000000'],
    ['zero of two bytes', '0000', '00000000'],
    ['the example of RFC 4251', '09a378f9b2e332a7', '0000000809a378f9b2e332a7'],
    ['a top bit that is set', '80', '000000020080'],
    ['leading zeros', '00007f', '000000017f'],
    ['leading zeros before a top bit that is set', '0000ff01', '0000000300ff01'],
  ])('writes mpint ok/%s', (_, magnitude, wire) => {
    expect(encodeMpint(Buffer.from(magnitude, 'hex')).toString('hex')).toBe(wire);
  });

  it('writes an mpint that is minimal, not negative, and keeps its value', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (magnitude) => {
        const digits = new WireReader(encodeMpint(magnitude)).readString();
        const value = (bytes: Uint8Array) => BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
        expect(value(digits)).toBe(value(magnitude));
        expect(digits.length === 0 || digits.readInt8(0) >= 0).toBe(true);
        expect(digits[0] === 0 && (digits[1] ?? 0) < 0x80).toBe(false);
      }),
    );
  });

  it('throws for integers out of range', () => {
    expect(() => encodeUint32(2 ** 32)).toThrow(RangeError);
    expect(() => encodeUint64(2n ** 64n)).toThrow(RangeError);
    expect(() => encodeUint64(-1n)).toThrow(RangeError);
  });
});

describe('reading', () => {
  it('reads back what was written, and finds the end', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.nat(), fc.bigInt(0n, 2n ** 64n - 1n), (bytes, small, large) => {
        const reader = new WireReader(Buffer.concat([encodeString(bytes), encodeUint32(small), encodeUint64(large)]));
        expect(Uint8Array.from(reader.readString())).toEqual(bytes);
        expect(reader.readUint32()).toBe(small);
        expect(reader.readUint64()).toBe(large);
        expect(() => reader.expectEnd()).not.toThrow();
      }),
    );
  });

  it('throws where the bytes end too early, or too late', () => {
    expect(() => new WireReader(Buffer.from('0000000561', 'hex')).readString()).toThrow(RangeError);
    expect(() => new WireReader(Buffer.from('000000', 'hex')).readUint32()).toThrow(RangeError);
    expect(() => new WireReader(Buffer.alloc(7)).readUint64()).toThrow(RangeError);
    expect(() => new WireReader(Buffer.alloc(1)).expectEnd()).toThrow(RangeError);
  });
});
