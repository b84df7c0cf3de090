// Remembers what a function made of the last texts, where the same ones come again and again. What is remembered cannot be wrong,
// because the function looks at nothing but the text. Pure.

import { LRUCache } from 'lru-cache';

/** Longest text that is remembered: what is longer is worked out each time. */
const charactersMax = 256;

/**
 * Makes a function remember. Texts that were not asked for in the longest time are forgotten first, so that nobody who sends thousands of
 * others takes away those that many ask for.
 *
 * @param work gives the same for the same text, whoever asks and whenever
 * @param max how many texts are remembered
 */
export function remembering<T>(work: (text: string) => T, max: number): (text: string) => T {
  // With `max`, it would take room for all of them at once.
  const known = new LRUCache<string, { readonly made: T }>({ maxSize: max, sizeCalculation: () => 1 });
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before.made;
    if (text.length > charactersMax) return work(text);
    // A text of its own: V8 keeps all of a header for a piece of it. By way of JSON each text is the same again, which it is not by UTF-8.
    const own = String(JSON.parse(JSON.stringify(text)));
    const made = work(own);
    known.set(own, { made });
    return made;
  };
}
