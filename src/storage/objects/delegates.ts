// Prisma's delegates, through which its client reads and writes the rows of a model.

import type { Prisma } from '../generated/client/client.ts';

/** The part of a Prisma delegate that reads, the same for every model. */
export interface ReadingDelegate {
  findFirst(args: object): Promise<object | null>;
  findMany(args: object): Promise<Record<string, unknown>[]>;
  count(args: object): Promise<number>;
}

/** The part of a Prisma delegate that writes, the same for every model. */
export interface WritingDelegate {
  create(args: object): Prisma.PrismaPromise<object>;
  /** `data` has a different type for every model. */
  createMany(args: { data: never[] }): Prisma.PrismaPromise<object>;
  update(args: object): Prisma.PrismaPromise<object>;
  upsert(args: object): Prisma.PrismaPromise<object>;
  delete(args: object): Prisma.PrismaPromise<object>;
  updateMany(args: object): Prisma.PrismaPromise<object>;
  deleteMany(args: object): Prisma.PrismaPromise<{ count: number }>;
}

/** Returns the name that Prisma's client gives the delegate of a model. */
export function delegateName<M extends string>(model: M): Uncapitalize<M> {
  // The same as the type `Uncapitalize`, at run time.
  return `${model.charAt(0).toLowerCase()}${model.slice(1)}` as Uncapitalize<M>;
}
