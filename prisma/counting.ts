// How the databases count the objects of each account (`ObjectCount`): by triggers of every table of objects, so that nothing that
// writes can forget it. Migrations have them as text; `new-migration.ts` writes them from here.

import { countedTables } from '../src/storage/sql/object-counts.ts';

type Provider = 'sqlite' | 'postgres';

/** Returns the statements that count the rows of a table from now on. */
export function triggersOf(provider: Provider, table: string): string {
  return statements[provider](table);
}

/**
 * Returns the statements that a migration lacks: of tables of objects that it creates, or builds anew, which loses their triggers on
 * SQLite.
 */
export function triggersFor(provider: Provider, migration: string): string {
  const made = countedTables.filter((table) =>
    [`CREATE TABLE "${table}" `, ` RENAME TO "${table}"`].some((text) => migration.includes(text)),
  );
  return made.map((table) => `\n-- Counts its objects (prisma/counting.ts).\n${triggersOf(provider, table)}`).join('');
}

const statements: Readonly<Record<Provider, (table: string) => string>> = {
  sqlite: (table) => `CREATE TRIGGER "${table}_created" AFTER INSERT ON "${table}" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", '${table}', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "${table}_deleted" AFTER DELETE ON "${table}" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = '${table}' AND "slot" = 0; END;
`,
  postgres: (table) => `CREATE TRIGGER "${table}_created" AFTER INSERT ON "${table}" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "${table}_deleted" AFTER DELETE ON "${table}" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
`,
};
