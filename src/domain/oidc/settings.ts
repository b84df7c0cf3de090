// The settings of an OpenID provider, wherever one is named: what its issuer, scopes and domains may be. Pure.

import { invalid } from '../errors.ts';
import { checkText } from '../values/text.ts';

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
/** Maximum length of the issuer, of the client's name and of the claim, in bytes of UTF-8. */
const textBytesMax = 255;
const secretBytesMax = 1024;
const scopeBytesMax = 255;

/** What both kinds of clients have: the module of a route, and a sign-in provider. Null and undefined mean the default. */
export interface OidcClientSettings {
  issuer: string;
  clientId: string;
  /** Null, undefined and empty keep the one that is stored. */
  clientSecret?: string | null | undefined;
  scopes?: readonly string[] | null | undefined;
  authorizedEmailDomains?: readonly string[] | null | undefined;
  groupsClaim?: string | null | undefined;
  emailVerification?: EmailVerification | null | undefined;
}

/**
 * Checks the settings of a client and applies the defaults. The secret is null if the stored one is to be kept.
 *
 * @param path what comes before the names of fields in errors
 * @throws INVALID_INPUT
 */
export function checkOidcClient(settings: OidcClientSettings, path = '') {
  const { clientSecret } = settings;
  if (settings.clientId === '')
    throw invalid(`${path}clientId`, 'must not be empty: it is the name of the client at the provider.');
  return {
    issuer: checkIssuer(`${path}issuer`, settings.issuer),
    clientId: checkText(`${path}clientId`, settings.clientId, textBytesMax),
    clientSecret:
      clientSecret == null || clientSecret === ''
        ? null
        : checkText(`${path}clientSecret`, clientSecret, secretBytesMax),
    ...checkOidcUse(settings, path),
  };
}

/** Checks the settings that concern what a client asks for and takes, whoever has registered it. As `checkOidcClient`. */
export function checkOidcUse(settings: Omit<OidcClientSettings, 'issuer' | 'clientId' | 'clientSecret'>, path = '') {
  return {
    scopes: checkScopes(`${path}scopes`, settings.scopes ?? scopesDefault),
    authorizedEmailDomains: checkEmailDomains(`${path}authorizedEmailDomains`, settings.authorizedEmailDomains ?? []),
    groupsClaim: checkText(`${path}groupsClaim`, settings.groupsClaim ?? groupsClaimDefault, textBytesMax),
    emailVerification: settings.emailVerification ?? emailVerifications[0],
  };
}

/** The well-known path that people copy with the issuer (OpenID Connect Discovery, section 4). */
const wellKnown = /\/\.well-known\/openid-configuration\/?$/;
/** The addresses of Microsoft at which users of all tenants log in: any stranger can make a tenant, with any e-mail address. */
const allTenants = /^https:\/\/[^/]+\/(?:common|organizations|consumers)(?:\/|$)/i;

function checkIssuer(field: string, given: string): string {
  const issuer = checkText(field, given, textBytesMax).replace(wellKnown, '');
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || /[?#]/.test(issuer)) {
    throw invalid(field, 'must be the https URL of the provider, without user name, query (?) and fragment (#).');
  }
  if (allTenants.test(issuer) && /microsoft|windows/i.test(url.hostname)) {
    throw invalid(field, 'lets in the users of all tenants. It must have the id of your tenant in place of "common".');
  }
  return issuer;
}

function checkScopes(list: string, scopes: readonly string[]): string[] {
  return scopes.map((scope, index) => {
    const field = `${list}[${index}]`;
    checkText(field, scope, scopeBytesMax);
    // RFC 6749, section 3.3.
    if (!/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope)) throw invalid(field, 'must be a word without spaces and quotes.');
    return scope;
  });
}

/** Checks the domains whose e-mail addresses are allowed. Throws INVALID_INPUT. */
export function checkEmailDomains(list: string, domains: readonly string[]): string[] {
  return domains.map((given, index) => {
    const field = `${list}[${index}]`;
    const domain = checkText(field, given, textBytesMax).toLowerCase();
    if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(domain)) {
      throw invalid(field, 'must be a domain such as "example.com", without "@" and wildcards.');
    }
    return domain;
  });
}
