// The logins that a browser has begun at a route: one for each tab, in a cookie of its own, so that each returns to its own page.
// Tabs that a browser restores ask at the same time, and know of no cookie that another one gets. Pure.

import { hashOf } from '../values/hash.ts';
import { cookiesWithPrefix } from './cookies.ts';

/** The part of a login that the browser remembers. */
export interface LoginAttempt {
  /** Proves that this browser began the login. */
  readonly secret: string;
  /** Seconds since 1970. */
  readonly begunAt: number;
  /** Path and query to go to; empty if they are too long for a cookie. */
  readonly target: string;
}

/**
 * Longest target in a cookie, in characters; longer ones are kept in the database. Ten tabs take 5 KB then, of the 8 KB that proxies
 * accept as cookies.
 */
export const targetInCookieMax = 300;
/** Most attempts of one browser at a route, and characters of their cookies, before the oldest attempt makes room. */
const attemptsMax = 30;
const cookieCharactersMax = 4_096;

/** Returns the short name of an attempt, which its cookie has at the end: the beginning of the hash of its secret. */
export function attemptName(browserHash: string): string {
  return browserHash.slice(0, 8);
}

/** Returns the name of the cookie of an attempt. */
export function attemptCookie(sessionCookie: string, { secret }: Pick<LoginAttempt, 'secret'>): string {
  return `${prefixOf(sessionCookie)}${attemptName(hashOf(secret))}`;
}

/** Returns the value of the cookie of an attempt. */
export function writeAttempt({ secret, begunAt, target }: LoginAttempt): string {
  const kept = target.length <= targetInCookieMax ? target : '';
  return `${secret}.${begunAt.toString(36)}.${Buffer.from(kept).toString('base64url')}`;
}

/** Reads the attempts of a browser at a route. */
export function readAttempts(cookies: string, sessionCookie: string): LoginAttempt[] {
  return cookiesWithPrefix(cookies, prefixOf(sessionCookie)).flatMap(([name, value]) => {
    const [, secret = '', begunAt = '', target = ''] = /^([\w-]{22})\.([0-9a-z]{1,9})\.([\w-]*)$/.exec(value) ?? [];
    const attempt = {
      secret,
      begunAt: Number.parseInt(begunAt, 36),
      target: Buffer.from(target, 'base64url').toString(),
    };
    return secret !== '' && attemptCookie(sessionCookie, attempt) === name ? [attempt] : [];
  });
}

/**
 * Begins an attempt. A browser that has begun many takes over the oldest one, whose tab then returns to the new target: its answer
 * can set only one cookie, and delete none beside it.
 *
 * @param newSecret creates a secret of 22 characters
 */
export function beginAttempt(
  cookies: string,
  sessionCookie: string,
  { target, now }: { readonly target: string; readonly now: Date },
  newSecret: () => string,
): LoginAttempt {
  const begun = readAttempts(cookies, sessionCookie);
  const characters = begun.reduce((sum, each) => sum + sessionCookie.length + writeAttempt(each).length, 0);
  const isFull = begun.length >= attemptsMax || characters > cookieCharactersMax;
  const oldest = begun.reduce<LoginAttempt | null>(
    (old, each) => (old !== null && old.begunAt <= each.begunAt ? old : each),
    null,
  );
  const secret = isFull && oldest !== null ? oldest.secret : newSecret();
  return { secret, begunAt: Math.floor(now.getTime() / 1000), target };
}

function prefixOf(sessionCookie: string): string {
  return `${sessionCookie}.login.`;
}
