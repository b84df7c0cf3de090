// Lists that have no REST route: pages like any other, but without the URL fields of `builder.globalConnectionFields`.

import type { ObjectRef } from '@pothos/core';
import { countCost } from '../../load/limits.ts';
import type { ResourceModel, Row } from '../../storage/objects/collection.ts';
import { builder, objectsOfPage, searchedInPart } from '../kit/builder.ts';
import type { SchemaTypes } from '../kit/resource.ts';
import { needsTo } from '../wrappers/rights.ts';
import type { Connection } from './connection.ts';

/** Creates the types of a list, such as `LoginSessionConnection` and `LoginSessionEdge`. */
export function connectionWithoutRoute<M extends ResourceModel>(
  kind: M,
  type: ObjectRef<SchemaTypes, Row<M>>,
): ObjectRef<SchemaTypes, Connection<Row<M>>>;
// The implementation is not generic: Pothos cannot follow type parameters.
export function connectionWithoutRoute(kind: ResourceModel, type: ObjectRef<SchemaTypes, object>) {
  const Edge = builder.objectRef<{ cursor: string; node: object }>(`${kind}Edge`).implement({
    description: 'An object of a list, with its cursor.',
    extensions: needsTo('read', kind),
    fields: (t) => ({
      cursor: t.exposeID('cursor', {
        description: 'Opaque position of the object in the list, for `after` and `before`.',
      }),
      node: t.field({ type, description: 'The object.', resolve: ({ node }) => node }),
    }),
  });
  return builder.objectRef<Connection<object>>(`${kind}Connection`).implement({
    description: 'A page of a list.',
    extensions: needsTo('read', kind),
    fields: (t) => ({
      nodes: t.field({
        type: [type],
        ...objectsOfPage,
        description: 'The objects on the page, in the order of the list.',
        resolve: ({ edges }) => edges.map(({ node }) => node),
      }),
      edges: t.field({
        type: [Edge],
        ...objectsOfPage,
        description: 'The objects on the page with their cursors.',
        resolve: ({ edges }) => edges,
      }),
      pageInfo: t.field({
        type: builder.pageInfoRef(),
        description: 'The position of the page in the list.',
        resolve: ({ pageInfo }) => pageInfo,
      }),
      totalCount: t.int({
        description: 'The number of objects in the whole list, across all pages.',
        complexity: countCost,
        resolve: ({ totalCount }) => totalCount(),
      }),
      searchedInPart: t.boolean(searchedInPart),
    }),
  });
}
