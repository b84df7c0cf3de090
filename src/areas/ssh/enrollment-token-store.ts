// Enrollment tokens in the database. The tokens themselves are never stored, only their hashes.

import { formatToken, hashToken, tokenBytes, unknownEnrollmentToken } from '../../domain/api-token.ts';
import { readChoice, readTextList } from '../../domain/decode.ts';
import { SallyportError } from '../../domain/errors.ts';
import {
  checkAllowedPrincipals,
  checkKeyTypes,
  checkMaxUses,
  checkMaxValidity,
  enrollmentMsDefault,
} from '../../domain/ssh/enrollment.ts';
import { type KeyType, keyTypes } from '../../domain/ssh/public-key.ts';
import { type Notes, notesForCreate } from '../../domain/text.ts';
import { floorToSecond, formatTimestamp, parseExpiry } from '../../domain/time.ts';
import type { AccountScope, AccountView } from '../../storage/account-scope.ts';
import type { Row, Selection } from '../../storage/collection.ts';
import { sshCertificateAuthorities, sshEnrollmentTokens } from '../../storage/collections.ts';
import { isMissingReference } from '../../storage/errors.ts';
import { unknownAuthority } from './authority-store.ts';

export { sshEnrollmentTokens };

/** A new token, with the secret that nobody can read again. */
export type CreatedSshEnrollmentToken = Row<'SshEnrollmentToken'> & { readonly token: string };

/** What a new token shall allow; null and undefined mean not given. */
export interface NewSshEnrollmentToken extends Notes {
  readonly sshCertificateAuthorityId: string;
  readonly principals: readonly string[];
  readonly keyTypes?: readonly KeyType[] | null | undefined;
  /** In seconds. */
  readonly maxValidity?: number | null | undefined;
  readonly maxUses?: number | null | undefined;
  /** As an RFC 3339 timestamp. */
  readonly expiresAt?: string | null | undefined;
}

/** The end of the API key that makes a token; null if it never ends. */
interface Maker {
  readonly expiresAt: Date | null;
}

/** The operator, who may make any. */
export const endlessMaker: Maker = { expiresAt: null };

/**
 * Makes an enrollment token. Without an end, it is good for 24 hours, or until its maker ends.
 *
 * @throws INVALID_INPUT as the rules of `domain/ssh/enrollment.ts` and for an end that is not in the future; FORBIDDEN for one later
 *   than that of the key that makes it; UNKNOWN_REFERENCE for an authority that is not of this account
 */
export async function createSshEnrollmentToken(
  scope: AccountScope,
  { sshCertificateAuthorityId, principals, keyTypes, maxValidity, maxUses, expiresAt, ...notes }: NewSshEnrollmentToken,
  maker: Maker,
  selection?: Selection,
): Promise<CreatedSshEnrollmentToken> {
  const token = formatToken(scope.randomBytes(tokenBytes), 'enrollment');
  const columns = {
    ...notesForCreate(notes),
    sshCertificateAuthorityId,
    tokenHash: hashToken(token),
    principals: checkAllowedPrincipals(principals),
    keyTypes: checkKeyTypes(keyTypes),
    validitySeconds: checkMaxValidity(maxValidity),
    maxUses: checkMaxUses(maxUses),
    expiresAt: expiryOf(expiresAt, maker, scope.now()),
  };
  // The foreign key knows no accounts.
  const [authority] = await sshCertificateAuthorities.getMany(scope, [sshCertificateAuthorityId]);
  if (authority == null) throw unknownAuthority(sshCertificateAuthorityId);
  try {
    const made = await sshEnrollmentTokens.create(scope, columns, { selection, remembered: { token } });
    return { ...made, token };
  } catch (error) {
    // It was deleted meanwhile.
    throw isMissingReference(error) ? unknownAuthority(sshCertificateAuthorityId) : error;
  }
}

/** Finds a token of the account by its secret. Throws UNAUTHENTICATED for one that is not there. */
export async function findEnrollmentToken({ db }: AccountView, token: string): Promise<Row<'SshEnrollmentToken'>> {
  const found = await db.sshEnrollmentToken.findUnique({ where: { tokenHash: hashToken(token) } });
  if (found === null) throw unknownEnrollmentToken();
  return found;
}

/** Gives the types of keys that a token allows. Throws `Error` for a database that holds something else. */
export function keyTypesOf(token: Pick<Row<'SshEnrollmentToken'>, 'keyTypes'>): KeyType[] {
  return readTextList(token.keyTypes).map((type) => readChoice(keyTypes, type));
}

/** Settles when a token ends: never later than the key that makes it, which could enroll hosts with it after its own end. */
function expiryOf(given: string | null | undefined, maker: Maker, now: Date): Date {
  if (given == null) {
    const ends = floorToSecond(new Date(now.getTime() + enrollmentMsDefault));
    return maker.expiresAt !== null && maker.expiresAt < ends ? maker.expiresAt : ends;
  }
  const expiresAt = parseExpiry('expiresAt', given, now);
  if (maker.expiresAt === null || expiresAt <= maker.expiresAt) return expiresAt;
  const end = formatTimestamp(maker.expiresAt);
  throw new SallyportError('FORBIDDEN', `must not be later than that of the key that makes it, ${end}.`, {
    field: 'expiresAt',
  });
}
