// The order in which the changes of a draft can be stored: as they were made there, as far as references let them.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChangedObject, Difference } from './drafted-rows.ts';
import { rowsOfStatementMax } from './list-writes.ts';

/** A row that belongs to an object. */
export interface DraftedPart {
  /** The id of the object. */
  readonly whole: string;
  readonly difference: Difference;
}

/** What the order is made of. */
interface Ordered {
  readonly objects: ReadonlyMap<string, ChangedObject>;
  readonly parts: readonly DraftedPart[];
  /** When an object was changed in the draft: a new one first, any other one last. */
  readonly madeAt: (object: ChangedObject) => number;
  /** The deleted object with which an object is deleted; undefined for none. */
  readonly deletedWith: (object: ChangedObject) => ChangedObject | undefined;
}

/** Comes after what is at the same place, and before whatever is at the next one, however many refer to each other. */
const justAfter = 2 ** -20;

/**
 * Orders objects. One that refers to a new object comes after that, and one that is deleted after those that have referred to it, even
 * if they were changed again, or made earlier: each is stored once, as it is in the end.
 */
export async function orderedForStoring({ objects, parts, madeAt, deletedWith }: Ordered): Promise<ChangedObject[]> {
  const storedWith = (object: ChangedObject): ChangedObject => {
    const whole = deletedWith(object);
    return whole === undefined ? object : storedWith(whole);
  };
  const earlierThan = new Map<ChangedObject, Set<ChangedObject>>();
  const putAfter = (later: ChangedObject, earlier: ChangedObject) => {
    if (later !== earlier) earlierThan.set(later, (earlierThan.get(later) ?? new Set()).add(earlier));
  };
  const named = (value: unknown) => (typeof value === 'string' ? objects.get(value) : undefined);
  let seen = 0;
  for (const { whole, difference } of [
    ...[...objects].map(([whole, { own }]) => ({ whole, difference: own })),
    ...parts,
  ]) {
    seen += 1;
    if (seen % rowsOfStatementMax === 0) await nextTurn();
    const referrer = objects.get(whole);
    if (referrer === undefined) continue;
    for (const value of Object.values(difference.before ?? {})) {
      const gone = named(value);
      if (gone?.action === 'delete') putAfter(storedWith(gone), storedWith(referrer));
    }
    for (const value of Object.values(difference.after ?? {})) {
      const made = named(value);
      if (made?.action === 'create') putAfter(referrer, made);
    }
  }
  const places = new Map<ChangedObject, number>();
  const placeOf = (object: ChangedObject): number => {
    const known = places.get(object);
    if (known !== undefined) return known;
    const own = madeAt(object);
    // For objects that refer to each other, which no order could satisfy.
    places.set(object, own);
    const earlier = [...(earlierThan.get(object) ?? [])].map((each) => placeOf(each) + justAfter);
    const place = earlier.reduce((latest, each) => Math.max(latest, each), own);
    places.set(object, place);
    return place;
  };
  return [...objects.values()]
    .filter((object) => deletedWith(object) === undefined)
    .sort((a, b) => placeOf(a) - placeOf(b));
}
