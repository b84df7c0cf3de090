// Objects that are created when they are first used.

/** An object that is created when one of its properties is first read. */
export interface MadeLater<T> {
  /** Stands in for the object: its properties can be read, but not set or listed. */
  readonly standIn: T;
  /** Returns the object if it has been created. */
  made(): T | undefined;
}

/**
 * Creates an object when one of its properties is first read. Prisma's client unpacks a description of all queries when it is
 * created, which takes 5 MB and a thirtieth of the processor time of a start, and many servers never plan a query.
 */
export function makeLater<T extends object>(make: () => T): MadeLater<T> {
  let made: T | undefined;
  const object = () => {
    made ??= make();
    return made;
  };
  // The target itself is never used.
  const standIn = new Proxy({} as T, {
    get: (_, name) => Reflect.get(object(), name),
    has: (_, name) => Reflect.has(object(), name),
    set: () => false,
    defineProperty: () => false,
  });
  return { standIn, made: () => made };
}
