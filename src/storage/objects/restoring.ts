// How objects are restored to earlier states. Each area defines this for its kinds, next to their other changes, in a
// `restore-store.ts`; the earlier states come from the trail (`areas/audit-events/restore-store.ts`).

import * as z from 'zod';
import type { KeyScope } from '../../domain/access/key-scopes.ts';
import { SallyportError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ip/cidr.ts';
import type { OwnTraffic } from '../../domain/ip/own-traffic.ts';
import type { ActedList } from '../../domain/ip/range-list.ts';
import type { StoredRule } from '../../domain/ip/rule-end.ts';
import type { Kind } from '../../domain/values/ids.ts';
import { readJsonObject } from '../../domain/values/json.ts';
import { called } from '../../domain/wording.ts';
import type { AccountScope, AccountView } from './account-scope.ts';
import type { Collection, ExpectedVersion, NewObject, ResourceModel, Row } from './collection.ts';
import { findNameables } from './names.ts';

/** What is needed to keep a change from locking out its caller. */
export interface Lockout {
  /** Address of the client; null if unknown. */
  readonly address: Address | null;
  /** The type of IP restriction that could lock the caller out. */
  readonly traffic: OwnTraffic;
  /** Throws LOCKOUT if a change of an IP policy's rules or lists would lock the caller out. */
  readonly refuseByPolicy: (
    findPolicy: () => Promise<string>,
    rulesAfter: (rules: readonly StoredRule[]) => readonly StoredRule[],
    listsAfter?: (lists: readonly ActedList[]) => readonly ActedList[],
  ) => Promise<void>;
}

export interface Restoring {
  readonly scope: AccountScope;
  /** The account with its trail, in which names of what has been deleted are found: that of a draft has only the draft's own changes. */
  readonly trail: AccountView;
  /** Null if nobody can be locked out, or a lockout is intended. */
  readonly lockout: Lockout | null;
  /** What the caller may do: nobody gives others more by restoring a role. */
  readonly rights: ReadonlySet<KeyScope>;
  /** The person who acts; absent for others. */
  readonly personId?: string | undefined;
  /** Counts rows that are about to be written besides the object. The work goes on with its promise. Throws as `Pace.looked`. */
  readonly writes: (rows: number) => void | Promise<void>;
  /** Fires when nobody is waiting for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does a part of a restoration. If the restored object refers to one that does not exist any more, throws UNKNOWN_REFERENCE with a
 * message that names both as people know them: neither is in the input.
 *
 * @param restored says what is restored, with its name
 */
export async function namingMissing<T>(trail: AccountView, restored: () => string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SallyportError) || error.missing === undefined) throw error;
    const { what, id } = error.missing;
    const nameableOf = await findNameables(trail, [id]);
    throw new SallyportError(
      'UNKNOWN_REFERENCE',
      `${restored()} referred to the ${what} ${called(nameableOf(id))}, which has been deleted since. Restore that first, from the event of its deletion in the audit trail.`,
      { field: 'eventId' },
    );
  }
}

export interface EarlierObject<S> {
  readonly id: string;
  readonly state: S;
}

/** A deleted object with its id, its creation time, and the version that follows that of its deletion. */
export interface DeletedObject<S> {
  readonly object: Required<NewObject>;
  readonly state: S;
  readonly parts: readonly DeletedObject<unknown>[];
}

/** Reads a deleted object from the event of its deletion. */
export function deletedObject(
  { objectId, version, state: text }: Pick<Row<'AuditEvent'>, 'objectId' | 'version' | 'state'>,
  parts: readonly DeletedObject<unknown>[] = [],
): DeletedObject<unknown> {
  const state = readJsonObject(text);
  const createdAt = new Date(String(state.createdAt));
  return { object: { id: objectId, createdAt, version: version + 1 }, state, parts };
}

type Restored = Promise<{ readonly version: number }>;

/** Restores the objects of a kind. Both operations obey today's rules, and throw as other changes do. */
export interface Restorer<S = unknown> {
  /** Restores the fields of an existing object. What the trail does not hold, such as secrets, stays as it is. */
  readonly update: (restoring: Restoring, earlier: EarlierObject<S>, expectedVersion: ExpectedVersion) => Restored;
  /** Recreates a deleted object with its parts; a sentence that says why not if that is impossible. */
  readonly recreate: string | ((restoring: Restoring, deleted: DeletedObject<S>) => Restored);
  /** Whether restoring may generate keys. Kinds without keys need not wait for key generation. */
  readonly generatesKeys?: boolean;
}

export type Restorers = Readonly<Partial<Record<Kind, Restorer>>>;

export const notesState = z.object({ description: z.string(), metadata: z.string() });

/** Creates the restorer of objects of which only the notes can be restored. `recreate` says why a deleted one cannot come back. */
export function notesRestorer(
  { updateNotes }: Pick<Collection<ResourceModel>, 'updateNotes'>,
  recreate: string,
): Restorer {
  return restorer(notesState, {
    update: ({ scope }, { id, state }, expectedVersion) => updateNotes(scope, { ...state, id, expectedVersion }),
    recreate,
  });
}

/**
 * Creates a restorer that parses states by their shape. The trail was checked when it was written, so a state of any other shape is
 * a broken invariant and throws an `Error`.
 */
export function restorer<S>(shape: z.ZodType<S>, { update, recreate, generatesKeys = false }: Restorer<S>): Restorer {
  return {
    generatesKeys,
    update: (restoring, { id, state }, expectedVersion) =>
      update(restoring, { id, state: shape.parse(state) }, expectedVersion),
    recreate:
      typeof recreate === 'string'
        ? recreate
        : (restoring, deleted) => recreate(restoring, { ...deleted, state: shape.parse(deleted.state) }),
  };
}
