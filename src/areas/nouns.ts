// How messages name kinds of objects, and mutations. Pure.

import { areas } from './areas.ts';

const acronyms = new Set(areas.flatMap((area) => area.acronyms ?? []));

/** Returns the words of a name in camel case: `HTTPS edge route`, `delete SSH certificate authority`. */
export function nounOf(name: string): string {
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return words.map((word) => (acronyms.has(word) ? word.toUpperCase() : word)).join(' ');
}
