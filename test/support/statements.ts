// Counts what a request costs the database.

import type { TestService } from './service.ts';

/** Runs an action and gives the statements that it read and wrote with, without the bounds of transactions. */
export async function statementsOf(service: TestService, action: () => Promise<unknown>): Promise<string[]> {
  const before = service.statements.length;
  await action();
  return service.statements.slice(before).filter((sql) => /^(SELECT|INSERT|UPDATE|DELETE)\b/.test(sql));
}

/** Runs an action and gives how many statements it read and wrote with. */
export async function countStatements(service: TestService, action: () => Promise<unknown>): Promise<number> {
  return (await statementsOf(service, action)).length;
}

/** Runs an action and gives the tables that its statements read first, in order. */
export async function tablesRead(
  service: TestService,
  action: () => Promise<unknown>,
): Promise<(string | undefined)[]> {
  return (await statementsOf(service, action)).map((sql) => /FROM (?:`main`\.)?[`"](\w+)/.exec(sql)?.[1]);
}
