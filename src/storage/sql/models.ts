// The models, one set for both engines, with the header that an engine needs. Read when clients and migrations are created, never
// by a server.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectory } from '../lifecycle/package.ts';

const directory = join(packageDirectory, 'prisma');

/** Reads the models for an engine: those of this directory, with the header in the engine's version. */
export function modelsFor(provider: 'sqlite' | 'postgres'): { path: string; content: string }[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.prisma'))
    .sort()
    .map((path) => {
      const content = readFileSync(join(directory, path), 'utf8');
      return { path, content: path === 'schema.prisma' ? heads[provider](content) : content };
    });
}

const heads = { sqlite: (head: string) => head, postgres: postgresHead };

/**
 * Converts the header for SQLite into the one for PostgreSQL. PostgreSQL's client reads relations in one statement
 * (`relationJoins`), which sees one moment; types for Pothos come from the other client.
 */
function postgresHead(head: string): string {
  return head
    .replace('provider = "sqlite"', 'provider = "postgresql"')
    .replace(/generator pothos \{[^}]*\}\n/, '')
    .replace('"../src/storage/generated/client"', '"../postgresql-client"\n  previewFeatures     = ["relationJoins"]');
}
