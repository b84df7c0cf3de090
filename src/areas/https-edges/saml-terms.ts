// The settings of a SAML module by which sessions begin and end, as the gate compares them. Pure.

import type { LoginTerms } from '../../domain/gate/session-rule.ts';

/** The columns of a SAML module that `samlTerms` reads. */
export const termColumns = {
  enabled: true,
  cookiePrefix: true,
  inactivityTimeout: true,
  maximumDuration: true,
  forceAuthn: true,
  allowIdpInitiated: true,
  nameidFormat: true,
} as const;

/** Returns the terms of a SAML module whose identity provider has an entity id. */
export function samlTerms(
  module: {
    readonly enabled: boolean;
    readonly cookiePrefix: string;
    readonly inactivityTimeout: bigint;
    readonly maximumDuration: bigint;
    readonly forceAuthn: boolean;
    readonly allowIdpInitiated: boolean;
    readonly nameidFormat: string;
  },
  issuer: string,
): LoginTerms {
  return {
    kind: 'saml',
    enabled: module.enabled,
    sessions: {
      cookiePrefix: module.cookiePrefix,
      inactivitySeconds: Number(module.inactivityTimeout),
      maximumSeconds: Number(module.maximumDuration),
      issuer,
    },
    forceAuthn: module.forceAuthn,
    allowIdpInitiated: module.allowIdpInitiated,
    vouching: module.nameidFormat,
  };
}
