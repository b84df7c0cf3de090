// Reads an edge with its routes and their modules, for the gate.

import {
  type AddressRule,
  type EdgeRules,
  ipRestrictionModes,
  type LoginRule,
  type RouteRule,
} from '../../domain/gate/edge-table.ts';
import { isIdentityProvider } from '../../domain/saml/identity-provider.ts';
import { readAs, readChoice, readTextList } from '../../domain/values/decode.ts';
import type { ServerReads } from '../../storage/objects/server-scope.ts';
import type { Decode } from '../../storage/sql/dialect.ts';
import { joined, sql, toPowerOfTwo } from '../../storage/sql/statement.ts';
import { oidcTerms } from './oidc-terms.ts';
import { matchTypes } from './rules.ts';

/** What a route adds to the size of an edge, in characters. */
const charactersPerRoute = 500;

/** A route as it was read: its module names policies. */
export interface ReadRoute extends Omit<RouteRule, 'ipRestriction'> {
  readonly ipRestriction: (Omit<AddressRule, 'tables'> & { readonly ipPolicyIds: readonly string[] }) | null;
}

export interface Read extends Omit<EdgeRules, 'id' | 'routes'> {
  /** The routes whose registrations its routes use, if they have none of their own. */
  readonly registrationIds: readonly string[];
  readonly routes: readonly ReadRoute[];
  /** The policies that the modules of its routes name. */
  readonly ipPolicyIds: readonly string[];
  /** Of the edge, which counts changes of its routes and modules, and of the registrations, which other edges may have. */
  readonly version: number;
  readonly size: number;
}

/** Reads the version that an edge has now, as `Read.version`; null if it is gone. */
export async function readVersion(
  { rows }: ServerReads,
  edgeId: string,
  { registrationIds }: Pick<Read, 'registrationIds'>,
): Promise<number | null> {
  const ofRegistrations =
    registrationIds.length === 0
      ? sql`0`
      : sql`COALESCE((SELECT SUM("version") FROM "HttpsEdgeRoute" WHERE "id" IN (${joined(toPowerOfTwo(registrationIds))})), 0)`;
  const [found] = await rows(sql`SELECT "version", ${ofRegistrations} FROM "HttpsEdge" WHERE "id" = ${edgeId}`);
  return found === undefined ? null : Number(found[0]) + Number(found[1]);
}

/** Reads an edge in one statement, so that the result is consistent: a route read without its module would be open to everybody. */
export async function readEdge({ rows, decode }: ServerReads, edgeId: string): Promise<Read | null> {
  const found = await rows(sql`
    SELECT e."accountId", e."version", e."hostports", r."id", r."matchType", r."match",
      COALESCE(m."enabled", o."enabled"), COALESCE(m."optionsPassthrough", o."optionsPassthrough"),
      COALESCE(m."authorizedGroups", o."authorizedGroups"), COALESCE(m."cookiePrefix", o."cookiePrefix"),
      COALESCE(m."inactivityTimeout", o."inactivityTimeout"), COALESCE(m."maximumDuration", o."maximumDuration"),
      COALESCE(g."identityProvider", m."identityProvider"), COALESCE(h."issuer", o."issuer"),
      m."forceAuthn", m."allowIdpInitiated", m."nameidFormat",
      COALESCE(h."clientId", o."clientId"), o."groupsClaim", o."emailVerification", o."authorizedEmailDomains",
      COALESCE(m."loginRouteId", o."loginRouteId"),
      (SELECT gr."version" FROM "HttpsEdgeRoute" gr WHERE gr."id" = COALESCE(m."loginRouteId", o."loginRouteId")),
      i."enabled", i."mode",
      (SELECT string_agg(p."ipPolicyId", ',') FROM "HttpsIpRestrictionPolicy" p WHERE p."routeId" = i."routeId"),
      e."signsIdentity", e."forwardsKeys"
    FROM "HttpsEdge" e LEFT JOIN "HttpsEdgeRoute" r ON r."edgeId" = e."id" LEFT JOIN "SamlModule" m ON m."routeId" = r."id"
      LEFT JOIN "SamlModule" g ON g."routeId" = m."loginRouteId"
      LEFT JOIN "OidcModule" o ON o."routeId" = r."id" LEFT JOIN "OidcModule" h ON h."routeId" = o."loginRouteId"
      LEFT JOIN "HttpsIpRestrictionModule" i ON i."routeId" = r."id"
    WHERE e."id" = ${edgeId}`);
  const [first] = found;
  if (first === undefined) return null;
  const [accountId, version, hostportsColumn] = first;
  const registrations = new Map<string, number>();
  const hostports = readTextList(value(decode.Json, hostportsColumn));
  let size = 1 + hostports.join().length;
  const routes: ReadRoute[] = [];
  for (const row of found) {
    const [, , , id, matchType, match, enabled, optionsPassthrough, groups] = row;
    // An edge without routes has one row, without a route.
    if (id === null) continue;
    let login: LoginRule | null = null;
    if (enabled !== null) {
      const [cookiePrefix, inactivityTimeout, maximumDuration, provider, issuer, forceAuthn, allowIdp, ...others] =
        row.slice(9, 21);
      const [nameidFormat, clientId, groupsClaim, emailVerification, domains] = others;
      login = loginRuleOf({
        enabled: value(decode.Boolean, enabled),
        optionsPassthrough: value(decode.Boolean, optionsPassthrough),
        authorizedGroups: value(decode.Json, groups),
        cookiePrefix: String(cookiePrefix),
        inactivityTimeout: Number(inactivityTimeout),
        maximumDuration: Number(maximumDuration),
        ...(provider === null
          ? {
              issuer: String(issuer),
              clientId: String(clientId),
              groupsClaim: String(groupsClaim),
              emailVerification: String(emailVerification),
              authorizedEmailDomains: value(decode.Json, domains),
            }
          : {
              identityProvider: value(decode.Json, provider),
              forceAuthn: value(decode.Boolean, forceAuthn),
              allowIdpInitiated: value(decode.Boolean, allowIdp),
              nameidFormat: String(nameidFormat),
            }),
      });
      size += [...login.authorizedGroups].join().length;
    }
    const [registrationId, registrationVersion] = row.slice(21, 23);
    if (registrationId !== null) registrations.set(String(registrationId), Number(registrationVersion));
    const ipRestriction = readIpRestriction(row.slice(23), decode);
    const route = {
      id: String(id),
      matchType: readChoice(matchTypes, String(matchType)),
      match: String(match),
      login,
      ipRestriction,
    };
    size += charactersPerRoute + 2 * route.match.length;
    routes.push(route);
  }
  const [signsIdentity = false, forwardsKeys = false] = first
    .slice(-2)
    .map((stored) => value(decode.Boolean, stored) === true);
  return {
    accountId: String(accountId),
    hostports,
    signsIdentity,
    forwardsKeys,
    routes,
    ipPolicyIds: policiesOf(routes),
    registrationIds: [...registrations.keys()],
    version: [...registrations.values()].reduce((sum, each) => sum + each, Number(version)),
    size,
  };
}

type StoredLogin = {
  readonly enabled: unknown;
  readonly optionsPassthrough: unknown;
  readonly authorizedGroups: unknown;
  readonly cookiePrefix: string;
  readonly inactivityTimeout: number | bigint;
  readonly maximumDuration: number | bigint;
} & (
  | {
      /** That of the registration which is used. */
      readonly identityProvider: unknown;
      readonly forceAuthn: unknown;
      readonly allowIdpInitiated: unknown;
      readonly nameidFormat: string;
    }
  | {
      /** Issuer and client are those of the registration which is used. */
      readonly issuer: string;
      readonly clientId: string;
      readonly groupsClaim: string;
      readonly emailVerification: string;
      readonly authorizedEmailDomains: unknown;
    }
);

/** Returns what a login module decides. It is applied unless `enabled` is exactly false, to fail closed. */
export function loginRuleOf(stored: StoredLogin): LoginRule {
  const common = {
    enabled: stored.enabled !== false,
    optionsPassthrough: stored.optionsPassthrough === true,
    authorizedGroups: new Set(readTextList(stored.authorizedGroups).map((group) => group.trim())),
  };
  const limits = {
    cookiePrefix: stored.cookiePrefix,
    inactivitySeconds: Number(stored.inactivityTimeout),
    maximumSeconds: Number(stored.maximumDuration),
  };
  if ('issuer' in stored) {
    return { ...common, ...oidcTerms(stored) };
  }
  const provider = readAs(stored.identityProvider, isIdentityProvider, 'an identity provider');
  return {
    ...common,
    kind: 'saml',
    sessions: { ...limits, issuer: provider.entityId.trim() },
    forceAuthn: stored.forceAuthn !== false,
    allowIdpInitiated: stored.allowIdpInitiated === true,
    vouching: stored.nameidFormat,
  };
}

/** Returns the policies that the modules of routes name. */
export function policiesOf(routes: readonly ReadRoute[]): string[] {
  return [...new Set(routes.flatMap(({ ipRestriction }) => ipRestriction?.ipPolicyIds ?? []))];
}

/** Reads whether a module is applied: unless the value is exactly false, to fail closed. */
function isEnabled(stored: unknown, decode: ServerReads['decode']): boolean {
  return value(decode.Boolean, stored) !== false;
}

function readIpRestriction(columns: readonly unknown[], decode: ServerReads['decode']): ReadRoute['ipRestriction'] {
  const [enabled, mode, ids] = columns;
  if (enabled === null) return null;
  return {
    enabled: isEnabled(enabled, decode),
    mode: readChoice(ipRestrictionModes, String(mode)),
    ipPolicyIds: ids === null ? [] : String(ids).split(','),
  };
}

function value(decode: Decode | undefined, stored: unknown): unknown {
  return decode === undefined ? stored : decode(stored);
}
