// The headers that tell an application who sent a request. Pure.

import type { Session } from './decide.ts';

/** What would change the value on its way, or end it: all but printable ASCII, the percent sign, and white space around it. */
const unsafe = /[^\x20-\x7e]|%|^ | $/gu;
const unsafeInList = /[^\x20-\x7e]|[%,]|^ | $/gu;

/**
 * Writes who sent a request, as headers. Every header is always there, and empty without a value: some proxies pass on what a
 * client says in place of one that is missing.
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
