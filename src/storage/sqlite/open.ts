// Opens a database file: Prisma's client on our adapter, and the watch over what it rests on.

import type { OpenDatabase, OpenOptions } from '../engine.ts';
import { clientSettings } from '../engine.ts';
import { PrismaClient } from '../generated/client/client.ts';
import { makeLater } from '../later.ts';
import { createSqliteAdapterFactory } from './adapter.ts';
import { lockFileOf } from './files.ts';
import { createInspection } from './inspection.ts';
import { createLogSaver } from './lost-log.ts';
import { createWatch } from './watch.ts';

/** Milliseconds between two looks at the files, which is how long a write into a lost one may go unnoticed. */
const lookEveryMs = 1_000;
/** Milliseconds between two inspections of all pages where no probe asks for one. */
const inspectEveryMs = 60_000;

/** Opens a database file, as `Engine.open` says. */
export async function openDatabase(path: string, { onStatement, onTiming, owner }: OpenOptions): Promise<OpenDatabase> {
  const watch = createWatch(path, owner === undefined ? null : lockFileOf(path), (trouble) => {
    owner?.onTrouble(trouble?.message ?? null);
    saveLostLog();
  });
  const factory = createSqliteAdapterFactory({ path, onStatement, onTiming, watch });
  const connection = await factory.connect();
  const logSaver = createLogSaver(
    path,
    () => connection.saveLog(),
    (message) => owner?.onTrouble(message),
  );
  const saveLostLog = () => (watch.trouble?.lostLog ? logSaver.save() : logSaver.notLost());
  // Connects with the first query that it plans. From then on it disposes of the connection.
  const client = makeLater(
    () => new PrismaClient({ ...clientSettings, adapter: { ...factory, connect: async () => connection } }),
  );
  const inspection = createInspection(path, watch.found);
  const timers: NodeJS.Timeout[] = [];
  const look = () => {
    watch.look();
    saveLostLog();
  };
  return {
    client: client.standIn,
    connection,
    watch() {
      watch.opened();
      if (owner === undefined) return;
      timers.push(
        setInterval(look, lookEveryMs).unref(),
        // A fault that is found has been told by the watch; a thread that ended is started anew by the next round.
        setInterval(() => void inspection.run().catch(() => {}), inspectEveryMs).unref(),
      );
    },
    hasTrouble() {
      watch.look();
      return watch.trouble !== null;
    },
    inspect: () => inspection.run(),
    async close() {
      for (const timer of timers) clearInterval(timer);
      // The last to close the database moves the log into it, which the inspection cannot.
      await inspection.close();
      await client.made()?.$disconnect();
      // Disposed of already where the client had connected; a second time does nothing.
      await connection.dispose();
    },
    ended: inspection.ended,
  };
}
