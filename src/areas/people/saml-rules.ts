// Validation of sign-in providers by SAML. Pure.

import type { Steps } from '../../domain/concurrency/steps.ts';
import { invalid } from '../../domain/errors.ts';
import { checkEmailDomains } from '../../domain/oidc/settings.ts';
import { readIdentityProvider } from '../../domain/saml/identity-provider.ts';
import {
  checkMetadataSource,
  type GivenMetadataSource,
  type MetadataSource,
  type ReadMetadata,
} from '../../domain/saml/metadata-source.ts';
import { nameidFormats } from '../../domain/saml/namespaces.ts';
import { checkNameidFormat } from '../../domain/saml/settings.ts';
import { checkText } from '../../domain/values/text.ts';

/** The settings as a client gives them; null and undefined mean the default, and so do empty names of attributes. */
export interface SamlProviderSettings extends GivenMetadataSource {
  readonly idpMetadata?: string | null | undefined;
  readonly nameidFormat?: string | null | undefined;
  readonly subjectAttribute?: string | null | undefined;
  readonly emailAttribute?: string | null | undefined;
  readonly nameAttribute?: string | null | undefined;
  readonly groupsAttribute?: string | null | undefined;
}

/** The checked settings, as they are stored. A type, because TypeScript accepts no interface as JSON. */
export type SamlColumns = MetadataSource &
  ReadMetadata & {
    readonly protocol: 'saml';
    readonly issuer: string;
    readonly clientId: '';
    readonly scopes: [];
    readonly groupsClaim: string;
    readonly emailVerification: 'trusted';
    readonly authorizedEmailDomains: string[];
    readonly nameidFormat: string;
    readonly subjectAttribute: string | null;
    readonly emailAttribute: string | null;
    readonly nameAttribute: string | null;
  };

/** Longest name of an attribute, in bytes of UTF-8. */
const attributeBytesMax = 255;
const [, transient] = nameidFormats;

/**
 * Checks the settings and applies the defaults.
 *
 * @param read the metadata that counts because none is given, only where to read it
 * @throws INVALID_INPUT
 */
export function* checkSamlProvider(
  settings: SamlProviderSettings,
  domains: readonly string[],
  read: ReadMetadata | null,
): Steps<SamlColumns> {
  const source = checkMetadataSource(settings, 'saml.');
  const idpMetadata = read?.idpMetadata ?? settings.idpMetadata ?? '';
  if (idpMetadata === '') {
    throw invalid(
      'saml.idpMetadata',
      'must be the metadata of the identity provider, unless the URL is given at which it is read.',
    );
  }
  const nameidFormat = checkNameidFormat(settings.nameidFormat ?? nameidFormats[0], 'saml.nameidFormat');
  const subjectAttribute = attributeName('subjectAttribute', settings.subjectAttribute);
  if (nameidFormat === transient && subjectAttribute === null) {
    throw invalid(
      'saml.nameidFormat',
      'names somebody anew with each sign-in. Take another one, or name the attribute that has the subject.',
    );
  }
  const columns = {
    groupsClaim: attributeName('groupsAttribute', settings.groupsAttribute) ?? '',
    authorizedEmailDomains: checkEmailDomains('authorizedEmailDomains', domains),
    emailAttribute: attributeName('emailAttribute', settings.emailAttribute),
    nameAttribute: attributeName('nameAttribute', settings.nameAttribute),
  };
  // Last, because it is the most expensive check.
  const identityProvider = read?.identityProvider ?? (yield* readIdentityProvider('saml.idpMetadata', idpMetadata));
  return {
    protocol: 'saml',
    issuer: identityProvider.entityId.trim(),
    clientId: '',
    scopes: [],
    emailVerification: 'trusted',
    ...columns,
    ...source,
    idpMetadata,
    identityProvider,
    nameidFormat,
    subjectAttribute,
  };
}

function attributeName(field: string, given: string | null | undefined): string | null {
  return given == null || given === '' ? null : checkText(`saml.${field}`, given, attributeBytesMax);
}
