// Challenges and proofs: issuing a challenge stores nothing; a used challenge is remembered.

import { createHash } from 'node:crypto';
import { invalid, type SallyportError } from '../../../domain/errors.ts';
import { isDuplicate } from '../../../storage/errors.ts';
import type { AccountScope, AccountView } from '../../../storage/objects/account-scope.ts';
import type { Write } from '../../../storage/objects/collection.ts';
import { sshHostCertificates, usedChallenges } from '../collections-store.ts';
import { findEnrollmentToken } from '../enrollment/enrollment-token-store.ts';
import type { PublicKey } from '../keys/public-key.ts';
import { verifySshSignature } from '../keys/sshsig.ts';
import {
  badChallenge,
  type Challenge,
  challengeRandomBytes,
  checkChallenge,
  makeChallenge,
  type Seal,
} from './challenge.ts';

/** A challenge with the signature over it. */
export interface Proof {
  readonly challenge: string;
  /** In the armored format of `ssh-keygen -Y sign`. */
  readonly signature: string;
}

/** What a proof must be for, and which key must have signed it. */
export interface ExpectedProof {
  readonly baseUrl: string;
  /** Id of the certificate or token that the challenge was asked for. */
  readonly subjectId: string;
  readonly namespace: string;
  readonly publicKey: PublicKey;
}

/**
 * Creates a challenge for a certificate or a token of the account. Nothing is stored: any server with the secret key recognizes it.
 *
 * @throws INVALID_INPUT unless exactly one of the two is given, NOT_FOUND for an unknown certificate, UNAUTHENTICATED for an
 *   unknown token
 */
export async function giveChallenge(
  scope: AccountView,
  baseUrl: string,
  given: { readonly sshHostCertificateId?: string | null | undefined; readonly token?: string | null | undefined },
): Promise<Challenge> {
  const { sshHostCertificateId: id, token } = given;
  if ((id == null) === (token == null)) {
    throw invalid('sshHostCertificateId', 'must be given if there is no `token`, and omitted if there is one.');
  }
  const subject = id == null ? findEnrollmentToken(scope, token ?? '') : sshHostCertificates.get(scope, id);
  const { id: subjectId } = await subject;
  return makeChallenge({ baseUrl, subjectId }, scope.now(), scope.randomBytes(challengeRandomBytes), sealOf(scope));
}

/**
 * Checks a proof: the challenge must be ours, for this purpose and unused, and the key must have signed it. Returns the write that
 * marks the challenge as used, to be stored together with what the proof is for; if it fails, pass the error to `explainUsed`.
 *
 * @throws PROOF_INVALID on `challenge` or `signature`
 */
export async function checkProof(
  scope: AccountScope,
  { challenge, signature }: Proof,
  expected: ExpectedProof,
): Promise<Write> {
  const { namespace, publicKey } = expected;
  const usableUntil = checkChallenge(challenge, expected, scope.now(), sealOf(scope));
  await verifySshSignature(signature, { publicKey, namespace, message: challenge });
  const challengeHash = createHash('sha256').update(challenge).digest('hex');
  if ((await scope.db.sshUsedChallenge.findUnique({ where: { challengeHash } })) !== null) throw used();
  return usedChallenges.prepareCreate(scope, { challengeHash, usableUntil });
}

/** Returns the error to throw for a failed batch that held the write of `checkProof`: two requests may use a challenge at once. */
export function explainUsed(error: unknown): unknown {
  return isDuplicate(error) ? used() : error;
}

function used(): SallyportError {
  return badChallenge('was used before. Each counts once: ask for another one.');
}

function sealOf({ secrets }: AccountView): Seal {
  return secrets.derive('ssh challenges').codeOf;
}
