// The cookies of the gate and of the dashboard, as browsers send them and as they are set. Pure.

/**
 * Finds the value of a cookie. Of two with one name, the first counts: browsers send the one with the longer path first. Another host
 * of the same domain can set one with a session of its own user; a prefix of the name, `__Host-`, keeps it from that.
 */
export function readCookie(header: string, name: string): string | null {
  // Only pairs in which the name stands: a browser may send many that are not ours.
  for (let place = header.indexOf(name); place !== -1; ) {
    const begin = header.lastIndexOf(';', place) + 1;
    const semicolon = header.indexOf(';', place);
    const end = semicolon === -1 ? header.length : semicolon;
    const equals = header.indexOf('=', begin);
    if (equals !== -1 && equals < end && header.slice(begin, equals).trim() === name) {
      return header.slice(equals + 1, end).trim();
    }
    place = header.indexOf(name, end);
  }
  return null;
}

/** Which requests a cookie comes along with. */
export interface CookieReach {
  /** `Lax` lets it come along when another site, such as the identity provider, sends the browser back. */
  readonly sameSite: 'Lax' | 'Strict';
  /** Whether it comes by https alone. */
  readonly secure: boolean;
}

const ofGate: CookieReach = { sameSite: 'Lax', secure: true };

/**
 * Writes a cookie of one host, for all of its paths, out of the reach of scripts.
 *
 * @param seconds until the browser forgets it; null for the end of its own session
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

/** Most characters of a target that a cookie carries; browsers keep 4 KB. */
const targetCharactersMax = 2_000;

/** What a browser remembers of a login: a value that proves that it began, and where it wanted to go. */
export interface LoginCookie {
  readonly secret: string;
  /** Path and query; empty where it was too long to remember. */
  readonly target: string;
}

/** Writes the value of the cookie of a login. */
export function writeLoginCookie({ secret, target }: LoginCookie): string {
  const kept = target.length <= targetCharactersMax ? target : '';
  return `${secret}.${Buffer.from(kept).toString('base64url')}`;
}

/** Reads the value of the cookie of a login; null for what is none. */
export function readLoginCookie(value: string | null): LoginCookie | null {
  const [, secret, encoded] = /^([\w-]{22})\.([\w-]*)$/.exec(value ?? '') ?? [];
  if (secret === undefined || encoded === undefined) return null;
  return { secret, target: Buffer.from(encoded, 'base64url').toString() };
}

/** Tells whether text is a path on the same host, which no browser takes for anything else. */
export function isTarget(text: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes('\\');
}
