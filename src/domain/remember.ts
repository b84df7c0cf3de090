// Remembers what a function made of the last texts, where the same ones come again and again. What is remembered cannot be wrong,
// because the function looks at nothing but the text. Pure.

/** Longest text that is remembered: what is longer is worked out each time. */
const charactersMax = 256;

/**
 * Makes a function remember. With one text more than it may remember, it forgets all of them: whoever sends thousands has them worked
 * out again, once, and takes no more memory.
 *
 * @param work gives the same for the same text, whoever asks and whenever
 * @param max how many texts are remembered
 */
export function remembering<T>(work: (text: string) => T, max: number): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (text.length > charactersMax) return work(text);
    // A text of its own: V8 keeps all of a header for a piece of it. By way of JSON each text is the same again, which it is not by UTF-8.
    const own = String(JSON.parse(JSON.stringify(text)));
    const made = work(own);
    if (known.size >= max) known.clear();
    known.set(own, made);
    return made;
  };
}
