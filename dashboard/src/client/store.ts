// An observable value.

/** A value that notifies its watchers when it changes. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  /** Calls back after each change. Returns a function that ends it. */
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
