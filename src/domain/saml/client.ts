// A client of an identity provider that is no route: a sign-in provider of the dashboard. Pure.

import type { KeyObject } from 'node:crypto';
import type { AttributeChoice } from './attributes.ts';
import type { IdentityProvider, WarningCode } from './identity-provider.ts';
import { warningsOf } from './identity-provider.ts';
import type { LoginProvider } from './login-provider.ts';

/** What a sign-in needs to know. */
export interface SamlClient {
  readonly provider: LoginProvider;
  readonly nameidFormat: string;
  readonly attributes: AttributeChoice;
  readonly authorizedEmailDomains: readonly string[];
  readonly openSigningKey: () => KeyObject;
  /** Opens the keys for decryption, newest first. */
  readonly openDecryptionKeys: () => readonly KeyObject[];
}

/** The problems with metadata by which nobody can sign in. */
const preventing: ReadonlySet<WarningCode> = new Set(['no_sso_location', 'no_signing_certificate', 'metadata_expired']);

/** Returns why nobody can sign in at an identity provider: a sentence; null if people can. */
export function preventedBy(provider: IdentityProvider, now: Date): string | null {
  return warningsOf(provider, now).find(({ code }) => preventing.has(code))?.message ?? null;
}
