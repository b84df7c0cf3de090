// Opens a PostgreSQL database: Prisma's client on our adapter.

import { clientSettings, type OpenDatabase, type OpenOptions } from '../engine.ts';
import type { PrismaClient } from '../generated/client/client.ts';
import { PrismaClient as PostgresClient } from '../generated/postgresql-client/client.ts';
import { makeLater } from '../later.ts';
import { createPostgresAdapterFactory } from './adapter.ts';
import { dialectWithOffset } from './dialect.ts';
import { agreeOnOffset } from './order-offset.ts';
import type { Address } from './url.ts';

/** Milliseconds between checks of a database in trouble. */
const recheckMs = 500;

/** Opens a database, as `Engine.open` says. */
export async function openDatabase(
  address: Address,
  { onStatement, onTiming, owner }: OpenOptions,
): Promise<OpenDatabase> {
  const factory = createPostgresAdapterFactory({ address, onStatement, onTiming });
  const connection = await factory.connect();
  const offset = await agreeOnOffset(connection).catch(async (error: unknown) => {
    await connection.dispose();
    throw error;
  });
  const client = makeLater(() => {
    const made = new PostgresClient({ ...clientSettings, adapter: { ...factory, connect: async () => connection } });
    // Both clients are generated from the same models: what stores use of one, the other has as well. Prisma's types do not show
    // that, because each names its own client.
    return made as unknown as PrismaClient;
  });
  let trouble: string | null = null;
  let watching: NodeJS.Timeout | undefined;
  const inspect = async () => {
    const found = await connection.queryRaw({
      sql: "SELECT current_setting('transaction_read_only')",
      args: [],
      argTypes: [],
    });
    const now =
      found.rows[0]?.[0] === 'on'
        ? `The database ${address.name} takes no writes: it is a standby, or read-only. Let DATABASE_URL name the primary.`
        : null;
    if (now !== trouble) owner?.onTrouble(now);
    trouble = now;
  };
  return {
    client: client.standIn,
    connection,
    dialect: dialectWithOffset(offset),
    watch() {
      // Without this, the end of trouble would go unnoticed, because callers do not inspect a database in trouble.
      watching = setInterval(() => {
        if (trouble !== null) inspect().catch(() => {});
      }, recheckMs);
      watching.unref();
    },
    hasTrouble: () => trouble !== null,
    inspect,
    ended: async () => {},
    async close() {
      clearInterval(watching);
      await client.made()?.$disconnect();
      // Already disposed of if the client had connected; a second time is a no-op.
      await connection.dispose();
    },
  };
}
