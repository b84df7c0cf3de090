// The metadata of sign-in providers by SAML at addresses: found when a provider is set, and read again from time to time.

import { checkMetadataSource, type ReadMetadata, type ReadState } from '../../domain/saml/metadata-source.ts';
import { type FoundMetadata, findMetadataAt, rereadMetadata } from '../../outgoing/idp-metadata.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { storeRecords } from '../../storage/objects/records.ts';
import type { SamlProviderSettings } from './saml-rules.ts';

const providers = collectionOf('SignInProvider');

/** Returns whether a change is about the metadata, or where it is read. */
export function saysMetadata(saml: SamlProviderSettings | null | undefined): boolean {
  return [saml?.idpMetadata, saml?.idpMetadataUrl, saml?.idpEntityId].some((given) => given != null);
}

/** Returns where the metadata of a provider is read after a change. Without an address, there is no entity to choose. */
export function sourceAfter(before: Row<'SignInProvider'> | null, saml: SamlProviderSettings | null | undefined) {
  const idpMetadataUrl = saml?.idpMetadataUrl ?? before?.idpMetadataUrl ?? '';
  const kept = idpMetadataUrl === '' ? '' : before?.idpEntityId;
  return { idpMetadataUrl, idpEntityId: saml?.idpEntityId ?? kept ?? '' };
}

/**
 * Finds the metadata for a provider that is about to be made or changed with an address and without a document.
 *
 * @param id of the provider; undefined for a new one
 * @returns null if a document is given, or nothing is said about an address
 * @throws NOT_FOUND, and as `findMetadataAt`
 */
export async function findProviderMetadata(
  scope: AccountScope,
  outgoing: Outgoing,
  { id, saml }: { readonly id?: string | undefined; readonly saml?: SamlProviderSettings | null | undefined },
  signal: AbortSignal,
): Promise<FoundMetadata | null> {
  if (!saysMetadata(saml) || (saml?.idpMetadata ?? '') !== '') return null;
  const before = id === undefined ? null : await providers.get(scope, id);
  const source = checkMetadataSource(sourceAfter(before, saml), 'saml.');
  if (source.idpMetadataUrl === '') return null;
  const { idpMetadata = null } = before ?? {};
  const known = before === null || idpMetadata === null ? null : { ...before, idpMetadata };
  return findMetadataAt(scope, outgoing, source, known, signal, 'saml.');
}

/**
 * Reads the metadata of a provider again.
 *
 * @param get fetches it, in the turns of those who wait for it
 * @throws VERSION_CONFLICT and NOT_FOUND if the provider has changed meanwhile, and UNAVAILABLE
 */
export async function refreshProviderMetadata(
  scope: AccountScope,
  get: Outgoing['fetch'],
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const row = await scope.db.signInProvider.findFirst({ where: { id } });
  if (row === null || row.idpMetadata === null || row.idpMetadataUrl === '') return;
  const { idpMetadata, idpMetadataUrl, version } = row;
  const storing = {
    note: (state: Partial<ReadState>) =>
      storeRecords(scope, providers.prepareUpdate(scope, { id, idpMetadataUrl }, state)),
    take: (change: Partial<ReadState> & ReadMetadata) => providers.update(scope, id, change, version),
  };
  await rereadMetadata(scope, get, { ...row, idpMetadata }, storing, signal);
}
