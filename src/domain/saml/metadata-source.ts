// Where the metadata of an identity provider is read, and how that goes. Pure.

import { invalid } from '../errors.ts';
import { checkOutgoingUrl } from '../values/outgoing-url.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { entityIdCharactersMax } from './namespaces.ts';

/** Metadata of an identity provider, with what is read out of it. A type, because TypeScript accepts no interface as JSON. */
export type ReadMetadata = {
  readonly idpMetadata: string;
  readonly identityProvider: IdentityProvider;
};

/** Where metadata is read; without a URL, it is only sent. */
export type MetadataSource = {
  /** Empty where the metadata was only sent. */
  readonly idpMetadataUrl: string;
  readonly idpEntityId: string;
};

/** What is stored about the reading of metadata: when it was read, why it could not be since when, and when it is read next. */
export interface ReadState {
  readonly metadataReadAt: Date | null;
  readonly metadataFailure: string | null;
  readonly metadataFailedAt: Date | null;
  /** When none of the keys that were read had been in the metadata before; null if never, or if it has been set since. */
  readonly metadataKeysAt: Date | null;
  readonly metadataNextAt: Date | null;
}

/** A source as a client gives it; null, undefined and empty mean none. */
export interface GivenMetadataSource {
  readonly idpMetadataUrl?: string | null | undefined;
  readonly idpEntityId?: string | null | undefined;
}

/**
 * Checks where metadata is read.
 *
 * @param within what precedes the names of the fields in errors, such as `saml.`
 * @throws INVALID_INPUT
 */
export function checkMetadataSource(given: GivenMetadataSource, within = ''): MetadataSource {
  const idpMetadataUrl = given.idpMetadataUrl ?? '';
  const idpEntityId = (given.idpEntityId ?? '').trim();
  if (idpMetadataUrl === '' && idpEntityId !== '') {
    throw invalid(`${within}idpEntityId`, 'must be left out or empty without a URL at which the metadata is read.');
  }
  if (idpEntityId.length > entityIdCharactersMax) {
    throw invalid(`${within}idpEntityId`, `must have at most ${entityIdCharactersMax} characters.`);
  }
  if (idpMetadataUrl === '') return { idpMetadataUrl: '', idpEntityId: '' };
  const url = checkOutgoingUrl(`${within}idpMetadataUrl`, idpMetadataUrl);
  if (url.protocol !== 'https:') {
    throw invalid(`${within}idpMetadataUrl`, 'must begin with https://: nothing else proves who wrote the metadata.');
  }
  return { idpMetadataUrl: url.href, idpEntityId };
}
