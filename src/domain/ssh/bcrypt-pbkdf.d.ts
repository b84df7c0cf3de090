// The part of bcrypt-pbkdf that is used here; it brings no types.

declare module 'bcrypt-pbkdf' {
  const bcrypt: {
    /** Derives a key as OpenSSH does, into `key`. Gives a number other than 0 for arguments that it does not take. */
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
