// Registrations at identity providers that several routes use: which routes do, and that they stay as long as one does.

import { invalid, SallyportError, unknownReference } from '../../domain/errors.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { called, counted, listed, type Nameable } from '../../domain/wording.ts';
import { isMissingReference } from '../../storage/errors.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';

/** Most routes that use the registration of another one: what ends or changes for it, does for each of them. */
export const registrationUsersMax = 200;

/** Returns the conditions, one of which is true for a SAML module that uses a registration. */
export function usingRegistration(registrationId: string) {
  return [{ routeId: registrationId }, { loginRouteId: registrationId }];
}

/** Finds other routes whose modules use the registrations of routes, by name. */
export async function usersOf({ db }: AccountView, routeIds: readonly string[]): Promise<Nameable[]> {
  const users = await db.samlModule.findMany({
    where: { loginRouteId: { in: [...routeIds] }, routeId: { notIn: [...routeIds] } },
    orderBy: { routeId: 'asc' },
    select: { route: { select: named } },
    // Requests at the same time may have added a few.
    take: 2 * registrationUsersMax,
  });
  return users.map(({ route }) => route);
}

/** Finds the routes that use the same registration as a route, and the route itself. */
export async function routesOfRegistration(scope: AccountView, routeId: string): Promise<readonly string[]> {
  const module = await scope.db.samlModule.findFirst({ where: { routeId }, select: { loginRouteId: true } });
  const registrationId = module?.loginRouteId ?? routeId;
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

/**
 * Checks that a route may use the registration of another one: of the same account, with a SAML module that has one of its own.
 *
 * @returns the version of the other route: neither module may change until the reference is stored
 * @throws INVALID_INPUT, and UNKNOWN_REFERENCE for a route that does not belong to this account
 */
export async function checkRegistration(scope: AccountView, routeId: string, loginRouteId: string): Promise<number> {
  const field = 'loginRouteId';
  if (loginRouteId === routeId) throw invalid(field, 'names the route itself. Leave it out, and give `idp_metadata`.');
  const saml = { select: { registration: { select: { route: { select: named } } } } } as const;
  const oidc = { select: { routeId: true } } as const;
  const route = isIdOf('HttpsEdgeRoute', loginRouteId)
    ? await scope.db.httpsEdgeRoute.findFirst({
        where: { id: loginRouteId },
        select: { ...named, version: true, saml, oidc },
      })
    : null;
  if (route === null) throw unknownReference(field, 'route of an HTTPS edge', loginRouteId);
  const name = `names the route ${called(route)}, `;
  if (route.saml === null) {
    const has = route.oidc === null ? 'has no login module' : 'has an OpenID Connect module';
    throw invalid(field, `${name}which ${has}. It must have a SAML module.`);
  }
  const { registration } = route.saml;
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
    `The registration of the SAML module is used as \`login_route_id\` by ${counted(users.length, 'route')}: ` +
      `${listed(users, called)}. Give them another login or delete their SAML modules first.`,
  );
}
