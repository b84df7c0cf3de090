// Decodes stored values that were checked before they were stored. Any other value in the database is a broken invariant. Pure.

/** Decodes a value from a fixed set. Throws `Error` for any other value. */
export function readChoice<T extends string>(choices: readonly T[], stored: string): T {
  const found = choices.find((choice) => choice === stored);
  if (found === undefined) throw new Error(`The database holds "${stored}", which is none of ${choices.join(', ')}.`);
  return found;
}

/** Returns a value of a known shape. Throws `Error` for anything else; `what` describes the shape. */
export function readAs<T>(stored: unknown, has: (value: unknown) => value is T, what: string): T {
  if (!has(stored)) throw new Error(`The database holds something else where there should be ${what}.`);
  return stored;
}

/** Parses a value of a known shape from JSON text. Throws `Error` as `readAs`. */
export function readJsonAs<T>(text: string, has: (value: unknown) => value is T, what: string): T {
  return readAs(JSON.parse(text), has, what);
}

/** Parses a list of values of a known shape from JSON text. Throws `Error` as `readAs`. */
export function readJsonList<T>(text: string, has: (value: unknown) => value is T, what: string): T[] {
  const isList = (value: unknown): value is T[] => Array.isArray(value) && value.every(has);
  return readJsonAs(text, isList, `a list of ${what}`);
}

/** Returns a list of strings from a JSON column. Throws `Error` for anything else. */
export function readTextList(stored: unknown): string[] {
  if (!Array.isArray(stored)) throw new Error('The database holds no list where there should be one.');
  return stored.map((item: unknown) => {
    if (typeof item !== 'string') throw new Error('The database holds a list of something else than text.');
    return item;
  });
}
