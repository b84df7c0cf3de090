// Reads an edge as the gate does, from any view of its account: also as it would be after a change.

import {
  compileEdge,
  type EdgeRules,
  type EdgeTable,
  ipRestrictionModes,
  type LoginRule,
} from '../../domain/gate/edge-table.ts';
import { readChoice, readTextList } from '../../domain/values/decode.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { loginRuleOf, policiesOf, type ReadRoute } from './edge-read-store.ts';
import { readPolicies, withTables } from './gate-store.ts';
import { matchTypes } from './rules.ts';

/** The columns that both kinds of login modules have. */
const loginColumns = [
  'enabled',
  'optionsPassthrough',
  'authorizedGroups',
  'cookiePrefix',
  'inactivityTimeout',
  'maximumDuration',
] as const;

const samlColumns = [
  'routeId',
  ...loginColumns,
  'identityProvider',
  'loginRouteId',
  'forceAuthn',
  'allowIdpInitiated',
  'nameidFormat',
] as const;
const oidcColumns = [
  'routeId',
  ...loginColumns,
  'loginRouteId',
  'issuer',
  'clientId',
  'groupsClaim',
  'emailVerification',
  'authorizedEmailDomains',
] as const;

/** Reads what the login modules of routes decide, by route. */
export async function readLoginRules(
  { rows }: AccountView,
  routeIds: readonly string[],
): Promise<ReadonlyMap<string, LoginRule>> {
  const [saml, oidc] = await Promise.all([
    rows.pick('SamlModule', samlColumns, 'routeId', routeIds),
    rows.pick('OidcModule', oidcColumns, 'routeId', routeIds),
  ]);
  const registrationIds = saml.flatMap(({ loginRouteId }) => loginRouteId ?? []);
  const registrations = await rows.pick('SamlModule', ['routeId', 'identityProvider'], 'routeId', registrationIds);
  const clientIds = oidc.flatMap(({ loginRouteId }) => loginRouteId ?? []);
  const clients = await rows.pick('OidcModule', ['routeId', 'issuer', 'clientId'], 'routeId', clientIds);
  const clientOf = new Map([...oidc, ...clients].map((one) => [one.routeId, one]));
  const providerOf = new Map([...saml, ...registrations].map((one) => [one.routeId, one.identityProvider]));
  return new Map([
    ...saml.map((one) => {
      const identityProvider = providerOf.get(one.loginRouteId ?? one.routeId);
      return [one.routeId, loginRuleOf({ ...one, identityProvider })] as const;
    }),
    ...oidc.map((one) => {
      const { issuer, clientId } = clientOf.get(one.loginRouteId ?? one.routeId) ?? one;
      return [one.routeId, loginRuleOf({ ...one, issuer, clientId })] as const;
    }),
  ]);
}

/**
 * Reads an edge of an account and compiles it, without the cache: also as it would be after a change (`proposedView`). Null if there
 * is none. Throws as the function that `createEdgeFinder` returns.
 */
export async function readEdgeTable(account: AccountView, edgeId: string): Promise<EdgeTable | null> {
  const { rows } = account;
  const edge = await readBareEdge(account, edgeId);
  if (edge === null) return null;
  const ids = edge.routes.map(({ id }) => id);
  const [logins, modules, refs] = await Promise.all([
    readLoginRules(account, ids),
    rows.pick('HttpsIpRestrictionModule', ['routeId', 'enabled', 'mode'], 'routeId', ids),
    rows.pick('HttpsIpRestrictionPolicy', ['routeId', 'ipPolicyId'], 'routeId', ids),
  ]);
  const routes = edge.routes.map((route): ReadRoute => {
    const { id } = route;
    const module = modules.find(({ routeId }) => routeId === id);
    const ipRestriction =
      module === undefined
        ? null
        : {
            enabled: module.enabled,
            mode: readChoice(ipRestrictionModes, module.mode),
            ipPolicyIds: refs.flatMap(({ routeId, ipPolicyId }) => (routeId === id ? ipPolicyId : [])),
          };
    return { ...route, login: logins.get(id) ?? null, ipRestriction };
  });
  const { tableOf } = await readPolicies(account, policiesOf(routes), new Map());
  return compileEdge({ ...edge, routes: routes.map(withTables(tableOf)) });
}

/** Reads an edge of an account with its routes, but without their modules. Null if there is none. */
export async function readBareEdge({ rows, accountId }: AccountView, edgeId: string): Promise<EdgeRules | null> {
  const [[edge], found] = await Promise.all([
    rows.pick('HttpsEdge', ['hostports', 'signsIdentity', 'forwardsKeys'], 'id', [edgeId]),
    rows.pick('HttpsEdgeRoute', ['id', 'matchType', 'match'], 'edgeId', [edgeId]),
  ]);
  if (edge === undefined) return null;
  const routes = found.map(({ matchType, ...route }) => {
    return { ...route, matchType: readChoice(matchTypes, matchType), login: null, ipRestriction: null };
  });
  return { ...edge, id: edgeId, accountId, hostports: readTextList(edge.hostports), routes };
}
