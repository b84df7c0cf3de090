// How messages name kinds of objects. Pure.

import { areas } from '../areas.ts';

const acronyms = new Set(areas.flatMap((area) => area.acronyms ?? []));

/** Returns how messages name a kind of object: `HTTPS edge route`. */
export function nounOf(kind: string): string {
  const words = kind.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return words.map((word) => (acronyms.has(word) ? word.toUpperCase() : word)).join(' ');
}
