// What is made when it is first used.

/**
 * Stands for an object that is made when something of it is first asked for. Prisma's client unpacks a description of all queries when it
 * is made, which takes 5 MB and a thirtieth of the processor time of a start, and many servers never plan a query.
 */
export function later<T extends object>(make: () => T): T {
  let made: T | undefined;
  const object = () => {
    made ??= make();
    return made;
  };
  // Nothing is asked of the target itself.
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(object(), name),
    has: (_, name) => Reflect.has(object(), name),
  });
}
