// Registrations at identity providers that several routes use: which routes do, and that they stay as long as one does.

import { invalid, SallyportError, unknownReference } from '../../domain/errors.ts';
import type { LoginKind } from '../../domain/gate/session-rule.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { called, counted, listed, type Nameable } from '../../domain/wording.ts';
import { isMissingReference } from '../../storage/errors.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import { countedUp, type Write } from '../../storage/objects/collection.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { httpsEdgeRoutes } from './collections-store.ts';

/** Most routes that use the registration of another one: what ends or changes for it, does for each of them. */
export const registrationUsersMax = 200;

/** The protocols, as routes name the modules, and as messages do. */
const protocols = { saml: 'a SAML', oidc: 'an OpenID Connect' } as const;

/** Returns the conditions, one of which is true for a login module that uses a registration. */
export function usingRegistration(registrationId: string) {
  return [{ routeId: registrationId }, { loginRouteId: registrationId }];
}

/** Finds other routes whose modules use the registrations of routes, by name. */
export async function usersOf({ db }: AccountView, routeIds: readonly string[]): Promise<Nameable[]> {
  const uses = { loginRouteId: { in: [...routeIds] } };
  // Two statements, each with an index of its own.
  const [saml, oidc] = await Promise.all([
    db.samlModule.findMany({ where: { ...uses, routeId: { notIn: [...routeIds] } }, ...byRoute }),
    db.oidcModule.findMany({ where: { ...uses, routeId: { notIn: [...routeIds] } }, ...byRoute }),
  ]);
  return [...saml, ...oidc].map(({ route }) => route).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Finds the routes that use the same registration as a route, and the route itself. */
export async function routesOfRegistration(scope: AccountView, routeId: string): Promise<readonly string[]> {
  const loginRouteId = { select: { loginRouteId: true } } as const;
  const select = { saml: loginRouteId, oidc: loginRouteId };
  const route = await scope.db.httpsEdgeRoute.findFirst({ where: { id: routeId }, select });
  const registrationId = (route?.saml ?? route?.oidc)?.loginRouteId ?? routeId;
  const users = await usersOf(scope, [registrationId]);
  return [...new Set([routeId, registrationId, ...users.map(({ id }) => id)])];
}

/**
 * Returns the hash by which the sessions of a browser belong together: with the registration, so that nobody can tell from the rows
 * which users of several of them share a browser.
 */
export function deviceHashOf(device: string, registrationId: string): string {
  return hashOf(`${device} ${registrationId}`);
}

/** How messages name a route. */
const named = { id: true, description: true, match: true } as const;

/** How users of registrations are read. Requests at the same time may have added a few. */
const byRoute = {
  orderBy: { routeId: 'asc' },
  select: { route: { select: named } },
  take: 2 * registrationUsersMax,
} as const;

/**
 * Checks that a route may use the registration of another one: of the same account, with a module of the same protocol that has one of
 * its own.
 *
 * @returns the version of the other route: neither module may change until the reference is stored
 * @throws INVALID_INPUT, and UNKNOWN_REFERENCE for a route that does not belong to this account
 */
async function checkRegistration(
  scope: AccountView,
  kind: LoginKind,
  routeId: string,
  loginRouteId: string,
): Promise<number> {
  const field = 'loginRouteId';
  if (loginRouteId === routeId) {
    const own =
      kind === 'saml'
        ? 'the metadata of an identity provider'
        : 'an issuer, and the name and the secret of a client there';
    throw invalid(field, `names the route itself. Leave it out, and give ${own}.`);
  }
  const module = { select: { registration: { select: { route: { select: named } } } } } as const;
  const route = isIdOf('HttpsEdgeRoute', loginRouteId)
    ? await scope.db.httpsEdgeRoute.findFirst({
        where: { id: loginRouteId },
        select: { ...named, version: true, saml: module, oidc: module },
      })
    : null;
  if (route === null) throw unknownReference(field, 'route of an HTTPS edge', loginRouteId);
  const name = `names the route ${called(route)}, `;
  const used = route[kind];
  if (used === null) {
    const other = kind === 'saml' ? 'oidc' : 'saml';
    const has = route[other] === null ? 'no login' : protocols[other];
    throw invalid(field, `${name}which has ${has} module. It must have ${protocols[kind]} module.`);
  }
  const { registration } = used;
  if (registration !== null) {
    throw invalid(field, `${name}which itself uses the registration of ${called(registration.route)}. Name that one.`);
  }
  const users = await usersOf(scope, [routeId]);
  if (users.length > 0) {
    const using = `${counted(users.length, 'route')}: ${listed(users, called)}`;
    throw invalid(field, `must be left out, because the registration of this route is used by ${using}.`);
  }
  if ((await usersOf(scope, [loginRouteId])).length >= registrationUsersMax) {
    throw invalid(field, `${name}whose registration ${registrationUsersMax} other routes use, the maximum.`);
  }
  return route.version;
}

/**
 * Prepares what keeps the registration that a module is to use from using another at the same moment: its route counts that it is used.
 * Throws as `checkRegistration`.
 */
export async function referencesOf(
  scope: AccountScope,
  kind: LoginKind,
  routeId: string,
  loginRouteId: string | null,
): Promise<Write[]> {
  if (loginRouteId === null) return [];
  const version = await checkRegistration(scope, kind, routeId, loginRouteId);
  return [httpsEdgeRoutes.prepareUpdate(scope, { id: loginRouteId, version }, countedUp)];
}

/** Throws IN_USE if other routes use the registration of a route that is deleted, or loses its module. */
export async function checkUnused(scope: AccountView, routeIds: readonly string[]): Promise<void> {
  const users = await usersOf(scope, routeIds);
  if (users.length > 0) throw inUse(users);
}

/**
 * Deletes routes, or their modules. The foreign key decides whether another route uses their registrations, so that one that begins to
 * at this moment is not left without.
 *
 * @param deletion begins with `checkUnused`
 * @throws as the deletion
 */
export function deletingUnused<T>(deletion: () => Promise<T>): Promise<T> {
  return unlessOvertaken(deletion, isMissingReference);
}

function inUse(users: readonly Nameable[]): SallyportError {
  return new SallyportError(
    'IN_USE',
    `The registration of the login module is used by ${counted(users.length, 'route')}: ` +
      `${listed(users, called)}. Give them another login or delete their login modules first.`,
  );
}
