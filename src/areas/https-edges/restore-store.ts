// Restores HTTPS edges and their routes, with the routes' modules, to an earlier state.
//
// The audit trail has no private keys and no client secrets. A module that still exists keeps its own; a recreated one gets new keys,
// whose certificates have to be given to the identity provider, and no secret. A route restored without its module would be open to
// everybody.

import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import { inTurns } from '../../domain/concurrency/steps.ts';
import { invalid, unknownReference } from '../../domain/errors.ts';
import { ipRestrictionModes } from '../../domain/gate/edge-table.ts';
import { emailVerifications } from '../../domain/oidc/settings.ts';
import { checkHostports } from '../../domain/values/hostport.ts';
import { notesForCreate } from '../../domain/values/text.ts';
import { called } from '../../domain/wording.ts';
import { isDuplicate, isMissingRow } from '../../storage/errors.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { checkBackend, namingBackend } from '../../storage/objects/backend-references.ts';
import type { Write } from '../../storage/objects/collection.ts';
import { nameableIn } from '../../storage/objects/names.ts';
import {
  type DeletedObject,
  namingMissing,
  notesState,
  type Restorers,
  type Restoring,
  restorer,
} from '../../storage/objects/restoring.ts';
import { backendModules, httpsEdgeRoutes, httpsEdges, ipRestrictionModules, samlModules } from './collections-store.ts';
import {
  checkModuleBytes,
  checkRoom,
  countInEdge,
  countingBytes,
  type SeenRoute,
  tooManyRoutes,
} from './counting-store.ts';
import { endingLogins } from './login-session-store.ts';
import { checkIpRestriction, writesOfModules } from './module-store.ts';
import { bytesOfOidc, checkOidcSettings } from './oidc-rules.ts';
import { restoringOidc } from './oidc-store.ts';
import { checkUnused, referencesOf } from './registration-store.ts';
import { bytesOfModule, checkMatch, checkSamlSettings, matchTypes, routesMax } from './rules.ts';
import { endingSessions, findKept, restoringModule } from './saml-store.ts';
import { duplicateMatch, updateHttpsEdge } from './store.ts';

const edgeState = notesState.extend({
  hostports: z.array(z.string()),
  // Events of earlier versions lack them.
  signsIdentity: z.boolean().default(false),
  forwardsKeys: z.boolean().default(false),
});
/** What login modules of both protocols have in common. */
const loginState = {
  enabled: z.boolean(),
  optionsPassthrough: z.boolean(),
  cookiePrefix: z.string(),
  inactivityTimeout: z.number(),
  maximumDuration: z.number(),
  authorizedGroups: z.array(z.string()),
};
const routeState = notesState.extend({
  edgeId: z.string(),
  matchType: z.enum(matchTypes),
  match: z.string(),
  saml: z
    .object({
      ...loginState,
      idpMetadata: z.string(),
      // Events of earlier versions lack them.
      idpMetadataUrl: z.string().default(''),
      idpEntityId: z.string().default(''),
      loginRouteId: z.string().nullable().default(null),
      forceAuthn: z.boolean(),
      allowIdpInitiated: z.boolean(),
      nameidFormat: z.string(),
    })
    .nullable(),
  oidc: z
    .object({
      ...loginState,
      loginRouteId: z.string().nullable().default(null),
      issuer: z.string(),
      clientId: z.string(),
      scopes: z.array(z.string()),
      authorizedEmailDomains: z.array(z.string()),
      groupsClaim: z.string(),
      emailVerification: z.enum(emailVerifications),
    })
    .nullable()
    .default(null),
  ipRestriction: z
    .object({ enabled: z.boolean(), mode: z.enum(ipRestrictionModes), policyRefs: z.array(z.string()) })
    .nullable()
    // Routes had none when their earlier states were recorded.
    .default(null),
  backend: z.object({ enabled: z.boolean(), backendId: z.string() }).nullable().default(null),
});
type EdgeState = z.infer<typeof edgeState>;
type RouteState = z.infer<typeof routeState>;
type CheckedState = Awaited<ReturnType<typeof checkState>>;

export const restorers: Restorers = {
  HttpsEdge: restorer(edgeState, {
    update: ({ scope }, { id, state }, expectedVersion) => updateHttpsEdge(scope, { ...state, id, expectedVersion }),
    recreate: recreateEdge,
    generatesKeys: true,
  }),
  HttpsEdgeRoute: restorer(routeState, {
    async update({ scope, signal }, { id, state }, expectedVersion) {
      const { edgeId } = state;
      const { columns, saml, oidc, ...modules } = await checkState(scope, state);
      const change = { edgeId, id, expectedVersion };
      const write = async ({ version, bytes }: SeenRoute, added: number) => {
        const kept = await findKept(scope, id);
        const client = await scope.db.oidcModule.findFirst({ where: { routeId: id } });
        const isSameRegistration = ((kept ?? client)?.loginRouteId ?? null) === registrationOf({ saml, oidc });
        if ((kept !== null && saml === null) || (client !== null && oidc === null)) await checkUnused(scope, [id]);
        const following = [
          ...(saml === null
            ? kept === null
              ? []
              : [samlModules.prepareRemove(scope, { routeId: id })]
            : [await restoringModule(scope, id, saml, kept, signal)]),
          ...restoringOidc(scope, id, oidc, client),
          // Sessions and logins of another kind end, and those by rules of OpenID Connect that may have been others.
          ...((kept !== null) !== (saml !== null) || !isSameRegistration || bytes.oidc !== null || oidc !== null
            ? endingLogins(scope, [id])
            : []),
          ...changesOfModules(scope, id, modules),
        ];
        const reference = isSameRegistration ? [] : await referencesOfLogin(scope, id, { saml, oidc });
        const alongside = [countInEdge(scope, edgeId, added), ...reference];
        const restore = () => httpsEdgeRoutes.update(scope, id, columns, version, { alongside, following });
        return saml === null || kept === null ? restore() : endingSessions(scope, id, saml, restore);
      };
      const restored = countingBytes(scope, change, bytesOfLogin({ saml, oidc }), write, signal);
      return namingDuplicates(namingBackend(restored, modules.backend));
    },
    recreate: recreateRoute,
    generatesKeys: true,
  }),
};

/** Checks the earlier state of a route by the current rules. Throws like changes to a route and its module. */
async function checkState(
  scope: AccountScope,
  { matchType, match, saml, oidc, ipRestriction, backend, ...notes }: RouteState,
) {
  const settings = saml === null ? null : await inTurns(scope.accountId, checkSamlSettings(saml));
  return {
    columns: { matchType, match: checkMatch(match), ...notesForCreate(notes) },
    saml: settings === null ? null : { ...settings, bytes: bytesOfModule(settings) },
    oidc: oidc === null ? null : restoredOidc(oidc),
    ipRestriction: await restoredIpRestriction(scope, ipRestriction),
    backend: backend === null ? null : await checkBackend(scope, backend),
  };
}

function restoredOidc(module: NonNullable<RouteState['oidc']>) {
  const { clientSecret: _unknown, ...settings } = checkOidcSettings(module);
  return { ...settings, bytes: bytesOfOidc(settings) };
}

/** Returns the bytes of the login module of a route, of which it has one at most. */
function bytesOfLogin({ saml, oidc }: Pick<CheckedState, 'saml' | 'oidc'>): number {
  return (saml?.bytes ?? 0) + (oidc?.bytes ?? 0);
}

/** Returns the route whose registration a route uses; null for its own, or none. */
function registrationOf({ saml, oidc }: Pick<CheckedState, 'saml' | 'oidc'>): string | null {
  return (saml ?? oidc)?.loginRouteId ?? null;
}

/** Prepares what keeps the registration that a route uses. Throws as `referencesOf`. */
function referencesOfLogin(scope: AccountScope, id: string, login: Pick<CheckedState, 'saml' | 'oidc'>) {
  return referencesOf(scope, login.saml === null ? 'oidc' : 'saml', id, registrationOf(login));
}

/** Checks a module by the current rules: its policies must exist. Throws as `replaceIpRestriction`. */
async function restoredIpRestriction(scope: AccountScope, module: RouteState['ipRestriction']) {
  if (module === null) return null;
  const { policyRefs: ipPolicyIds, ...settings } = module;
  return checkIpRestriction(scope, { ...settings, ipPolicyIds });
}

/** Prepares the writes that set or remove the modules of a route besides its login. */
function changesOfModules(
  scope: AccountScope,
  routeId: string,
  modules: Pick<CheckedState, 'ipRestriction' | 'backend'>,
): Write[] {
  const { ipRestriction, backend } = modules;
  return [
    ...(ipRestriction === null ? [ipRestrictionModules.prepareRemoveAll(scope, { routeId })] : []),
    ...(backend === null ? [backendModules.prepareRemoveAll(scope, { routeId })] : []),
    ...writesOfModules(scope, routeId, modules),
  ];
}

async function recreateRoute(
  restoring: Restoring,
  { object, state }: DeletedObject<RouteState>,
): Promise<{ version: number }> {
  const { scope, signal } = restoring;
  const { edgeId } = state;
  const checked = await checkState(scope, state);
  const bytes = bytesOfLogin(checked);
  const following = [
    ...(checked.saml === null ? [] : [await restoringModule(scope, object.id, checked.saml, null, signal)]),
    ...restoringOidc(scope, object.id, checked.oidc, null),
    ...changesOfModules(scope, object.id, checked),
  ];
  const reference = await referencesOfLogin(scope, object.id, checked);
  const alongside = [countInEdge(scope, edgeId, bytes, 1), ...reference];
  try {
    const columns = { edgeId, ...checked.columns };
    const created = httpsEdgeRoutes.create(scope, columns, { object, alongside, following });
    return await namingDuplicates(namingBackend(created, checked.backend));
  } catch (error) {
    if (!isMissingRow(error)) throw error;
    if ((await httpsEdges.firstUnknown(scope, [edgeId])) !== -1) throw unknownReference('edgeId', 'HTTPS edge', edgeId);
    await checkRoom(scope, { edgeId, id: object.id }, bytes);
    throw tooManyRoutes();
  }
}

async function recreateEdge(
  restoring: Restoring,
  { object, state: { hostports, signsIdentity, forwardsKeys, ...notes }, parts }: DeletedObject<EdgeState>,
): Promise<{ version: number }> {
  const { scope, trail, writes, signal } = restoring;
  const edge = { hostports: checkHostports(hostports), signsIdentity, forwardsKeys, ...notesForCreate(notes) };
  if (parts.length > routesMax) throw invalid('routes', `must be at most ${routesMax}; the edge had ${parts.length}.`);
  const routes: { readonly object: (typeof parts)[number]['object']; readonly checked: CheckedState }[] = [];
  for (const { object, state } of parts) {
    // Each in a turn of its own, because its policies are looked up.
    await nextTurn();
    const checked = await namingMissing(
      trail,
      () => `The route ${called(nameableIn(object.id, state))} of the HTTPS edge`,
      () => checkState(scope, routeState.parse(state)),
    );
    await writes(rowsOf(checked));
    routes.push({ object, checked });
  }
  const moduleBytes = routes.reduce((sum, { checked }) => sum + bytesOfLogin(checked), 0);
  checkModuleBytes(moduleBytes);
  const following = [];
  const alongside: Write[] = [];
  const isOwn = (routeId: string) => routes.some((each) => each.object.id === routeId);
  for (const { object: route, checked } of routes) {
    following.push(httpsEdgeRoutes.prepareCreate(scope, route, { edgeId: object.id, ...checked.columns }));
    const loginRouteId = registrationOf(checked);
    if (loginRouteId !== null && !isOwn(loginRouteId)) {
      alongside.push(...(await referencesOfLogin(scope, route.id, checked)));
    }
  }
  // Registrations come before those who use them.
  const inOrder = [...routes].sort((a, b) => usesOther(a.checked) - usesOther(b.checked));
  for (const { object: route, checked } of inOrder) {
    if (checked.saml !== null) following.push(await restoringModule(scope, route.id, checked.saml, null, signal));
    following.push(...restoringOidc(scope, route.id, checked.oidc, null));
    following.push(...changesOfModules(scope, route.id, checked));
  }
  const columns = { ...edge, routeCount: parts.length, moduleBytes };
  try {
    return await httpsEdges.create(scope, columns, { object, alongside, following });
  } catch (error) {
    // The check tells which backend was deleted after it.
    for (const { checked } of routes) if (checked.backend !== null) await checkBackend(scope, checked.backend);
    throw error;
  }
}

/** Returns 1 if a route uses the registration of another one, else 0. */
function usesOther(checked: CheckedState): number {
  return registrationOf(checked) === null ? 0 : 1;
}

/** Returns how many rows a route has besides itself and its modules. */
function rowsOf({ ipRestriction }: CheckedState): number {
  return ipRestriction?.policyRefs.length ?? 0;
}

async function namingDuplicates<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw isDuplicate(error) ? duplicateMatch() : error;
  }
}
