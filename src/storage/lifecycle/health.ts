// Answers what operators ask about the whole database, in a server or beside one: findings, counts, and by what objects are called.

import { setTimeout as pause } from 'node:timers/promises';
import { SallyportError } from '../../domain/errors.ts';
import { remedies } from '../../domain/remedies.ts';
import { dayMs } from '../../domain/values/time.ts';
import { called, counted, listed } from '../../domain/wording.ts';
import type { Check, Engine, OpenDatabase } from '../engine.ts';
import { readOnly, translated } from '../errors.ts';
import { getDatamodel } from '../generated/pothos.ts';
import { type CurrentKey, keyChangedError } from '../keys/current-key.ts';
import { readSealedCheck } from '../keys/secret-key.ts';
import { countThrough, createServerReads, lookThrough, type ServerReads } from '../objects/server-scope.ts';
import { type Sql, sifting, sql, verbatim } from '../sql/statement.ts';

/** Checks the health of an open database. */
export interface Health {
  /**
   * Reads something from the database, and looks for damage unless that was done a moment ago. Throws UNAVAILABLE without a cause
   * if the database is damaged or is not the one that was opened: the owner is told of that once.
   */
  probe(): Promise<void>;
  /**
   * Returns sentences, fit for anybody, about what keeps the database from being used; none if all is well. It does not look for
   * damage, but knows of damage that others have found.
   */
  problems(): Promise<string[]>;
}

/**
 * Longest time that a probe waits for the database, in milliseconds: a prober that asks every second or two wants an answer in
 * time.
 */
const answerMsMax = 1_500;
/** Longest time that a probe waits for an inspection, in milliseconds: the next probe reports what it found. */
const inspectionMsMax = 250;
const silent = `The database has not answered for ${answerMsMax} ms.`;
const troubled = "Something is wrong with the database; the server's log says what, and what to do.";

/** Creates the health checks of an open database. */
export function createHealth(
  database: Pick<OpenDatabase, 'trouble' | 'inspect'>,
  reads: ServerReads,
  currentKey: Pick<CurrentKey, 'look'>,
): Health {
  const throwTrouble = () => {
    const trouble = database.trouble();
    if (trouble !== null) throw new SallyportError('UNAVAILABLE', trouble === 'readOnly' ? readOnly : troubled);
  };
  const readSomething = async () => {
    throwTrouble();
    const late = Symbol();
    const answered = readSealedCheck(reads);
    const check = await Promise.race([answered, pause(answerMsMax, late, { ref: false })]);
    if (typeof check !== 'symbol') {
      if (check !== null && !currentKey.look(check)) throw keyChangedError();
      return;
    }
    answered.catch(() => {});
    throw new SallyportError('UNAVAILABLE', silent, { cause: new Error(silent) });
  };
  return {
    async probe() {
      await readSomething();
      await Promise.race([translated(database.inspect()), pause(inspectionMsMax, undefined, { ref: false })]);
      throwTrouble();
    },
    async problems() {
      try {
        await readSomething();
        return [];
      } catch (error) {
        if (error instanceof SallyportError && error.code === 'UNAVAILABLE') return [error.message];
        throw error;
      }
    },
  };
}

/** A kind of objects with a description that expire, and how to report them. */
interface Expiring {
  readonly check: string;
  /** The name of one such object. */
  readonly kind: string;
  readonly table: string;
  readonly end: string;
  readonly days: number;
  readonly remedy: string;
}

/** Most objects that are counted, those that expire first. */
const expiringMax = 1_000;

/** Looks for objects that expire within some days. Those that have expired are left out: their owners know by now. */
export async function checkExpiring(
  database: ServerReads,
  now: Date,
  { check, kind, table, end, days, remedy }: Expiring,
): Promise<Check> {
  const soon = new Date(now.getTime() + days * dayMs);
  const column = verbatim(`"${end}"`);
  const select = (within: (column: string) => Sql) =>
    sql`SELECT "id", "description", ${column} FROM ${verbatim(`"${table}"`)} WHERE ${within('"id"')}
      AND ${sifting(sql`${column} > ${now} AND ${column} <= ${soon}`)}`;
  let expiring: { name: string; at: Date }[] = [];
  for await (const some of lookThrough(database, table, select)) {
    for (const [id, description, at] of some) {
      const name = called({ id: String(id), description: String(description) });
      expiring.push({ name, at: database.decode.DateTime(at) });
    }
    expiring = expiring.sort((one, other) => one.at.getTime() - other.at.getTime()).slice(0, expiringMax);
  }
  if (expiring.length === 0) return ok(check, `No ${kind} expires within ${days} days.`);
  const named = listed(expiring, ({ name, at }) => {
    const left = Math.floor((at.getTime() - now.getTime()) / dayMs);
    return `${name} in ${counted(left, 'day')}`;
  });
  const most = expiring.length === expiringMax ? 'At least ' : '';
  return warn(check, `${most}${counted(expiring.length, kind)} expiring within ${days} days: ${named}.`, remedy);
}

/** What was found in a database. */
export interface Findings {
  readonly accounts: number;
  /** The id of the oldest account; null if there are none. */
  readonly firstAccount: string | null;
  /** How many API keys are valid. */
  readonly apiKeys: number;
  /** The creation time of the newest object; null if there are none. */
  readonly newestCreatedAt: Date | null;
  /** The sealed text that the secret key is checked with; null before the first start of a server. */
  readonly sealedCheck: Uint8Array | null;
  readonly areaChecks: readonly Check[];
}

/**
 * Examines a database whose migrations are all applied, beside a server or without one. Changes nothing.
 *
 * @param now when keys have to be valid
 * @param areaChecks runs the checks of the areas
 */
export function examine(
  { dialect, reading }: Pick<Engine, 'dialect' | 'reading'>,
  now: Date,
  areaChecks: (database: ServerReads) => Promise<Check[]>,
): Promise<Findings> {
  return reading((connection) => findingsIn(createServerReads(connection, dialect), now, areaChecks));
}

/** The same, in an open database. */
export async function findingsIn(
  database: ServerReads,
  now: Date,
  areaChecks: (database: ServerReads) => Promise<Check[]>,
): Promise<Findings> {
  const { decode } = database;
  const first = async (statement: Sql) => (await database.rows(statement))[0]?.[0] ?? null;

  const firstAccount = await first(sql`SELECT min("id") FROM "Account"`);
  let newestCreatedAt: Date | null = null;
  for (const [model, { fields }] of Object.entries(getDatamodel().datamodel.models)) {
    if (!fields.some(({ name }) => name === 'createdAt')) continue;
    for await (const found of newestIn(database, model, fields)) {
      const time = found === null ? null : decode.DateTime(found);
      if (time !== null && (newestCreatedAt === null || time > newestCreatedAt)) newestCreatedAt = time;
    }
  }
  return {
    accounts: await countThrough(database, 'Account', sql`1 = 1`),
    firstAccount: firstAccount === null ? null : String(firstAccount),
    apiKeys: await countThrough(database, 'ApiKey', sql`"expiresAt" IS NULL OR "expiresAt" > ${now}`),
    newestCreatedAt,
    sealedCheck: await readSealedCheck(database),
    areaChecks: await areaChecks(database),
  };
}

/** Finds when the newest row of a table was created; for events, whose ids come after their account in an index, that of each account. */
async function* newestIn(
  database: ServerReads,
  model: string,
  fields: readonly { readonly name: string; readonly isId?: boolean }[],
): AsyncGenerator<unknown> {
  const table = verbatim(`"${model}"`);
  const id = fields.find(({ name }) => name === 'id');
  if (id === undefined || id.isId) {
    // Ids have the order of their times, and where there are none, the time has an index.
    const order = verbatim(id === undefined ? '"createdAt"' : '"id"');
    const [newest] = await database.rows(sql`SELECT "createdAt" FROM ${table} ORDER BY ${order} DESC LIMIT 1`);
    yield newest?.[0] ?? null;
    return;
  }
  const select = (within: (column: string) => Sql) => sql`SELECT (SELECT x."createdAt" FROM ${table} x
      WHERE x."accountId" = a."id" ORDER BY x."accountId" DESC, x."id" DESC LIMIT 1)
    FROM "Account" a WHERE ${within('a."id"')}`;
  for await (const rows of lookThrough(database, 'Account', select)) for (const [newest] of rows) yield newest;
}

/** Says that there is no database where one is looked for. */
export function noDatabase({ name }: Pick<Engine, 'name'>): string {
  return `There is no database at ${name}.`;
}

export const whereDatabaseIs = `Set ${remedies.setDatabaseUrl} to the server's database, or start the server: its first start creates one.`;

/** Creates the result of a check that found nothing to do. */
export function ok(name: string, message: string): Check {
  return { name, level: 'ok', message, remedy: null };
}

/** Creates the result of a check: the server runs, but an operator should see to it. */
export function warn(name: string, message: string, remedy: string): Check {
  return { name, level: 'warn', message, remedy };
}

/** Creates the result of a check: something does not work, or soon will not. */
export function fail(name: string, message: string, remedy: string): Check {
  return { name, level: 'fail', message, remedy };
}
