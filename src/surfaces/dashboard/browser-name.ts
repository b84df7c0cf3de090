// The name of a browser in which somebody signs in at a provider: a cookie, to which the answer of the provider is bound.

import type { Request } from 'express';
import { hostPrefix, readCookies, writeCookie } from '../../domain/gate/cookies.ts';
import { newSecret } from '../../domain/gate/secrets.ts';
import type { Reply } from '../../pipeline/request.ts';

/**
 * Names the browser that begins a sign-in, so that nobody can bring another one the answer. All its sign-ins have the same name, each
 * with a state of its own: tabs do not disturb each other.
 *
 * @param ownUrl a URL of our own; over plain HTTP, the cookie cannot be protected
 */
export function nameBrowser(
  request: Request,
  reply: Reply,
  ownUrl: string,
  randomBytes: (size: number) => Uint8Array,
): string {
  const [known] = readBrowsers(request, ownUrl);
  if (known !== undefined) return known;
  const name = newSecret(randomBytes, 32);
  const secure = isSecure(ownUrl);
  reply.append('Set-Cookie', writeCookie(cookieName(ownUrl), name, null, { sameSite: 'Lax', secure }));
  return name;
}

/** Returns the names that a browser brings. */
export function readBrowsers({ headers }: Request, ownUrl: string): readonly string[] {
  return readCookies(headers.cookie ?? '', cookieName(ownUrl)).filter((value) => /^[\w-]{43}$/.test(value));
}

function cookieName(ownUrl: string): string {
  return `${isSecure(ownUrl) ? hostPrefix : ''}sallyport_sign_in`;
}

/** Returns whether a URL of our own is one of https. */
export const isSecure = (url: string): boolean => url.startsWith('https:');
