// The URLs that users name for requests of ours. Pure.

import { invalid } from '../errors.ts';

/** Most characters of a URL. */
export const urlCharactersMax = 2_048;

/**
 * Checks a URL before it is stored or requested. Where it leads is checked when it is requested.
 *
 * @throws INVALID_INPUT for anything but an http or https URL, for one with a user name or password, which everybody would see who
 *   sees the URL, and for one that is too long
 */
export function checkOutgoingUrl(field: string, text: string): URL {
  const url = text.length <= urlCharactersMax && URL.canParse(text) ? new URL(text) : null;
  if (url === null) {
    throw invalid(field, `must be an http or https URL of at most ${urlCharactersMax} characters.`);
  }
  const problem = problemOfUrl(url);
  if (problem !== null) throw invalid(field, problem);
  url.hash = '';
  return url;
}

/** Returns what is wrong with a URL that somebody names for requests of ours; null if nothing is. */
export function problemOfUrl(url: URL): string | null {
  if (!/^https?:$/.test(url.protocol)) return 'must begin with http:// or https://.';
  if (url.username !== '' || url.password !== '')
    return 'must have no user name or password: everybody sees them who sees the URL.';
  return url.href.length > urlCharactersMax ? `must have at most ${urlCharactersMax} characters.` : null;
}
