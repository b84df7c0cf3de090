// Enrollment tokens in the database. The tokens themselves are never stored, only their hashes.

import { formatToken, tokenBytes, unknownEnrollmentToken } from '../../../domain/access/api-token.ts';
import { SallyportError } from '../../../domain/errors.ts';
import { readChoice, readTextList } from '../../../domain/values/decode.ts';
import { hashOf } from '../../../domain/values/hash.ts';
import { type Notes, notesForCreate } from '../../../domain/values/text.ts';
import { floorToSecond, formatTimestamp, parseExpiry } from '../../../domain/values/time.ts';
import { isMissingReference } from '../../../storage/errors.ts';
import type { AccountScope, AccountView } from '../../../storage/objects/account-scope.ts';
import type { Row } from '../../../storage/objects/collection.ts';
import { unknownAuthority } from '../authorities/authority-store.ts';
import { sshCertificateAuthorities, sshEnrollmentTokens } from '../collections-store.ts';
import { type KeyType, keyTypes } from '../keys/public-key.ts';
import {
  checkAllowedPrincipals,
  checkKeyTypes,
  checkMaxUses,
  checkMaxValidity,
  enrollmentMsDefault,
} from './enrollment.ts';

/** A new token, with its secret, which cannot be read again. */
export type CreatedSshEnrollmentToken = Row<'SshEnrollmentToken'> & { readonly token: string };

/** What a new token should allow; null and undefined mean not given. */
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

/** The creator of a token: an API key, with its expiry; null if it never expires. */
interface Maker {
  readonly expiresAt: Date | null;
}

/** The operator, who may create tokens with any expiry. */
export const endlessMaker: Maker = { expiresAt: null };

/**
 * Creates an enrollment token. If no expiry is given, it is valid for 24 hours, or until its maker expires if that is earlier.
 *
 * @throws INVALID_INPUT as the rules of `enrollment.ts` and for an expiry that is not in the future; FORBIDDEN for an
 *   expiry later than that of the maker; UNKNOWN_REFERENCE for an authority that does not belong to this account
 */
export async function createSshEnrollmentToken(
  scope: AccountScope,
  { sshCertificateAuthorityId, principals, keyTypes, maxValidity, maxUses, expiresAt, ...notes }: NewSshEnrollmentToken,
  maker: Maker,
): Promise<CreatedSshEnrollmentToken> {
  const token = formatToken(scope.randomBytes(tokenBytes), 'enrollment');
  const columns = {
    ...notesForCreate(notes),
    sshCertificateAuthorityId,
    tokenHash: hashOf(token),
    principals: checkAllowedPrincipals(principals),
    keyTypes: checkKeyTypes(keyTypes),
    validitySeconds: checkMaxValidity(maxValidity),
    maxUses: checkMaxUses(maxUses),
    expiresAt: expiryOf(expiresAt, maker, scope.now()),
  };
  // The foreign key does not check the account.
  const [authority] = await sshCertificateAuthorities.getMany(scope, [sshCertificateAuthorityId]);
  if (authority == null) throw unknownAuthority(sshCertificateAuthorityId);
  try {
    const made = await sshEnrollmentTokens.create(scope, columns, { remembered: { token } });
    return { ...made, token };
  } catch (error) {
    // The authority was deleted in the meantime.
    throw isMissingReference(error) ? unknownAuthority(sshCertificateAuthorityId) : error;
  }
}

/** Finds a token of the account by its secret. Throws UNAUTHENTICATED if there is none. */
export async function findEnrollmentToken({ db }: AccountView, token: string): Promise<Row<'SshEnrollmentToken'>> {
  const found = await db.sshEnrollmentToken.findUnique({ where: { tokenHash: hashOf(token) } });
  if (found === null) throw unknownEnrollmentToken();
  return found;
}

/** Returns the types of keys that a token allows. Throws `Error` if the database holds anything else. */
export function keyTypesOf(token: Pick<Row<'SshEnrollmentToken'>, 'keyTypes'>): KeyType[] {
  return readTextList(token.keyTypes).map((type) => readChoice(keyTypes, type));
}

/** Returns when a token expires: never later than the key that creates it, which could otherwise enroll hosts after its expiry. */
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
