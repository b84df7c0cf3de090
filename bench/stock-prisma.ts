// Prisma with its stock adapters. Only the settings that durability needs differ from the defaults.

import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../src/storage/generated/client/client.ts';
import { PrismaClient as PostgresClient } from '../src/storage/generated/postgresql-client/client.ts';
import { checkDurable } from './durable.ts';

/** Opens the database of a URL. Throws Error if a write would not be durable. */
export function openStockPrisma(url: string): Promise<PrismaClient> {
  return url.startsWith('file:') ? openSqlite(url) : openPostgres(url);
}

async function openSqlite(url: string): Promise<PrismaClient> {
  const client = new PrismaClient({ adapter: new PrismaBetterSqlite3({ url }) });
  await client.$queryRawUnsafe('PRAGMA journal_mode = WAL');
  await client.$executeRawUnsafe('PRAGMA synchronous = FULL');
  const [journal] = await client.$queryRawUnsafe<{ journal_mode: string }[]>('PRAGMA journal_mode');
  const [durability] = await client.$queryRawUnsafe<{ synchronous: bigint }[]>('PRAGMA synchronous');
  checkDurable('wal,2', [journal?.journal_mode, durability?.synchronous]);
  return client;
}

async function openPostgres(connectionString: string): Promise<PrismaClient> {
  const client = new PostgresClient({ adapter: new PrismaPg({ connectionString }) });
  const [sync] = await client.$queryRawUnsafe<{ fsync: string }[]>('SHOW fsync');
  const [commit] = await client.$queryRawUnsafe<{ synchronous_commit: string }[]>('SHOW synchronous_commit');
  checkDurable('on,on', [sync?.fsync, commit?.synchronous_commit]);
  // Both clients are generated from the same models.
  return client as unknown as PrismaClient;
}
