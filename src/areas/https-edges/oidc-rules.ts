// Validation of the OpenID Connect modules of routes. Pure.

import { invalid } from '../../domain/errors.ts';
import { checkOidcClient, checkOidcUse, type OidcClientSettings } from '../../domain/oidc/settings.ts';
import { type CommonLoginSettings, checkCommonSettings } from './rules.ts';

/** The settings of an OpenID Connect module as a client gives them; null and undefined mean the default. */
export interface OidcSettings extends CommonLoginSettings, Omit<OidcClientSettings, 'issuer' | 'clientId'> {
  issuer?: string | null | undefined;
  clientId?: string | null | undefined;
  /** The route whose registration is used instead of one of its own. */
  loginRouteId?: string | null | undefined;
}

/** All settings of an OpenID Connect module; the secret is null if the stored one is to be kept. */
export type CheckedOidcSettings = ReturnType<typeof checkOidcSettings>;

/** Checks the settings of a module and applies the defaults, which `oidc-schema.ts` describes. Throws INVALID_INPUT. */
export function checkOidcSettings(settings: OidcSettings) {
  const { issuer, clientId, loginRouteId = null } = settings;
  const common = { ...checkCommonSettings(settings), loginRouteId };
  if (loginRouteId === null) {
    const own = { issuer: required('issuer', issuer), clientId: required('clientId', clientId) };
    return { ...common, ...checkOidcClient({ ...settings, ...own }) };
  }
  for (const field of ['issuer', 'clientId', 'clientSecret'] as const) {
    if ((settings[field] ?? '') === '') continue;
    throw invalid(field, 'must be left out or empty where another route is named whose registration is used.');
  }
  return { ...common, issuer: '', clientId: '', clientSecret: null, ...checkOidcUse(settings) };
}

function required(field: string, value: string | null | undefined): string {
  if (value == null) throw invalid(field, 'must be given, unless another route is named whose registration is used.');
  return value;
}

/** Returns the bytes that a module adds to its edge (`edgeModulesBytesMax`). */
export function bytesOfOidc({
  scopes,
  authorizedGroups,
  authorizedEmailDomains,
}: Pick<CheckedOidcSettings, 'scopes' | 'authorizedGroups' | 'authorizedEmailDomains'>): number {
  return Buffer.byteLength(JSON.stringify([scopes, authorizedGroups, authorizedEmailDomains]));
}
