// What `ed25519.ts` promises, compared with the curve's arithmetic written out, and with keys created by OpenSSL.

import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { classifyEd25519Point } from '../../../../src/areas/ssh/keys/ed25519.ts';
import { parsePublicKey } from '../../../../src/areas/ssh/keys/public-key.ts';
import { encodeString } from '../../../../src/areas/ssh/keys/wire.ts';

const p = 2n ** 255n - 19n;
const mod = (number: bigint) => ((number % p) + p) % p;
const power = (base: bigint, exponent: bigint): bigint =>
  exponent === 0n ? 1n : mod(power(mod(base * base), exponent / 2n) * (exponent % 2n === 1n ? base : 1n));
const inverse = (number: bigint) => power(mod(number), p - 2n);
const d = mod(-121665n * inverse(121666n));
const rootOfMinusOne = power(2n, (p - 1n) / 4n);

type Point = readonly [x: bigint, y: bigint];

/** Returns a point with the given y, or undefined if there is none (RFC 8032, section 5.1.3). */
function pointWith(y: bigint): Point | undefined {
  const xx = mod((y * y - 1n) * inverse(d * y * y + 1n));
  const candidate = power(xx, (p + 3n) / 8n);
  return [candidate, mod(candidate * rootOfMinusOne)].filter((x) => mod(x * x) === xx).map((x): Point => [x, y])[0];
}

function add([x1, y1]: Point, [x2, y2]: Point): Point {
  const product = mod(d * mod(x1 * x2) * mod(y1 * y2));
  return [mod((x1 * y2 + y1 * x2) * inverse(1n + product)), mod((y1 * y2 + x1 * x2) * inverse(1n - product))];
}

const times8 = (point: Point) => [1, 2, 3].reduce<Point>((doubled) => add(doubled, doubled), point);

function bytesOf(y: bigint, sign = 0n): Buffer {
  return Buffer.from(((sign << 255n) | y).toString(16).padStart(64, '0'), 'hex').reverse();
}

/** Returns the points whose order divides eight: the multiples of a point of order eight, found as L times some point. */
function pointsOfSmallOrder(): Point[] {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const times = (count: bigint, point: Point): Point =>
    count === 0n ? [0n, 1n] : add(times(count / 2n, add(point, point)), count % 2n === 1n ? point : [0n, 1n]);
  for (let y = 2n; ; y += 1n) {
    const point = pointWith(y);
    const torsion = point && times(order, point);
    const multiples = torsion && Array.from({ length: 8 }, (_, count) => times(BigInt(count), torsion));
    if (multiples && new Set(multiples.map(String)).size === 8) return multiples;
  }
}

describe('classifyEd25519Point', () => {
  it('finds all eight points of small order, with either sign of x', () => {
    const found = pointsOfSmallOrder();
    expect(found.map(times8)).toEqual(Array(8).fill([0n, 1n]));
    for (const [x, y] of found) {
      expect(classifyEd25519Point(bytesOf(y, x & 1n))).toBe('small order');
      expect(classifyEd25519Point(bytesOf(y, 1n - (x & 1n)))).toBe('small order');
    }
  });

  it('takes no y beyond the field, in which some points have a second form', () => {
    for (let y = p; y < 2n ** 255n; y += 1n) {
      expect([classifyEd25519Point(bytesOf(y)), classifyEd25519Point(bytesOf(y, 1n))]).toEqual([
        'no point',
        'no point',
      ]);
    }
  });

  it('agrees with the equation of the curve on which y a point has', () => {
    for (let y = 2n; y < 60n; y += 1n) {
      for (const sign of [0n, 1n]) {
        expect(classifyEd25519Point(bytesOf(y, sign))).toBe(pointWith(y) === undefined ? 'no point' : 'usable');
      }
    }
  });

  it('takes every key that OpenSSL makes', () => {
    for (let count = 0; count < 50; count += 1) {
      const der = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' });
      expect(classifyEd25519Point(der.subarray(-32))).toBe('usable');
    }
  });
});

describe('parsePublicKey', () => {
  const lineOf = (bytes: Buffer) =>
    `ssh-ed25519 ${Buffer.concat([encodeString('ssh-ed25519'), encodeString(bytes)]).toString('base64')}`;

  it.each([
    [
      'the zero point',
      bytesOf(0n),
      /^must be a key that only its owner can sign with; anybody can sign with this one\./,
    ],
    [
      'the neutral point',
      bytesOf(1n),
      /^must be a key that only its owner can sign with; anybody can sign with this one\./,
    ],
    ['the neutral point in a second form', bytesOf(p + 1n), /^must be a valid key;/],
    ['bytes that are no point', bytesOf(2n), /^must be a valid key;/],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => parsePublicKey(lineOf(bytes))).toThrow(message);
  });

  it('takes a point that is one', () => {
    expect(parsePublicKey(lineOf(bytesOf(3n))).keyType).toBe('ed25519');
  });
});
