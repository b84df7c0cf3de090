// Memoizes functions of text, for texts that occur again and again. Entries never go stale, because the function depends on nothing
// but the text. Pure.

/** Longest text that is cached. For longer text, the function runs each time. */
const charactersMax = 256;

interface Remembered<T> {
  readonly text: string;
  readonly made: T;
}

/**
 * Memoizes a function, in two generations: once the newer one is full, the older one is dropped. Entries that are used in the
 * meantime move to the newer one, so that a flood of other texts cannot evict entries that are in regular use.
 *
 * @param work always returns the same result for the same text
 * @param max most texts that are cached
 */
export function remembering<T>(work: (text: string) => T, max: number): (text: string) => T {
  let newer = new Map<string, Remembered<T>>();
  let older = new Map<string, Remembered<T>>();
  const workOut = (given: string): Remembered<T> => {
    // A real copy: for a slice, V8 would keep the whole header in memory. JSON preserves every string exactly; UTF-8 does not.
    const text = String(JSON.parse(JSON.stringify(given)));
    return { text, made: work(text) };
  };
  return (text) => {
    const known = newer.get(text);
    if (known !== undefined) return known.made;
    if (text.length > charactersMax) return work(text);
    const remembered = older.get(text) ?? workOut(text);
    if (newer.size >= max / 2) [older, newer] = [newer, new Map()];
    newer.set(remembered.text, remembered);
    return remembered.made;
  };
}
