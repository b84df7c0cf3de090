// Settings of the Prisma command line. The program itself never reads this file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'prisma/config';
import { modelsFor } from './src/storage/sql/models.ts';

// `generate` and `validate` insist on a schema engine binary, which Prisma downloads from its own host, but never run it.
// Naming any executable prevents the download (measured with 7.10).
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: process.env.PRISMA_PROVIDER === 'postgresql' ? writePostgresModels() : 'prisma',
  migrations: { path: `prisma/migrations/${process.env.PRISMA_PROVIDER ?? 'sqlite'}` },
  datasource: { url: process.env.DATABASE_URL ?? 'file:./data/sallyport.db' },
});

/** Writes a copy of the models with another header, because a client's provider is fixed when the client is generated. */
function writePostgresModels(): string {
  const directory = join(import.meta.dirname, 'src/storage/generated/postgresql-models');
  mkdirSync(directory, { recursive: true });
  for (const { path, content } of modelsFor('postgres')) writeFileSync(join(directory, path), content);
  return directory;
}
