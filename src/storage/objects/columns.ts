// The types of what collections read and write. They are derived from Prisma's types, so that a name that the model does not have
// does not compile, and omit what the storage supplies by itself.

import type { Kind } from '../../domain/values/ids.ts';
import type { Prisma } from '../generated/client/client.ts';

type Models = Prisma.TypeMap['model'];

export type Row<M extends keyof Models> = Models[M]['payload']['scalars'];

/** Names of the models whose rows clients address by id. */
export type ResourceModel = {
  [M in keyof Models]: Row<M> extends { id: string; accountId: string; version: number } ? M : never;
}[keyof Models] &
  Kind;

export type RecordModel = Exclude<
  { [M in keyof Models]: Row<M> extends { accountId: string } ? M : never }[keyof Models],
  ResourceModel
>;

type Whole = Date | Uint8Array | ((...args: never) => unknown);

type Without<T, K extends string> = T extends unknown ? { [P in keyof T as Exclude<P, K>]: T[P] } : never;

/** What Prisma needs of one of many new rows: columns, and no rows of other models. */
type NewRow<M extends keyof Models> = Exclude<
  Models[M]['operations']['createMany']['args']['data'],
  readonly unknown[]
>;

export type NewColumns<M extends ResourceModel> = object &
  Without<NewRow<M>, 'id' | 'accountId' | 'createdAt' | 'updatedAt' | 'version'>;

export type NewRecord<M extends RecordModel> = object & Without<NewRow<M>, 'accountId'>;

/**
 * A change to a row: only the named columns change. The version is incremented automatically, except in a change prepared alongside
 * another.
 */
export type Columns<M extends ResourceModel> = object &
  Without<Models[M]['operations']['updateMany']['args']['data'], 'id' | 'accountId' | 'createdAt' | 'updatedAt'>;

export type Conditions<M extends keyof Models> = NonNullable<Models[M]['operations']['count']['args']['where']>;

/**
 * Forbids names that are not in `Allowed`, at any depth, and also where the compiler would overlook them: in a variable or after
 * `...`.
 */
export type Only<T, Allowed> = unknown extends Allowed
  ? unknown
  : T extends Whole | string | number | bigint | boolean | null | undefined
    ? unknown
    : T extends readonly (infer I)[]
      ? readonly Only<I, Allowed extends readonly (infer A)[] ? A : Allowed>[]
      : { readonly [K in keyof T]: K extends KeyOfAny<Allowed> ? Only<T[K], ValueOf<Allowed, K>> : never };
type KeyOfAny<T> = T extends unknown ? keyof T : never;
type ValueOf<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
