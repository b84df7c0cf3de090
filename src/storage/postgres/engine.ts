// PostgreSQL as an engine: a server that many processes use at once, with its own tools for storing, copying and restoring its
// data. The code that talks to it is loaded on first use: the driver takes a fifth of the time in which the command line starts,
// and most processes use SQLite.

import { join } from 'node:path';
import { remedies } from '../../domain/remedies.ts';
import type { Engine, MigrationTarget } from '../engine.ts';
import { migrate } from '../lifecycle/migrate.ts';
import { packageDirectory } from '../lifecycle/package.ts';
import { postgresDialect } from './dialect.ts';
import { createTransactionGauge } from './open-transactions.ts';
import { checkSurroundings } from './surroundings.ts';
import type { Address } from './url.ts';

const byItsOwnMeans = 'PostgreSQL has its own tools for that: see "Backups of PostgreSQL" in docs/postgresql.md.';

const remedy = `See whether ${remedies.setDatabaseUrl} is right, PostgreSQL runs there, and what its sessions wait for (pg_stat_activity); then try again.`;

const loadMigrations = () => import('./migrations.ts');

/** Creates the engine of a PostgreSQL database. Opens nothing yet. */
export function createPostgresEngine(address: Address): Engine {
  // The database exists; its tables need not.
  const migrations: MigrationTarget = {
    name: address.name,
    provider: 'postgres',
    prismaProvider: 'postgresql',
    directory: join(packageDirectory, 'prisma/migrations/postgresql'),
    readHistory: async () => (await loadMigrations()).readHistory(address),
    transact: async (changes, work) => (await loadMigrations()).transact(address, changes, work),
    withShadows: async (work) => (await loadMigrations()).withShadows(address, work),
  };
  const reading: Engine['reading'] = async (work) => (await import('./visit.ts')).readMoment(address, work);
  return {
    name: address.name,
    title: 'PostgreSQL',
    remedy,
    isShared: true,
    keyFile: null,
    dialect: postgresDialect,
    migrations,
    exists: async () => true,
    hold: async (purpose) => (await import('./hold.ts')).holdDatabase(address, purpose),
    untilWritable: async (owner) => (await import('./open.ts')).untilWritable(address, owner),
    makeFilesPrivate: () => [],
    migrateAside: () => migrate({ migrations }),
    open: async (options) => (await import('./open.ts')).openDatabase(address, options),
    reading,
    examineStructure: async () => ({ faults: [], unread: [] }),
    gauges: [createTransactionGauge()],
    checkSurroundings: () => reading((database) => checkSurroundings(database, address)),
    backUp: async () => {
      throw new Error(byItsOwnMeans);
    },
    restore: async () => {
      throw new Error(byItsOwnMeans);
    },
  };
}
