// Opens a PostgreSQL database: Prisma's client on our adapter, and the watch over where the connections lead.

import { setTimeout as pause } from 'node:timers/promises';
import { clientSettings, type OpenDatabase, type OpenOptions, type Owner } from '../engine.ts';
import type { PrismaClient } from '../generated/client/client.ts';
import { PrismaClient as PostgresClient } from '../generated/postgresql-client/client.ts';
import { makeLater } from '../lifecycle/later.ts';
import { createPostgresAdapterFactory } from './adapter.ts';
import { readOnlyMessage, takesNoWrites } from './client.ts';
import { dialectWithOffset } from './dialect.ts';
import { agreeOnOffset } from './order-offset.ts';
import type { Address } from './url.ts';

/** Milliseconds between checks of a database in trouble, and of one that is well. */
const recheckMs = 500;
const checkMs = 5_000;

/** Waits until a database takes writes. Tells the owner if it has to wait, as `Engine.untilWritable` says. */
export async function untilWritable(address: Address, { onTrouble }: Owner): Promise<void> {
  if (!(await takesNoWrites(address))) return;
  onTrouble(readOnlyMessage(address));
  do await pause(recheckMs);
  while (
    // Nothing may answer while a standby becomes the primary.
    await takesNoWrites(address).catch(() => true)
  );
  onTrouble(null);
}

/** Opens a database, as `Engine.open` says. */
export async function openDatabase(
  address: Address,
  { onStatement, onTiming, owner }: OpenOptions,
): Promise<OpenDatabase> {
  const factory = createPostgresAdapterFactory({ address, onStatement, onTiming });
  const connection = await factory.connect();
  const client = makeLater(() => {
    const made = new PostgresClient({ ...clientSettings, adapter: { ...factory, connect: async () => connection } });
    // Both clients are generated from the same models: what stores use of one, the other has as well. Prisma's types do not show
    // that, because each names its own client.
    return made as unknown as PrismaClient;
  });
  let trouble: string | null = null;
  let inspecting: Promise<void> | null = null;
  const look = async () => {
    // In trouble, a new connection is asked: those that are open would lead to the standby for as long as it runs.
    const isReadOnly = await (trouble === null ? connection.isReadOnly() : takesNoWrites(address));
    if (isReadOnly === (trouble !== null)) return;
    connection.renew();
    trouble = isReadOnly ? readOnlyMessage(address) : null;
    owner?.onTrouble(trouble);
  };
  const inspect = () => {
    inspecting ??= look().finally(() => {
      inspecting = null;
    });
    return inspecting;
  };
  const timers: NodeJS.Timeout[] = [];
  const every = (ms: number, isDue: () => boolean) => {
    const check = () => void (isDue() && inspect().catch(() => {}));
    timers.push(setInterval(check, ms).unref());
  };
  return {
    client: client.standIn,
    connection,
    agreeOnDialect: async () => dialectWithOffset(await agreeOnOffset(connection)),
    watch() {
      if (owner === undefined) return;
      // Without this, the end of trouble would go unnoticed, because callers do not inspect a database in trouble.
      every(recheckMs, () => trouble !== null);
      every(checkMs, () => trouble === null);
    },
    trouble: () => (trouble === null ? null : 'readOnly'),
    inspect,
    ended: async () => {},
    async close() {
      for (const timer of timers) clearInterval(timer);
      await client.made()?.$disconnect();
      // Already disposed of if the client had connected; a second time is a no-op.
      await connection.dispose();
    },
  };
}
