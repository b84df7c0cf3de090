// Work whose next step is done at once where what it needs is in memory, and later where it has to be read. Pure.

/** A value that is known, or will be. */
export type Soon<T> = T | Promise<T>;

/**
 * Goes on with a value: at once if it is known, without a promise. `await` would defer known values as well, which costs the gate as
 * much as its decision.
 */
export function goOn<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
