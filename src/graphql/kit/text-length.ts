// The amount of text in rows.

/** Counts the text in one or more rows and their relations, in characters. */
export function textLengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || value instanceof Date || ArrayBuffer.isView(value)) return 0;
  let length = 0;
  if (Array.isArray(value)) {
    for (const item of value) length += textLengthOf(item);
    return length;
  }
  // Rows have only own properties. `Object.values` would allocate an array for each, and take twice as long.
  // Safe cast: a non-null object.
  for (const name in value) length += textLengthOf((value as Record<string, unknown>)[name]);
  return length;
}
