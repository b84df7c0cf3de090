// Challenges: the text that a host signs to prove that it has a key. None is stored: a challenge itself states its purpose and
// expiry, in one line that the host can read before signing, and is sealed so that every server recognises it. Pure.

import { timingSafeEqual } from 'node:crypto';
import { SallyportError } from '../../../domain/errors.ts';
import { floorToSecond, formatTimestamp, parseTimestamp } from '../../../domain/values/time.ts';

/** The namespaces for signing a challenge: `ssh-keygen -Y sign -n`. */
export const proofNamespaces = { enroll: 'sallyport-enroll', renew: 'sallyport-renew' } as const;

/** How long a challenge is valid, in milliseconds. */
export const challengeMs = 300_000;
/** Random bytes in a challenge, which make it unique. */
export const challengeRandomBytes = 16;
/** Longest challenge that is examined; a URL has up to 2,000 characters. */
export const challengeCharactersMax = 2_500;

const version = 'sallyport-challenge-v1';

export interface ChallengePurpose {
  /** Scheme and host of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** Id of the certificate to renew, or of the token to enroll with. */
  readonly subjectId: string;
}

/** Seals text: returns a code that only servers with the secret key can compute. */
export type Seal = (text: string) => Buffer;

export interface Challenge {
  /** The line to sign, without a line end. */
  readonly text: string;
  readonly expiresAt: Date;
}

/** Creates a challenge. */
export function makeChallenge({ baseUrl, subjectId }: ChallengePurpose, now: Date, random: Uint8Array, seal: Seal) {
  const expiresAt = floorToSecond(new Date(now.getTime() + challengeMs));
  const said = `${version} ${baseUrl} ${subjectId} ${formatTimestamp(expiresAt)}`;
  const text = `${said} ${Buffer.concat([random, codeOf(said, random, seal)]).toString('base64url')}`;
  return { text, expiresAt } satisfies Challenge;
}

/**
 * Checks that a challenge is ours, is for this purpose, and has not expired. Returns its expiry. Whether it was used before is
 * for the storage to check.
 *
 * @throws PROOF_INVALID on `challenge`
 */
export function checkChallenge(text: string, { baseUrl, subjectId }: ChallengePurpose, now: Date, seal: Seal): Date {
  const fields = text.length > challengeCharactersMax ? [] : text.split(' ');
  const [given, saidUrl, saidSubject, saidEnd = '', sealed = ''] = fields;
  const bytes = Buffer.from(sealed, 'base64url');
  const random = bytes.subarray(0, challengeRandomBytes);
  const said = `${given} ${saidUrl} ${saidSubject} ${saidEnd}`;
  const code = codeOf(said, random, seal);
  const isOurs =
    fields.length === 5 &&
    given === version &&
    bytes.toString('base64url') === sealed &&
    bytes.length === challengeRandomBytes + code.length &&
    timingSafeEqual(bytes.subarray(challengeRandomBytes), code);
  if (!isOurs) {
    throw badChallenge(
      'is not one that this service gave out. Ask for one with `POST /ssh_challenges`, and send it unchanged.',
    );
  }
  if (saidUrl !== baseUrl) {
    throw badChallenge('is for another address of the service. Ask for it where you send the proof.');
  }
  if (saidSubject !== subjectId) {
    throw badChallenge('is for another certificate or token. Ask for one for this.');
  }
  const expiresAt = parseTimestamp('challenge', saidEnd);
  if (expiresAt <= now) throw badChallenge(`has expired at ${saidEnd}. Ask for another one.`);
  return expiresAt;
}

/** Creates the error for a challenge that is refused. `message` says why. */
export function badChallenge(message: string): SallyportError {
  return new SallyportError('PROOF_INVALID', message, { field: 'challenge' });
}

function codeOf(said: string, random: Uint8Array, seal: Seal): Buffer {
  return seal(`${said} ${Buffer.from(random).toString('base64url')}`);
}
