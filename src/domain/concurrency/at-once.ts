// Runs the next step of work synchronously if its input is in memory, and later if the input has to be read. Pure.

/** A value that is available now, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Continues with a value, synchronously and without a promise if it is available. `await` would defer available values too, which
 * costs the gate as much as its decision.
 */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Returns whether a value is a promise, including those of Prisma. Client data may have a key `then`, but holds no functions. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
