// What about the metadata of an identity provider needs attention: problems that prevent logins, now or soon. Pure: the clock is an
// argument.

import { type AttentionCode, type AttentionSeverity, urgencyOf } from '../attention.ts';
import { dayMs, formatTimestamp } from '../values/time.ts';
import { ended } from '../wording.ts';
import { type IdentityProvider, type WarningCode, warningsOf } from './identity-provider.ts';
import type { MetadataSource, ReadState } from './metadata-source.ts';

/** Days before expiry from which metadata or a certificate needs attention: somebody else may have to renew it. */
const endingDays = 30;

/** What is wrong with the metadata of an identity provider. */
export interface Problem {
  readonly code: AttentionCode;
  readonly severity: AttentionSeverity;
  readonly what: string;
  readonly remedy: string;
  readonly at: Date | null;
}

/** The severity of each warning. Certificates only warn: others may be readable, and a key still verifies after its certificate ends. */
const problemOf: Readonly<Record<WarningCode, Pick<Problem, 'code' | 'severity'>>> = {
  no_sso_location: { code: 'saml_login_prevented', severity: 'critical' },
  no_signing_certificate: { code: 'saml_login_prevented', severity: 'critical' },
  unreadable_certificate: { code: 'saml_login_prevented', severity: 'warning' },
  unsupported_key: { code: 'saml_login_prevented', severity: 'warning' },
  too_many_keys: { code: 'saml_login_prevented', severity: 'warning' },
  unreadable_expiry: { code: 'saml_metadata_expires', severity: 'warning' },
  metadata_expired: { code: 'saml_metadata_expired', severity: 'critical' },
  certificate_expired: { code: 'saml_certificate_expired', severity: 'warning' },
};

/**
 * Lists what is wrong with the metadata of an identity provider, or soon will be.
 *
 * @param newMetadata what is to be done with new metadata: a sentence
 */
export function problemsOf(provider: IdentityProvider, newMetadata: string, now: Date): Problem[] {
  const { entityId, validUntil, signingCertificates } = provider;
  const of = `the identity provider ${entityId}`;
  const problems: Problem[] = warningsOf(provider, now).map(({ code, message }) => ({
    ...problemOf[code],
    what: `The metadata of ${of}: ${message}`,
    remedy: newMetadata,
    at: code === 'metadata_expired' && validUntil !== null ? new Date(validUntil) : null,
  }));
  const isEnding = (end: string) => {
    const left = new Date(end).getTime() - now.getTime();
    return left > 0 && left <= endingDays * dayMs;
  };
  if (validUntil !== null && isEnding(validUntil)) {
    const at = new Date(validUntil);
    const what = `The metadata of ${of} expires at ${validUntil}; then nobody can log in.`;
    problems.push({ code: 'saml_metadata_expires', severity: urgencyOf(at, now), what, remedy: newMetadata, at });
  }
  for (const { fingerprint, expiresAt } of signingCertificates.filter((one) => isEnding(one.expiresAt))) {
    const what = `The certificate ${fingerprint} of ${of} expires at ${expiresAt}.`;
    const remedy = `Logins fail once the identity provider signs with another key. ${newMetadata}`;
    problems.push({ code: 'saml_certificate_expires', severity: 'warning', what, remedy, at: new Date(expiresAt) });
  }
  return problems;
}

/** Milliseconds for which reading metadata may fail without needing attention, and for which wholly new keys do. */
const failingMs = 3_600_000;
const newKeysMs = 7 * dayMs;

/**
 * Lists what needs attention about the reading of metadata at its address.
 *
 * @param users what uses the metadata, such as "the routes"
 */
export function problemsOfReading(
  reading: Pick<MetadataSource, 'idpMetadataUrl'> & Omit<ReadState, 'metadataNextAt'>,
  { entityId }: IdentityProvider,
  users: string,
  now: Date,
): Problem[] {
  const { idpMetadataUrl, metadataFailure, metadataFailedAt, metadataReadAt, metadataKeysAt } = reading;
  const of = `The metadata of the identity provider ${entityId} at ${idpMetadataUrl}`;
  const problems: Problem[] = [];
  if (metadataFailedAt !== null && metadataFailedAt.getTime() <= now.getTime() - failingMs) {
    const last = metadataReadAt === null ? 'never' : `at ${formatTimestamp(metadataReadAt)}`;
    const what = `${of} was last read ${last}. ${ended(metadataFailure ?? '')}`;
    const remedy = `What was read before stays in force. Correct the address, or give the metadata to ${users}.`;
    problems.push({ code: 'saml_metadata_old', severity: 'warning', what, remedy, at: metadataFailedAt });
  }
  if (metadataKeysAt !== null && metadataKeysAt.getTime() > now.getTime() - newKeysMs) {
    const what = `${of} has had none of its former signing keys since ${formatTimestamp(metadataKeysAt)}.`;
    const remedy =
      'The new ones are in force. Ask whoever runs it whether it has replaced them; if not, set the address anew.';
    problems.push({ code: 'saml_metadata_keys_changed', severity: 'warning', what, remedy, at: metadataKeysAt });
  }
  return problems;
}
