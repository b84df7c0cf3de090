// What migrations need to know about PostgreSQL.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import { remedies } from '../../domain/remedies.ts';
import type { MigrationConnection, MigrationRow } from '../engine.ts';
import { type Client, connect, disconnect } from './client.ts';
import { isLost, toDriverError, unknownOutcomeError } from './errors.ts';
import type { Address } from './url.ts';
import { connected, queryable, script } from './visit.ts';

/** How long a change of a table waits for its readers, and keeps everybody else waiting behind it, in milliseconds. */
const lockTimeoutMs = 5_000;
/**
 * How long each attempt to keep writers off takes at most, in milliseconds: less than `deadlock_timeout`, after which PostgreSQL would
 * fail a server that waits for the migration while the migration waits for it. Only the last takes longer, because autovacuum gives
 * way to nobody sooner. All of them together are shorter than the ten seconds that the schema engine waits.
 */
const keepOffMs = [800, 800, 800, 800, 800, 800, 2_500];
/** The rest between two attempts, in milliseconds, in which those that write get on. */
const restMs = 100;

/**
 * Does work in one transaction, as `MigrationTarget.transact` says: PostgreSQL can also change tables in one. READ COMMITTED, so
 * that a process that waited for the lock sees what the previous one did.
 */
export function transact<T>(
  address: Address,
  changes: 'tables' | 'rows',
  work: (connection: MigrationConnection) => Promise<T>,
): Promise<T> {
  return connected(address, async (client) => {
    await script(client, 'BEGIN ISOLATION LEVEL READ COMMITTED');
    if (changes === 'tables') await checkRole(client);
    // A row may come before the one of its own table that it refers to.
    else await script(client, 'SET CONSTRAINTS ALL DEFERRED');
    // Closing the connection without COMMIT rolls everything back.
    const result = await work(migrationConnection(client));
    const { command } = await client.query('COMMIT').catch((error: unknown) => {
      throw isLost(error) ? unknownOutcomeError(error) : toDriverError(error);
    });
    if (command !== 'COMMIT') throw new Error('PostgreSQL has rolled the transaction back.');
    return result;
  });
}

/**
 * Refuses a role that may not create and change tables. PostgreSQL would refuse it too, but would not say what to do: servers
 * usually run as a role that may only read and write rows.
 */
async function checkRole(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ role: string; may: boolean | null }>(
    `SELECT current_user AS role, has_schema_privilege(current_schema(), 'CREATE') AND NOT EXISTS (
       SELECT FROM pg_tables WHERE schemaname = current_schema() AND NOT pg_has_role(tableowner, 'USAGE')
     ) AS may`,
  );
  const [row] = rows;
  if (row === undefined || row.may === true) return;
  throw new Error(
    `The role ${row.role} may not change its tables. Run "${remedies.migrate}" with a ${remedies.setDatabaseUrl} of the role that ` +
      'owns them, then start the server again.',
  );
}

/** Does work with databases that are created for it, as `MigrationTarget.withShadows` says. Needs the right to create databases. */
export async function withShadows<T>(
  address: Address,
  work: (open: () => Promise<MigrationConnection>) => Promise<T>,
): Promise<T> {
  const names: string[] = [];
  const clients: Client[] = [];
  const open = async () => {
    const name = `sallyport_shadow_${randomBytes(6).toString('hex')}`;
    names.push(name);
    await connected(address, (client) => client.query(`CREATE DATABASE ${name}`));
    const hosts = address.hosts.map((host) => ({ ...host, config: { ...host.config, database: name } }));
    const there = { ...address, hosts };
    const client = await connect(there, { application_name: 'sallyport command' });
    clients.push(client);
    return migrationConnection(client);
  };
  try {
    return await work(open);
  } finally {
    await Promise.all(clients.map(disconnect));
    if (names.length > 0) await drop(address, names);
  }
}

/** Drops databases, as many of them as possible, and then throws the first error. One that was never created is no error. */
async function drop(address: Address, names: readonly string[]): Promise<void> {
  const outcomes = await connected(address, (client) =>
    Promise.allSettled(names.map((name) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/**
 * The session lock that Prisma's engine takes and never releases (measured with 7.10). A transaction lock is taken instead.
 */
const sessionLock = /^SELECT pg_advisory_lock\((\d+)\)$/;
/**
 * The first line of a first migration. It needs the right to create schemas, which a role with rights on its schema does not have.
 */
const createSchema = /^\s*(?:--[^\n]*\s*)*CREATE SCHEMA IF NOT EXISTS "public";/;

/**
 * Waits until nobody writes, and keeps it so until the end of the transaction: all tables at once, because a migration of several
 * takes their locks in another order than those that write.
 */
async function keepWritersOff(client: pg.Client): Promise<void> {
  // The trail last: every change writes it at its end.
  const { rows } = await script<{ tables: string | null }>(
    client,
    `SELECT string_agg(format('%I', tablename), ', ' ORDER BY tablename = 'AuditEvent', tablename) AS tables FROM pg_tables
       WHERE schemaname = current_schema() AND tablename <> '_prisma_migrations'`,
  );
  const tables = rows[0]?.tables ?? null;
  if (tables === null) return;
  let cause: unknown;
  for (const ms of keepOffMs) {
    if (cause !== undefined) await pause(restMs);
    try {
      await script(client, `SAVEPOINT attempt; SET LOCAL statement_timeout = ${ms}`);
      await script(client, `LOCK TABLE ${tables} IN SHARE ROW EXCLUSIVE MODE`);
      await script(client, 'SET LOCAL statement_timeout = 0; RELEASE SAVEPOINT attempt');
      return;
    } catch (error) {
      if (!(error instanceof DriverAdapterError && inUse.has(error.cause.originalCode ?? ''))) throw error;
      await script(client, 'ROLLBACK TO SAVEPOINT attempt');
      cause = error;
    }
  }
  throw new Error('Its tables are in use: stop the servers, or end the transaction that is open for long.', { cause });
}

/** The codes of a wait that was too long: query_canceled, lock_not_available, deadlock_detected. */
const inUse: ReadonlySet<string> = new Set(['57014', '55P03', '40P01']);

function migrationConnection(client: pg.Client): MigrationConnection {
  const connection = queryable(client);
  /** Takes the lock that a text asks for, once no other server is migrating. Returns false for a text that asks for none. */
  const takesLock = async (text: string): Promise<boolean> => {
    const [, lock] = sessionLock.exec(text.trim()) ?? [];
    if (lock === undefined) return false;
    await script(client, `SELECT pg_advisory_xact_lock(${lock})`);
    // Only from here on, because it would limit the wait for that lock, too.
    await script(client, `SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    await keepWritersOff(client);
    return true;
  };
  return {
    ...connection,
    // The lock arrives here, as do all of the engine's statements without parameters (`storage/lifecycle/schema-engine.ts`). Behind a pooler,
    // a session lock would stay with a session that goes to another client.
    async executeScript(text) {
      if (!(await takesLock(text))) await script(client, text.replace(createSchema, ''));
    },
  };
}

/** Reads which migrations were applied to a database, as `MigrationTarget.readHistory` says. */
export function readHistory(address: Address): Promise<MigrationRow[]> {
  return connected(address, (client) => readRows(client, address));
}

async function readRows(client: pg.Client, { name }: Address): Promise<MigrationRow[]> {
  const tables = await script<{ tablename: string }>(
    client,
    'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()',
  );
  const found = tables.rows.map(({ tablename }) => tablename);
  if (found.includes('_prisma_migrations')) {
    // A row that Prisma has marked as rolled back does not count.
    const { rows } = await script<MigrationRow & pg.QueryResultRow>(
      client,
      'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
    );
    return rows;
  }
  if (found.length === 0) return [];
  throw new Error(
    `The database ${name} is that of another program: it has tables, but no record of migrations. ` +
      'Name another database for this program.',
  );
}
