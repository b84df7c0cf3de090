// The state of a form that edits an object which others may change at the same time.

import { useCallback, useEffect, useState } from 'react';
import { holdUnsaved } from './unsaved.ts';

/** Values of a form. Compared as JSON. */
export type Values = Readonly<Record<string, unknown>>;

/** A field that somebody else has changed since the form was opened, with a value other than the one in the form. */
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
  /** Whether any value differs from the version of the object that the form is based on. */
  readonly isDirty: boolean;
  /** The values that differ from that version. */
  readonly changes: Partial<V>;
  /** The version that the changes are based on: send it as `expectedVersion`. */
  readonly version: number;
  /** The clashes that the user has to decide about; null if there are none. */
  readonly clashes: readonly Clash[] | null;
  /** Rebases the form on the current object, and keeps the user's changes. */
  keepMine(): void;
  /** Discards the user's changes. */
  reset(): void;
  /**
   * Records that the form was saved as this version: it is reset once that version arrives. The server may normalize what was
   * entered, for example complete hosts or drop empty lines, which would otherwise look like a change by somebody else.
   */
  saved(version: number): void;
}

/** Returns whether two values are the same as JSON. */
export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the fields that differ, with their values in `after`. */
function difference<V extends Values>(before: V, after: V): Partial<V> {
  const changes: Partial<V> = {};
  for (const field of Object.keys(after) as (keyof V)[]) {
    if (!same(before[field], after[field])) changes[field] = after[field];
  }
  return changes;
}

/**
 * Holds the values of a form. Until the user changes something, the form follows the object. Afterwards it keeps its values, and
 * reports which of its fields others have changed. If others have changed none of them, it moves on to the newest version.
 *
 * @param current the values of the object as it is now
 * @param version the version of the object as it is now
 * @param isSaving whether the form is being saved; meanwhile `current` may be optimistic, and the server may still refuse it
 */
export function useDraft<V extends Values>(current: V, version: number, isSaving: boolean): Draft<V> {
  const [base, setBase] = useState({ values: current, version });
  const [values, setValues] = useState(current);
  const [savedVersion, setSavedVersion] = useState<number | null>(null);
  const isDirty = !same(base.values, values);
  const isBehind = version > base.version;
  // The same version may come with other values, if an optimistic update was refused or the object was read only in part.
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
  // Several forms may edit parts of one object and share its version: saving one of them does not conflict with the others. Neither
  // does a change by somebody else to the very values entered here.
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
