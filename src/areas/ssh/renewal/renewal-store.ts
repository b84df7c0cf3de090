// Renewal: a host gets a new certificate for the key of its current one.

import { notFound, SallyportError } from '../../../domain/errors.ts';
import { readTextList } from '../../../domain/values/decode.ts';
import { formatTimestamp } from '../../../domain/values/time.ts';
import { counted } from '../../../domain/wording.ts';
import { isMissingRow } from '../../../storage/errors.ts';
import type { AccountScope } from '../../../storage/objects/account-scope.ts';
import { countedUp, type Row, type Write } from '../../../storage/objects/collection.ts';
import { storeRecords } from '../../../storage/objects/records.ts';
import { createSshHostCertificate } from '../certificates/certificate-store.ts';
import { sshCertificateAuthorities, sshHostCertificates } from '../collections-store.ts';
import { blobOfLine, readAcceptedKey } from '../keys/public-key.ts';
import { proofNamespaces } from './challenge.ts';
import { checkProof, explainUsed, type Proof } from './challenge-store.ts';
import { isTooShort, renewableFrom, renewableSecondsMin, renewableUntil, renewedValidity } from './renewal.ts';

type Certificate = Row<'SshHostCertificate'>;

export interface Renewal {
  readonly id: string;
  /** Null for a request with the right to change certificates. */
  readonly proof: Proof | null;
  /** Whether to renew regardless of the time. */
  readonly force: boolean;
  readonly baseUrl: string;
  /** Days after its expiry in which a certificate may still be renewed. */
  readonly graceDays: number;
}

/** Maximum number of renewals from a certificate to the latest of its host: a host has the latest, or one of the few before it. */
const renewalsSinceMax = 100;
/** Maximum number of attempts at a renewal when other requests interfere. Each failure means that one of those has succeeded. */
const attemptsMax = 5;

/**
 * Renews a certificate: the new one has the same key, names, notes and duration, and the old one refers to it. If the certificate
 * was renewed before, perhaps because the host missed the response, returns the latest of its host, unless that is due for renewal
 * too.
 *
 * @param signal drops the request if it fires before the key is signed
 * @throws NOT_FOUND, also if the latest certificate of the host was deleted, PROOF_INVALID, NOT_RENEWABLE, UNAVAILABLE as
 *   `createSshHostCertificate`
 */
export async function renewSshHostCertificate(
  scope: AccountScope,
  renewal: Renewal,
  signal?: AbortSignal,
): Promise<Certificate> {
  const { id, proof, baseUrl } = renewal;
  const given = await sshHostCertificates.get(scope, id);
  const publicKey = readAcceptedKey(given.publicKey);
  const expected = { baseUrl, subjectId: id, namespace: proofNamespaces.renew, publicKey };
  const used = proof === null ? [] : [await checkProof(scope, proof, expected)];
  for (let attempt = 1; ; attempt += 1) {
    const latest = await latestOf(scope, given.id);
    const from = renewableFrom(latest, await handOverOf(scope, latest));
    if (latest.id !== given.id && !renewal.force && scope.now() < from) {
      if (used[0] !== undefined) await spend(scope, used[0]);
      return sshHostCertificates.get(scope, latest.id);
    }
    refuseOutOfTime(scope, latest, from, renewal);
    try {
      return await replace(scope, latest, used, signal);
    } catch (error) {
      // Another request has renewed or deleted it in the meantime, or its authority has changed.
      if (!isMissingRow(error) || attempt === attemptsMax) throw explainUsed(error);
    }
  }
}

/**
 * Follows the renewals of a certificate to the latest for its key and names. A host with another key, enrolled for the same names, has
 * replaced it in vain if the key is still in use; one with the same key and other names may be a clone of it. Throws NOT_FOUND if one of them was deleted, NOT_RENEWABLE for too many.
 */
async function latestOf(scope: AccountScope, id: string): Promise<Certificate> {
  let [certificate] = await sshHostCertificates.getMany(scope, [id]);
  for (let renewals = 0; certificate?.replacedById != null; renewals += 1) {
    if (renewals === renewalsSinceMax) {
      const message = `The certificate was renewed more than ${renewalsSinceMax} times. Renew the latest of the host.`;
      throw new SallyportError('NOT_RENEWABLE', message);
    }
    const [next] = await sshHostCertificates.getMany(scope, [certificate.replacedById]);
    if (next != null && !isRenewalOf(next, certificate)) break;
    certificate = next;
  }
  if (certificate == null) throw notFound();
  return certificate;
}

/** Returns whether a certificate has the key and the names of another one. */
function isRenewalOf(next: Certificate, former: Certificate): boolean {
  const hasNames = JSON.stringify(next.principals) === JSON.stringify(former.principals);
  return hasNames && blobOfLine(next.publicKey).equals(blobOfLine(former.publicKey));
}

/** Returns when the authority of a certificate handed over; null if it still signs. */
async function handOverOf(scope: AccountScope, { sshCertificateAuthorityId }: Certificate): Promise<Date | null> {
  const [authority] = await sshCertificateAuthorities.getMany(scope, [sshCertificateAuthorityId]);
  return authority?.handedOverAt ?? null;
}

/** Throws NOT_RENEWABLE if it is before `from` or too late, or the certificate too short-lived, unless forced. */
function refuseOutOfTime({ now }: AccountScope, certificate: Certificate, from: Date, renewal: Renewal): void {
  const { force, graceDays } = renewal;
  if (force) return;
  if (isTooShort(certificate)) {
    throw new SallyportError(
      'NOT_RENEWABLE',
      `The certificate is valid for less than ${renewableSecondsMin} seconds, too short to be renewed. Create a new certificate.`,
    );
  }
  if (now() < from) {
    throw new SallyportError(
      'NOT_RENEWABLE',
      `The certificate can be renewed from ${formatTimestamp(from)} on, when a third of its validity is left.`,
    );
  }
  if (now() < renewableUntil(certificate, graceDays)) return;
  const grace = graceDays === 0 ? '' : `, and could be renewed for ${counted(graceDays, 'day')} after that`;
  throw new SallyportError(
    'NOT_RENEWABLE',
    `The certificate ended at ${formatTimestamp(certificate.validUntil)}${grace}. Enroll the host anew, or create a new certificate.`,
  );
}

/** Creates the new certificate and points the old one to it, in one batch. Fails (`isMissingRow`) if the old one has changed. */
function replace(
  scope: AccountScope,
  old: Certificate,
  used: readonly Write[],
  signal?: AbortSignal,
): Promise<Certificate> {
  const { validAfter, validUntil } = renewedValidity(old, scope.now());
  const input = {
    sshCertificateAuthorityId: old.sshCertificateAuthorityId,
    publicKey: old.publicKey,
    principals: readTextList(old.principals),
    validAfter: formatTimestamp(validAfter),
    validUntil: formatTimestamp(validUntil),
    description: old.description,
    metadata: old.metadata,
  };
  return createSshHostCertificate(scope, input, signal, {
    sshEnrollmentTokenId: old.sshEnrollmentTokenId,
    isBackdated: true,
    alongside: (replacedById) => [
      sshHostCertificates.prepareUpdate(scope, { id: old.id, version: old.version }, { replacedById, ...countedUp }),
      ...used,
    ],
  });
}

async function spend(scope: AccountScope, used: Write): Promise<void> {
  try {
    await storeRecords(scope, used);
  } catch (error) {
    throw explainUsed(error);
  }
}
