// Validation of the routes of HTTPS edges, of their SAML modules, and of what login modules have in common. Pure.

import type { Steps } from '../../domain/concurrency/steps.ts';
import { invalid } from '../../domain/errors.ts';
import { type IdentityProvider, readIdentityProvider } from '../../domain/saml/identity-provider.ts';
import { checkMetadataSource, type MetadataSource, type ReadMetadata } from '../../domain/saml/metadata-source.ts';
import { type NameidFormat, nameidFormats } from '../../domain/saml/namespaces.ts';
import { checkNameidFormat } from '../../domain/saml/settings.ts';
import { checkText } from '../../domain/values/text.ts';

/** How a route compares its `match` with the path of a request. */
export const matchTypes = ['path_prefix', 'exact_path'] as const;
export type MatchType = (typeof matchTypes)[number];

/** Maximum length of `match`, in bytes of UTF-8. */
export const matchBytesMax = 1024;
/** Maximum number of routes of an edge, because its representation includes all of them, with their modules. */
export const routesMax = 100;

/**
 * Maximum total bytes of metadata and groups in all modules of an edge. A response shows a hundred complete edges, and must stay
 * small enough for the server to write and for clients to read.
 */
export const edgeModulesBytesMax = 512 * 1024;

/** Checks the path that a route serves. Throws INVALID_INPUT for text that cannot be a path, because nothing would match it. */
export function checkMatch(match: string): string {
  checkText('match', match, matchBytesMax);
  if (!match.startsWith('/')) throw invalid('match', 'must be a path that starts with "/".');
  if (/[?#]/.test(match)) throw invalid('match', 'must be a path alone, without a query (?) or a fragment (#).');
  if (/\p{Cc}/u.test(match)) throw invalid('match', 'must not contain control characters.');
  return match;
}

export const cookiePrefixDefault = 'sallyport.';
/** Maximum length of the cookie prefix, in characters. */
export const cookiePrefixCharactersMax = 64;
/** Maximum number of groups that a module authorizes; enforced by the schema. */
export const authorizedGroupsMax = 200;
/** Maximum length of a group name, in bytes of UTF-8: directories use distinguished names. */
const groupBytesMax = 1024;

/** The settings that login modules of all kinds have, as a client gives them; null and undefined mean the default. */
export interface CommonLoginSettings {
  enabled?: boolean | null | undefined;
  optionsPassthrough?: boolean | null | undefined;
  cookiePrefix?: string | null | undefined;
  inactivityTimeout?: number | null | undefined;
  maximumDuration?: number | null | undefined;
  authorizedGroups?: readonly string[] | null | undefined;
}

/** The settings that login modules of all kinds have. */
export interface CheckedCommonSettings {
  enabled: boolean;
  optionsPassthrough: boolean;
  cookiePrefix: string;
  inactivityTimeout: number;
  maximumDuration: number;
  authorizedGroups: string[];
}

/** Checks what login modules of all kinds have, and applies the defaults. Throws INVALID_INPUT. */
export function checkCommonSettings(settings: CommonLoginSettings): CheckedCommonSettings {
  return {
    enabled: settings.enabled ?? true,
    optionsPassthrough: settings.optionsPassthrough ?? false,
    cookiePrefix: checkCookiePrefix(settings.cookiePrefix ?? cookiePrefixDefault),
    inactivityTimeout: settings.inactivityTimeout ?? 0,
    maximumDuration: settings.maximumDuration ?? 0,
    authorizedGroups: checkGroups(settings.authorizedGroups ?? []),
  };
}

/** The settings of a SAML module as a client gives them; null and undefined mean the default. */
export interface SamlSettings extends CommonLoginSettings {
  idpMetadata?: string | null | undefined;
  /** Where the metadata is read, and read again. */
  idpMetadataUrl?: string | null | undefined;
  /** Which entity is meant of the metadata there. */
  idpEntityId?: string | null | undefined;
  /** The route whose registration is used instead of one of its own. */
  loginRouteId?: string | null | undefined;
  forceAuthn?: boolean | null | undefined;
  allowIdpInitiated?: boolean | null | undefined;
  nameidFormat?: string | null | undefined;
}

/** All settings of a SAML module, and what its metadata contains. */
export interface CheckedSamlSettings extends CheckedCommonSettings {
  /** Empty where the registration of another route is used. */
  idpMetadata: string;
  /** Empty where the metadata was only sent. */
  idpMetadataUrl: string;
  idpEntityId: string;
  identityProvider: IdentityProvider;
  loginRouteId: string | null;
  forceAuthn: boolean;
  allowIdpInitiated: boolean;
  nameidFormat: NameidFormat;
}

/** What is stored for a module that uses the registration of another route. */
const noIdentityProvider: IdentityProvider = {
  entityId: '',
  validUntil: null,
  ssoServices: [],
  signingCertificates: [],
  unreadableCertificates: 0,
};

/** Checks where the metadata of a module is read. Throws INVALID_INPUT. */
export function checkModuleSource({ loginRouteId, ...given }: SamlSettings): MetadataSource {
  if ((given.idpMetadataUrl ?? '') !== '' && loginRouteId != null) {
    throw invalid(
      'idpMetadataUrl',
      'must be left out or empty where another route is named whose registration is used.',
    );
  }
  return checkMetadataSource(given);
}

/**
 * Checks the settings of a SAML module and applies the defaults, which `saml-schema.ts` describes. Throws INVALID_INPUT.
 *
 * @param read the metadata that counts because none is given, only where to read it
 */
export function* checkSamlSettings(
  settings: SamlSettings,
  read: ReadMetadata | null = null,
): Steps<CheckedSamlSettings> {
  const { idpMetadata = '', loginRouteId = null } = settings;
  const metadata = idpMetadata ?? '';
  if (loginRouteId !== null && metadata !== '') {
    throw invalid('idpMetadata', 'must be left out or empty where another route is named whose registration is used.');
  }
  if (loginRouteId === null && read === null && settings.idpMetadata == null) {
    throw invalid(
      'idpMetadata',
      'must be given, or the URL at which it is read, unless another route is named whose registration is used.',
    );
  }
  return {
    ...checkCommonSettings(settings),
    ...checkModuleSource(settings),
    loginRouteId,
    forceAuthn: settings.forceAuthn ?? false,
    allowIdpInitiated: settings.allowIdpInitiated ?? true,
    nameidFormat: checkNameidFormat(settings.nameidFormat ?? nameidFormats[0]),
    // Last, because it is the most expensive check.
    ...(read === null
      ? yield* readGiven(metadata, loginRouteId)
      : { idpMetadata: read.idpMetadata, identityProvider: read.identityProvider }),
  };
}

function* readGiven(idpMetadata: string, loginRouteId: string | null): Steps<ReadMetadata> {
  const isOwn = loginRouteId === null;
  return {
    idpMetadata,
    identityProvider: isOwn ? yield* readIdentityProvider('idpMetadata', idpMetadata) : noIdentityProvider,
  };
}

/** Returns the bytes that a module adds to its edge (`edgeModulesBytesMax`). */
export function bytesOfModule({ idpMetadata, authorizedGroups }: CheckedModuleText): number {
  return Buffer.byteLength(idpMetadata) + Buffer.byteLength(JSON.stringify(authorizedGroups));
}

type CheckedModuleText = Pick<CheckedSamlSettings, 'idpMetadata' | 'authorizedGroups'>;

function checkCookiePrefix(prefix: string): string {
  if (!/^[A-Za-z0-9._-]+$/.test(prefix) || prefix.length > cookiePrefixCharactersMax) {
    throw invalid(
      'cookiePrefix',
      `must have 1 to ${cookiePrefixCharactersMax} letters, digits, dots, underscores and dashes.`,
    );
  }
  return prefix;
}

function checkGroups(groups: readonly string[]): string[] {
  return groups.map((group, index) => {
    const field = `authorizedGroups[${index}]`;
    if (group === '') throw invalid(field, 'must not be empty. Remove the entry.');
    return checkText(field, group, groupBytesMax);
  });
}
