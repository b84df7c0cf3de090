// An account as it would be after a change that is not stored: for asking what would be decided then. It reads what is stored and
// applies the change in memory.

import { groupBy } from '../../domain/values/maps.ts';
import { getDatamodel } from '../generated/pothos.ts';
import type { RowRange } from '../sql/range.ts';
import type { AccountView, DatabaseHandle } from './account-scope.ts';
import { columnsIn, isRemoved, type RowDelta, withDeltas } from './row-deltas.ts';

type AnyRow = Readonly<Record<string, unknown>>;

interface Proposal {
  readonly base: AccountView;
  readonly deltas: readonly RowDelta[];
}

const proposals = new WeakMap<DatabaseHandle, Proposal>();

/** Returns what a view of a proposed state is made from; undefined for a view of what is stored. */
export function proposalOf({ database }: AccountView): Proposal | undefined {
  return proposals.get(database);
}

/**
 * Returns an account as it would be after some writes. Only `rows.pick` and `rows.pickRange` read the proposed state; all else throws
 * or, in `db`, reads what is stored. Caches of the database do not know it, nor do its values get into them.
 *
 * A column that rows are looked up by must not be one that a write changes: the rows that come to have the value would be missing.
 */
export function proposedView(base: AccountView, deltas: readonly RowDelta[]): AccountView {
  const byModel = groupBy(deltas, ({ model }) => model);
  const database: DatabaseHandle = { forgetSecrets: new Set(), changed: new Set() };
  proposals.set(database, { base, deltas });
  const rows: Pick<AccountView['rows'], 'pick' | 'pickRange' | 'turnIsMoment'> = {
    // Nothing else can change it.
    turnIsMoment: true,

    async pick(model, columns, column, values) {
      const changes = byModel.get(model) ?? [];
      const wholes = wholesOf(model).filter(({ whole }) => byModel.get(whole)?.some(({ kind }) => kind === 'remove'));
      if (changes.length + wholes.length === 0) return base.rows.pick(model, columns, column, values);
      const naming = wholes.map((one) => one.column);
      const needed = existing(model, [...columns, column, ...naming, ...columnsIn(changes)]);
      const before = await picked(base, model).pick(needed, column, values);
      const wanted = new Set<unknown>(values);
      const after = withDeltas(before, changes)
        .filter((row) => wanted.has(row[column]))
        .filter((row) => wholes.every((one) => !isRemoved(byModel.get(one.whole) ?? [], one.key, row[one.column])));
      // Rows of the model with at least the named columns.
      return after.map((row) => complete(model, row)) as never[];
    },

    async pickRange(model, columns, range) {
      const changes = byModel.get(model) ?? [];
      if (changes.length === 0) return base.rows.pickRange(model, columns, range);
      const changing = new Set(columnsIn(changes));
      const constant = Object.fromEntries(Object.entries(range.equal).filter(([name]) => !changing.has(name)));
      const needed = existing(model, ['id', ...columns, ...Object.keys(range.equal), ...changing]);
      const { greaterThan = '', lessThan = '~', ascending, take } = range;
      const within = (all: readonly object[], deltas: readonly RowDelta[]) =>
        withDeltas(all, deltas)
          .map((row) => complete(model, row))
          .filter((row) => Object.entries(range.equal).every(([name, value]) => row[name] === value))
          .filter(({ id }) => String(id) > String(greaterThan) && String(id) < String(lessThan));
      const ofStored = changes.filter(({ kind }) => kind !== 'create');
      const all: AnyRow[] = [];
      // As many as are wanted, although the change takes some of them away.
      for (let bounds = {}; ; ) {
        const page = await picked(base, model).range(needed, { ...range, ...bounds, equal: constant });
        all.push(...page);
        if (page.length < take || within(all, ofStored).length >= take) break;
        const last = String(page.at(-1)?.id);
        bounds = ascending ? { greaterThan: last } : { lessThan: last };
      }
      const found = within(all, changes).sort((one, other) =>
        String(one.id) < String(other.id) === ascending ? -1 : 1,
      );
      // As above.
      return found.slice(0, take) as never[];
    },
  };
  // What is left out is not there: whoever reads it would get what is stored, and take it for what is proposed.
  return { ...base, database, rows: rows as AccountView['rows'] };
}

/** The reads of a view by the name of a model, which is known only at run time. */
function picked({ rows }: AccountView, model: string) {
  // The models of a delta are those that collections and records write.
  const named = model as never;
  return {
    pick: (columns: readonly string[], column: string, values: readonly string[]): Promise<AnyRow[]> =>
      rows.pick(named, columns as 'id'[], column as 'id', values),
    range: (columns: readonly string[], range: RowRange): Promise<AnyRow[]> =>
      rows.pickRange(named, columns as 'id'[], range),
  };
}

const { models } = getDatamodel().datamodel;

/** A column by which rows belong to those of another model, with which the database deletes them. */
interface Whole {
  readonly column: string;
  readonly whole: string;
  readonly key: string;
}

function wholesOf(model: string): Whole[] {
  return (models[model]?.fields ?? []).flatMap(({ kind, type, relationFromFields }) => {
    const [column, ...others] = kind === 'object' ? (relationFromFields ?? []) : [];
    const key = models[type]?.fields.find(({ isId }) => isId)?.name ?? 'id';
    return column === undefined || others.length > 0 ? [] : [{ column, whole: type, key }];
  });
}

/** Returns each of the columns once, if the model has it. */
function existing(model: string, columns: readonly string[]): string[] {
  const known = new Set((models[model]?.fields ?? []).flatMap(({ kind, name }) => (kind === 'object' ? [] : name)));
  return [...new Set(columns)].filter((name) => known.has(name));
}

/** Gives a new row the columns that the database would give it: those with a default or without a value. */
function complete(model: string, row: AnyRow): AnyRow {
  const given: Record<string, unknown> = {};
  for (const { kind, name, type, isRequired } of models[model]?.fields ?? []) {
    if (kind === 'object' || row[name] !== undefined) continue;
    given[name] = isRequired ? defaults[type] : null;
  }
  return { ...given, ...row };
}

/** The defaults of columns, by their type: those that decide something are all of these. */
const defaults: Readonly<Record<string, unknown>> = { Int: 0, String: '', Boolean: false, BigInt: 0n };
