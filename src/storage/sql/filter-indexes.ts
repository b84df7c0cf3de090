// Which values of a filter one index finds together, so that a page of the filtered list reads few rows beyond its own.

import { getOrInsertComputed } from '../../domain/values/maps.ts';
import { getDatamodel } from '../generated/pothos.ts';
import { recordedPairs } from '../trail/audit-actions.ts';

/** Values that columns must have, by column. */
export type Equal = Readonly<Record<string, string | boolean>>;

/** Columns of filters that may be asked for together, in the order in which an index begins with them. */
interface Together {
  /** The only model that has such an index; all that have the columns by default. */
  readonly model?: string;
  readonly columns: readonly string[];
  /** The columns that follow in the index, before the id. */
  readonly next: readonly string[];
  /**
   * All values that some of the columns have together: a list without a condition on one of them is merged from the rows of each.
   * Such columns are those of filters even if the first of the index is not asked for.
   */
  readonly values?: readonly Equal[];
}

const together: readonly Together[] = [
  // The trail: three columns have seven combinations, which take two indexes in this way.
  { model: 'AuditEvent', columns: ['actor', 'kind', 'action'], next: ['accountId'], values: recordedPairs },
  { model: 'AuditEvent', columns: ['action', 'kind'], next: ['accountId'], values: recordedPairs },
  { columns: ['action'], next: ['accountId'] },
  { columns: ['type', 'enforced'], next: ['accountId'] },
  { columns: ['fingerprint'], next: ['accountId'] },
  // The sessions of a user at a route.
  { columns: ['userHash', 'routeId'], next: [] },
];

const known = new Map<string, ReadonlySet<string>>();
const columnsOf = (model: string) =>
  getOrInsertComputed(
    known,
    model,
    () => new Set(getDatamodel().datamodel.models[model]?.fields.map(({ name }) => name)),
  );

/** Returns the columns of which the first column of a filter is one. If it is none of them, its own index leaves the fewest rows. */
function togetherOf(model: string, equal: Equal): Together {
  const [first = ''] = Object.keys(equal);
  // A model that lacks one of the columns has no such index.
  const has = columnsOf(model);
  const found = together.find(({ model: only = model, columns, values = [] }) => {
    if (only !== model) return false;
    const [lead = ''] = columns;
    const isAsked = columns.includes(first) && (lead in equal || values.some((some) => lead in some));
    return isAsked && columns.every((column) => has.has(column));
  });
  return found ?? { columns: [first], next: [] };
}

/**
 * Returns those values of a filter that one index finds, in the order of its columns: several where there is an index for them,
 * otherwise the first value. The others have to be compared row by row.
 */
export function foundByIndex(model: string, equal: Equal): Equal {
  const entries = Object.entries(equal);
  const { columns } = togetherOf(model, equal);
  return Object.fromEntries(columns.flatMap((column) => entries.filter(([name]) => name === column)));
}

/** Returns whether the index that finds the values holds the account as well. */
export function holdsAccount(model: string, equal: Equal): boolean {
  return togetherOf(model, equal).next.includes('accountId');
}

/** The column that may be null in all rows of a list, by the time that follows it in an index. */
const nullBefore: Readonly<Record<string, string>> = { validUntil: 'replacedById' };

/**
 * Returns the values by which an index finds rows in the order of a time: a text, or null.
 *
 * @param indexedByTime the column of a text that an index has before the times
 */
export function foundInTime(
  time: string,
  where: object,
  indexedByTime: string | undefined,
): Readonly<Record<string, string | null>> {
  const wanted = Object.entries(where);
  const named = wanted.find(([name, value]) => name === indexedByTime && typeof value === 'string');
  const found = named ?? wanted.find(([name, value]) => value === null && name === nullBefore[time]);
  return found === undefined ? {} : Object.fromEntries([found]);
}

/** Returns the values whose rows make up a filtered list, each with all columns that stand before the key in their index. */
export function mergedFrom(model: string, equal: Equal): readonly Equal[] {
  const { columns, values } = togetherOf(model, equal);
  if (values === undefined || columns.every((column) => column in equal)) return [equal];
  const matching = values.filter((some) =>
    Object.entries(some).every(([name, value]) => (equal[name] ?? value) === value),
  );
  // What no row has is looked for in one place.
  return (matching.length === 0 ? values.slice(0, 1) : matching).map((some) => ({ ...some, ...equal }));
}

/** Returns the name of the index by which a list with such values is read, as migrations name it; null for others. */
export function indexFor(model: string, equal: Equal): string | null {
  const { next } = togetherOf(model, equal);
  const found = Object.keys(foundByIndex(model, equal));
  return found.length < 2 && next.length === 0 ? null : `${model}_${[...found, ...next, 'id'].join('_')}_idx`;
}
