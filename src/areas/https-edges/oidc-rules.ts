// Validation of the OpenID Connect modules of routes. Pure.

import { checkOidcClient, type OidcClientSettings } from '../../domain/oidc/settings.ts';
import { type CommonLoginSettings, checkCommonSettings } from './rules.ts';

/** The settings of an OpenID Connect module as a client gives them; null and undefined mean the default. */
export interface OidcSettings extends CommonLoginSettings, OidcClientSettings {}

/** All settings of an OpenID Connect module; the secret is null if the stored one is to be kept. */
export type CheckedOidcSettings = ReturnType<typeof checkOidcSettings>;

/** Checks the settings of a module and applies the defaults, which `oidc-schema.ts` describes. Throws INVALID_INPUT. */
export function checkOidcSettings(settings: OidcSettings) {
  return { ...checkCommonSettings(settings), ...checkOidcClient(settings) };
}

/** Returns the bytes that a module adds to its edge (`edgeModulesBytesMax`). */
export function bytesOfOidc({
  scopes,
  authorizedGroups,
  authorizedEmailDomains,
}: Pick<CheckedOidcSettings, 'scopes' | 'authorizedGroups' | 'authorizedEmailDomains'>): number {
  return Buffer.byteLength(JSON.stringify([scopes, authorizedGroups, authorizedEmailDomains]));
}
