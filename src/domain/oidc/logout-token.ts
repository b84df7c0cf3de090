// The tokens by which a provider says, from server to server, that it has logged a user out (OpenID Connect Back-Channel Logout 1.0).
// Pure: who verifies the signature is elsewhere, and the clock is an argument.

import { logoutMsMax } from '../saml/logout.ts';
import { LoginRefusal } from '../saml/refusal.ts';
import type { Clock } from '../saml/times.ts';
import { isJsonObject } from '../values/json.ts';
import type { ExpectedUser } from './claims.ts';
import { algorithms, isIdentifier, readPart } from './tokens.ts';

/** Longest token, in characters: it names one user. */
export const logoutTokenCharactersMax = 8_192;

/** Whom a provider has logged out. */
export interface LogoutToken {
  /** Its `jti`. */
  readonly id: string;
  /** Null if it names only a session. */
  readonly subject: string | null;
  /** The session at the provider; null for all of the user. */
  readonly sessionId: string | null;
  /** When the provider issued it, by its own clock. */
  readonly issuedAt: Date;
  /** From then on it is refused anyway. */
  readonly usableUntil: Date;
}

const event = 'http://schemas.openid.net/event/backchannel-logout';

/**
 * Reads a token and checks all but its signature (section 2.6). Cheap, so that forgeries cost little before a key is looked for.
 *
 * @throws LoginRefusal
 */
export function readLogoutToken(
  token: string,
  { issuer, clientId }: Pick<ExpectedUser, 'issuer' | 'clientId'>,
  { now, skewMs }: Clock,
): LogoutToken {
  const [header, claims] = [readPart(token, 0), readPart(token, 1)];
  if (header === null || claims === null) throw new LoginRefusal('malformed', 'The logout token is not a JWT.');
  const { alg, typ = 'JWT', crit } = header;
  if (typeof alg !== 'string' || !algorithms.includes(alg)) {
    throw new LoginRefusal('weak_algorithm', 'The logout token is signed by an algorithm that is not asymmetric.');
  }
  // RFC 7515, section 4.1.11.
  if (crit !== undefined) throw new LoginRefusal('malformed', 'The token has extensions that are not known ("crit").');
  // Section 2.4 recommends a type of its own, which some providers do not set.
  if (typeof typ !== 'string' || !/^(?:application\/)?(?:logout\+)?jwt$/i.test(typ)) {
    throw new LoginRefusal('malformed', 'The token is one of another kind ("typ").');
  }
  const { iss, aud, iat, exp, events, jti, sub = null, sid = null, nonce } = claims;
  if (!isSameIssuer(iss, issuer)) throw new LoginRefusal('issuer', 'The logout token has another issuer.');
  if (!(Array.isArray(aud) ? aud : [aud]).includes(clientId)) {
    throw new LoginRefusal('audience', 'The logout token was issued to another client ("aud").');
  }
  const issuedAt = instantOf(iat);
  if (issuedAt === null) {
    throw new LoginRefusal('malformed', 'The logout token does not say when it was issued ("iat").');
  }
  const end = exp === undefined ? null : instantOf(exp);
  if (exp !== undefined && end === null) throw new LoginRefusal('malformed', 'The "exp" is not a time.');
  const nowMs = now.getTime();
  if (issuedAt.getTime() > nowMs + skewMs) {
    throw new LoginRefusal('not_yet_valid', 'The logout token is of the future ("iat").');
  }
  const endMs = Math.min(end?.getTime() ?? Number.POSITIVE_INFINITY, issuedAt.getTime() + logoutMsMax);
  if (endMs <= nowMs - skewMs) throw new LoginRefusal('expired', 'The logout token has expired.');
  // An ID token has no such member, and this one no nonce: neither is ever taken for the other.
  if (!isJsonObject(events) || !Object.hasOwn(events, event) || !isJsonObject(events[event])) {
    throw new LoginRefusal('malformed', 'The token is not about a logout ("events").');
  }
  if (nonce !== undefined) throw new LoginRefusal('malformed', 'A logout token has no "nonce".');
  if (!isIdentifier(jti)) throw new LoginRefusal('malformed', 'The logout token has no usable "jti".');
  if ((sub === null && sid === null) || [sub, sid].some((name) => name !== null && !isIdentifier(name))) {
    throw new LoginRefusal('name_id', 'The logout token must name a user ("sub"), a session ("sid"), or both.');
  }
  const usableUntil = new Date(endMs + skewMs);
  const [subject, sessionId] = [isIdentifier(sub) ? sub : null, isIdentifier(sid) ? sid : null];
  return { id: jti, subject, sessionId, issuedAt, usableUntil };
}

/** Returns whether a token names an issuer. It may be set without a slash that the provider has at the end of its host. */
function isSameIssuer(iss: unknown, issuer: string): boolean {
  return iss === issuer || (typeof iss === 'string' && URL.canParse(iss) && new URL(iss).href === new URL(issuer).href);
}

/** Reads a time in seconds; null for anything else, and for times that no Date can hold. */
function instantOf(value: unknown): Date | null {
  if (typeof value !== 'number' || value < 0) return null;
  const instant = new Date(value * 1000);
  return Number.isNaN(instant.getTime()) ? null : instant;
}
