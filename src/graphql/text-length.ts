// How much text rows hold.

/** Counts the text in a row or in rows, and in what was read with them, in characters. */
export function textLengthOf(rows: object): number {
  let length = 0;
  for (const value of Object.values(rows)) {
    if (typeof value === 'string') length += value.length;
    else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) length += textLengthOf(value);
  }
  return length;
}
