// Logins that wait for their browsers. They are no objects: clients do not know of them, and the trail does not either.

import type { AccountScope } from './account-scope.ts';
import { writerOf } from './changes.ts';
import type { Prisma } from './generated/client/client.ts';

/** Deletes the logins of an account that meet conditions. */
export async function removeSamlLogins(scope: AccountScope, where: Prisma.SamlLoginWhereInput): Promise<void> {
  const { db, apply } = writerOf(scope);
  await apply({ write: { write: db().samlLogin.deleteMany({ where }), touched: null } });
}
