// Whether a database can be trusted: its files are those that were opened, and nothing in them is damaged.

import { EngineError } from '../engine.ts';
import { identityOf, realPathOf } from './files.ts';

/** What is wrong with a database. */
export interface Trouble {
  /** What it is and what to do, for the log of the operator. */
  readonly message: string;
  /** Whether what is written now could be lost. */
  readonly refusesWrites: boolean;
  /** Whether the write-ahead log is gone, so that what is only there has to be saved. */
  readonly lostLog: boolean;
}

/** Watches over the files of a database. */
export interface Watch {
  /** What is wrong; null while nothing is. */
  readonly trouble: Trouble | null;
  /** Why nothing may be written; null while everything may. */
  readonly refusal: string | null;
  /** Notes an error of a statement. Damage is never forgotten; other errors are nothing here. */
  met(error: unknown): void;
  /** Notes damage that was found by looking for it, in SQLite's words. */
  found(fault: string): void;
  /** Notes which files are open: from now on they must be the same. */
  opened(): void;
  /** Compares the files with those that were opened: a few system calls. A file that was moved may come back. */
  look(): void;
}

const manual = 'docs/operations.md';

/**
 * Creates the watch over a database, before it is opened.
 *
 * @param lockFile the lock file of a process that owns the database; null for one that visits it
 * @param onChange told when something goes wrong, when it turns out to be something else, and with null when it is well again
 */
export function createWatch(path: string, lockFile: string | null, onChange: (trouble: Trouble | null) => void): Watch {
  const realPath = realPathOf(path);
  const files = [path, `${realPath}-wal`, `${realPath}-shm`, ...(lockFile === null ? [] : [lockFile])];
  let identities = new Map<string, string | null>();
  let damage: Trouble | null = null;
  let misplaced: Trouble | null = null;
  let told: string | null = null;

  const change = () => {
    const trouble = damage ?? misplaced;
    if ((trouble?.message ?? null) === told) return;
    told = trouble?.message ?? null;
    onChange(trouble);
  };
  const found = (fault: string) => {
    if (damage !== null) return;
    damage = {
      message:
        `The database ${path} is damaged: ${fault.replaceAll('\n', ' ')}. Writes are stopped; reads continue where ` +
        `pages are intact. Stop the server, keep ${path}, ${realPath}-wal and ${realPath}-shm, and restore the last backup with ` +
        `"sallyport restore <file>". See "A damaged database" in ${manual}.`,
      refusesWrites: true,
      lostLog: false,
    };
    change();
  };
  const lookAt = (file: string): Trouble | null => {
    const identity = identityOf(file);
    if (identity === identities.get(file)) return null;
    const what = identity === null ? `${file} is gone` : `${file} is no longer the file that the server opened`;
    if (file === lockFile) {
      return {
        message:
          `${file} was removed or replaced: it keeps other servers off the database ${path}. Restart this server to ` +
          'lock the database again. ' +
          `See "Files that are gone" in ${manual}.`,
        refusesWrites: false,
        lostLog: false,
      };
    }
    const lostLog = file === `${realPath}-wal`;
    return {
      message:
        `${what}. ` +
        (lostLog
          ? `Writes are stopped; acknowledged changes are being saved into ${path}. Restart the server. `
          : 'Writes are stopped until it is back. Put the same file back where it was; this needs no restart. ') +
        `See "Files that are gone" in ${manual}.`,
      refusesWrites: true,
      lostLog,
    };
  };

  const look = () => {
    if (identities.size === 0) return;
    misplaced = null;
    for (const file of files) misplaced ??= lookAt(file);
    change();
  };

  return {
    opened() {
      identities = new Map(files.map((file) => [file, identityOf(file)]));
    },
    get trouble() {
      return damage ?? misplaced;
    },
    get refusal() {
      // Looks again before it refuses a write, because the file may be back.
      if (damage === null && misplaced !== null) look();
      const trouble = damage ?? misplaced;
      return trouble?.refusesWrites ? trouble.message : null;
    },
    met(error) {
      if (error instanceof EngineError && error.failure === 'damaged') found(error.message);
    },
    found,
    look,
  };
}
