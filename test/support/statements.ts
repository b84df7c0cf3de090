// Counts what a request costs the database.

import type { TestService } from './service.ts';

/** Runs an action and gives how many statements it read and wrote with; the bounds of transactions do not count. */
export async function countStatements(service: TestService, action: () => Promise<unknown>): Promise<number> {
  const before = service.statements.length;
  await action();
  return service.statements.slice(before).filter((sql) => /^(SELECT|INSERT|UPDATE|DELETE)\b/.test(sql)).length;
}
