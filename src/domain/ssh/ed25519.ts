// What OpenSSL does not check of a public key for Ed25519: that its 32 bytes stand for a point, in the one form that RFC 8032
// gives it, and that the point is not one of the eight for which anybody can sign. Pure.

/** The prime of the field, and the constant of the curve -x² + y² = 1 + d·x²·y² over it (RFC 8032, section 5.1). */
const p = 2n ** 255n - 19n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** What the bytes of a public key are. */
export type Ed25519Point = 'usable' | 'small order' | 'no point';

/** Finds out what the 32 bytes of a public key are (RFC 8032, section 5.1.3). */
export function classifyEd25519Point(bytes: Uint8Array): Ed25519Point {
  const littleEndian = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const y = BigInt.asUintN(255, littleEndian); // the bit above is the sign of x
  if (y >= p) return 'no point';
  const yy = (y * y) % p;
  // The points of order 1 and 2 have y = ±1, those of order 4 have y = 0. The double of a point of order 8 has y = 0, and
  // y² + x² is what the formula of doubling has there above the line; with x² of the equation of the curve:
  const isOfOrder8 = (d * yy * yy + 2n * yy - 1n) % p === 0n;
  if (yy === 0n || yy === 1n || isOfOrder8) return 'small order';
  // x² = u / v, which is a square exactly where u·v is one.
  const [u, v] = [yy - 1n, d * yy + 1n];
  return isSquare(u * v) ? 'usable' : 'no point';
}

/** Tells by Euler's criterion whether a number other than 0 is a square in the field. */
function isSquare(number: bigint): boolean {
  let result = 1n;
  let base = ((number % p) + p) % p;
  for (let exponent = (p - 1n) / 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % p;
    base = (base * base) % p;
  }
  return result === 1n;
}
