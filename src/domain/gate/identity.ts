// The headers that tell an application who sent a request. Pure.

import type { Session } from './login.ts';

/** Characters to encode, as they could alter or end the header value: all but printable ASCII, `%`, and spaces at either end. */
const unsafe = /[^\x20-\x7e]|%|^ | $/gu;
const unsafeInList = /[^\x20-\x7e]|[%,]|^ | $/gu;

/**
 * Returns the headers that identify the sender of a request. Every header is always present, and empty if it has no value: if one
 * is missing, some proxies pass on the client's own.
 */
export function identityHeaders(session: Session | null): readonly (readonly [name: string, value: string])[] {
  return [
    ['Remote-User', encoded(session?.user ?? '', unsafe)],
    ['Remote-Groups', (session?.groups ?? []).map((group) => encoded(group, unsafeInList)).join(',')],
    ['Remote-Email', encoded(session?.email ?? '', unsafe)],
    ['Remote-Name', encoded(session?.name ?? '', unsafe)],
  ];
}

function encoded(text: string, characters: RegExp): string {
  return text.replace(characters, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
