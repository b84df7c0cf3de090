// Text that travels with a browser while it is away at an identity provider: sealed, so that nothing has to be stored for those who
// never come back.

import { SallyportError } from '../../domain/errors.ts';
import type { Unsealed } from '../../domain/gate/login.ts';
import type { Storage } from '../storage.ts';

/** Milliseconds for which sealed text can be used, which limits how long a login may take. */
export const loginMsMax = 600_000;

/** Creates the sealing of a database. */
export function createBrowserState(forAccount: Storage['forAccount'], now: () => Date) {
  // A derived key, not the one that seals private keys, because anonymous clients can have any number of texts sealed.
  const secretsOf = (accountId: string) => forAccount(accountId).secrets.derive('browser state');
  return {
    /** Seals a text for one owner and purpose (`ownerOf`), in characters that are allowed in URLs and XML names. */
    seal(accountId: string, owner: string, text: string): string {
      const stamped = Buffer.concat([timeOf(now()), Buffer.from(text)]);
      return Buffer.from(secretsOf(accountId).seal(stamped, owner)).toString('base64url');
    },

    /** Opens a text that `seal` made for the same owner; null for any other text, or if it is too old. */
    open(accountId: string, owner: string, sealed: string): Unsealed | null {
      const bytes = Buffer.from(sealed, 'base64url');
      // Accept only the canonical encoding, because used messages are remembered by their text.
      if (bytes.toString('base64url') !== sealed) return null;
      let stamped: Buffer;
      try {
        stamped = secretsOf(accountId).open(bytes, owner);
      } catch (error) {
        if (error instanceof SallyportError) throw error;
        return null;
      }
      const sealedAt = new Date(stamped.readUIntBE(0, timeBytes));
      const usableUntil = new Date(sealedAt.getTime() + loginMsMax);
      return now() < usableUntil ? { text: stamped.subarray(timeBytes).toString(), sealedAt, usableUntil } : null;
    },
  };
}

const timeBytes = 6;

/** Encodes a time as milliseconds in six bytes. */
function timeOf(time: Date): Buffer {
  const bytes = Buffer.alloc(timeBytes);
  bytes.writeUIntBE(time.getTime(), 0, timeBytes);
  return bytes;
}
