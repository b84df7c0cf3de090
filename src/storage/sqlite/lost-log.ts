// Saves what is only in a write-ahead log that has lost its name. We still have it open, and nobody else can.

import { messageOf } from '../../domain/wording.ts';
/** Saves a lost log into its database. */
export interface LogSaver {
  /** Saves what can be saved now, unless all of it has been. Call it again and again while the log is lost. */
  save(): void;
  /** Notes that the log is not lost (any more). */
  notLost(): void;
}

/**
 * Creates the saver of the log of a database.
 *
 * @param moveLog moves the log into the database, and says whether all of it is there
 * @param tell told once that something keeps the log from being saved, and then once that all of it has been
 */
export function createLogSaver(
  path: string,
  moveLog: () => Promise<boolean>,
  tell: (message: string) => void,
): LogSaver {
  let saving = false;
  let saved = false;
  let heldUp = false;

  const waitFor = (reason: string) => {
    if (heldUp) return;
    heldUp = true;
    tell(
      `Some acknowledged changes are not saved in ${path} yet: ${reason}. The server retries every second. ` +
        'Do not stop it until it logs that everything is saved. See "Files that are gone" in docs/operations.md.',
    );
  };
  const saveNow = async () => {
    try {
      saved = await moveLog();
      if (!saved) waitFor('the database is being read');
      else if (heldUp) tell(`All acknowledged changes are saved in ${path}. Restart the server.`);
    } catch (error) {
      waitFor(messageOf(error));
    }
  };
  return {
    save() {
      if (saved || saving) return;
      saving = true;
      void saveNow().finally(() => {
        saving = false;
      });
    },
    notLost() {
      saved = false;
      heldUp = false;
    },
  };
}
