// The queries that every kind of object with a REST collection has: one object by its id, and the list.

import type { InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { CollectionKind } from '../domain/ids.ts';
import type { ObjectReads, ResourceModel, Row } from '../storage/collection.ts';
import type { IdBounds } from '../storage/object-reads.ts';
import { builder } from './builder.ts';
import { type ConnectionArgs, resolveList, type Where } from './connection.ts';
import { connectionOf } from './connection-types.ts';
import { type Context, collectionUri } from './context.ts';
import { type Finding, findingArgs, priceOfFinding, readFinding } from './finding.ts';
import type { ArgBuilder } from './inner-list.ts';
import { objectsOfLookup } from './limits.ts';
import type { Order, Orders } from './list-order.ts';
import { restQuery } from './next-page.ts';
import type { SchemaTypes } from './resource.ts';
import { needsTo } from './rights.ts';
import { searchedFieldsOf } from './search.ts';
import { selectionOf } from './selection.ts';

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
    /** The orders of the list, where it has others than most. */
    readonly orders?: Orders;
    /** Where a text is looked for, if not where the field `search` does: see `findingArgs`. */
    readonly searchedIn?: string;
    /** Whether the REST route of the list takes them as well, under their names in snake case. */
    readonly filtersInRest?: true;
    /** Gives the bounds that they set to the ids of the list, for filters by time. Throws INVALID_INPUT. */
    readonly within?: (filters: InputShapeFromFields<Filters>) => IdBounds;
    /** Gives the order of what the filters leave, where that can be told better than that of all. */
    readonly orderWithin?: (filters: InputShapeFromFields<Filters>, order: Order) => Order;
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
  builder.queryFields((t) => {
    // What nobody searches has its one order as well.
    const isSearched = searchedFieldsOf(kind) !== undefined;
    const args = { ...list.filters?.(t.arg), ...(isSearched ? findingArgs(t.arg, list.orders, list.searchedIn) : {}) };
    return {
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
          args,
          complexity: ({ first, last, after, before, orderBy, search, ...filters }: ConnectionArgs & Finding) => {
            const price = priceOfFinding({ first, last, orderBy, search }, filters, list.orders);
            return { ...price, field: price.field + (list.filterCost?.(filters) ?? 0) };
          },
          resolve: (_root, { first, last, after, before, orderBy, search, ...filters }, context, info) => {
            const query = restQuery({ ...filters, orderBy });
            const isInRest = search == null && (list.filtersInRest || Object.keys(query).length === 0);
            const finding = readFinding({ orderBy, search }, list.orders);
            return resolveList(
              {
                kind,
                collection,
                where: list.where?.(filters, context) ?? {},
                within: list.within?.(filters) ?? {},
                ...finding,
                order: list.orderWithin?.(filters, finding.order) ?? finding.order,
                uri: collectionUri(context, kind),
                query: isInRest ? query : null,
              },
              { first, last, after, before },
              context,
              info,
            );
          },
        },
        connectionOf(kind),
      ),
    };
  });
}
