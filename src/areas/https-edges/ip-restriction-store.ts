// The IP restriction modules of routes in the database.

import type { IpRestrictionMode } from '../../domain/gate/edge-table.ts';
import { isMissingRow } from '../../storage/errors.ts';
import { type PolicyRef, policyRefsTo } from '../../storage/ip/policy-references.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { countedUp, type Row, type Write } from '../../storage/objects/collection.ts';
import { httpsEdgeRoutes, httpsEdges, ipRestrictionModules, ipRestrictionPolicies } from './collections-store.ts';
import type { RouteChange } from './counting-store.ts';
import { getRoute } from './store.ts';

/** The settings of a module as a client gives them; null and undefined mean the default. */
export interface IpRestrictionSettings {
  enabled?: boolean | null | undefined;
  mode?: IpRestrictionMode | null | undefined;
  ipPolicyIds: readonly string[];
}

/** All settings of a module. */
interface CheckedIpRestriction {
  readonly enabled: boolean;
  readonly mode: IpRestrictionMode;
  readonly policyRefs: readonly PolicyRef[];
}

/** A route as a change of its module leaves it, with that module. */
type ChangedRoute = Row<'HttpsEdgeRoute'> & { readonly ipRestriction?: object | null };

/**
 * Sets the IP restriction module of a route, replacing any existing one.
 *
 * @throws INVALID_INPUT for an empty list, UNKNOWN_REFERENCE for a policy that does not belong to this account, and as `getRoute`
 *   and `collection.update`
 */
export async function replaceIpRestriction(
  scope: AccountScope,
  input: RouteChange & IpRestrictionSettings,
): Promise<ChangedRoute> {
  await getRoute(scope, input);
  const module = await checkIpRestriction(scope, input);
  const route = await changeModule(scope, input, writesOfIpRestriction(scope, input.id, module));
  const { enabled, mode } = module;
  return { ...route, ipRestriction: { routeId: input.id, enabled, mode } };
}

/** Deletes the IP restriction module of a route; a no-op if it is not set. Throws as `getRoute` and `collection.update`. */
export async function deleteIpRestriction(scope: AccountScope, input: RouteChange): Promise<ChangedRoute> {
  await getRoute(scope, input);
  try {
    const removal = ipRestrictionModules.prepareRemove(scope, { routeId: input.id });
    return { ...(await changeModule(scope, input, [removal])), ipRestriction: null };
  } catch (error) {
    // Neither the route nor its version was missing, so it was the module, even if another request has set it again by now.
    if (!isMissingRow(error)) throw error;
    return httpsEdgeRoutes.update(scope, input.id, {}, input.expectedVersion);
  }
}

function changeModule(scope: AccountScope, { edgeId, id, expectedVersion }: RouteChange, following: readonly Write[]) {
  const alongside = [httpsEdges.prepareUpdate(scope, { id: edgeId }, countedUp)];
  return httpsEdgeRoutes.update(scope, id, countedUp, expectedVersion, { alongside, following });
}

/** Checks the settings of a module and applies the defaults. Throws as `replaceIpRestriction`. */
export async function checkIpRestriction(
  scope: AccountScope,
  { enabled, mode, ipPolicyIds }: IpRestrictionSettings,
): Promise<CheckedIpRestriction> {
  return { enabled: enabled ?? true, mode: mode ?? 'require', policyRefs: await policyRefsTo(scope, ipPolicyIds) };
}

/** Prepares the writes that set a module. */
export function writesOfIpRestriction(
  scope: AccountScope,
  routeId: string,
  { policyRefs, ...columns }: CheckedIpRestriction,
): Write[] {
  return [
    ipRestrictionModules.prepareSet(scope, { ...columns, routeId }),
    ipRestrictionPolicies.prepareRemoveAll(scope, { routeId }),
    ...policyRefs.map((ref) => ipRestrictionPolicies.prepareCreate(scope, { ...ref, routeId })),
  ];
}
