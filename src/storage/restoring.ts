// How objects get back what they were. Each area says it of its kinds, beside their other changes, in a `restore-store.ts`; the trail
// says what they were (`areas/audit-events/restore-store.ts`).

import * as z from 'zod';
import type { Address } from '../domain/cidr.ts';
import type { Kind } from '../domain/ids.ts';
import type { OwnTraffic } from '../domain/own-traffic.ts';
import type { DecidingRule } from '../domain/rule-table.ts';
import type { AccountScope } from './account-scope.ts';
import type { ExpectedVersion, NewObject } from './collection.ts';

/** What keeps a change from shutting out whoever makes it. */
export interface Lockout {
  /** Address of the client; null where it is not known. */
  readonly address: Address | null;
  /** The type of IP restrictions that would shut the caller out. */
  readonly traffic: OwnTraffic;
  /** Refuses a change of the rules of an IP policy with LOCKOUT. */
  readonly refuseByPolicy: (
    findPolicy: () => Promise<string>,
    rulesAfter: (rules: readonly DecidingRule[]) => readonly DecidingRule[],
  ) => Promise<void>;
}

/** Who puts something back. */
export interface Restoring {
  readonly scope: AccountScope;
  /** Null where nobody can be shut out, or it is meant. */
  readonly lockout: Lockout | null;
  /** Fires when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** An object as it was. */
export interface EarlierObject<S> {
  readonly id: string;
  readonly state: S;
}

/** An object that has been deleted, with its id, its time of creation, and the version after the one that its deletion had. */
export interface DeletedObject<S> {
  readonly object: Required<NewObject>;
  readonly state: S;
  /** The objects that ended with it. */
  readonly parts: readonly DeletedObject<unknown>[];
}

/** The object as it is afterwards. */
type Restored = Promise<{ readonly version: number }>;

/** How the objects of a kind get back what they were. Both obey the rules that stand today, and throw as other changes do. */
export interface Restorer<S = unknown> {
  /** Puts back the fields of an object that is there. What the trail does not hold, such as secrets, stays as it is. */
  readonly update: (restoring: Restoring, earlier: EarlierObject<S>, expectedVersion: ExpectedVersion) => Restored;
  /** Makes an object again that is gone, with its parts. A sentence that says why where that cannot be. */
  readonly recreate: string | ((restoring: Restoring, deleted: DeletedObject<S>) => Restored);
  /** Whether it may have to generate keys: it keeps nothing waiting that has none. */
  readonly generatesKeys?: boolean;
}

/** How objects get back what they were, by their kinds. */
export type Restorers = Readonly<Partial<Record<Kind, Restorer>>>;

/** What every state has that an area gives notes to. */
export const notesState = z.object({ description: z.string(), metadata: z.string() });

/**
 * Makes a restorer that reads states by their shape: what the trail holds was checked when it was written, so that anything else is
 * a broken invariant, and an `Error`.
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
