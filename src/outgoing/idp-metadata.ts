// The metadata of identity providers at addresses: read when a SAML module or a sign-in provider is set, and again from time to time.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTurns } from '../domain/concurrency/steps.ts';
import { SallyportError } from '../domain/errors.ts';
import { idpMetadataBytesMax, selectEntity } from '../domain/saml/descriptor.ts';
import {
  isIdentityProvider,
  readIdentityProvider,
  readingSeconds,
  secondsToReading,
  unreadIdentityProvider,
} from '../domain/saml/identity-provider.ts';
import { isOver, readLoginProvider } from '../domain/saml/login-provider.ts';
import type { MetadataSource, ReadMetadata, ReadState } from '../domain/saml/metadata-source.ts';
import { readAs } from '../domain/values/decode.ts';
import type { Outgoing } from './outgoing.ts';

/** For whom metadata is read, and when that is. */
interface Reader {
  readonly accountId: string;
  readonly now: () => Date;
}

/** Metadata that counts without having been given. */
export type FoundMetadata = ReadMetadata & {
  /** When it was read; null for that which is stored for the same address. */
  readonly readAt: Date | null;
};

interface StoredMetadata extends MetadataSource {
  readonly idpMetadata: string;
  /** The JSON of an `IdentityProvider`. */
  readonly identityProvider: unknown;
}

/** Thrown in place of an answer where nobody is asked: in plans. */
export class NotAsked extends Error {}

/** Returns what stands for metadata that nobody has read yet. It is not stored. */
function unread({ idpMetadataUrl, idpEntityId }: MetadataSource, known: StoredMetadata | null): FoundMetadata {
  const entityId = known === null ? idpEntityId || idpMetadataUrl : providerOf(known).entityId;
  const identityProvider = unreadIdentityProvider(entityId, idpMetadataUrl);
  return { idpMetadata: `<!-- ${idpMetadataUrl} -->`, identityProvider, readAt: null };
}

/**
 * Finds the metadata at an address that is about to be set without a document: that which is stored for the same address, or what is
 * there now.
 *
 * @param within what precedes the names of the fields in errors, such as `saml.`
 * @throws INVALID_INPUT, and OUTGOING_REFUSED, OUTGOING_FAILED and UNAVAILABLE as `Outgoing.fetch`
 */
export async function findMetadataAt(
  reader: Reader,
  { fetchForPerson }: Pick<Outgoing, 'fetchForPerson'>,
  source: MetadataSource,
  known: StoredMetadata | null,
  signal: AbortSignal,
  within = '',
): Promise<FoundMetadata> {
  if (known?.idpMetadataUrl === source.idpMetadataUrl && known.idpEntityId === source.idpEntityId) {
    const { idpMetadata } = known;
    return { idpMetadata, identityProvider: providerOf(known), readAt: null };
  }
  try {
    return { ...(await readMetadata(reader, fetchForPerson, source, signal)), readAt: reader.now() };
  } catch (error) {
    if (error instanceof NotAsked) return unread(source, known);
    if (!(error instanceof SallyportError) || !isOfOthers(error)) throw error;
    // An entity that is not there has a field of its own.
    if (error.code === 'INVALID_INPUT') {
      throw new SallyportError(error.code, error.message, { field: `${within}${error.field ?? 'idpMetadataUrl'}` });
    }
    const message = `${error.message} Correct the address, or give the document itself as well, beside its address.`;
    throw new SallyportError(error.code, message, { field: `${within}idpMetadataUrl` });
  }
}

/** Returns the columns about the reading of metadata, for what is set or restored. */
export function readingColumns(
  { now }: Pick<Reader, 'now'>,
  { idpMetadataUrl, identityProvider }: Pick<MetadataSource, 'idpMetadataUrl'> & Pick<ReadMetadata, 'identityProvider'>,
  found: Pick<FoundMetadata, 'readAt'> | null,
  kept: (Pick<MetadataSource, 'idpMetadataUrl'> & Pick<ReadState, 'metadataReadAt'>) | null,
): ReadState {
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

/** Stores what a reading brings. */
interface Storing {
  /** Stores what is told about the reading, and that alone. */
  note(state: Partial<ReadState>): Promise<unknown>;
  /** Puts metadata in force that has changed, with its event. */
  take(change: Partial<ReadState> & ReadMetadata): Promise<unknown>;
}

/**
 * Reads metadata again. What cannot be used, or is of another entity, changes nothing but what is told about it.
 *
 * @param get fetches it, in the turns of those who wait for it
 * @throws as `Storing`, and UNAVAILABLE
 */
export async function rereadMetadata(
  reader: Reader,
  get: Outgoing['fetch'],
  stored: StoredMetadata & Pick<ReadState, 'metadataFailedAt'>,
  { note, take }: Storing,
  signal: AbortSignal,
): Promise<void> {
  const { accountId, now } = reader;
  try {
    const read = await readMetadata(reader, get, stored, signal);
    const { entityId } = providerOf(stored);
    if (read.identityProvider.entityId !== entityId) {
      throw unusable(
        `is of another entity, ${JSON.stringify(read.identityProvider.entityId)} instead of ${JSON.stringify(entityId)}. ` +
          'Set the address again if that is right',
      );
    }
    const time = now();
    const state = {
      metadataReadAt: time,
      metadataFailure: null,
      metadataFailedAt: null,
      metadataNextAt: after(time, secondsToReading(read.identityProvider, time)),
    };
    if (read.idpMetadata === stored.idpMetadata) {
      await note(state);
      return;
    }
    const isOther = await inTurns(accountId, hasOtherKeys(stored.idpMetadata, read.idpMetadata), signal);
    await take({ ...state, ...read, ...(isOther ? { metadataKeysAt: now() } : {}) });
  } catch (error) {
    if (!(error instanceof SallyportError) || !isOfOthers(error)) throw error;
    const time = now();
    await note({
      metadataFailure: error.message.slice(0, failureCharactersMax),
      metadataFailedAt: stored.metadataFailedAt ?? time,
      metadataNextAt: after(time, readingSeconds.min),
    });
  }
}

/** Most characters of a failure that are kept. */
const failureCharactersMax = 1_000;

function providerOf({ identityProvider }: StoredMetadata) {
  return readAs(identityProvider, isIdentityProvider, 'an identity provider');
}

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
  { accountId, now }: Reader,
  get: Outgoing['fetch'],
  { idpMetadataUrl, idpEntityId }: MetadataSource,
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
