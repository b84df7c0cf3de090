// What somebody is about to change of an object, while others may change it as well.

import { useCallback, useEffect, useState } from 'react';
import { holdUnsaved } from './unsaved.ts';

/** Values of a form. They are compared as JSON. */
export type Values = Readonly<Record<string, unknown>>;

/** A field that somebody else has changed since the form was opened. */
export interface Clash {
  readonly field: string;
  readonly before: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
}

/** A form under edit. */
export interface Draft<V extends Values> {
  readonly values: V;
  set(changes: Partial<V>): void;
  /** Whether anything differs from the object as the form knows it. */
  readonly isDirty: boolean;
  /** What of the object, as the form knows it, is to be changed. */
  readonly changes: Partial<V>;
  /** The version that the changes are based on: send it as `expectedVersion`. */
  readonly version: number;
  /** What somebody else has changed meanwhile of what the form shows; null if nobody has. */
  readonly clashes: readonly Clash[] | null;
  /** Goes on from the object as it is now; what was entered stays where it was entered. */
  keepMine(): void;
  /** Forgets what was entered. */
  reset(): void;
  /**
   * Tells that it was saved, as this version: the form begins anew once that is there. The server may not keep quite what was entered,
   * such as hosts in full or lists without their empty lines: it would look as if somebody else had changed it.
   */
  saved(version: number): void;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Gives the fields in which values differ, with what they are in `after`. */
function difference<V extends Values>(before: V, after: V): Partial<V> {
  const changes: Partial<V> = {};
  for (const field of Object.keys(after) as (keyof V)[]) {
    if (!same(before[field], after[field])) changes[field] = after[field];
  }
  return changes;
}

/**
 * Keeps what is entered into a form. As long as that is nothing, the form follows the object. Afterwards it stays as it is, and says
 * what others have changed of it; of what it does not show, it goes on from the newest version.
 *
 * @param current the values of the object as it is now
 * @param version the version of the object as it is now
 * @param isSaving whether it is being saved: meanwhile the object may be shown as if it were already, which the server may yet refuse
 */
export function useDraft<V extends Values>(current: V, version: number, isSaving: boolean): Draft<V> {
  const [base, setBase] = useState({ values: current, version });
  const [values, setValues] = useState(current);
  const [savedVersion, setSavedVersion] = useState<number | null>(null);
  const isDirty = !same(base.values, values);
  const isBehind = version > base.version;
  // The same version may come with other values: what was shown before it was saved was refused, or was read in part.
  const hasMoved = isBehind || !same(base.values, current);
  const isSaved = savedVersion !== null && version >= savedVersion;
  const reset = useCallback(() => {
    setBase({ values: current, version });
    setValues(current);
    setSavedVersion(null);
  }, [current, version]);
  useEffect(() => {
    if (!isSaving && ((hasMoved && !isDirty) || isSaved)) reset();
  }, [hasMoved, isDirty, isSaved, isSaving, reset]);
  useEffect(() => (isDirty ? holdUnsaved() : undefined), [isDirty]);
  const mine = difference(base.values, values);
  const clashes: Clash[] = [];
  for (const field of Object.keys(current)) {
    if (same(base.values[field], current[field]) || same(values[field], current[field])) continue;
    clashes.push({ field, before: base.values[field], theirs: current[field], mine: values[field] });
  }
  const keepMine = () => {
    setBase({ values: current, version });
    setValues({ ...current, ...mine });
  };
  const isOvertaken = isBehind && isDirty && !isSaving && savedVersion === null;
  // Parts of an object that have forms of their own share its version: saving one is no change of the others. Nor is what somebody else
  // has changed to what was entered here.
  const isUntouched = isOvertaken && clashes.length === 0;
  useEffect(() => {
    if (isUntouched) keepMine();
  });
  return {
    values,
    isDirty,
    changes: mine,
    version: base.version,
    clashes: isOvertaken && !isUntouched ? clashes : null,
    set: (changes) => setValues((before) => ({ ...before, ...changes })),
    keepMine,
    reset,
    saved: setSavedVersion,
  };
}
