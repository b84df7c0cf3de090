// The statements of opponent (a): the same on both engines, prepared once (on PostgreSQL by name, on each connection of the pool)
// and sent directly, without any layer in between.

import pg from 'pg';
import { Sqlite } from '../src/storage/sqlite/driver.ts';
import { checkDurable } from './durable.ts';

/** A row as it is stored. */
export interface Row {
  readonly id: string;
  readonly description: string;
  readonly metadata: string;
  readonly version: number;
  /** Text such as `2027-01-31T09:30:00.000+00:00` or `2027-01-31 09:30:00`. */
  readonly createdAt: string;
}

/** The values of a statement, in order. */
type Values = readonly (string | number | null)[];

/** The statements that opponent (a) sends to its database. */
export interface Statements {
  /** Returns `accountId` for the hash of a token. */
  readonly selectKey: Statement<{ accountId: string }>;
  /** Returns the row for an id and an account. */
  readonly selectOne: Statement<Row>;
  /** Returns rows for an account, older than an id. The values are the account, that id, and the most rows. */
  readonly selectPage: Statement<Row>;
  /** Creates a row from id, account, description, metadata, the time of its creation, and that of its last change. */
  readonly insert: Statement<Row>;
  /** Changes the row for an id and an account: description and metadata, if not null, and the time of the last change. */
  readonly update: Statement<Row>;
}

/** A prepared statement. Returns its rows: at once on SQLite, where waiting would cost time. */
type Statement<R> = (...values: Values) => readonly R[] | Promise<readonly R[]>;

/** Returns a new id for an audit event. */
type NewEventId = () => string;

/**
 * Opens the database of a URL and prepares the statements.
 *
 * @param newEventId given if each write is to store an audit event in its transaction, with the same content as Sallyport's;
 *   otherwise null
 * @throws Error if a write would not be durable
 */
export function openStatements(url: string, newEventId: NewEventId | null): Promise<Statements> {
  return url.startsWith('file:') ? openSqlite(url.slice('file:'.length), newEventId) : openPostgres(url, newEventId);
}

async function openSqlite(path: string, newEventId: NewEventId | null): Promise<Statements> {
  const database = new Sqlite(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  checkDurable('wal,2', [
    database.pragma('journal_mode', { simple: true }),
    database.pragma('synchronous', { simple: true }),
  ]);
  const prepare: Prepare = <R>(_name: string, text: string) => {
    const statement = database.prepare<[...Values], R>(text);
    return (...values) => statement.all(...values);
  };
  const audit: Audit = (newEventId, action, change) => {
    const changing = database.prepare<[...Values], Row>(`${change} RETURNING ${columns}`);
    const order = `(SELECT coalesce(max("commitOrder"), 0) + 1 FROM "AuditEvent" e WHERE e."accountId" = x."accountId")`;
    const telling = database.prepare(
      `INSERT INTO "AuditEvent" (${eventColumns}, "commitOrder")
       SELECT ${eventValues('?', action, 'json_object')}, ${order} FROM "IpPolicy" x WHERE x."id" = ?`,
    );
    const both = database.transaction((values: Values) => {
      const rows = changing.all(...values);
      for (const { id } of rows) telling.run(newEventId(), id);
      return rows;
    });
    return (...values) => both(values);
  };
  return prepareAll(() => '?', prepare, newEventId, audit);
}

/** Leaves times as the text that PostgreSQL sends; the driver reads everything else. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.TIMESTAMP ? (text: string) => text : pg.types.getTypeParser(oid, format),
};

async function openPostgres(connectionString: string, newEventId: NewEventId | null): Promise<Statements> {
  const pool = new pg.Pool({ connectionString, max: 10, types });
  const show = async (name: string) => (await pool.query({ text: `SHOW ${name}`, rowMode: 'array' })).rows[0]?.[0];
  checkDurable('on,on', [await show('fsync'), await show('synchronous_commit')]);
  // The statement determines the shape of its rows.
  const prepare: Prepare =
    <R>(name: string, text: string) =>
    async (...values) =>
      (await pool.query({ name, text, values: [...values] })).rows as R[];
  const audit: Audit = (newEventId, action, change, valueCount) => {
    const changing = prepare<Row>(
      action,
      `WITH changed AS (${change} RETURNING *), told AS (
         INSERT INTO "AuditEvent" (${eventColumns})
         SELECT ${eventValues(`$${valueCount + 1}`, action, 'json_build_object')} FROM changed x
       ) SELECT ${columns} FROM changed`,
    );
    return (...values) => changing(...values, newEventId());
  };
  return prepareAll((number) => `$${number}`, prepare, newEventId, audit);
}

/** Prepares a statement. */
type Prepare = <R>(name: string, text: string) => Statement<R>;
/** Prepares a change of one row together with its audit event. */
type Audit = (newEventId: NewEventId, action: Action, change: string, valueCount: number) => Statement<Row>;
type Action = 'create' | 'update';

const columns = '"id", "description", "metadata", "version", "createdAt"';

const eventColumns =
  '"id", "accountId", "createdAt", "action", "kind", "objectId", "version", "actor", "actorDescription", "requestId", ' +
  '"surface", "clientAddress", "state"';

/**
 * Returns the values of an event about a row `x`. The row's own id stands in for those of the key and the request, which are as
 * long.
 */
function eventValues($id: string, action: Action, jsonObject: string): string {
  const state = ['id', 'createdAt', 'description', 'metadata', 'version'].map((name) => `'${name}', x."${name}"`);
  return `${$id}, x."accountId", x."updatedAt", '${action}', 'IpPolicy', x."id", x."version", x."id", 'benchmark', x."id",
    'rest', '127.0.0.1', CAST(${jsonObject}(${state.join(', ')}) AS text)`;
}

/**
 * @param $ writes the placeholder of a value; values are numbered in order of appearance
 */
function prepareAll(
  $: (number: number) => string,
  prepare: Prepare,
  newEventId: NewEventId | null,
  audit: Audit,
): Statements {
  const own = (first: number) => `"id" = ${$(first)} AND "accountId" = ${$(first + 1)}`;
  const prepareChange = (action: Action, change: string, valueCount: number) =>
    newEventId === null
      ? prepare<Row>(action, `${change} RETURNING ${columns}`)
      : audit(newEventId, action, change, valueCount);
  return {
    selectKey: prepare('key', `SELECT "accountId" FROM "ApiKey" WHERE "tokenHash" = ${$(1)}`),
    selectOne: prepare('one', `SELECT ${columns} FROM "IpPolicy" WHERE ${own(1)}`),
    selectPage: prepare(
      'page',
      `SELECT ${columns} FROM "IpPolicy" WHERE "accountId" = ${$(1)} AND "id" < ${$(2)} ORDER BY "id" DESC LIMIT ${$(3)}`,
    ),
    insert: prepareChange(
      'create',
      `INSERT INTO "IpPolicy" ("id", "accountId", "description", "metadata", "createdAt", "updatedAt")
       VALUES (${$(1)}, ${$(2)}, ${$(3)}, ${$(4)}, ${$(5)}, ${$(6)})`,
      6,
    ),
    update: prepareChange(
      'update',
      `UPDATE "IpPolicy" SET "description" = coalesce(${$(1)}, "description"), "metadata" = coalesce(${$(2)}, "metadata"),
       "updatedAt" = ${$(3)}, "version" = "version" + 1 WHERE ${own(4)}`,
      5,
    ),
  };
}
