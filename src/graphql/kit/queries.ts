// The two queries of every kind of object with a REST collection: one object by its id, and the list.

import type { InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { CollectionKind } from '../../domain/values/ids.ts';
import { objectsOfLookup } from '../../load/limits.ts';
import type { ObjectReads, ResourceModel, Row } from '../../storage/objects/collection.ts';
import type { IdBounds } from '../../storage/sql/list-parts.ts';
import { resolveList, type Where } from '../lists/connection.ts';
import { connectionOf } from '../lists/connection-types.ts';
import { type Finding, findingArgs, priceOfFinding, readFinding } from '../lists/finding.ts';
import type { ArgBuilder } from '../lists/inner-list.ts';
import type { Order, Orders } from '../lists/list-order.ts';
import type { ConnectionArgs } from '../lists/page.ts';
import { restQuery } from '../lists/page.ts';
import { needsTo } from '../wrappers/rights.ts';
import { builder } from './builder.ts';
import { type Context, collectionUri } from './context.ts';
import type { SchemaTypes } from './resource.ts';
import { searchedFieldsOf } from './search-query.ts';

/** Names and descriptions of both queries, and the filters of the list. */
interface QueryOptions<Filters extends InputFieldMap> {
  /** The descriptions call the object `noun`, such as "IP policy". */
  readonly one: { readonly name: string; readonly noun: string };
  readonly list: {
    readonly name: string;
    readonly description: string;
    /** The arguments that narrow the list. */
    readonly filters?: (arg: ArgBuilder) => Filters;
    /** Converts the filters to a condition. Throws INVALID_INPUT. */
    readonly where?: (filters: InputShapeFromFields<Filters>, context: Context) => Where;
    /** The orders of the list, if not `listOrders`. */
    readonly orders?: Orders;
    /** Where a text is searched for, if not where the field `search` does: see `findingArgs`. */
    readonly searchedIn?: string;
    /** Whether the REST route of the list supports the filters too, under their names in snake case. */
    readonly filtersInRest?: true;
    /** Returns the bounds on ids that result from filters by time. Throws INVALID_INPUT. */
    readonly within?: (filters: InputShapeFromFields<Filters>) => IdBounds;
    /** Returns the order to use with the filters, if a filtered list can be ordered more exactly than the whole list. */
    readonly orderWithin?: (filters: InputShapeFromFields<Filters>, order: Order) => Order;
    /** Estimated cost that the filters add to a page. */
    readonly filterCost?: (filters: InputShapeFromFields<Filters>) => number;
  };
}

/** Adds the queries of a kind. Like all top-level fields they are nullable, so that one failure does not affect the others. */
export function resourceQueries<M extends ResourceModel & CollectionKind, Filters extends InputFieldMap>(
  kind: M,
  type: ObjectRef<SchemaTypes, Row<M>>,
  collection: ObjectReads<M>,
  options: QueryOptions<Filters>,
): void;
// The implementation is not generic: Pothos cannot follow type parameters.
export function resourceQueries(
  kind: ResourceModel & CollectionKind,
  type: ObjectRef<SchemaTypes, object>,
  collection: ObjectReads<ResourceModel & CollectionKind>,
  { one, list }: QueryOptions<InputFieldMap>,
): void {
  builder.queryFields((t) => {
    // Kinds that cannot be searched cannot be sorted either.
    const isSearched = searchedFieldsOf(kind) !== undefined;
    const args = { ...list.filters?.(t.arg), ...(isSearched ? findingArgs(t.arg, list.orders, list.searchedIn) : {}) };
    return {
      [one.name]: t.field({
        type,
        nullable: true,
        description: `One ${one.noun}. NOT_FOUND if it does not exist.`,
        extensions: needsTo('read', kind),
        args: { id: t.arg.id({ required: true, description: `Identifier of the ${one.noun}.` }) },
        resolve: (_root, { id }, context) => {
          context.budget.expectObjects(objectsOfLookup);
          return collection.get(context.scope, id);
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
