// Watches whether a database can be trusted: its files are the ones that were opened, and they are not damaged.

import { accessSync, constants } from 'node:fs';
import { remedies } from '../../domain/remedies.ts';
import { EngineError, type Trouble } from '../engine-error.ts';
import { identityOf, realPathOf } from './files.ts';

export interface Problem {
  readonly kind: Trouble;
  /** What is wrong and what to do about it, for the operator's log. */
  readonly message: string;
  /** Whether writes are refused, because they could be lost. */
  readonly refusesWrites: boolean;
  /** Whether the write-ahead log is gone, so that changes that are only there have to be saved. */
  readonly lostLog: boolean;
}

/** Watches the files of a database. */
export interface Watch {
  /** The current problem; null if there is none. */
  readonly trouble: Problem | null;
  /** Why writes are refused; null while they are allowed. */
  readonly refusal: Problem | null;
  /** Takes an error of a statement. Damage is remembered for good; after any other failure of the machine, the files are compared. */
  met(error: unknown): void;
  /** Takes damage that an inspection found, as SQLite's message. */
  found(fault: string): void;
  /** Remembers which files are open: from now on they must stay the same. */
  opened(): void;
  /** Compares the files with the ones that were opened, with a few system calls. A moved file may come back. */
  look(): void;
}

const manual = 'docs/operations.md';

/**
 * Creates the watch over a database, before it is opened.
 *
 * @param lockFile the lock file, if this process owns the database; null if it only visits
 * @param onChange called when a problem appears or changes, and with null when it is gone
 */
export function createWatch(path: string, lockFile: string | null, onChange: (trouble: Problem | null) => void): Watch {
  const realPath = realPathOf(path);
  const files = [path, `${realPath}-wal`, `${realPath}-shm`, ...(lockFile === null ? [] : [lockFile])];
  let identities = new Map<string, string | null>();
  let damage: Problem | null = null;
  let misplaced: Problem | null = null;
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
      kind: 'damaged',
      message:
        `The database ${path} is damaged: ${fault.replaceAll('\n', ' ')}. Writes are stopped; reads continue where ` +
        `pages are intact. Stop the server, keep ${path}, ${realPath}-wal and ${realPath}-shm, and restore the last backup with ` +
        `"${remedies.restoreBackup('<file>')}". See "A damaged database" in ${manual}.`,
      refusesWrites: true,
      lostLog: false,
    };
    change();
  };
  const lookAt = (file: string): Problem | null => {
    const identity = identityOf(file);
    if (identity === identities.get(file)) return null;
    const what = identity === null ? `${file} is gone` : `${file} is no longer the file that the server opened`;
    if (file === lockFile) {
      return {
        kind: 'damaged',
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
      kind: 'damaged',
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
    misplaced ??= readOnlyProblem(path);
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
      // Checks again before refusing a write, because the file may be back.
      if (damage === null && misplaced !== null) look();
      const trouble = damage ?? misplaced;
      return trouble?.refusesWrites ? trouble : null;
    },
    met(error) {
      if (!(error instanceof EngineError) || error.failure === null) return;
      if (error.failure === 'damaged') found(error.message);
      else look();
    },
    found,
    look,
  };
}

/** The system makes a file system read-only after errors of its disk, and says so nowhere else. */
function readOnlyProblem(path: string): Problem | null {
  try {
    accessSync(path, constants.W_OK);
    return null;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EROFS')) return null;
    return {
      kind: 'readOnly',
      message:
        `The file system of ${path} is read-only. Writes are stopped until it is writable; this needs no restart. The system's own ` +
        'log may say why it is not.',
      refusesWrites: true,
      lostLog: false,
    };
  }
}
