// What is made when it is first used.

/** An object that is made when something of it is first asked for. */
export interface MadeLater<T> {
  /** Stands for it: what the object has can be asked for. Nothing can be put into it, and it lists nothing. */
  readonly standIn: T;
  /** Gives it if it has been made. */
  made(): T | undefined;
}

/**
 * Makes an object when something of it is first asked for. Prisma's client unpacks a description of all queries when it is made, which
 * takes 5 MB and a thirtieth of the processor time of a start, and many servers never plan a query.
 */
export function makeLater<T extends object>(make: () => T): MadeLater<T> {
  let made: T | undefined;
  const object = () => {
    made ??= make();
    return made;
  };
  // Its target is never asked for anything.
  const standIn = new Proxy({} as T, {
    get: (_, name) => Reflect.get(object(), name),
    has: (_, name) => Reflect.has(object(), name),
    set: () => false,
    defineProperty: () => false,
  });
  return { standIn, made: () => made };
}
