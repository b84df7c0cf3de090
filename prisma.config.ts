// Settings of the Prisma command line. The program itself never reads this file.
import { defineConfig } from 'prisma/config';

// `generate` and `validate` insist on a schema engine binary that Prisma downloads from a host of its own,
// and never run it. Naming any executable keeps them on this machine (measured with 7.10).
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: 'prisma',
  migrations: { path: 'prisma/migrations/sqlite' },
  datasource: { url: process.env.DATABASE_URL ?? 'file:./data/sallyport.db' },
});
