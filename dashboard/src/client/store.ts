// A value that can be watched.

/** A value that changes, and tells those who watch it. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  /** Calls back after each change, until the function that it returns is called. */
  watch(changed: () => void): () => void;
}

/** Creates a store. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const watchers = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const changed of [...watchers]) changed();
    },
    watch(changed) {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
  };
}
