// The IP restriction and backend modules of routes in the database.

import type { IpRestrictionMode } from '../../domain/gate/edge-table.ts';
import { isMissingRow } from '../../storage/errors.ts';
import { type PolicyRef, policyRefsTo } from '../../storage/ip/policy-references.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import {
  type BackendSettings,
  type CheckedBackend,
  checkBackend,
  namingBackend,
} from '../../storage/objects/backend-references.ts';
import { countedUp, type Row, type Write } from '../../storage/objects/collection.ts';
import {
  backendModules,
  httpsEdgeRoutes,
  httpsEdges,
  ipRestrictionModules,
  ipRestrictionPolicies,
} from './collections-store.ts';
import { getRoute, type RouteChange } from './counting-store.ts';

/** The settings of an IP restriction module as a client gives them; null and undefined mean the default. */
interface IpRestrictionSettings {
  enabled?: boolean | null | undefined;
  mode?: IpRestrictionMode | null | undefined;
  ipPolicyIds: readonly string[];
}

interface CheckedIpRestriction {
  readonly enabled: boolean;
  readonly mode: IpRestrictionMode;
  readonly policyRefs: readonly PolicyRef[];
}

/** The modules that are set together with their route; null and undefined leave a module as it is. */
export interface ModulesInput {
  readonly backend?: BackendSettings | null | undefined;
  readonly ipRestriction?: IpRestrictionSettings | null | undefined;
}

/** Modules to set, whose settings have been checked; null or absent leaves a module as it is. */
interface CheckedModules {
  readonly backend?: CheckedBackend | null;
  readonly ipRestriction?: CheckedIpRestriction | null;
}

const modules = { backend: backendModules, ipRestriction: ipRestrictionModules } as const;

/** A route as a change leaves it, with the modules that it set. */
export type ChangedRoute = Row<'HttpsEdgeRoute'> & { readonly [M in keyof typeof modules]?: object | null };

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
  return setModule(scope, input, { ipRestriction: await checkIpRestriction(scope, input) });
}

/**
 * Sets the backend module of a route, replacing any existing one.
 *
 * @throws UNKNOWN_REFERENCE for a backend that does not belong to this account, and as `getRoute` and `collection.update`
 */
export async function replaceBackend(scope: AccountScope, input: RouteChange & BackendSettings): Promise<ChangedRoute> {
  await getRoute(scope, input);
  const backend = await checkBackend(scope, input);
  return namingBackend(setModule(scope, input, { backend }), backend);
}

async function setModule(scope: AccountScope, input: RouteChange, given: CheckedModules): Promise<ChangedRoute> {
  const route = await changeModule(scope, input, writesOfModules(scope, input.id, given));
  return { ...route, ...shownModules(input.id, given) };
}

/** Deletes a module of a route; a no-op if it is not set. Throws as `getRoute` and `collection.update`. */
export async function deleteModule(
  scope: AccountScope,
  module: keyof typeof modules,
  input: RouteChange,
): Promise<ChangedRoute> {
  await getRoute(scope, input);
  try {
    const removal = modules[module].prepareRemove(scope, { routeId: input.id });
    return { ...(await changeModule(scope, input, [removal])), [module]: null };
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

/**
 * Checks the settings of an IP restriction module and applies the defaults. Throws as `replaceIpRestriction`.
 *
 * @param field the name of the list of policies in errors
 */
export async function checkIpRestriction(
  scope: AccountScope,
  { enabled, mode, ipPolicyIds }: IpRestrictionSettings,
  field?: string,
): Promise<CheckedIpRestriction> {
  return {
    enabled: enabled ?? true,
    mode: mode ?? 'require',
    policyRefs: await policyRefsTo(scope, ipPolicyIds, field),
  };
}

/** Checks the modules that are set together with their route. Throws as `replaceIpRestriction` and `replaceBackend`. */
export async function checkModules(scope: AccountScope, { backend, ipRestriction }: ModulesInput) {
  return {
    backend: backend == null ? null : await checkBackend(scope, backend, 'backend.backendId'),
    ipRestriction:
      ipRestriction == null ? null : await checkIpRestriction(scope, ipRestriction, 'ipRestriction.ipPolicyIds'),
  };
}

/** Returns whether there is any module to set. */
export function hasModules(given: CheckedModules): boolean {
  return Object.values(given).some((module) => module !== null);
}

/** Prepares the writes that set modules of a route. */
export function writesOfModules(
  scope: AccountScope,
  routeId: string,
  { backend, ipRestriction }: CheckedModules,
): Write[] {
  return [
    ...(backend == null ? [] : [backendModules.prepareSet(scope, { ...backend, routeId })]),
    ...(ipRestriction == null ? [] : writesOfIpRestriction(scope, routeId, ipRestriction)),
  ];
}

/** Returns modules that have been set, as rows under the names that routes have for them. */
export function shownModules(routeId: string, { backend, ipRestriction }: CheckedModules) {
  const restriction = ({ enabled, mode }: CheckedIpRestriction) => ({ routeId, enabled, mode });
  return {
    ...(backend == null ? {} : { backend: { routeId, ...backend } }),
    ...(ipRestriction == null ? {} : { ipRestriction: restriction(ipRestriction) }),
  };
}

function writesOfIpRestriction(
  scope: AccountScope,
  routeId: string,
  { policyRefs, ...columns }: CheckedIpRestriction,
): Write[] {
  return [
    ipRestrictionModules.prepareSet(scope, { ...columns, routeId }),
    ipRestrictionPolicies.prepareRemoveAll(scope, { routeId }),
    ...ipRestrictionPolicies.prepareCreateAll(
      scope,
      policyRefs.map((ref) => ({ ...ref, routeId })),
    ),
  ];
}
