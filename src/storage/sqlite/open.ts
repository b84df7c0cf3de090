// Opens a database file: Prisma's client on our adapter, and the watch over the database's files.

import type { OpenDatabase, OpenOptions } from '../engine.ts';
import { clientSettings } from '../engine.ts';
import { PrismaClient } from '../generated/client/client.ts';
import { makeLater } from '../lifecycle/later.ts';
import { createSqliteAdapterFactory } from './adapter.ts';
import { sqliteDialect } from './dialect.ts';
import { lockFileOf } from './files.ts';
import { createInspection } from './inspection.ts';
import { createLogSaver } from './lost-log.ts';
import { createWatch } from './watch.ts';

/** Milliseconds between two checks of the files, which is how long writes into a lost file may go unnoticed. */
const lookEveryMs = 1_000;
/** Milliseconds between inspections of all pages, if no probe asks for one. */
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
  // The client connects at the first query that it plans. From then on it disposes of the connection.
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
    agreeOnDialect: async () => sqliteDialect,
    watch() {
      watch.opened();
      if (owner === undefined) return;
      timers.push(
        setInterval(look, lookEveryMs).unref(),
        // The watch reports any fault that is found. If the thread ended, the next inspection starts a new one.
        setInterval(() => void inspection.run().catch(() => {}), inspectEveryMs).unref(),
      );
    },
    trouble() {
      watch.look();
      return watch.trouble?.kind ?? null;
    },
    inspect: () => inspection.run(),
    async close() {
      for (const timer of timers) clearInterval(timer);
      // The last connection to close moves the log into the database, and the inspection's, which only reads, cannot.
      await inspection.close();
      await client.made()?.$disconnect();
      // A no-op if the client had connected and has disposed of it already.
      await connection.dispose();
    },
    ended: inspection.ended,
  };
}
