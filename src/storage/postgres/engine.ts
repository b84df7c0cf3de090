// PostgreSQL as an engine: a server that many processes use at once, which keeps, copies and restores its data by its own means.

import type { Engine } from '../engine.ts';
import { migrate } from '../migrate.ts';
import { postgresDialect } from './dialect.ts';
import { holdDatabase } from './hold.ts';
import { createMigrationTarget } from './migrations.ts';
import { openDatabase } from './open.ts';
import { checkSurroundings } from './surroundings.ts';
import type { Address } from './url.ts';
import { readMoment } from './visit.ts';

const byItsOwnMeans = 'PostgreSQL has its own tools for that: see "Backups of PostgreSQL" in docs/postgresql.md.';

/** Creates the engine of a PostgreSQL database. Nothing is opened yet. */
export function createPostgresEngine(address: Address): Engine {
  const migrations = createMigrationTarget(address);
  const reading: Engine['reading'] = (work) => readMoment(address, work);
  return {
    name: address.name,
    title: 'PostgreSQL',
    keyFile: null,
    dialect: postgresDialect,
    migrations,
    exists: async () => true,
    hold: (purpose) => holdDatabase(address, purpose),
    makeFilesPrivate: () => [],
    migrateAside: () => migrate({ migrations }),
    open: (options) => openDatabase(address, options),
    reading,
    structureFaults: async () => [],
    checkSurroundings: () => reading((database) => checkSurroundings(database, address)),
    backUp: async () => {
      throw new Error(byItsOwnMeans);
    },
    restore: async () => {
      throw new Error(byItsOwnMeans);
    },
  };
}
