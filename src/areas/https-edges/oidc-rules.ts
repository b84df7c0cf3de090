// Validation of the OpenID Connect modules of routes. Pure.

import { invalid } from '../../domain/errors.ts';
import { checkText } from '../../domain/values/text.ts';
import { type CommonLoginSettings, checkCommonSettings } from './rules.ts';

/**
 * What must be true of a user's e-mail address: `required` takes only addresses that the provider has verified, `trusted` all of a
 * provider with one tenant, whose administrator gives them.
 */
export const emailVerifications = ['required', 'trusted'] as const;
export type EmailVerification = (typeof emailVerifications)[number];

/** Scopes that are asked for if none are given, beside `openid`. */
export const scopesDefault: readonly string[] = ['email', 'profile'];
/** The claim that has the groups, if none is given. */
export const groupsClaimDefault = 'groups';
/** Maximum numbers of entries; enforced by the schema. */
export const scopesMax = 20;
export const emailDomainsMax = 100;
const textBytesMax = 255;
const secretBytesMax = 1024;
const scopeBytesMax = 255;

/** The settings of an OpenID Connect module as a client gives them; null and undefined mean the default. */
export interface OidcSettings extends CommonLoginSettings {
  issuer: string;
  clientId: string;
  /** Null, undefined and empty keep the one that is stored. */
  clientSecret?: string | null | undefined;
  scopes?: readonly string[] | null | undefined;
  authorizedEmailDomains?: readonly string[] | null | undefined;
  groupsClaim?: string | null | undefined;
  emailVerification?: EmailVerification | null | undefined;
}

/** All settings of an OpenID Connect module; the secret is null if the stored one is to be kept. */
export type CheckedOidcSettings = ReturnType<typeof checkOidcSettings>;

/** Checks the settings of a module and applies the defaults, which `oidc-schema.ts` describes. Throws INVALID_INPUT. */
export function checkOidcSettings(settings: OidcSettings) {
  const { clientSecret } = settings;
  if (settings.clientId === '')
    throw invalid('clientId', 'must not be empty: it is the name of the client at the provider.');
  return {
    ...checkCommonSettings(settings),
    issuer: checkIssuer(settings.issuer),
    clientId: checkText('clientId', settings.clientId, textBytesMax),
    clientSecret:
      clientSecret == null || clientSecret === '' ? null : checkText('clientSecret', clientSecret, secretBytesMax),
    scopes: checkScopes(settings.scopes ?? scopesDefault),
    authorizedEmailDomains: checkDomains(settings.authorizedEmailDomains ?? []),
    groupsClaim: checkText('groupsClaim', settings.groupsClaim ?? groupsClaimDefault, textBytesMax),
    emailVerification: settings.emailVerification ?? emailVerifications[0],
  };
}

/** Returns the bytes that a module adds to its edge (`edgeModulesBytesMax`). */
export function bytesOfOidc({
  scopes,
  authorizedGroups,
  authorizedEmailDomains,
}: Pick<CheckedOidcSettings, 'scopes' | 'authorizedGroups' | 'authorizedEmailDomains'>): number {
  return Buffer.byteLength(JSON.stringify([scopes, authorizedGroups, authorizedEmailDomains]));
}

/** The well-known path that people copy with the issuer (OpenID Connect Discovery, section 4). */
const wellKnown = /\/\.well-known\/openid-configuration\/?$/;
/** The addresses of Microsoft at which users of all tenants log in: any stranger can make a tenant, with any e-mail address. */
const allTenants = /^https:\/\/[^/]+\/(?:common|organizations|consumers)(?:\/|$)/i;

function checkIssuer(given: string): string {
  const issuer = checkText('issuer', given, textBytesMax).replace(wellKnown, '');
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || /[?#]/.test(issuer)) {
    throw invalid('issuer', 'must be the https URL of the provider, without user name, query (?) and fragment (#).');
  }
  if (allTenants.test(issuer) && /microsoft|windows/i.test(url.hostname)) {
    throw invalid(
      'issuer',
      'lets in the users of all tenants. It must have the id of your tenant in place of "common".',
    );
  }
  return issuer;
}

function checkScopes(scopes: readonly string[]): string[] {
  return scopes.map((scope, index) => {
    const field = `scopes[${index}]`;
    checkText(field, scope, scopeBytesMax);
    // RFC 6749, section 3.3.
    if (!/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope)) throw invalid(field, 'must be a word without spaces and quotes.');
    return scope;
  });
}

function checkDomains(domains: readonly string[]): string[] {
  return domains.map((given, index) => {
    const field = `authorizedEmailDomains[${index}]`;
    const domain = checkText(field, given, textBytesMax).toLowerCase();
    if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(domain)) {
      throw invalid(field, 'must be a domain such as "example.com", without "@" and wildcards.');
    }
    return domain;
  });
}
