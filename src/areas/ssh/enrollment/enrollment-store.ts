// Enrollment: a host gets its first certificate with a token and a proof of possession of its key.

import { SallyportError } from '../../../domain/errors.ts';
import { readTextList } from '../../../domain/values/decode.ts';
import { formatTimestamp } from '../../../domain/values/time.ts';
import { counted } from '../../../domain/wording.ts';
import { isMissingRow } from '../../../storage/errors.ts';
import type { AccountScope } from '../../../storage/objects/account-scope.ts';
import { countedUp, type Row, type Write } from '../../../storage/objects/collection.ts';
import { unlessOvertaken } from '../../../storage/objects/overtaken.ts';
import { createSshHostCertificate } from '../certificates/certificate-store.ts';
import { prepareReplacement } from '../certificates/former-store.ts';
import { sshEnrollmentTokens } from '../collections-store.ts';
import { proofNamespaces } from '../renewal/challenge.ts';
import { checkProof, explainUsed, type Proof } from '../renewal/challenge-store.ts';
import { checkEnrollment } from './enrollment.ts';
import { findEnrollmentToken, keyTypesOf } from './enrollment-token-store.ts';

/** What a host asks for; null and undefined mean not given. */
export interface Enrollment extends Proof {
  readonly token: string;
  readonly publicKey: string;
  readonly principals: readonly string[];
  /** As an RFC 3339 timestamp. */
  readonly validUntil?: string | null | undefined;
  readonly description?: string | null | undefined;
}

/**
 * Enrolls a host: signs its key within what its token allows, and stores the certificate, the counted use, and what it replaces in
 * one batch.
 *
 * @param baseUrl the address that the challenge must name
 * @param signal drops the request if it fires before the key is signed
 * @throws UNAUTHENTICATED for a token that is unknown or deleted, ENROLLMENT_TOKEN_UNUSABLE for one that has expired or is used up,
 *   FORBIDDEN and INVALID_INPUT as `checkEnrollment`, PROOF_INVALID as `checkProof`, UNAVAILABLE as `createSshHostCertificate`
 */
export function enrollSshHost(
  scope: AccountScope,
  enrollment: Enrollment,
  baseUrl: string,
  signal?: AbortSignal,
): Promise<Row<'SshHostCertificate'>> {
  // Overtaken if the token was deleted, expired or was used up since it was read, in which case the next attempt throws the right
  // error; or if a former certificate of the host has changed.
  return unlessOvertaken(() => tryEnrolling(scope, enrollment, baseUrl, signal));
}

async function tryEnrolling(
  scope: AccountScope,
  enrollment: Enrollment,
  baseUrl: string,
  signal: AbortSignal | undefined,
): Promise<Row<'SshHostCertificate'>> {
  const token = await findEnrollmentToken(scope, enrollment.token);
  refuseUnusable(token, scope.now());
  const { publicKey, validAfter, validUntil } = checkEnrollment(enrollment, boundsOf(token), scope.now());
  const expected = { baseUrl, subjectId: token.id, namespace: proofNamespaces.enroll, publicKey };
  const used = await checkProof(scope, enrollment, expected);
  const { principals, description } = enrollment;
  const replace = await prepareReplacement(scope, token.sshCertificateAuthorityId, publicKey, principals);
  const input = {
    sshCertificateAuthorityId: token.sshCertificateAuthorityId,
    publicKey: enrollment.publicKey,
    principals,
    validAfter,
    validUntil,
    description,
  };
  try {
    return await createSshHostCertificate(scope, input, signal, {
      sshEnrollmentTokenId: token.id,
      isBackdated: true,
      alongside: (id) => [prepareUse(scope, token), used, ...replace(id)],
    });
  } catch (error) {
    throw isMissingRow(error) ? error : explainUsed(error);
  }
}

function boundsOf(token: Row<'SshEnrollmentToken'>) {
  const { principals, validitySeconds } = token;
  return {
    principals: readTextList(principals),
    keyTypes: keyTypesOf(token),
    validitySeconds,
  };
}

/** Throws ENROLLMENT_TOKEN_UNUSABLE for a token that has expired or is used up. */
function refuseUnusable({ uses, maxUses, expiresAt }: Row<'SshEnrollmentToken'>, now: Date): void {
  if (expiresAt <= now) throw unusable(`ended at ${formatTimestamp(expiresAt)}`);
  if (uses >= maxUses) throw unusable(`was good for ${counted(maxUses, 'certificate')} and is used up`);
}

function unusable(why: string): SallyportError {
  return new SallyportError('ENROLLMENT_TOKEN_UNUSABLE', `The enrollment token ${why}. Ask for another one.`, {
    field: 'token',
  });
}

/** Prepares the write that counts a use. It fails (`isMissingRow`) if the token is deleted, expired or used up. */
function prepareUse(scope: AccountScope, { id, maxUses }: Row<'SshEnrollmentToken'>): Write {
  const where = { id, uses: { lt: maxUses }, expiresAt: { gt: scope.now() } };
  return sshEnrollmentTokens.prepareUpdate(scope, where, { uses: { increment: 1 }, ...countedUp });
}
