// The checks of an Ed25519 public key that OpenSSL leaves out: that its 32 bytes encode a point in the one form that RFC 8032
// defines, and that the point is not one of the eight for which anybody can sign. Pure.

/** The prime of the field, and the constant of the curve -x² + y² = 1 + d·x²·y² over it (RFC 8032, section 5.1). */
const p = 2n ** 255n - 19n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** Classification of the bytes of a public key. */
export type Ed25519Point = 'usable' | 'small order' | 'no point';

/** Classifies the 32 bytes of a public key (RFC 8032, section 5.1.3). */
export function classifyEd25519Point(bytes: Uint8Array): Ed25519Point {
  const littleEndian = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const y = BigInt.asUintN(255, littleEndian); // the bit above is the sign of x
  if (y >= p) return 'no point';
  const yy = (y * y) % p;
  // The points of order 1 and 2 have y = ±1, and those of order 4 have y = 0. Doubling a point of order 8 gives y = 0. The
  // numerator of y in the doubling formula is y² + x²; with x² taken from the equation of the curve, it is 0 if:
  const isOfOrder8 = (d * yy * yy + 2n * yy - 1n) % p === 0n;
  if (yy === 0n || yy === 1n || isOfOrder8) return 'small order';
  // x² = u / v, which is a square exactly if u·v is one.
  const [u, v] = [yy - 1n, d * yy + 1n];
  return isSquare(u * v) ? 'usable' : 'no point';
}

/** Returns whether a number other than 0 is a square in the field, by Euler's criterion. */
function isSquare(number: bigint): boolean {
  let result = 1n;
  let base = ((number % p) + p) % p;
  for (let exponent = (p - 1n) / 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % p;
    base = (base * base) % p;
  }
  return result === 1n;
}
