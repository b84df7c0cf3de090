// The counts of the objects of accounts that the database keeps (`prisma/object-count.prisma`).

import { areas } from '../../areas/areas.ts';
import { kinds } from '../../domain/values/ids.ts';
import { getDatamodel } from '../generated/pothos.ts';
import { type Sql, sql } from './statement.ts';

/** The columns that every table of objects has. */
const ofObjects = ['id', 'accountId', 'version'];

/** The tables whose rows are counted: those of all objects that clients address by id, and those that areas name. */
export const countedTables: readonly string[] = Object.entries(getDatamodel().datamodel.models).flatMap(
  ([name, { fields }]) => {
    const isOfObjects =
      Object.hasOwn(kinds, name) && ofObjects.every((column) => fields.some((field) => field.name === column));
    return isOfObjects || areas.some((area) => area.counted?.includes(name)) ? [name] : [];
  },
);

const counted: ReadonlySet<string> = new Set(countedTables);

/** Returns whether the database counts the rows of a table. */
export function isCounted(table: string): boolean {
  return counted.has(table);
}

/** Writes the statement that returns how many rows of a counted table an account has. */
export function objectCount(accountId: string, table: string): Sql {
  return sql`SELECT coalesce(sum("count"), 0) FROM "ObjectCount" WHERE "accountId" = ${accountId} AND "kind" = ${table}`;
}
