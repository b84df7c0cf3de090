// Facts about the whole database, each a text under a name.

import { isMissingRow } from '../errors.ts';
import type { Changes, RowWriter } from '../objects/changes.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { type Sql, sql } from '../sql/statement.ts';

/** Keeps facts. All methods throw UNAVAILABLE if the storage cannot serve them now. */
export interface Facts {
  /** Writes a fact, whether or not there was one of that name. */
  write(name: string, value: string): Promise<void>;
  /** Writes a fact if it is as expected; null if there must be none. Returns whether it was. */
  replace(name: string, expected: string | null, value: string): Promise<boolean>;
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
  const write = async (name: string, value: string, condition: Sql) => {
    await changes.apply({
      write: rowWriter(
        sql`INSERT INTO "ServerFact" ("name", "value") VALUES (${name}, ${Buffer.from(value)})
          ON CONFLICT ("name") DO UPDATE SET "value" = excluded."value" WHERE ${condition} RETURNING "name"`,
      ),
    });
  };
  return {
    write: (name, value) => write(name, value, sql`1 = 1`),
    async replace(name, expected, value) {
      const isExpected = expected === null ? sql`1 = 0` : sql`"ServerFact"."value" = ${Buffer.from(expected)}`;
      try {
        await write(name, value, isExpected);
        return true;
      } catch (error) {
        if (isMissingRow(error)) return false;
        throw error;
      }
    },
  };
}
