// How browsers are known at our own address, so that their sessions at several hosts belong together.

import type { Request } from 'express';
import { type CookieReach, hostPrefix, readCookies, writeCookie } from '../../domain/gate/cookies.ts';
import { newSecret } from '../../domain/gate/secrets.ts';
import type { Reply } from '../../pipeline/request.ts';

/** How long a browser keeps the marks of its logins: as long as the last one may take. */
const markSeconds = 600;
/** Most marks of a browser, over all routes: one cookie has them all, of 450 characters each at most. */
const marksMax = 5;
/** Most cookies that are looked at, in case that others were planted beside ours. */
const markCookiesMax = 3;

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
    reply.appendHeader('Set-Cookie', writeCookie(deviceCookie(ownUrl), device, null, reachAt(ownUrl)));
  }
  return device;
}

/**
 * Remembers in a browser that it has begun a login, so that its response does not wait behind forgeries. The oldest of many makes
 * room.
 *
 * @param mark the sealed part of the request's id
 */
export function markBegun(request: Request, reply: Reply, ownUrl: string, mark: string): void {
  writeMarks(reply, ownUrl, [...readMarks(request, ownUrl), mark].slice(-marksMax));
}

/** Makes a browser forget a mark that has been used. */
export function unmark(request: Request, reply: Reply, ownUrl: string, used: string): void {
  writeMarks(
    reply,
    ownUrl,
    readMarks(request, ownUrl).filter((mark) => mark !== used),
  );
}

/** Returns what may be the marks of a browser from `markBegun`, the oldest first. */
export function readMarks({ headers }: Request, ownUrl: string): readonly string[] {
  const cookies = readCookies(headers.cookie ?? '', marksCookie(ownUrl)).slice(0, markCookiesMax);
  return cookies.flatMap((marks) => marks.split('.', marksMax)).filter((mark) => /^[\w-]{1,450}$/.test(mark));
}

function writeMarks(reply: Reply, ownUrl: string, marks: readonly string[]): void {
  const seconds = marks.length === 0 ? 0 : markSeconds;
  reply.appendHeader('Set-Cookie', writeCookie(marksCookie(ownUrl), marks.join('.'), seconds, reachAt(ownUrl)));
}

/** Returns the name that a browser was given at a URL of our own; null if it sends none. */
export function readDevice({ headers }: Request, ownUrl: string): string | null {
  return readCookies(headers.cookie ?? '', deviceCookie(ownUrl)).find((value) => /^[\w-]{22}$/.test(value)) ?? null;
}

function marksCookie(ownUrl: string): string {
  return `${deviceCookie(ownUrl)}.begun`;
}

function deviceCookie(ownUrl: string): string {
  return `${isSecure(ownUrl) ? hostPrefix : ''}sallyport.browser`;
}

/** Identity providers send the browser back with a form, where its cookies are read, too. */
function reachAt(ownUrl: string): CookieReach {
  const secure = isSecure(ownUrl);
  return { sameSite: secure ? 'None' : 'Lax', secure };
}

function isSecure(url: string): boolean {
  return url.startsWith('https:');
}
