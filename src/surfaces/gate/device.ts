// How browsers are known at our own address, so that their sessions at several hosts belong together.

import type { Request } from 'express';
import { hostPrefix, readCookies, writeCookie } from '../../domain/gate/cookies.ts';
import { newSecret } from '../../domain/gate/secrets.ts';
import type { Reply } from '../../pipeline/request.ts';

/** How long a browser keeps the mark of a login, as long as that may take. */
const markSeconds = 600;
/** Most marks that are looked at, in case that others were planted beside ours. */
const marksMax = 3;

/**
 * Returns the name of a browser at our own address, which connects its sessions at several hosts, and gives it one if it has none.
 *
 * @param ownUrl a URL of our own; over plain HTTP, the cookie cannot be protected
 */
export function nameDevice(
  request: Request,
  reply: Reply,
  ownUrl: string,
  randomBytes: (size: number) => Uint8Array,
): string {
  const known = readDevice(request, ownUrl);
  const device = known ?? newSecret(randomBytes, 16);
  if (known === null) {
    const secure = isSecure(ownUrl);
    // Identity providers send the browser back with a form, where it is read, too.
    const reach = { sameSite: secure ? 'None' : 'Lax', secure } as const;
    reply.appendHeader('Set-Cookie', writeCookie(deviceCookie(ownUrl), device, null, reach));
  }
  return device;
}

/**
 * Remembers in a browser that it has begun a login at a route, so that its response does not wait behind forgeries.
 *
 * @param sealed the sealed part of the request's id
 */
export function markBegun(reply: Reply, ownUrl: string, routeId: string, sealed: string): void {
  const secure = isSecure(ownUrl);
  const reach = { sameSite: secure ? 'None' : 'Lax', secure } as const;
  reply.appendHeader('Set-Cookie', writeCookie(begunCookie(ownUrl, routeId), sealed, markSeconds, reach));
}

/** Returns what may be the marks of a browser from `markBegun`. */
export function readMarks({ headers }: Request, ownUrl: string, routeId: string): readonly string[] {
  return readCookies(headers.cookie ?? '', begunCookie(ownUrl, routeId)).slice(0, marksMax);
}

/** Returns the name that a browser was given at a URL of our own; null if it sends none. */
export function readDevice({ headers }: Request, ownUrl: string): string | null {
  return readCookies(headers.cookie ?? '', deviceCookie(ownUrl)).find((value) => /^[\w-]{22}$/.test(value)) ?? null;
}

function begunCookie(ownUrl: string, routeId: string): string {
  return `${deviceCookie(ownUrl)}.${routeId}`;
}

function deviceCookie(ownUrl: string): string {
  return `${isSecure(ownUrl) ? hostPrefix : ''}sallyport.browser`;
}

function isSecure(url: string): boolean {
  return url.startsWith('https:');
}
