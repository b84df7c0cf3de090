// The turns of objects: of two changes of one object, the second begins to write only after the first has committed, so that
// commits follow version order. Parts share the turns of the whole that they are deleted with: that deletion is their last event.

import { getOrInsertComputed } from '../../domain/values/maps.ts';
import type { Dialect } from '../sql/dialect.ts';
import { joined, type Sql, sql, toPowerOfTwo, verbatim } from '../sql/statement.ts';
import { quote } from '../sql/statement-values.ts';
import type { RowWriter, Write } from './changes.ts';
import { parentColumns } from './object-state.ts';

/** An object that a change writes to, whether or not its answer shows that. */
export interface WrittenObject {
  readonly model: string;
  readonly id: string;
  /** The columns of an object that is created, with its version if it existed before; null if it exists already. */
  readonly made: object | null;
}

/** A turn that a change waits for. */
export interface Turn {
  /** The first write of the change, which waits for the changes of all servers. */
  readonly write: Write;
  /**
   * The key of one of the objects, by which changes in this process wait for each other without holding a connection. An existing
   * part has its own key: only the database knows its whole, and looking it up would cost each change a round trip. So changes of
   * ten parts of one whole hold ten connections, up to the account's limit, while they wait for one lock.
   */
  readonly key: string;
}

/** Returns the turn that a change waits for; null if it need not wait. */
export type TurnOf = (objects: readonly WrittenObject[]) => Turn | null;

/**
 * Most keys that one change waits for. One that writes to more objects waits for all changes of the account, and they for it:
 * PostgreSQL keeps each lock in memory that all sessions share, 6,400 by default.
 */
const keysMax = 256;

/** Creates the function that writes the turns of an account. */
export function createTurnsOf(rowWriter: RowWriter, dialect: Dialect): (accountId: string) => TurnOf {
  const { turns } = dialect.commitOrder;
  if (turns === null) return () => () => null;

  /** Writes the keys of parts: those of their wholes. A part never changes its whole. */
  const keysOfParts = (accountId: string, model: string, ids: readonly string[]) => {
    const [table, parent] = [verbatim(quote(model)), verbatim(quote(parentColumns.get(model) ?? ''))];
    return sql`SELECT p.${parent} || ${accountId} FROM ${table} p
      WHERE p."accountId" = ${accountId} AND p."id" IN (${joined(toPowerOfTwo(ids))})`;
  };

  return (accountId) => (objects) => {
    const wholes = new Set<string>();
    const parts = new Map<string, string[]>();
    for (const { model, id, made } of objects) {
      const parent = parentColumns.get(model);
      if (parent !== undefined && made !== null) wholes.add(String(Reflect.get(made, parent)));
      else if (parent !== undefined) getOrInsertComputed(parts, model, (): string[] => []).push(id);
      // Nobody else can know the id of a new object.
      else if (made === null || 'version' in made) wholes.add(id);
    }
    const [first] = [...wholes, ...[...parts.values()].flat()];
    if (first === undefined) return null;
    const key = keyOf(accountId, first);
    const account = keyOf(accountId, 'changes of ');
    const count = wholes.size + [...parts.values()].reduce((sum, { length }) => sum + length, 0);
    if (count > keysMax) return { write: rowWriter(turns.takeWhole(account)), key };
    if (parts.size === 0 && count === 1) return { write: rowWriter(turns.take(account, key)), key };
    const keys: Sql[] = [...parts].map(([model, ids]) => keysOfParts(accountId, model, ids));
    if (wholes.size > 0) keys.unshift(keysOfWholes(accountId, [...wholes]));
    const write = rowWriter(
      turns.takeAll(
        account,
        keys.reduce((all, some) => sql`${all} UNION ALL ${some}`),
      ),
    );
    return { write, key };
  };
}

/** Returns the key of a whole. It includes the account, so that no id can hold up another account. */
function keyOf(accountId: string, id: string): string {
  return id + accountId;
}

function keysOfWholes(accountId: string, ids: readonly string[]): Sql {
  const rows = toPowerOfTwo(ids).map((id) => sql`(CAST(${keyOf(accountId, id)} AS TEXT))`);
  return sql`SELECT w.key FROM (VALUES ${joined(rows)}) w(key)`;
}
