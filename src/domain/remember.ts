// Remembers what a function made of the last texts, where the same ones come again and again. What is remembered cannot be wrong,
// because the function looks at nothing but the text. Pure.

/** Longest text that is remembered: what is longer is worked out each time. */
const charactersMax = 256;

interface Remembered<T> {
  readonly text: string;
  readonly made: T;
}

/**
 * Makes a function remember, in two halves: once the newer is full, the older is forgotten. What was asked for meanwhile has come over,
 * so that nobody who sends thousands of texts takes away those that many ask for.
 *
 * @param work gives the same for the same text, whoever asks and whenever
 * @param max how many texts are remembered at most
 */
export function remembering<T>(work: (text: string) => T, max: number): (text: string) => T {
  let newer = new Map<string, Remembered<T>>();
  let older = new Map<string, Remembered<T>>();
  const workOut = (given: string): Remembered<T> => {
    // A text of its own: V8 keeps all of a header for a piece of it. By way of JSON each text is the same again, which it is not by UTF-8.
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
