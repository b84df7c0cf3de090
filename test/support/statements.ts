// Counts the statements that a request costs the database.

import type { TestService } from './service.ts';

/**
 * Runs an action and returns the statements with which it read and wrote. Leaves out the bounds of transactions, their waiting for
 * a turn, and reads whose result several requests share for a moment: the look-up of a key, and of whether IP restrictions guard
 * the API.
 */
export async function statementsOf(service: TestService, action: () => Promise<unknown>): Promise<string[]> {
  const before = service.statements.length;
  await action();
  const statements = service.statements.slice(before);
  return statements.filter(
    (sql) => /^\s*(SELECT|INSERT|UPDATE|DELETE)\b/.test(sql) && !isOfMoment(sql) && !isTurn(sql),
  );
}

function isOfMoment(sql: string): boolean {
  return (
    /\btokenHash\W+=/.test(sql) ||
    /^SELECT "id", "description", "version", "enforced" FROM "IpRestriction" .*'api'/.test(sql)
  );
}

/** Returns whether a statement makes a change wait for its turn, which only PostgreSQL has. */
function isTurn(sql: string): boolean {
  return /^SELECT pg_advisory_xact_lock(_shared)?\(/.test(sql);
}

/** Runs an action and returns how many statements it read and wrote with. */
export async function countStatements(service: TestService, action: () => Promise<unknown>): Promise<number> {
  return (await statementsOf(service, action)).length;
}

/**
 * Runs an action and returns the tables that its statements read, in order. A statement that reads several tables, as PostgreSQL
 * does for an object with its relations, names them all: `IpPolicyRule + IpPolicy`.
 */
export async function tablesRead(service: TestService, action: () => Promise<unknown>): Promise<string[]> {
  return (await statementsOf(service, action)).map((sql) => tablesOf(sql).join(' + '));
}

/** Runs an action and returns what its statements did, in order, such as `INSERT IpPolicy`. */
export async function workOf(service: TestService, action: () => Promise<unknown>): Promise<string[]> {
  return (await statementsOf(service, action)).map((sql) => `${sql.split(' ', 1)[0]} ${tablesOf(sql).join(' + ')}`);
}

/** Returns the tables of a statement, each once. */
function tablesOf(sql: string): string[] {
  // It also reads the rows that the change has written.
  if (sql.startsWith('INSERT INTO "AuditEvent"')) return ['AuditEvent'];
  const named = sql.matchAll(/(?:FROM|INTO|UPDATE) (?:[`"](?:main|public)[`"]\.)?[`"](\w+)[`"]/g);
  return [...new Set([...named].map(([, table = '']) => table))];
}
