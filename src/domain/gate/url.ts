// The URL that a proxy asks about: what of it is taken, and what is refused because a proxy, the gate and the application could
// each read it in another way. Pure.

import { remembering } from '../remember.ts';

/** A URL in its parts, as they were sent. */
export interface UrlParts {
  readonly scheme: string;
  /** The host, with the port where one was given. */
  readonly host: string;
  /** The path, with the query where there is one. */
  readonly target: string;
}

const urlForm = /^([a-z]+):\/\/([^/?#@\\]+)(\/.*)$/;

/** How many hosts, and how many URLs or paths, are remembered: pages and what they load are asked for again and again. */
const hostsMax = 1_000;
const urlsMax = 5_000;

/** Splits a URL; null for text that is none, or that has a user in it. */
export const splitUrl = remembering((url): UrlParts | null => {
  const [, scheme, host, target] = urlForm.exec(url) ?? [];
  return scheme === undefined || host === undefined || target === undefined ? null : { scheme, host, target };
}, urlsMax);

const hostForm = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::([1-9]\d{0,4}))?$/;

/** Creates the reader of hosts for a scheme, whose port stands for one that is not named. */
function hostReader(schemePort: string) {
  return remembering((host): string | null => {
    const [, name, port = schemePort] = hostForm.exec(host.toLowerCase()) ?? [];
    return name === undefined ? null : `${name}:${port}`;
  }, hostsMax);
}

/** Reads hosts by scheme. Some proxies tell the schemes of WebSockets apart. */
const hostReaders: ReadonlyMap<string, ReturnType<typeof hostReader>> = new Map([
  ['https', hostReader('443')],
  ['http', hostReader('80')],
  ['wss', hostReader('443')],
  ['ws', hostReader('80')],
]);

/** Reads a host as edges name them, such as `example.com:443`; null for what no edge can have. */
export function readHostport(scheme: string, host: string): string | null {
  return hostReaders.get(scheme)?.(host) ?? null;
}

/** What most paths look like: nothing in them could be read in another way. */
const plainPath = /^(?:\/[\w~!$&'()*+,:=@-][\w.~!$&'()*+,:=@-]*)*\/?$/;

/** A path that can be compared with those of routes, or why there is none. */
export type ReadPath = { readonly path: string } | { readonly problem: string };

/** What a path may consist of, as browsers send it: they encode less than RFC 3986 asks for. */
const pathForm = /^\/[\w!$%&'()*+,./:;=@[\]^|~-]*$/;
const encodedSeparator = /%(?:2f|5c|[01][0-9a-f]|7f)/i;
/** What would be another character if somebody decoded once more. */
const encoded = /%[0-9a-f]{2}/i;

/**
 * Reads the path of a target. Everything encoded is decoded, once: that is what applications see.
 *
 * @param allowSemicolon some applications cut a path at a semicolon, and so serve another one than the gate has looked at
 */
export function readPath(target: string, allowSemicolon: boolean): ReadPath {
  return allowSemicolon ? readLoosely(target) : readStrictly(target);
}

const readStrictly = remembering((target) => readTarget(target, false), urlsMax);
const readLoosely = remembering((target) => readTarget(target, true), urlsMax);

function readTarget(target: string, allowSemicolon: boolean): ReadPath {
  const query = target.indexOf('?');
  const sent = query === -1 ? target : target.slice(0, query);
  if (plainPath.test(sent) && sent !== '') return { path: sent };
  if (!pathForm.test(sent)) return { problem: 'has characters that a path cannot have' };
  if (encodedSeparator.test(sent)) return { problem: 'has an encoded slash, backslash or control character' };
  const path = sent.includes('%') ? decoded(sent) : sent;
  if (path === null) return { problem: 'is not correctly percent-encoded UTF-8' };
  if (encoded.test(path)) return { problem: 'is encoded twice' };
  if (!allowSemicolon && path.includes(';')) return { problem: 'has a semicolon' };
  // Also those that are left when an application takes off what follows a semicolon.
  if (/\/[/;]/.test(path)) return { problem: 'has an empty segment' };
  if (/\/\.\.?(?:[/;]|$)/.test(path)) return { problem: 'has a segment "." or ".."' };
  return { path };
}

/**
 * Writes what a route matches in the same form, so that `/caf%C3%A9` and `/café` are one path. What cannot be decoded is taken as
 * it is.
 */
export function comparableMatch(match: string): string {
  return decoded(match) ?? match;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
