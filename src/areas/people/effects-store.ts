// Whom changes of roles in a document shut out. The document is tried out in a draft, in which there are neither people nor providers:
// they are as they were.

import { type KeyScope, readScopes } from '../../domain/access/key-scopes.ts';
import { SallyportError } from '../../domain/errors.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { FindEffects } from '../../storage/objects/effects.ts';
import { findWayIn, refuseOwnLoss, refuseUsed } from './role-store.ts';

export const findEffects: FindEffects = async ({ before, after, client }) => {
  const [were, are] = [await rolesOf(before), await rolesOf(after)];
  const isSame = were.size === are.size && [...were].every(([name, scopes]) => are.get(name)?.join() === scopes.join());
  if (isSame) return { access: [], refusals: [] };
  await refuseUsed(
    before,
    [...were.keys()].filter((name) => !are.has(name)),
  );
  const refusals: SallyportError[] = [];
  const refuse = async (check: Promise<unknown>) => {
    try {
      await check;
    } catch (error) {
      if (!(error instanceof SallyportError)) throw error;
      refusals.push(error);
    }
  };
  if (client !== null) {
    await refuse(refuseOwnLoss(before, { rights: new Set(), personId: client.personId }, { roles: are }));
    await refuse(findWayIn(before, { roles: are }));
  }
  return { access: [], refusals, acknowledged: before.credentials.forgetPeople };
};

/** Reads the roles of an account's own, by their names. */
async function rolesOf({ db }: AccountView): Promise<Map<string, readonly KeyScope[]>> {
  const own = await db.role.findMany({ select: { name: true, scopes: true } });
  return new Map(own.map(({ name, scopes }) => [name, readScopes(scopes)]));
}
