// The part of bcrypt-pbkdf that is used here; the package has no types.

declare module 'bcrypt-pbkdf' {
  const bcrypt: {
    /** Derives a key as OpenSSH does, into `key`. Returns a number other than 0 for invalid arguments. */
    pbkdf(
      passphrase: Uint8Array,
      passphraseBytes: number,
      salt: Uint8Array,
      saltBytes: number,
      key: Uint8Array,
      keyBytes: number,
      rounds: number,
    ): number;
  };
  export default bcrypt;
}
