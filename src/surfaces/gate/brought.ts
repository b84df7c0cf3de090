// What a request brings along to identify its sender, and what of it an application gets to see. Pure.

import { remembering } from '../../domain/concurrency/remember.ts';
import { withoutOwnCookies } from '../../domain/gate/cookies.ts';

/** The headers of a request that identify its sender. */
export interface Brought {
  /** All cookies: HTTP/2 may send them in several headers. */
  readonly cookies: string;
  /** `Authorization`; null without one, and empty if there are several. */
  readonly authorization: string | null;
}

/** Reads what a request brings. */
export function broughtBy(rawHeaders: readonly string[]): Brought {
  let cookies = '';
  let authorization: string | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    // The length first: this is checked for every header.
    if (name?.length === 6 && name.toLowerCase() === 'cookie') {
      cookies += `${cookies === '' ? '' : '; '}${rawHeaders[index + 1] ?? ''}`;
    } else if (name?.length === 13 && name.toLowerCase() === 'authorization') {
      authorization = authorization === null ? (rawHeaders[index + 1] ?? '') : '';
    }
  }
  return { cookies, authorization };
}

/** An API key of ours: the keys that programs pass with are made by us, and begin like this. */
const keyForm = /^Bearer +(sallyport_\S*)/i;

/** Returns the API key of ours that a request brings; null for none. Applications have tokens of their own in the same header. */
export function keyIn({ authorization }: Brought): string | null {
  return authorization === null ? null : (keyForm.exec(authorization)?.[1] ?? null);
}

/** How many requests' cookies are remembered without ours. */
const cookiesMax = 5_000;
const withoutOwn = remembering(withoutOwnCookies, cookiesMax);

/**
 * Returns the headers that an application gets in place of those that the client has sent, for proxies that take them from the answer:
 * without the cookies of the gate and, unless the edge forwards keys, without an API key. A header that the client has not sent is not
 * among them.
 */
export function forwardedHeaders(brought: Brought, forwardsKeys: boolean): string[] {
  const headers: string[] = [];
  if (brought.cookies !== '') headers.push('Cookie', withoutOwn(brought.cookies));
  const { authorization } = brought;
  if (authorization !== null) {
    headers.push('Authorization', forwardsKeys || keyIn(brought) === null ? authorization : '');
  }
  return headers;
}
