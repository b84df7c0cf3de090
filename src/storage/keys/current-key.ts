// Whether the secret key of this process is still that of the database. On SQLite nobody else can change it; on PostgreSQL the key
// is changed under a running server that `secret rotate` cannot see, such as one behind a pooler.

import { SallyportError } from '../../domain/errors.ts';
import { remedies } from '../../domain/remedies.ts';
import { isRightKey } from './secret-key.ts';
import { OtherKeyError, type Secrets } from './secrets.ts';

/** Knows whether the key is still the right one. Everything that needs the key asks here. */
export interface CurrentKey {
  /** The secrets under the key. Their methods throw UNAVAILABLE if the database is under another key. */
  readonly secrets: Secrets;
  /** Takes note of the sealed check that the database has now, and returns whether the key is the right one for it. */
  look(sealedCheck: Uint8Array): boolean;
  isChanged(): boolean;
}

interface CurrentKeyOptions {
  readonly key: Uint8Array;
  readonly secrets: Secrets;
  /** The sealed check as it was when the database was opened. */
  readonly checked: Uint8Array;
  /** Reads the sealed check that the database has now. */
  readonly readCheck: () => Promise<Uint8Array | null>;
  /** Called with what is wrong when the key was changed; with null when it is the right one again. */
  readonly onTrouble: (message: string | null) => void;
}

const message = 'The secret key has been changed. The operator must restart the server.';
const told = `The secret key of the database has been changed: restart the server with the new ${remedies.setSecretKey}.`;

/** Creates the error for work that needs the key after it was changed. */
export function keyChangedError(cause?: unknown): SallyportError {
  return new SallyportError('UNAVAILABLE', message, cause === undefined ? {} : { cause });
}

/** Creates the knowledge about a key that was the right one when the database was opened. */
export function createCurrentKey({ key, secrets, checked, readCheck, onTrouble }: CurrentKeyOptions): CurrentKey {
  let seen = checked;
  let isChanged = false;
  const look = (sealedCheck: Uint8Array): boolean => {
    // Mostly unchanged. It is sealed anew with each secret that is stored.
    if (!Buffer.from(seen).equals(sealedCheck)) {
      seen = sealedCheck;
      const was = isChanged;
      isChanged = !isRightKey(key, sealedCheck);
      if (was !== isChanged) onTrouble(isChanged ? told : null);
    }
    return !isChanged;
  };
  /** The owners of texts that are under another key although this one is right. */
  const foreign = new Set<string>();
  const lookAnew = (owner: string) => {
    readCheck().then((now) => void (now !== null && look(now) && foreign.add(owner)), ignore);
  };
  const assertCurrent = () => {
    if (isChanged) throw keyChangedError();
  };
  /** @param isOurs whether only servers seal under the key, so that a text under another one tells of a change */
  const guarded = (made: Secrets, isOurs: boolean): Secrets => ({
    seal(plain, owner) {
      assertCurrent();
      return made.seal(plain, owner);
    },
    open(sealed, owner) {
      assertCurrent();
      try {
        return made.open(sealed, owner);
      } catch (error) {
        if (!isOurs || !(error instanceof OtherKeyError)) throw error;
        // Where the key has not been changed, the text itself is at fault: it came from another database.
        if (foreign.has(owner)) throw error;
        lookAnew(owner);
        throw keyChangedError(error);
      }
    },
    derive: (purpose) => guarded(made.derive(purpose), false),
    codeOf(text) {
      assertCurrent();
      return made.codeOf(text);
    },
  });
  return { secrets: guarded(secrets, true), look, isChanged: () => isChanged };
}

function ignore(): void {}
