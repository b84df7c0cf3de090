// The metadata of SAML modules at addresses: found when a module is set, and read again from time to time.

import type { LoginModule } from '../../domain/gate/login.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { type FoundMetadata, findMetadataAt, rereadMetadata } from '../../outgoing/idp-metadata.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import { createEarlyReading } from '../../storage/lifecycle/early-reading.ts';
import type { UpkeepScope } from '../../storage/lifecycle/upkeep.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { countedUp } from '../../storage/objects/collection.ts';
import { storeRecords } from '../../storage/objects/records.ts';
import { httpsEdgeRoutes, samlModules } from './collections-store.ts';
import { countInEdge, countingBytes, getRoute, type RouteChange, type RouteWrite } from './counting-store.ts';
import { bytesOfModule, checkModuleSource, type SamlSettings } from './rules.ts';

/**
 * Finds the metadata for a module that is about to be set with an address and without a document.
 *
 * @returns null if a document is given, or no address
 * @throws NOT_FOUND as `getRoute`, and as `findMetadataAt`
 */
export async function findMetadata(
  scope: AccountScope,
  outgoing: Outgoing,
  input: RouteChange & SamlSettings,
  signal: AbortSignal,
): Promise<FoundMetadata | null> {
  const source = checkModuleSource(input);
  if ((input.idpMetadata ?? '') !== '' || source.idpMetadataUrl === '') return null;
  await getRoute(scope, input);
  const columns = ['idpMetadata', 'identityProvider', 'idpMetadataUrl', 'idpEntityId'] as const;
  const [known] = await scope.rows.pick('SamlModule', columns, 'routeId', [input.id]);
  return findMetadataAt(scope, outgoing, source, known ?? null, signal);
}

/**
 * Reads the metadata of a module again.
 *
 * @param get fetches it, in the turns of those who wait for it
 * @throws VERSION_CONFLICT and NOT_FOUND if the route has changed meanwhile, and UNAVAILABLE
 */
export async function refreshMetadata(
  scope: AccountScope,
  get: Outgoing['fetch'],
  routeId: string,
  signal: AbortSignal,
): Promise<void> {
  const include = { route: { select: { edgeId: true, version: true } } } as const;
  const module = await scope.db.samlModule.findFirst({ where: { routeId }, include });
  if (module === null || module.idpMetadataUrl === '') return;
  const { idpMetadataUrl, route } = module;
  const storing = {
    note: (state: object) => storeRecords(scope, samlModules.prepareUpdate(scope, { routeId, idpMetadataUrl }, state)),
    take(change: { readonly idpMetadata: string }) {
      const bytes = bytesOfModule({ ...change, authorizedGroups: readTextList(module.authorizedGroups) });
      const write: RouteWrite<unknown> = async ({ version }, added) => {
        const alongside = [countInEdge(scope, route.edgeId, added)];
        const following = [samlModules.prepareUpdate(scope, { routeId }, { ...change, bytes })];
        return httpsEdgeRoutes.update(scope, routeId, countedUp, version, { alongside, following });
      };
      const addressed = { edgeId: route.edgeId, id: routeId, expectedVersion: route.version };
      return countingBytes(scope, addressed, bytes, write, signal);
    },
  };
  await rereadMetadata(scope, get, module, storing, signal);
}

/** Creates the early reading for the registrations of modules (`createEarlyReading`). */
export function createEarlyModuleReading(server: UpkeepScope, { fetchForPerson }: Outgoing, now: () => Date) {
  const read = (scope: AccountScope, routeId: string, signal: AbortSignal) =>
    refreshMetadata(scope, fetchForPerson, routeId, signal);
  const readEarly = createEarlyReading(server, { table: 'SamlModule', key: 'routeId', read }, now);
  return ({ registrationId, ...module }: LoginModule) => readEarly({ ...module, id: registrationId });
}
