// Values that are kept with an object, such as a request, for as long as the object lives.

/** Keeps one value with each object. */
export interface KeptWith<K extends object, V> {
  /** Returns the value; undefined if none was set. */
  get(object: K): V | undefined;
  set(object: K, value: V): void;
}

/**
 * Creates a slot for values in objects. Copies of an object do not have its value. A `WeakMap` does the same, but a minor garbage
 * collection treats its values as live (V8 11.3): if a value references its object, as a loader does its request, both are promoted
 * to the old generation and stay until a major collection. In a loop that did nothing else, this took twice the time and promoted
 * 200 times the memory (measured).
 */
export function keptWith<K extends object, V>(): KeptWith<K, V> {
  const key = Symbol();
  return {
    // Only `set` below writes this property.
    get: (object) => (object as { [key]?: V })[key],
    set(object, value) {
      Object.defineProperty(object, key, { value, writable: true, configurable: true, enumerable: false });
    },
  };
}

/** Memoizes `make` for each object. If it throws, the next call tries again; a promise is kept even if it is rejected. */
export function keptOnce<K extends object, V>(make: (object: K) => V): (object: K) => V {
  const made = keptWith<K, { readonly value: V }>();
  return (object) => {
    const known = made.get(object);
    if (known !== undefined) return known.value;
    const value = make(object);
    made.set(object, { value });
    return value;
  };
}
