// The statements that store rows of a draft: those that change in the same way together, from lists.

import { groupBy } from '../../domain/values/maps.ts';
import type { Table } from '../sql/tables.ts';
import type { ChangeAction } from '../trail/audit-actions.ts';
import type { AccountScope } from './account-scope.ts';
import { writerOf } from './changes.ts';
import type { RowChange } from './plain-writes.ts';
import { versionWithModules } from './write-options.ts';

/** The values of a row by their columns, with null for none. */
export type Values = Readonly<Record<string, unknown>>;

/** A row that differs: as it was and as it is to be; null if it is not there. */
export interface Difference {
  readonly table: Table;
  readonly before: Values | null;
  readonly after: Values | null;
  /** The version of an object that comes back; absent of others. */
  readonly version?: number | undefined;
  readonly characters: number;
}

/** What differs of an object, and of the rows that belong to it. */
export interface ChangedObject {
  readonly own: Difference;
  readonly id: string;
  readonly action: ChangeAction;
  readonly parts: Difference[];
  /** How many rows its own statement changes: its own, and those that the database deletes with it. */
  rows: number;
}

/** Returns what happens to a row. */
export function actionOf({ before, after }: Difference): ChangeAction {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'update';
}

/** Writes the statements that change rows of a table in the same way. */
export function rowChangesOf(scope: AccountScope, rows: readonly Difference[]): RowChange[] {
  const [first] = rows;
  if (first === undefined) return [];
  const { rowChanges } = writerOf(scope);
  const { table } = first;
  const model = table.name;
  const action = actionOf(first);
  if (action === 'create') {
    const alike = groupByNames(rows.map((row) => withoutNull(columnsOfNew(row))));
    return alike.map((some) => rowChanges.createAll(model, some));
  }
  const keys = table.key.map((index) => table.columns[index]?.name ?? '');
  const keyOf = (values: Values | null) => Object.fromEntries(keys.map((name) => [name, values?.[name]]));
  if (action === 'delete') {
    const [only, ...more] = keys;
    if (only !== undefined && more.length === 0) {
      return [rowChanges.removeAll(model, { [only]: { in: rows.map(({ before }) => before?.[only]) } })];
    }
    return rows.map(({ before }) => rowChanges.removeAll(model, keyOf(before)));
  }
  const changed = rows.map(({ before, after }) => {
    const now = versioned(before, after ?? {});
    const columns = Object.fromEntries(Object.entries(now).filter(([name, value]) => !isSame(before?.[name], value)));
    const version = before !== null && 'version' in before ? { version: before.version } : {};
    return { found: { ...keyOf(before), ...version }, columns };
  });
  const byNames = groupBy(changed, ({ columns }) => Object.keys(columns).join());
  return [...byNames.values()].map((some) => rowChanges.updateAll(model, some));
}

/** Returns the columns of a new row: its version is the first one, however often it was changed in the draft, or that of what comes back. */
function columnsOfNew({ after, version: first }: Difference): Values {
  const columns = after ?? {};
  if (typeof columns.version !== 'number') return columns;
  return { ...columns, version: first ?? Math.min(columns.version, versionWithModules) };
}

/** Numbers the version of a row: one more than before, however often it was changed in the draft. */
function versioned(before: Values | null, after: Values): Values {
  if (typeof after.version !== 'number' || before === null) return after;
  return { ...after, version: after.version === before.version ? after.version : Number(before.version) + 1 };
}

/** Leaves out what is null. */
export function withoutNull(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function groupByNames(rows: readonly Values[]): Values[][] {
  return [...groupBy(rows, (row) => Object.keys(row).join()).values()];
}

/** Returns whether two values of a column are equal. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  return typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other);
}
