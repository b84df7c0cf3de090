// What a route of an HTTPS edge and its SAML module may be. Pure.

import { invalid } from '../../domain/errors.ts';
import { type IdentityProvider, readIdentityProvider } from '../../domain/saml/identity-provider.ts';
import { type NameidFormat, nameidFormats } from '../../domain/saml/names.ts';
import { checkText } from '../../domain/text.ts';

/** How a route compares its `match` with the path of a request. */
export const matchTypes = ['path_prefix', 'exact_path'] as const;
export type MatchType = (typeof matchTypes)[number];

/** Longest `match`, in bytes of UTF-8. */
export const matchBytesMax = 1024;
/** Most routes of an edge: its answer shows all of them, with their modules. */
export const routesMax = 100;

/**
 * Most bytes of metadata and groups in all modules of an edge together. An answer shows a hundred edges whole, and must stay
 * one that a server can write and a client can read.
 */
export const edgeModulesBytesMax = 512 * 1024;

/** Checks the path that a route serves. Throws INVALID_INPUT for what cannot be a path, because nothing would match it. */
export function checkMatch(match: string): string {
  checkText('match', match, matchBytesMax);
  if (!match.startsWith('/')) throw invalid('match', 'must be a path that starts with "/".');
  if (/[?#]/.test(match)) throw invalid('match', 'must be a path alone, without a query (?) or a fragment (#).');
  if (/\p{Cc}/u.test(match)) throw invalid('match', 'must not contain control characters.');
  return match;
}

/** What the prefix of cookies is when none is given. */
export const cookiePrefixDefault = 'sallyport.';
/** Longest prefix of cookies. */
export const cookiePrefixCharactersMax = 64;
/** Most groups of a module; the schema holds lists to it. */
export const groupsMax = 200;
/** Longest name of a group, in bytes of UTF-8: directories give distinguished names. */
const groupBytesMax = 1024;

/** The settings of a SAML module as a client gives them; null and undefined mean the default. */
export interface SamlSettings {
  enabled?: boolean | null | undefined;
  optionsPassthrough?: boolean | null | undefined;
  cookiePrefix?: string | null | undefined;
  inactivityTimeout?: number | null | undefined;
  maximumDuration?: number | null | undefined;
  idpMetadata: string;
  forceAuthn?: boolean | null | undefined;
  allowIdpInitiated?: boolean | null | undefined;
  authorizedGroups?: readonly string[] | null | undefined;
  nameidFormat?: string | null | undefined;
}

/** All settings of a SAML module, and what its metadata contains. */
export interface CheckedSamlSettings {
  enabled: boolean;
  optionsPassthrough: boolean;
  cookiePrefix: string;
  inactivityTimeout: number;
  maximumDuration: number;
  idpMetadata: string;
  identityProvider: IdentityProvider;
  forceAuthn: boolean;
  allowIdpInitiated: boolean;
  authorizedGroups: string[];
  nameidFormat: NameidFormat;
}

/** Checks the settings of a SAML module and applies the defaults (decisions, "SAML"). Throws INVALID_INPUT. */
export function checkSamlSettings(settings: SamlSettings): CheckedSamlSettings {
  return {
    enabled: settings.enabled ?? true,
    optionsPassthrough: settings.optionsPassthrough ?? false,
    cookiePrefix: checkCookiePrefix(settings.cookiePrefix ?? cookiePrefixDefault),
    inactivityTimeout: settings.inactivityTimeout ?? 0,
    maximumDuration: settings.maximumDuration ?? 0,
    forceAuthn: settings.forceAuthn ?? false,
    allowIdpInitiated: settings.allowIdpInitiated ?? true,
    authorizedGroups: checkGroups(settings.authorizedGroups ?? []),
    nameidFormat: checkNameidFormat(settings.nameidFormat ?? nameidFormats[0]),
    idpMetadata: settings.idpMetadata,
    // Last, because it costs most.
    identityProvider: readIdentityProvider('idpMetadata', settings.idpMetadata),
  };
}

/** Counts what a module adds to the bytes of its edge (`edgeModulesBytesMax`). */
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

function checkNameidFormat(given: string): NameidFormat {
  const format = nameidFormats.find((known) => known === given);
  if (format === undefined) throw invalid('nameidFormat', `must be one of ${nameidFormats.join(', ')}.`);
  return format;
}
