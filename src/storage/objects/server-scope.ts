// The data of all accounts, for work that the server does for no account: upkeep, counts, files served without a key. A guard keeps
// it away from all code that acts for an account.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { translated } from '../errors.ts';
import type { Decoders, Dialect, JsonWriting } from '../sql/dialect.ts';
import { createSlicing, rowSlices, type Slice, type SliceSizes, type Slicing } from '../sql/read-slices.ts';
import { type Sql, sql, statementOf, verbatim } from '../sql/statement.ts';
import type { Changes, Write } from './changes.ts';

/** Reads a database with statements. */
export interface ServerReads {
  /** Reads rows, with the driver's values. Throws UNAVAILABLE if the storage cannot serve it now. */
  rows(statement: Sql): Promise<unknown[][]>;
  /** Decodes the driver's values. */
  readonly decode: Decoders;
  /** Writes rows from JSON, for statements that write many, and hashes of JSON. */
  readonly json: Pick<JsonWriting, 'entries' | 'stored' | 'hash' | 'milliseconds'>;
  /** Writes a time in a column as seconds since 1970, to calculate with. */
  readonly seconds: (column: string) => Sql;
  /** Looks through rows in slices, as `Slicing.slices`; in its turn between the accounts. */
  slices<T>(sizes: SliceSizes, look: (rows: number) => Promise<Slice<T>>): AsyncGenerator<T>;
}

/**
 * Looks through a table of all accounts in the order of its ids, for what no index finds: one statement for each slice.
 *
 * @param select writes the statement for a slice, given the condition for a column with these ids; others have to be `sifting`
 */
export async function* lookThrough(
  { rows, slices }: Pick<ServerReads, 'rows' | 'slices'>,
  table: string,
  select: (within: (column: string) => Sql) => Sql,
  sizes: SliceSizes = rowSlices,
): AsyncGenerator<unknown[][]> {
  const from = verbatim(`"${table}"`);
  let after = '';
  const look = async (most: number) => {
    const rest = (column: string) => sql`${verbatim(column)} > ${after}`;
    const [last] = await rows(
      sql`SELECT "id" FROM ${from} WHERE ${rest('"id"')} ORDER BY "id" LIMIT 1 OFFSET ${most - 1}`,
    );
    const until = (column: string) => sql`${verbatim(column)} <= ${String(last?.[0])}`;
    const within = (column: string) => (last === undefined ? rest(column) : sql`${rest(column)} AND ${until(column)}`);
    const value = await rows(select(within));
    if (last !== undefined) after = String(last[0]);
    return { value, entries: most, isLast: last === undefined };
  };
  yield* slices(sizes, look);
}

/** Counts the rows of a table of all accounts that meet a condition, as `lookThrough`. */
export async function countThrough(
  database: Pick<ServerReads, 'rows' | 'slices'>,
  table: string,
  condition: Sql,
): Promise<number> {
  const from = verbatim(`"${table}"`);
  const counted = sql`count(CASE WHEN ${condition} THEN 1 END)`;
  let count = 0;
  for await (const [row] of lookThrough(
    database,
    table,
    (within) => sql`SELECT ${counted} FROM ${from} WHERE ${within('"id"')}`,
  ))
    count += Number(row?.[0]);
  return count;
}

/** Keeps facts about the whole database, each a text under a name. All methods throw UNAVAILABLE if the storage cannot serve them now. */
export interface Facts {
  /** Writes a fact, whether or not there was one of that name. */
  write(name: string, value: string): Promise<void>;
  /** Writes a fact if it is as expected; null if there must be none. Returns whether it was. */
  replace(name: string, expected: string | null, value: string): Promise<boolean>;
}

/** Reads and writes the data of all accounts. */
export interface ServerScope extends ServerReads {
  /**
   * Executes writing statements as one change. Throws like `rows`.
   *
   * @returns the number of rows that the first statement changed
   */
  change(statement: Sql, ...others: readonly Sql[]): Promise<number>;
  readonly facts: Facts;
}

/** The owner of the slices of the server. No account has this id. */
const server = '';

/** Creates the reads of a connection. */
export function createServerReads(
  connection: SqlQueryable,
  dialect: Dialect,
  slicing: Slicing = createSlicing(dialect, () => performance.now()),
): ServerReads {
  return {
    rows: async (statement) => (await translated(connection.queryRaw(statementOf(dialect, statement)))).rows,
    decode: dialect.decode,
    json: dialect.json,
    seconds: (column) => verbatim(dialect.seconds(column)),
    slices: (sizes, look) => slicing.slices(server, sizes, look),
  };
}

/** Creates a scope that writes through the same path as all changes. */
export function createServerScope(dialect: Dialect, reads: ServerReads, changes: Changes, facts: Facts): ServerScope {
  const writeOf = (statement: Sql): Write<number> => ({
    statement: { ...statementOf(dialect, sql`${statement} RETURNING 1`), finds: 0, counted: true },
    read: ([count]) => Number(count),
  });
  return {
    ...reads,
    facts,
    change: (statement, ...others) => changes.apply({ write: writeOf(statement), after: others.map(writeOf) }),
  };
}
