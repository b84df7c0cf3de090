// Facts about the whole database, each a text under a name.

import { isMissingRow } from '../errors.ts';
import type { Changes, RowWriter } from '../objects/changes.ts';
import type { Facts, ServerReads } from '../objects/server-scope.ts';
import { type Sql, sql } from '../sql/statement.ts';

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
  const write = async (statement: Sql) => {
    await changes.apply({ write: rowWriter(statement) });
  };
  const insert = (name: string, value: string, otherwise: Sql) =>
    sql`INSERT INTO "ServerFact" ("name", "value") VALUES (${name}, ${Buffer.from(value)})
      ON CONFLICT ("name") DO ${otherwise} RETURNING "name"`;
  return {
    write: (name, value) => write(insert(name, value, sql`UPDATE SET "value" = excluded."value"`)),
    async replace(name, expected, value) {
      const update = sql`UPDATE "ServerFact" SET "value" = ${Buffer.from(value)}
        WHERE "name" = ${name} AND "value" = ${Buffer.from(expected ?? '')} RETURNING "name"`;
      try {
        await write(expected === null ? insert(name, value, sql`NOTHING`) : update);
        return true;
      } catch (error) {
        if (isMissingRow(error)) return false;
        throw error;
      }
    },
  };
}
