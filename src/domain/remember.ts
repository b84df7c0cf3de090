// Memoizes functions of text, for where the same texts come again and again. Entries never go stale, because the function looks at
// nothing but the text. Pure.

/** Longest text that is remembered: what is longer is worked out each time. */
const charactersMax = 256;

interface Remembered<T> {
  readonly text: string;
  readonly made: T;
}

/**
 * Memoizes a function, in two generations: once the newer is full, the older is dropped. Entries that are used meanwhile move to the
 * newer one, so that nobody evicts what others keep asking for by sending thousands of texts.
 *
 * @param work gives the same for the same text, whoever asks and whenever
 * @param max how many texts are remembered at most
 */
export function remembering<T>(work: (text: string) => T, max: number): (text: string) => T {
  let newer = new Map<string, Remembered<T>>();
  let older = new Map<string, Remembered<T>>();
  const workOut = (given: string): Remembered<T> => {
    // A copy of its own: V8 keeps the whole header in memory for a slice of it. JSON gives every string back as it was; UTF-8 does not.
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
