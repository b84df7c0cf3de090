// The metadata of identity providers at addresses: read when a module is set, and again from time to time.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTurns } from '../../domain/concurrency/steps.ts';
import { SallyportError } from '../../domain/errors.ts';
import { idpMetadataBytesMax, selectEntity } from '../../domain/saml/descriptor.ts';
import {
  isIdentityProvider,
  readIdentityProvider,
  readingSeconds,
  secondsToReading,
} from '../../domain/saml/identity-provider.ts';
import { isOver, readLoginProvider } from '../../domain/saml/login-provider.ts';
import { readAs, readTextList } from '../../domain/values/decode.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { countedUp, type Row } from '../../storage/objects/collection.ts';
import { storeRecords } from '../../storage/objects/records.ts';
import { httpsEdgeRoutes, samlModules } from './collections-store.ts';
import { countInEdge, countingBytes, getRoute, type RouteChange, type RouteWrite } from './counting-store.ts';
import {
  bytesOfModule,
  type CheckedSamlSettings,
  checkMetadataPlace,
  type MetadataPlace,
  type ReadMetadata,
  type SamlSettings,
} from './rules.ts';

/** Metadata that counts without having been given. */
export interface FoundMetadata extends ReadMetadata {
  /** When it was read; null for that which is stored for the same address. */
  readonly readAt: Date | null;
}

/**
 * Finds the metadata for a module that is about to be set with an address and without a document: that which is stored for the same
 * address, or what is there now.
 *
 * @returns null if a document is given, or no address
 * @throws INVALID_INPUT, NOT_FOUND as `getRoute`, and OUTGOING_REFUSED, OUTGOING_FAILED and UNAVAILABLE as `Outgoing.fetch`
 */
export async function findMetadata(
  scope: AccountScope,
  outgoing: Outgoing,
  input: RouteChange & SamlSettings,
  signal: AbortSignal,
): Promise<FoundMetadata | null> {
  const place = checkMetadataPlace(input);
  if ((input.idpMetadata ?? '') !== '' || place.idpMetadataUrl === '') return null;
  await getRoute(scope, input);
  const columns = ['idpMetadata', 'identityProvider', 'idpMetadataUrl', 'idpEntityId'] as const;
  const [known] = await scope.rows.pick('SamlModule', columns, 'routeId', [input.id]);
  if (known?.idpMetadataUrl === place.idpMetadataUrl && known.idpEntityId === place.idpEntityId) {
    const { idpMetadata, identityProvider } = known;
    return {
      idpMetadata,
      identityProvider: readAs(identityProvider, isIdentityProvider, 'an identity provider'),
      readAt: null,
    };
  }
  try {
    return { ...(await readMetadata(scope, outgoing.fetchForPerson, place, signal)), readAt: scope.now() };
  } catch (error) {
    // An entity that is not there has a field of its own.
    if (!(error instanceof SallyportError) || error.code === 'INVALID_INPUT' || !isOfOthers(error)) throw error;
    const message = `${error.message} Correct the address, or give the document as \`idp_metadata\` beside it.`;
    throw new SallyportError(error.code, message, { field: 'idpMetadataUrl' });
  }
}

/** Returns the columns about the reading of metadata, for a module that is set or restored. */
export function readingColumns(
  { now }: AccountScope,
  { idpMetadataUrl, identityProvider }: Pick<CheckedSamlSettings, 'idpMetadataUrl' | 'identityProvider'>,
  found: Pick<FoundMetadata, 'readAt'> | null,
  kept: Pick<Row<'SamlModule'>, 'idpMetadataUrl' | 'metadataReadAt'> | null,
) {
  const time = now();
  const nothing = { metadataFailure: null, metadataFailedAt: null, metadataKeysAt: null };
  if (idpMetadataUrl === '') return { ...nothing, metadataReadAt: null, metadataNextAt: null };
  const isSame = kept?.idpMetadataUrl === idpMetadataUrl;
  const isDue = found !== null && found.readAt === null;
  return {
    ...nothing,
    metadataReadAt: found?.readAt ?? (isSame ? kept.metadataReadAt : null),
    metadataNextAt: isDue ? time : after(time, secondsToReading(identityProvider, time)),
  };
}

/**
 * Reads the metadata of a module again. What cannot be used, or is of another entity, changes nothing but what is told about it.
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
  const { idpMetadataUrl, identityProvider, metadataFailedAt } = module;
  const note = (columns: ReadState) =>
    storeRecords(scope, samlModules.prepareUpdate(scope, { routeId, idpMetadataUrl }, columns));
  try {
    const read = await readMetadata(scope, get, module, signal);
    const { entityId } = readAs(identityProvider, isIdentityProvider, 'an identity provider');
    if (read.identityProvider.entityId !== entityId) {
      throw unusable(
        `is of another entity, ${JSON.stringify(read.identityProvider.entityId)} instead of ${JSON.stringify(entityId)}. ` +
          'Set the module again if that is right',
      );
    }
    const now = scope.now();
    const columns = {
      metadataReadAt: now,
      metadataFailure: null,
      metadataFailedAt: null,
      metadataNextAt: after(now, secondsToReading(read.identityProvider, now)),
    };
    if (read.idpMetadata === module.idpMetadata) await note(columns);
    else await take(scope, module, read, columns, signal);
  } catch (error) {
    if (!(error instanceof SallyportError) || !isOfOthers(error)) throw error;
    const now = scope.now();
    await note({
      metadataFailure: error.message.slice(0, failureCharactersMax),
      metadataFailedAt: metadataFailedAt ?? now,
      metadataNextAt: after(now, readingSeconds.min),
    });
  }
}

/** What reading metadata leaves behind, whether or not anything has changed. */
type ReadState = Partial<
  Pick<Row<'SamlModule'>, 'metadataReadAt' | 'metadataFailure' | 'metadataFailedAt' | 'metadataNextAt'>
>;

/** Most characters of a failure that are kept. */
const failureCharactersMax = 1_000;

/** Puts metadata in force that has changed, with its event. */
async function take(
  scope: AccountScope,
  {
    routeId,
    route,
    ...module
  }: Row<'SamlModule'> & { readonly route: { readonly edgeId: string; readonly version: number } },
  read: ReadMetadata,
  columns: ReadState,
  signal: AbortSignal,
): Promise<void> {
  const bytes = bytesOfModule({ ...read, authorizedGroups: readTextList(module.authorizedGroups) });
  const isOther = await inTurns(scope.accountId, hasOtherKeys(module.idpMetadata, read.idpMetadata), signal);
  const write: RouteWrite<unknown> = async ({ version }, added) => {
    const change = { ...columns, ...read, bytes, ...(isOther ? { metadataKeysAt: scope.now() } : {}) };
    const alongside = [countInEdge(scope, route.edgeId, added)];
    const following = [samlModules.prepareUpdate(scope, { routeId }, change)];
    return httpsEdgeRoutes.update(scope, routeId, countedUp, version, { alongside, following });
  };
  await countingBytes(
    scope,
    { edgeId: route.edgeId, id: routeId, expectedVersion: route.version },
    bytes,
    write,
    signal,
  );
}

/** Returns whether no signing key of metadata is in other metadata. */
function* hasOtherKeys(before: string, after: string) {
  const [former, current] = [yield* readLoginProvider(before), yield* readLoginProvider(after)];
  return !former.signingKeys.some((key) => current.signingKeys.some((other) => other.equals(key)));
}

/**
 * Reads the metadata at an address.
 *
 * @param get fetches it, in the turns of those who wait for it
 * @throws as `Outgoing.fetch`, OUTGOING_FAILED for what cannot be used, and INVALID_INPUT for an entity that is not there
 */
async function readMetadata(
  { accountId, now }: AccountScope,
  get: Outgoing['fetch'],
  { idpMetadataUrl, idpEntityId }: MetadataPlace,
  signal: AbortSignal,
): Promise<ReadMetadata> {
  const accept = 'application/samlmetadata+xml, application/xml;q=0.9, text/xml;q=0.8, */*;q=0.5';
  const request = { headers: { accept }, bytesMax: idpMetadataBytesMax };
  const { status, url, body } = await get(accountId, idpMetadataUrl, request, signal);
  if (status !== 200)
    throw unusable(`cannot be read: ${new URL(url).host} answers with status ${status} instead of 200`);
  await nextTurn();
  const text = new TextDecoder().decode(body);
  const read = async () => {
    const idpMetadata = await inTurns(accountId, selectEntity('idpMetadataUrl', text, idpEntityId), signal);
    const field = 'idpMetadataUrl';
    return {
      idpMetadata,
      identityProvider: await inTurns(accountId, readIdentityProvider(field, idpMetadata), signal),
    };
  };
  const metadata = await read().catch((error: unknown) => {
    const isOfDocument = error instanceof SallyportError && error.field === 'idpMetadataUrl';
    throw isOfDocument ? unusable(`cannot be used: it ${error.message.replace(/\.$/, '')}`) : error;
  });
  const { usableKeys, validUntil } = metadata.identityProvider;
  if (usableKeys === 0) throw unusable('has no signing certificate whose key can be used');
  if (isOver(validUntil === null ? null : new Date(validUntil), now())) throw unusable(`expired at ${validUntil}`);
  return metadata;
}

/** Creates the error for metadata at an address that cannot be used. */
function unusable(how: string): SallyportError {
  return new SallyportError('OUTGOING_FAILED', `The metadata ${how}.`);
}

/** Returns whether metadata cannot be read because of what is at the address. */
function isOfOthers({ code }: SallyportError): boolean {
  return ['OUTGOING_FAILED', 'OUTGOING_REFUSED', 'INVALID_INPUT'].includes(code);
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
