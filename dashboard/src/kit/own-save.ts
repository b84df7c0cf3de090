import { useEffect, useState } from 'react';
import type { Draft, Values } from './draft.ts';

/**
 * Has a form begin anew once what it saved is there, where that is not quite what was entered: the server writes hosts in full, and
 * empty lines are not sent. Otherwise it would look as if somebody else had changed it.
 *
 * @param version the version of the object as it is now
 * @param running whether it is being saved
 * @returns the form as it is to be shown, and a function that is told the version that was saved
 */
export function useOwnSave<V extends Values>(draft: Draft<V>, version: number, running: boolean) {
  const [saved, setSaved] = useState<number | null>(null);
  const { reset } = draft;
  useEffect(() => {
    if (saved === null || version < saved) return;
    reset();
    setSaved(null);
  }, [saved, version, reset]);
  const shown: Draft<V> = running || saved !== null ? { ...draft, clashes: null } : draft;
  return { shown, saved: (at: number) => setSaved(at) };
}
