import { useSyncExternalStore } from 'react';
import type { Store } from './store.ts';

/** Returns the value of a store, and renders the component again when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.watch, store.get);
}
