// The kinds of private keys that are generated.

/** A curve of ECDSA keys, as the API names it. */
export type EllipticCurve = 'p256' | 'p384' | 'p521';
/** A size of RSA keys, in bits of the modulus. */
export type RsaKeySize = 2048 | 3072 | 4096;

/** The kind of a private key. The type admits only valid combinations. */
export type KeyKind =
  | { readonly privateKeyType: 'ed25519' }
  | { readonly privateKeyType: 'ecdsa'; readonly ellipticCurve: EllipticCurve }
  | { readonly privateKeyType: 'rsa'; readonly keySize: RsaKeySize };
