// The types of what collections read and write. They are derived from Prisma's types, so that a name that the model does not have
// does not compile, and omit what the storage supplies by itself.

import type { Kind } from '../../domain/values/ids.ts';
import type { Prisma } from '../generated/client/client.ts';

type Models = Prisma.TypeMap['model'];

/** The columns of a model. */
export type Row<M extends keyof Models> = Models[M]['payload']['scalars'];

/** Names of the models whose rows clients address by id. */
export type ResourceModel = {
  [M in keyof Models]: Row<M> extends { id: string; accountId: string; version: number } ? M : never;
}[keyof Models] &
  Kind;

/** Names of the models of an account whose rows are not objects. */
export type RecordModel = Exclude<
  { [M in keyof Models]: Row<M> extends { accountId: string } ? M : never }[keyof Models],
  ResourceModel
>;

/** Nested writes that could attach rows of another account. */
type Unbound = 'connect' | 'connectOrCreate';

type Whole = Date | Uint8Array | ((...args: never) => unknown);

/** A Prisma argument without the account, which is added to each row. */
type WithoutAccount<T> = T extends Whole
  ? T
  : T extends readonly (infer I)[]
    ? readonly WithoutAccount<I>[]
    : T extends object
      ? { [K in keyof T as Exclude<K, 'accountId' | Unbound>]: WithoutAccount<T[K]> }
      : T;

type Without<T, K extends string> = T extends unknown ? { [P in keyof T as Exclude<P, K>]: T[P] } : never;

/** The columns that a new row needs. */
export type NewColumns<M extends ResourceModel> = object &
  Without<
    WithoutAccount<Models[M]['operations']['create']['args']['data']>,
    'id' | 'createdAt' | 'updatedAt' | 'version'
  >;

/** The columns of a new row that is not an object. */
export type NewRecord<M extends RecordModel> = object &
  WithoutAccount<Models[M]['operations']['create']['args']['data']>;

/**
 * A change to a row: only the named columns change. The version is incremented automatically, except in a change prepared alongside
 * another.
 */
export type Columns<M extends ResourceModel> = object &
  Without<WithoutAccount<Models[M]['operations']['update']['args']['data']>, 'id' | 'createdAt' | 'updatedAt'>;

/** Conditions on rows. */
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

/** What an upsert of a relation takes, if the relation leads to at most one row. */
type Upsert<M extends ResourceModel, K> =
  ValueOf<NonNullable<ValueOf<Columns<M>, K>>, 'upsert'> extends infer U
    ? [Extract<U, readonly unknown[]>] extends [never]
      ? Extract<U, { create: unknown; update: unknown }>
      : never
    : never;

/** The modules of a model, by the names of their relations: parts of which an object has at most one each. */
export type ModuleOf<M extends ResourceModel> = {
  [K in keyof Relations<M>]: null extends Relations<M>[K] ? K : never;
}[keyof Relations<M>] &
  string;
/** Not read from what an update takes: computing that for all models takes the compiler half of its time. */
type Relations<M extends ResourceModel> = Models[M]['payload']['objects'];

/** What a module is set to. */
export interface ModuleValues<M extends ResourceModel, K extends ModuleOf<M>> {
  readonly create?: Upsert<M, K>['create'];
  readonly update?: Upsert<M, K>['update'];
}
