// The statements of opponent (a): the same on both engines, prepared once and sent past every layer.

import Database from 'better-sqlite3';
import pg from 'pg';

/** A row as it is stored. */
export interface Row {
  readonly id: string;
  readonly description: string;
  readonly metadata: string;
  readonly version: number;
  /** Text such as `2027-01-31T09:30:00.000+00:00` or `2027-01-31 09:30:00`. */
  readonly createdAt: string;
}

/** Values of a statement, in their order. */
type Values = readonly (string | number | null)[];

/** What opponent (a) asks its database. */
export interface Statements {
  /** Gives `accountId` for the hash of a token. */
  readonly selectKey: Statement<{ accountId: string }>;
  /** Gives the row for an id and an account. */
  readonly selectOne: Statement<Row>;
  /** Gives rows for an account, an id that they are older than, and how many there are at most. */
  readonly selectPage: Statement<Row>;
  /** Makes a row of id, account, description, metadata and time of creation. */
  readonly insert: Statement<Row>;
  /** Changes description and metadata, where they are not null, of the row of an id and an account. */
  readonly update: Statement<Row>;
}

/** A statement that is prepared. Gives its rows: at once on SQLite, where to wait would cost time. */
type Statement<R> = (...values: Values) => readonly R[] | Promise<readonly R[]>;

/** Opens the database of a URL and prepares the statements. Throws Error where a write would not be durable. */
export function openStatements(url: string): Promise<Statements> {
  return url.startsWith('file:') ? openSqlite(url.slice('file:'.length)) : openPostgres(url);
}

async function openSqlite(path: string): Promise<Statements> {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  checkDurable('wal,2', [
    database.pragma('journal_mode', { simple: true }),
    database.pragma('synchronous', { simple: true }),
  ]);
  return prepareAll(
    () => '?',
    <R>(_name: string, text: string) => {
      const statement = database.prepare<[...Values], R>(text);
      return (...values: Values) => statement.all(...values);
    },
  );
}

/** Times as the text that PostgreSQL sends; all else as the driver reads it. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.TIMESTAMP ? (text: string) => text : pg.types.getTypeParser(oid, format),
};

async function openPostgres(connectionString: string): Promise<Statements> {
  const pool = new pg.Pool({ connectionString, max: 10, types });
  const show = async (name: string) => (await pool.query({ text: `SHOW ${name}`, rowMode: 'array' })).rows[0]?.[0];
  checkDurable('on,on', [await show('fsync'), await show('synchronous_commit')]);
  return prepareAll(
    (number) => `$${number}`,
    // The rows are what the statement says.
    <R>(name: string, text: string) =>
      async (...values: Values) =>
        (await pool.query({ name, text, values: [...values] })).rows as R[],
  );
}

function checkDurable(expected: string, settings: readonly unknown[]): void {
  if (settings.join() !== expected) throw new Error(`The opponent would not be durable: ${settings.join()}`);
}

const columns = '"id", "description", "metadata", "version", "createdAt"';

/** @param $ writes what stands for a value, which are numbered in the order in which they stand */
function prepareAll(
  $: (number: number) => string,
  prepare: <R>(name: string, text: string) => Statement<R>,
): Statements {
  const own = (first: number) => `"id" = ${$(first)} AND "accountId" = ${$(first + 1)}`;
  return {
    selectKey: prepare('key', `SELECT "accountId" FROM "ApiKey" WHERE "tokenHash" = ${$(1)}`),
    selectOne: prepare('one', `SELECT ${columns} FROM "IpPolicy" WHERE ${own(1)}`),
    selectPage: prepare(
      'page',
      `SELECT ${columns} FROM "IpPolicy" WHERE "accountId" = ${$(1)} AND "id" < ${$(2)} ORDER BY "id" DESC LIMIT ${$(3)}`,
    ),
    insert: prepare(
      'insert',
      `INSERT INTO "IpPolicy" ("id", "accountId", "description", "metadata", "createdAt")
       VALUES (${$(1)}, ${$(2)}, ${$(3)}, ${$(4)}, ${$(5)}) RETURNING ${columns}`,
    ),
    update: prepare(
      'update',
      `UPDATE "IpPolicy" SET "description" = coalesce(${$(1)}, "description"), "metadata" = coalesce(${$(2)}, "metadata"),
       "version" = "version" + 1 WHERE ${own(3)} RETURNING ${columns}`,
    ),
  };
}
