// Reads and writes the cookies of the gate and of the dashboard. Pure.

/**
 * Returns the values of all cookies with a name, each once, in the order in which the browser sent them. There may be several:
 * another host of the same domain can plant one beside ours, and ours would be lost if only the first counted.
 */
export function readCookies(header: string, name: string): string[] {
  const values = new Set<string>();
  // Looks only at pairs that contain the name: a browser may send many cookies that are not ours.
  for (let index = header.indexOf(name); index !== -1; ) {
    const begin = header.lastIndexOf(';', index) + 1;
    const semicolon = header.indexOf(';', index);
    const end = semicolon === -1 ? header.length : semicolon;
    const pair = readPair(header.slice(begin, end));
    if (pair?.name === name) values.add(pair.value);
    index = header.indexOf(name, end);
  }
  return [...values];
}

/** Returns all cookies whose name begins with a prefix, in the order in which the browser sent them. */
export function cookiesWithPrefix(header: string, prefix: string): (readonly [name: string, value: string])[] {
  if (!header.includes(prefix)) return [];
  return header.split(';').flatMap((pair) => {
    const { name, value } = readPair(pair) ?? { name: '', value: '' };
    return name.startsWith(prefix) ? [[name, value] as const] : [];
  });
}

/** Returns the values of all cookies that have one of some names, in the order in which the browser sent them. */
export function cookiesNamed(header: string, names: ReadonlySet<string>): string[] {
  return header.split(';').flatMap((pair) => {
    const { name, value } = readPair(pair) ?? { name: '', value: '' };
    return names.has(name) ? [value] : [];
  });
}

/** What the name of every cookie of the gate contains: the id of a route. */
const ofRoute = /edghtsrt_[0-7][0-9a-hjkmnp-tv-z]{25}/;

/** Returns the cookies of a request without those of the gate, which applications must not see: they stand for a session. */
export function withoutOwnCookies(header: string): string {
  if (!header.includes('edghtsrt_')) return header;
  const others = header.split(';').filter((pair) => !ofRoute.test(readPair(pair)?.name ?? ''));
  return others.map(trimmed).join('; ');
}

/** Reads a cookie, without the white space around its name and its value; null if it has no name. Takes linear time. */
function readPair(pair: string): { readonly name: string; readonly value: string } | null {
  const equals = pair.indexOf('=');
  return equals === -1 ? null : { name: trimmed(pair.slice(0, equals)), value: trimmed(pair.slice(equals + 1)) };
}

/**
 * Cuts off the white space that HTTP knows (RFC 9110, section 5.6.3). Text that JavaScript also counts as white space stays part of
 * the name: without it, a name that browsers let anybody set would become one of ours.
 */
function trimmed(text: string): string {
  const isBlank = (index: number) => text[index] === ' ' || text[index] === '\t';
  let [begin, end] = [0, text.length];
  while (begin < end && isBlank(begin)) begin += 1;
  while (end > begin && isBlank(end - 1)) end -= 1;
  return text.slice(begin, end);
}

/**
 * Browsers accept a cookie with such a name only from the host itself, over https, and for all its paths (RFC 6265bis, section
 * 4.1.3.2): no other host of the domain can plant one.
 */
export const hostPrefix = '__Host-';

/** Returns the name of the cookie for the sessions of a route. A prefix that begins with `__Host-` already stays as it is. */
export function sessionCookieName(prefix: string, routeId: string): string {
  return `${prefix.startsWith(hostPrefix) ? '' : hostPrefix}${prefix}${routeId}`;
}

/** The requests that a cookie is sent with. */
export interface CookieReach {
  /**
   * With `Lax`, it is also sent when another site, such as the identity provider, sends the browser back by a redirect; with `None`,
   * which needs https, also with a form.
   */
  readonly sameSite: 'Lax' | 'Strict' | 'None';
  /** Whether it is sent only over https. */
  readonly secure: boolean;
}

const ofGate: CookieReach = { sameSite: 'Lax', secure: true };

/**
 * Returns the `Set-Cookie` value for a cookie of one host, valid for all its paths and hidden from scripts.
 *
 * @param seconds until the browser deletes it; null to keep it until the browser's own session ends
 */
export function writeCookie(
  name: string,
  value: string,
  seconds: number | null,
  { sameSite, secure }: CookieReach = ofGate,
): string {
  const age = seconds === null ? '' : `Max-Age=${seconds}; `;
  return `${name}=${value}; Path=/; ${age}${secure ? 'Secure; ' : ''}HttpOnly; SameSite=${sameSite}`;
}

/** Returns whether text is a path on the same host that no browser interprets as anything else. */
export function isTarget(text: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes('\\');
}
