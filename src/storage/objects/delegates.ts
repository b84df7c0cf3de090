// Prisma's delegates, through which its client reads the rows of a model.

/** The part of a Prisma delegate that reads, the same for every model. */
export interface ReadingDelegate {
  findFirst(args: object): Promise<object | null>;
  findMany(args: object): Promise<Record<string, unknown>[]>;
  count(args: object): Promise<number>;
}

/** Returns the name that Prisma's client gives the delegate of a model. */
export function delegateName<M extends string>(model: M): Uncapitalize<M> {
  // The same as the type `Uncapitalize`, at run time.
  return `${model.charAt(0).toLowerCase()}${model.slice(1)}` as Uncapitalize<M>;
}
