import { useSyncExternalStore } from 'react';
import type { Store } from './store.ts';

/** Gives the value of a store, in a component that is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.watch, store.get);
}
