// Fields that show a column as it is stored, or the object that it names: what `t.field` and its like take.

import type { EnumRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { readChoice, readTextList } from '../../domain/values/decode.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import type { ObjectReads, ResourceModel } from '../../storage/objects/collection.ts';
import { loadByIds, loadNamed } from './batch.ts';
import type { Context } from './context.ts';
import { ofColumns } from './fields.ts';
import type { SchemaTypes } from './resource.ts';

type Having<K extends string> = Readonly<Record<K, string>>;

/** A list of texts, for `t.stringList`. */
export const textsOf = <K extends string>(column: K, description: string) => ({
  description,
  ...ofColumns(column),
  resolve: (row: Readonly<Record<K, unknown>>) => readTextList(row[column]),
});

/** A value of an enum. */
export const choiceOf = <K extends string, V extends string>(
  column: K,
  type: EnumRef<SchemaTypes, V>,
  choices: readonly V[],
  description: string,
) => ({ type, description, ...ofColumns(column), resolve: (row: Having<K>) => readChoice(choices, row[column]) });

/** An object that exists as long as those that name it. */
export const namedBy = <K extends string, M extends ResourceModel>(
  column: K,
  type: M,
  collection: ObjectReads<M>,
  description: string,
) => ({
  type,
  description,
  ...ofColumns(column),
  resolve: (row: Having<K>, _args: object, context: Context, info: GraphQLResolveInfo) =>
    loadNamed(collection, row[column], context, info),
});

/** An object, given an id that may be one of another kind: null then, and if the object does not exist any more. */
export const objectOf = <P, M extends ResourceModel>(
  idOf: (parent: P) => string | null,
  type: M,
  collection: ObjectReads<M>,
  description: string,
) => ({
  type,
  nullable: true as const,
  description,
  resolve: async (parent: P, _args: object, context: Context, info: GraphQLResolveInfo) => {
    const id = idOf(parent);
    if (id === null || !isIdOf(type, id)) return null;
    const [found] = await loadByIds(collection, [id], context, info);
    return found ?? null;
  },
});
