// The settings of an OpenID Connect module by which sessions begin and end, as the gate compares them. Pure.

import type { LoginTerms } from '../../domain/gate/session-rule.ts';
import { readTextList } from '../../domain/values/decode.ts';

/** Returns the terms of a module, whose issuer and client are those of the registration which it uses. */
export function oidcTerms(module: {
  readonly enabled: unknown;
  readonly cookiePrefix: string;
  readonly inactivityTimeout: number | bigint;
  readonly maximumDuration: number | bigint;
  readonly issuer: string;
  readonly clientId: string;
  readonly groupsClaim: string;
  readonly emailVerification: string;
  readonly authorizedEmailDomains: unknown;
}): LoginTerms {
  const { issuer, clientId, groupsClaim, emailVerification, authorizedEmailDomains } = module;
  return {
    kind: 'oidc',
    enabled: module.enabled !== false,
    sessions: {
      cookiePrefix: module.cookiePrefix,
      inactivitySeconds: Number(module.inactivityTimeout),
      maximumSeconds: Number(module.maximumDuration),
      issuer,
    },
    forceAuthn: false,
    allowIdpInitiated: false,
    vouching: JSON.stringify([clientId, groupsClaim, emailVerification, readTextList(authorizedEmailDomains)]),
  };
}
