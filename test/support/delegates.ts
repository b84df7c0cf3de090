// Access to the rows of any model.

import type { PrismaClient } from '../../src/storage/generated/client/client.ts';

/** A row as Prisma returns it, of any model. */
export type Row = Record<string, unknown>;

/** The methods of Prisma's delegates that the tests use, the same for every model. */
export interface Delegate {
  findMany(args?: object): Promise<Row[]>;
  create(args: { data: Row }): Promise<Row>;
  createMany(args: { data: Row[] }): Promise<unknown>;
  update(args: object): Promise<Row>;
  deleteMany(args?: object): Promise<unknown>;
}

/** Returns the delegate of a model. Throws Error if there is none. */
export function delegateOf(client: PrismaClient, model: string): Delegate {
  // Delegates of different models have unrelated types, but share the methods used here.
  const delegates = client as unknown as Record<string, Delegate | undefined>;
  const delegate = delegates[model.replace(/^./, (first) => first.toLowerCase())];
  if (delegate === undefined) throw new Error(`Prisma has no ${model}.`);
  return delegate;
}
