// How much text rows hold.

/** Counts the text in the columns of a row, and of what was read with it, in characters. */
export function textLengthOf(row: object): number {
  let length = 0;
  for (const value of Object.values(row)) {
    if (typeof value === 'string') length += value.length;
    else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) length += textLengthOf(value);
  }
  return length;
}
