// Reads the URL that a proxy asks about, and refuses URLs that the proxy, the gate and the application could each interpret
// differently. Pure.

import { remembering } from '../concurrency/remember.ts';

/** The parts of a URL, as they were sent. */
export interface UrlParts {
  readonly scheme: string;
  /** The host, with the port if one was given. */
  readonly host: string;
  /** The path, with the query if there is one. */
  readonly target: string;
}

const urlForm = /^([a-z]+):\/\/([^/?#@\\]+)(\/.*)$/;

/** How many hosts, and how many URLs or paths, are cached: pages and their resources are requested again and again. */
const hostsMax = 1_000;
const urlsMax = 5_000;

/** Splits a URL; null for text that is not a URL, or that contains user information. */
export const splitUrl = remembering((url): UrlParts | null => {
  const [, scheme, host, target] = urlForm.exec(url) ?? [];
  return scheme === undefined || host === undefined || target === undefined ? null : { scheme, host, target };
}, urlsMax);

const hostForm = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::([1-9]\d{0,4}))?$/;

/** Creates a parser of hosts for a scheme. If a host has no port, it gets the default port of the scheme. */
function hostReader(schemePort: string) {
  return remembering((host): string | null => {
    const [, name, port = schemePort] = hostForm.exec(host.toLowerCase()) ?? [];
    return name === undefined ? null : `${name}:${port}`;
  }, hostsMax);
}

/** Host parsers by scheme. Some proxies use separate schemes for WebSockets. */
const hostReaders: ReadonlyMap<string, ReturnType<typeof hostReader>> = new Map([
  ['https', hostReader('443')],
  ['http', hostReader('80')],
  ['wss', hostReader('443')],
  ['ws', hostReader('80')],
]);

/** Returns a host in the form that edges use, such as `example.com:443`; null if no edge can have it. */
export function readHostport(scheme: string, host: string): string | null {
  return hostReaders.get(scheme)?.(host) ?? null;
}

/** Returns the origin of a host, as a browser writes it. */
export function originOf(hostport: string): string {
  return `https://${hostport.replace(/:443$/, '')}`;
}

/** The form of most paths. Such a path has only one interpretation. */
const plainPath = /^(?:\/[\w~!$&'()*+,:=@-][\w.~!$&'()*+,:=@-]*)*\/?$/;

/** A path that can be compared with those of routes, or the problem with it. */
export type ReadPath = { readonly path: string } | { readonly problem: string };

/** The characters of a path as browsers send it: they encode fewer characters than RFC 3986 requires. */
const pathForm = /^\/[\w!$%&'()*+,./:;=@[\]^|~-]*$/;
const encodedSeparator = /%(?:2f|5c|[01][0-9a-f]|7f)/i;
/** Text that would change if it were decoded once more. */
const encoded = /%[0-9a-f]{2}/i;

/**
 * Reads the path of a target. It is percent-decoded once, because that is what applications see.
 *
 * @param allowSemicolon false to refuse semicolons: some applications cut the path there, and so serve a different path from
 *   the one that the gate has checked
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
  // Also segments that become empty when an application drops the text after a semicolon.
  if (/\/[/;]/.test(path)) return { problem: 'has an empty segment' };
  if (/\/\.\.?(?:[/;]|$)/.test(path)) return { problem: 'has a segment "." or ".."' };
  return { path };
}

/**
 * Decodes the match of a route in the same way, so that `/caf%C3%A9` and `/café` are the same path. Text that cannot be decoded is
 * returned as it is.
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
