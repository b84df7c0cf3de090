// What a provider says about a user, and what openid-client leaves to be checked: it verifies signatures, issuer, audience, nonce and
// expiry. Pure.

import { checkEmailDomain } from '../access/email-domains.ts';
import type { Vouched } from '../gate/login.ts';
import { keptNames } from '../saml/attributes.ts';
import { LoginRefusal } from '../saml/refusal.ts';
import type { Clock } from '../saml/times.ts';
import { algorithms, type Claims, isIdentifier, readHeader } from './tokens.ts';

/** What a login at a provider is checked against. */
export interface ExpectedUser {
  readonly issuer: string;
  readonly clientId: string;
  readonly groupsClaim: string;
  readonly emailVerification: 'required' | 'trusted';
  /** In lower case; empty for all. */
  readonly authorizedEmailDomains: readonly string[];
}

const groupsMax = 1_000;
/** Longest name, group or address, in characters. */
const textCharactersMax = 1_000;

/**
 * Checks the header and the claims of an ID token whose signature, `iss`, `aud`, `nonce` and `exp` are right.
 *
 * @returns its `sub` and when it was issued
 * @throws LoginRefusal
 */
export function checkIdToken(
  token: string,
  claims: Claims,
  { clientId }: Pick<ExpectedUser, 'clientId'>,
  { now, skewMs }: Clock,
): { readonly subject: string; readonly issuedAt: Date } {
  const { alg, typ } = readHeader(token);
  if (typeof alg !== 'string' || !algorithms.includes(alg)) {
    throw new LoginRefusal('weak_algorithm', 'The ID token is signed by an algorithm that is not asymmetric.');
  }
  if (typ !== undefined && (typeof typ !== 'string' || typ.toLowerCase() !== 'jwt')) {
    throw new LoginRefusal('malformed', 'The token is one of another kind.');
  }
  const { sub, iat, azp } = claims;
  if (!isIdentifier(sub)) {
    throw new LoginRefusal('name_id', 'The "sub" must be 1 to 255 characters of ASCII.');
  }
  if (azp !== undefined && azp !== clientId) {
    throw new LoginRefusal('audience', 'The ID token was issued to another client ("azp").');
  }
  if (typeof iat !== 'number' || !Number.isFinite(iat) || iat < 0) {
    throw new LoginRefusal('malformed', 'The ID token does not say when it was issued ("iat").');
  }
  const nowMs = now.getTime();
  if (iat * 1000 > nowMs + skewMs) throw new LoginRefusal('not_yet_valid', 'The ID token is of the future ("iat").');
  if (iat * 1000 < nowMs - ageMsMax - skewMs) throw new LoginRefusal('expired', 'The ID token is too old ("iat").');
  return { subject: sub, issuedAt: new Date(iat * 1000) };
}

/** Oldest ID token that is taken: it answers a code that was just redeemed. */
const ageMsMax = 600_000;

/**
 * Returns the user whom the claims describe: those of the ID token, and of the user information where the token lacks them.
 *
 * @throws LoginRefusal for an address that is not verified, or not of an authorized domain
 */
export function readUser(idToken: Claims, userInfo: Claims | null, subject: string, expected: ExpectedUser): Vouched {
  const { groupsClaim, issuer } = expected;
  const holds = (name: string) => (Object.hasOwn(idToken, name) ? idToken : (userInfo ?? {}));
  // The address and what is said about it must come from one statement.
  const ofEmail = holds('email');
  const email = checkEmail(ofEmail, expected);
  const ofGroups = holds(groupsClaim);
  const named = { nameId: subject, nameidFormat: '', nameQualifier: null, spNameQualifier: null };
  const sid = idToken.sid;
  return {
    user: subject,
    email,
    name: readText(holds('name').name),
    groups: readGroups(Object.hasOwn(ofGroups, groupsClaim) ? ofGroups[groupsClaim] : undefined),
    attributeNames: keptNames([...Object.keys(idToken), ...Object.keys(userInfo ?? {})]),
    issuer,
    sessionEndsAt: null,
    named: { ...named, sessionIndex: isIdentifier(sid) ? sid : null },
  };
}

/** Returns whether a claim is missing from an ID token that the user information may have. */
export function lacksClaims(idToken: Claims, { groupsClaim }: Pick<ExpectedUser, 'groupsClaim'>): boolean {
  return !['email', 'name', groupsClaim].every((name) => Object.hasOwn(idToken, name));
}

function checkEmail(claims: Claims, { emailVerification, authorizedEmailDomains }: ExpectedUser): string | null {
  const email = readText(claims.email);
  if (email === null) {
    if (authorizedEmailDomains.length === 0) return null;
    throw new LoginRefusal('email_domain', 'The provider sent no e-mail address ("email").');
  }
  // Some providers write booleans as text.
  const isVerified = claims.email_verified === true || claims.email_verified === 'true';
  if (emailVerification === 'required' && !isVerified) {
    throw new LoginRefusal(
      'email_unverified',
      'The provider does not say that the address is verified ("email_verified").',
    );
  }
  checkEmailDomain(email, authorizedEmailDomains);
  return email;
}

/** Reads groups: a list, or one text. Anything else names none. */
function readGroups(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  return [...new Set(list.map(readText).filter((group) => group !== null))].slice(0, groupsMax);
}

function readText(value: unknown): string | null {
  const isUsable = typeof value === 'string' && value !== '' && value.length <= textCharactersMax;
  return isUsable && !/\p{Cc}/u.test(value) ? value : null;
}
