// What writes do to rows, as data: so that the state after a change can be looked at before it is stored.

/** Conditions on columns, in Prisma's terms: values, lists of values (`in`) and bounds. */
type Where = object;

/** What one write does to the rows of a model of an account. */
export type RowDelta = { readonly model: string } & (
  | { readonly kind: 'create'; readonly rows: readonly object[] }
  /** Creates a row, or changes the one with the same value of `key`. */
  | { readonly kind: 'set'; readonly key: string; readonly row: object }
  | { readonly kind: 'update'; readonly where: Where; readonly columns: object }
  | { readonly kind: 'remove'; readonly where: Where }
);

type AnyRow = Readonly<Record<string, unknown>>;

// Rows are read and written by the names of their columns.
const columnsOf = (row: object) => row as AnyRow;

/** Returns the rows of a model after some writes to it, given those before. */
export function withDeltas(rows: readonly object[], deltas: readonly RowDelta[]): AnyRow[] {
  let after = rows.map(columnsOf);
  for (const delta of deltas) {
    switch (delta.kind) {
      case 'create':
        after = [...after, ...delta.rows.map(columnsOf)];
        break;
      case 'set': {
        const set = columnsOf(delta.row);
        const isIt = (row: AnyRow) => row[delta.key] === set[delta.key];
        after = [...after.filter((row) => !isIt(row)), { ...after.find(isIt), ...set }];
        break;
      }
      case 'update':
        after = after.map((row) => (meets(row, delta.where) ? changed(row, columnsOf(delta.columns)) : row));
        break;
      case 'remove':
        after = after.filter((row) => !meets(row, delta.where));
        break;
    }
  }
  return after;
}

/** Returns the columns that writes look at or change, besides those of rows that they create. */
export function columnsIn(deltas: readonly RowDelta[]): string[] {
  return deltas.flatMap((delta) => {
    if (delta.kind === 'set') return Object.keys(delta.row);
    if (delta.kind === 'update') return [...Object.keys(delta.where), ...Object.keys(delta.columns)];
    return delta.kind === 'remove' ? Object.keys(delta.where) : [];
  });
}

/** Returns a function that tells whether writes may be to the row of a model with an id. */
export function rowsChanged(deltas: readonly RowDelta[], model: string): (id: string) => boolean {
  const written = deltas.filter((delta) => delta.model === model);
  return (id) =>
    written.some((delta) => {
      if (delta.kind === 'create') return delta.rows.some((row) => columnsOf(row).id === id);
      if (delta.kind === 'set') return columnsOf(delta.row).id === id;
      const { id: wanted } = columnsOf(delta.where);
      return wanted === undefined || meets({ id }, { id: wanted });
    });
}

/** Returns whether writes remove the row that has a value in its key. */
export function isRemoved(deltas: readonly RowDelta[], key: string, value: unknown): boolean {
  return deltas.some((delta) => delta.kind === 'remove' && meets({ [key]: value }, delta.where));
}

function changed(row: AnyRow, columns: AnyRow): AnyRow {
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  return { ...row, ...Object.fromEntries(given.map(([name, value]) => [name, valueAfter(row[name], value)])) };
}

function valueAfter(before: unknown, value: unknown): unknown {
  if (typeof before !== 'number' || typeof value !== 'object' || value === null) return value;
  if ('increment' in value && typeof value.increment === 'number') return before + value.increment;
  return 'decrement' in value && typeof value.decrement === 'number' ? before - value.decrement : value;
}

/** Returns whether a row meets conditions. Throws `Error` for a condition that it does not know. */
function meets(row: AnyRow, where: Where): boolean {
  return Object.entries(where).every(([name, wanted]) => {
    const value = row[name];
    if (!isLiteral(wanted)) return wanted === undefined || comparable(value) === comparable(wanted);
    return Object.entries(wanted).every(([operator, bound]) => {
      const holds = operators[operator];
      if (holds === undefined) throw new Error(`${name}: the condition ${operator} cannot be looked at beforehand.`);
      return holds(comparable(value), bound);
    });
  });
}

const operators: Readonly<Record<string, (value: Comparable, bound: unknown) => boolean>> = {
  in: (value, bound) => Array.isArray(bound) && bound.map(comparable).includes(value),
  lt: (value, bound) => value !== null && value < (comparable(bound) ?? value),
  lte: (value, bound) => value !== null && value <= (comparable(bound) ?? value),
  gt: (value, bound) => value !== null && value > (comparable(bound) ?? value),
  gte: (value, bound) => value !== null && value >= (comparable(bound) ?? value),
};

type Comparable = string | number | bigint | boolean | null;

function comparable(value: unknown): Comparable {
  if (value instanceof Date) return value.getTime();
  const isOne = ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
  // Checked above.
  return isOne ? (value as Comparable) : null;
}

function isLiteral(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
