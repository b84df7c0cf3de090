// Rows of a list as a file of comma-separated values (RFC 4180), which spreadsheets open.

/** A value as it stands in a cell. */
type Scalar = string | number | boolean | null | undefined;

/** Returns the values of an object by their paths, such as `apiKey.description`. A list of texts is one value, with blanks between. */
function flat(value: object, path: string, into: Map<string, Scalar>): Map<string, Scalar> {
  for (const [name, part] of Object.entries(value)) {
    if (name === '__typename') continue;
    const at = path === '' ? name : `${path}.${name}`;
    if (Array.isArray(part)) into.set(at, part.map(sayPart).join(' '));
    else if (typeof part === 'object' && part !== null) flat(part, at, into);
    else into.set(at, part);
  }
  return into;
}

const sayPart = (part: unknown): string => (typeof part === 'object' ? JSON.stringify(part) : String(part));

/**
 * Writes a cell. A text that a spreadsheet would take for a formula gets an apostrophe in front, because what lists hold was entered
 * by others (https://owasp.org/www-community/attacks/CSV_Injection).
 */
function cellOf(value: Scalar): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns rows as comma-separated values: a line of headings, which are the names of the API's fields, and a line for each row. */
function csvOf(rows: readonly object[]): string {
  const lines = rows.map((row) => flat(row, '', new Map()));
  const headings = [...new Set(lines.flatMap((line) => [...line.keys()]))];
  return [headings, ...lines.map((line) => headings.map((heading) => line.get(heading)))]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('');
}

/** Has the browser save rows as a file. The name is that of the list, such as `api-keys.csv`. */
export function saveCsv(label: string, rows: readonly object[]): void {
  const link = document.createElement('a');
  // With a byte order mark, without which a spreadsheet reads UTF-8 as something else.
  link.href = URL.createObjectURL(new Blob(['\uFEFF', csvOf(rows)], { type: 'text/csv;charset=utf-8' }));
  link.download = `${label.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
