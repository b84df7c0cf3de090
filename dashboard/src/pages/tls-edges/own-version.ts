import { useEffect } from 'react';
import type { Draft, Values } from '../../kit/draft.ts';

/**
 * Has a form go on from the newest version where none of its own fields was changed: the parts of an edge share one version, so
 * that saving one of them must not look like a change of the others.
 */
export function useOwnVersion<V extends Values>(draft: Draft<V>): void {
  const isUntouched = draft.clashes?.length === 0;
  const { keepMine } = draft;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is another function each time, and does the same.
  useEffect(() => {
    if (isUntouched) keepMine();
  }, [isUntouched]);
}
