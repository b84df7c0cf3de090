// Decides in which media type a request is answered (RFC 9110, section 12.5.1), for every path that has several.

import type { Request } from 'express';

/** All our text is in UTF-8, and some clients ask for just that: `Accept: application/json; charset=utf-8`. */
const inUtf8 = (type: string) => `${type}; charset=utf-8`;

/**
 * Returns the media type that a request prefers, by quality, precision and its own order; of equal ones, the first. Null if it accepts
 * none of them. Every type is accepted with and without `charset=utf-8`, which is what is sent; with any other parameter, it is
 * another type.
 */
export function preferredType<T extends string>(request: Request, offered: readonly T[]): T | null {
  const preferred = request.accepts(offered.map(inUtf8));
  return offered.find((type) => inUtf8(type) === preferred) ?? null;
}

/** Returns whether a request prefers a page to JSON: a person will see the answer, in a browser. */
export function prefersPage(request: Request): boolean {
  return preferredType(request, ['application/json', 'text/html']) === 'text/html';
}
