// Saves the changes in a write-ahead log whose file was removed or replaced. We still have it open; nobody else can open it.

import { messageOf } from '../../domain/wording.ts';
export interface LogSaver {
  /** Saves as much as possible now, unless everything is saved. Call it repeatedly while the log is lost. */
  save(): void;
  /** Notes that the log is not lost, or no longer lost. */
  notLost(): void;
}

/**
 * Creates the saver for the log of a database.
 *
 * @param moveLog moves the log into the database, and returns whether all of it was moved
 * @param tell called once if something prevents saving the log, and then once when all of it has been saved
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
