// Whether a document that has changes wait for a second person leaves somebody who could approve them. The draft has its roles and
// providers, and no people: they are as they were.

import { impliedScopes, readScopes } from '../../domain/access/key-scopes.ts';
import { areRoleMappings, rolesFor, scopesOfRoles } from '../../domain/access/roles.ts';
import { readAs, readTextList } from '../../domain/values/decode.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { FindEffects } from '../../storage/objects/effects.ts';
import { isRequired, nobodyElse } from './settings-store.ts';

/** Most people who are looked at: the newest, as for a change of the settings alone. */
const peopleMax = 100;

export const findEffects: FindEffects = async ({ before, after, client }) => {
  const isSwitchedOn = client !== null && (await isRequired(after)) && !(await isRequired(before));
  const isAlone = isSwitchedOn && !(await canApprove(before, after, client.personId));
  return { access: [], refusals: isAlone ? [nobodyElse()] : [] };
};

/** Returns whether somebody else could approve changes of rights after the change. */
async function canApprove(before: AccountView, after: AccountView, personId: string | undefined): Promise<boolean> {
  const people = await before.db.person.findMany({
    where: { blocked: false },
    orderBy: { id: 'desc' },
    take: peopleMax,
    select: { id: true, providerId: true, groups: true, email: true, signedInAt: true },
  });
  const providers = await after.db.signInProvider.findMany({
    where: { enabled: true },
    select: { id: true, roleMappings: true, acceptsFrom: true },
  });
  const roles = await after.db.role.findMany({ select: { name: true, scopes: true } });
  const own = new Map(roles.map(({ name, scopes }) => [name, readScopes(scopes)]));
  return people.some((person) => {
    const provider = providers.find(({ id }) => id === person.providerId);
    if (provider === undefined || person.id === personId || person.signedInAt < provider.acceptsFrom) return false;
    const mappings = readAs(provider.roleMappings, areRoleMappings, 'role mappings');
    const given = rolesFor({ groups: readTextList(person.groups), email: person.email }, mappings);
    const rights = impliedScopes(scopesOfRoles(given, own));
    return rights.has('approvals:write') && rights.has('people:write');
  });
}
