// What login modules of both protocols have in common in the database.

import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { countedUp, type Row } from '../../storage/objects/collection.ts';
import { httpsEdgeRoutes, oidcModules, samlModules } from './collections-store.ts';
import { countInEdge, countingBytes, type RouteChange, type RouteWrite } from './counting-store.ts';
import { endingLogins, endManySessions } from './login-session-store.ts';
import { checkUnused, deletingUnused } from './registration-store.ts';

const modules = { saml: samlModules, oidc: oidcModules } as const;

/**
 * Deletes a login module of a route with its key or secret, and ends its sessions; a no-op if it is not set. Throws as
 * `replaceSamlModule`, and IN_USE if other routes use its registration.
 */
export async function deleteLoginModule(
  scope: AccountScope,
  module: keyof typeof modules,
  input: RouteChange,
  signal?: AbortSignal,
): Promise<Row<'HttpsEdgeRoute'>> {
  const write: RouteWrite<Row<'HttpsEdgeRoute'>> = async ({ version, bytes }, added) => {
    if (bytes[module] === null) return httpsEdgeRoutes.update(scope, input.id, {}, version);
    await checkUnused(scope, [input.id]);
    await endManySessions(scope, [input.id]);
    const alongside = [countInEdge(scope, input.edgeId, added)];
    const following = [modules[module].prepareRemove(scope, { routeId: input.id }), ...endingLogins(scope, [input.id])];
    const route = await httpsEdgeRoutes.update(scope, input.id, countedUp, version, { alongside, following });
    return { ...route, [module]: null };
  };
  return deletingUnused(() => countingBytes(scope, input, 0, write, signal));
}
