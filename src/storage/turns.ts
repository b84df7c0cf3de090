// The turns of objects: of two changes of one object, the second begins to write when the first is committed, so that the order of
// commits is that of its versions. Parts share the turns of the whole that they are deleted with, because that deletion is their last event.

import type { RowWriter, Write } from './changes.ts';
import type { Dialect } from './engine.ts';
import { parentColumns } from './object-state.ts';
import { joined, type Sql, sql, toPowerOfTwo, verbatim } from './statement.ts';

/** An object that a change writes to, whether its answer shows that or not. */
export interface WrittenObject {
  readonly model: string;
  readonly id: string;
  /** The columns of one that is made, with its version if it had one before; null where it is there already. */
  readonly made: object | null;
}

/** What a change waits for. */
export interface Turn {
  /** The first of its writes, which waits for the changes of all servers. */
  readonly write: Write;
  /**
   * The key of one of its objects, by which changes in this process wait for each other without a connection. An existing part has a key
   * of its own: only the database knows its whole, and asking first would cost each change a round trip. So changes of ten parts of one
   * whole hold ten connections, up to the account's bound, while they wait for one lock.
   */
  readonly key: string;
}

/** Tells what a change waits for; null where it need not. */
export type TurnOf = (objects: readonly WrittenObject[]) => Turn | null;

/** Creates what writes the statements of an account. */
export function createTurnsOf(rowWriter: RowWriter, dialect: Dialect): (accountId: string) => TurnOf {
  const { turns } = dialect.commitOrder;
  if (turns === null) return () => () => null;

  /** Writes the keys of parts: each that of its whole, which it never changes. */
  const keysOfParts = (accountId: string, model: string, ids: readonly string[]) => {
    const [table, parent] = [verbatim(dialect.quote(model)), verbatim(dialect.quote(parentColumns.get(model) ?? ''))];
    return sql`SELECT p.${parent} || ${accountId} FROM ${table} p
      WHERE p."accountId" = ${accountId} AND p."id" IN (${joined(toPowerOfTwo(ids))})`;
  };

  return (accountId) => (objects) => {
    const wholes = new Set<string>();
    const parts = new Map<string, string[]>();
    for (const { model, id, made } of objects) {
      const parent = parentColumns.get(model);
      if (parent !== undefined && made !== null) wholes.add(String(Reflect.get(made, parent)));
      else if (parent !== undefined) parts.set(model, [...(parts.get(model) ?? []), id]);
      // Nobody else can know the id of a new one.
      else if (made === null || 'version' in made) wholes.add(id);
    }
    const [first] = [...wholes, ...[...parts.values()].flat()];
    if (first === undefined) return null;
    const key = keyOf(accountId, first);
    if (parts.size === 0 && wholes.size === 1) return { write: rowWriter(turns.take(key)), key };
    const keys: Sql[] = [...parts].map(([model, ids]) => keysOfParts(accountId, model, ids));
    if (wholes.size > 0) keys.unshift(keysOfWholes(accountId, [...wholes]));
    const write = rowWriter(turns.takeAll(keys.reduce((all, some) => sql`${all} UNION ALL ${some}`)));
    return { write, key };
  };
}

/** Gives the key of a whole. The account is a part of it: nobody can hold up another one, by whatever id. */
function keyOf(accountId: string, id: string): string {
  return id + accountId;
}

/** Writes the keys of wholes. */
function keysOfWholes(accountId: string, ids: readonly string[]): Sql {
  const rows = toPowerOfTwo(ids).map((id) => sql`(CAST(${keyOf(accountId, id)} AS TEXT))`);
  return sql`SELECT w.key FROM (VALUES ${joined(rows)}) w(key)`;
}
