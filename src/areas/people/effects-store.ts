// Whom changes of roles and sign-in providers in a document shut out. The document is tried out in a draft, in which there are no
// people: they are as they were.

import { SallyportError } from '../../domain/errors.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { FindEffects } from '../../storage/objects/effects.ts';
import { refuseKeysBy } from './provider-store.ts';
import { readProviders, refuseNoWayIn, refuseOwnLossIn } from './role-store.ts';

export const findEffects: FindEffects = async ({ before, after, client, rights }) => {
  if ((await rulesOf(before)) === (await rulesOf(after))) return { access: [], refusals: [] };
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
    const { personId } = client;
    if (personId !== undefined) await refuse(refuseOwnLossIn(before, after, personId));
    for (const id of await keepingKeysOutAnew(before, after))
      await refuse(refuseKeysBy(before, { rights, personId }, id));
    await refuse(refuseNoWayIn(before, after));
  }
  return { access: [], refusals, acknowledged: before.credentials.forgetPeople };
};

/** Reads everything by which people get rights, as text. */
async function rulesOf(view: AccountView): Promise<string> {
  const roles = await view.db.role.findMany({ select: { name: true, scopes: true }, orderBy: { name: 'asc' } });
  return JSON.stringify([roles, await readProviders(view)]);
}

/** Returns the providers with which keys do not sign in any more. */
async function keepingKeysOutAnew(before: AccountView, after: AccountView): Promise<string[]> {
  const idsIn = async (view: AccountView) =>
    (await readProviders(view)).flatMap(({ id, enabled, refusesKeys }) => (enabled && refusesKeys ? [id] : []));
  const were = new Set(await idsIn(before));
  return (await idsIn(after)).filter((id) => !were.has(id));
}
