// Facts about the whole database, each a text under a name.

import type { Changes, RowWriter } from '../objects/changes.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { sql } from '../sql/statement.ts';

/** Keeps facts. All methods throw UNAVAILABLE if the storage cannot serve them now. */
export interface Facts {
  /** Writes a fact, whether or not there was one of that name. */
  write(name: string, value: string): Promise<void>;
}

/** Reads a fact; null if there is none. */
export async function readFact(
  { rows, decode }: Pick<ServerReads, 'rows' | 'decode'>,
  name: string,
): Promise<string | null> {
  const [found] = await rows(sql`SELECT "value" FROM "ServerFact" WHERE "name" = ${name}`);
  return found === undefined ? null : Buffer.from(decode.Bytes(found[0])).toString();
}

/** Creates the facts of a database. A write does not need Prisma's query compiler. */
export function createFacts({ rowWriter, changes }: { rowWriter: RowWriter; changes: Changes }): Facts {
  return {
    async write(name, value) {
      await changes.apply({
        write: rowWriter(
          sql`INSERT INTO "ServerFact" ("name", "value") VALUES (${name}, ${Buffer.from(value)})
            ON CONFLICT ("name") DO UPDATE SET "value" = excluded."value" RETURNING "name"`,
        ),
      });
    },
  };
}
