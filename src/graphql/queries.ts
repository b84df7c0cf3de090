// The queries that every kind of object with a REST collection has: one object by its id, and the list.

import type { InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { CollectionKind } from '../domain/ids.ts';
import type { ObjectReads, ResourceModel, Row } from '../storage/collection.ts';
import { builder } from './builder.ts';
import { type IdBounds, resolveList, type Where } from './connection.ts';
import { connectionOf } from './connection-types.ts';
import { type Context, collectionUri } from './context.ts';
import { objectsOfLookup, pagePrice, pageSizeMax } from './limits.ts';
import { restQuery } from './next-page.ts';
import type { SchemaTypes } from './resource.ts';
import { needsTo } from './rights.ts';
import { selectionOf } from './selection.ts';

/** What builds the arguments of a field. */
type ArgBuilder = Parameters<Parameters<typeof builder.queryFields>[0]>[0]['arg'];

/** What both queries are called and say, and what narrows the list. */
interface QueryOptions<Filters extends InputFieldMap> {
  /** Its descriptions speak of the object as `noun`: "IP policy". */
  readonly one: { readonly name: string; readonly noun: string };
  readonly list: {
    readonly name: string;
    readonly description: string;
    /** The arguments that narrow the list. */
    readonly filters?: (arg: ArgBuilder) => Filters;
    /** Makes the condition out of them. Throws INVALID_INPUT. */
    readonly where?: (filters: InputShapeFromFields<Filters>, context: Context) => Where;
    /** Gives the column with the time that they ask for the order of; undefined for that of creation. */
    readonly timeColumn?: (filters: InputShapeFromFields<Filters>) => string | undefined;
    /** Whether the REST route of the list takes them as well, under their names in snake case. */
    readonly filtersInRest?: true;
    /** Gives the bounds that they set to the ids of the list, for filters by time. Throws INVALID_INPUT. */
    readonly within?: (filters: InputShapeFromFields<Filters>) => IdBounds;
    /** What the filters add to the cost of a page in an estimate. */
    readonly filterCost?: (filters: InputShapeFromFields<Filters>) => number;
  };
}

/** Adds the queries of a kind. Like all fields of the query they may be null, so that each fails alone. */
export function resourceQueries<M extends ResourceModel & CollectionKind, Filters extends InputFieldMap>(
  kind: M,
  type: ObjectRef<SchemaTypes, Row<M>>,
  collection: ObjectReads<M>,
  options: QueryOptions<Filters>,
): void;
// Within, objects and filters are any: Pothos cannot follow type parameters.
export function resourceQueries(
  kind: ResourceModel & CollectionKind,
  type: ObjectRef<SchemaTypes, object>,
  collection: ObjectReads<ResourceModel & CollectionKind>,
  { one, list }: QueryOptions<InputFieldMap>,
): void {
  builder.queryFields((t) => ({
    [one.name]: t.field({
      type,
      nullable: true,
      description: `One ${one.noun}. NOT_FOUND if it does not exist.`,
      extensions: needsTo('read', kind),
      args: { id: t.arg.id({ required: true, description: `Identifier of the ${one.noun}.` }) },
      resolve: (_root, { id }, context, info) => {
        context.budget.expectObjects(objectsOfLookup);
        return collection.get(context.scope, id, selectionOf(context, info));
      },
    }),
    [list.name]: t.connection(
      {
        type,
        nullable: true,
        description: list.description,
        extensions: needsTo('read', kind),
        args: list.filters?.(t.arg) ?? {},
        complexity: ({ first, last, ...filters }) => {
          const price = pagePrice(first ?? last ?? pageSizeMax);
          return { ...price, field: price.field + (list.filterCost?.(filters) ?? 0) };
        },
        resolve: (_root, args, context, info) => {
          const { first, last, after, before, ...filters } = args;
          const query = restQuery(filters);
          return resolveList(
            {
              kind,
              collection,
              where: list.where?.(filters, context) ?? {},
              within: list.within?.(filters) ?? {},
              timeColumn: list.timeColumn?.(filters),
              uri: collectionUri(context, kind),
              query: list.filtersInRest || Object.keys(query).length === 0 ? query : null,
            },
            { first, last, after, before },
            context,
            info,
          );
        },
      },
      connectionOf(kind),
    ),
  }));
}
