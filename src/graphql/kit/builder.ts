// The Pothos builder: the conventions shared by all types. The areas add their own types.

import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import type { PolicyChange } from '../../domain/ip/restriction-impact.ts';
import { kindByPrefixOf, kindOfId } from '../../domain/values/ids.ts';
import { countCost, objectsOfLookup, pagePrice, pageSizeMax } from '../../load/limits.ts';
import type PrismaTypes from '../../storage/generated/pothos.ts';
import { getDatamodel } from '../../storage/generated/pothos.ts';
import { hasRows, readsOf } from '../../storage/objects/collections.ts';
import { forEveryKey, type Requirement, requirementTo } from '../wrappers/rights.ts';
import type { Context } from './context.ts';

/** The fields of a connection besides its edges and page info. Created in `connection.ts`. */
export interface ConnectionExtras {
  totalCount: () => Promise<number>;
  /** Absent for lists that cannot be searched. */
  searchedInPart?: () => Promise<boolean>;
  uri: string;
  nextPageUri: string | null;
}

/** The types that the builder and all fields share. They have a name to keep compiler messages readable. */
export interface BuilderTypes {
  Context: Context;
  PrismaTypes: PrismaTypes;
  /** Types that an area can refer to by name, although another area defines them. */
  Objects: { [M in keyof PrismaTypes]: PrismaTypes[M]['Shape'] } & { IpPolicyChangeEvaluation: PolicyChange };
  DefaultFieldNullability: false;
  DefaultNodeNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  Connection: ConnectionExtras;
  Scalars: {
    DateTime: { Input: string; Output: Date };
    Cidr: { Input: string; Output: string };
    IpAddress: { Input: string; Output: string };
    UrlPath: { Input: string; Output: string };
    /** For seconds and the like: `Int` covers only half of the range. */
    UInt32: { Input: number; Output: number | bigint };
    JSON: { Input: unknown; Output: unknown };
  };
}

/** Returns the type of a row, which the prefix of its id tells. */
export function typeOfRow(row: unknown): string | null {
  return typeof row === 'object' && row !== null && 'id' in row ? kindByPrefixOf(String(row.id)) : null;
}

/** Returns the scopes that a lookup by `node` needs: those for the kind in the id, whether or not the object exists. */
function scopesOfLookup({ id }: Readonly<Record<string, unknown>>): Requirement {
  return requirementTo('read', kindOfId(String(id)) ?? '') ?? forEveryKey;
}

/**
 * Options of a field that returns the objects of a page. The field itself multiplies nothing: the price of the connection field
 * holds the length of the page, and `cost.ts` multiplies the cost of this field by it.
 */
export const objectsOfPage = { complexity: { multiplier: 1 }, extensions: { isOfPage: true } };

/** The field of a list that tells whether a search covered only a part of the list. */
export const searchedInPart = {
  description: 'Whether the list has older objects that `search` did not cover; false without a search.',
  resolve: ({ searchedInPart: tell }: ConnectionExtras) => tell?.() ?? false,
};

/** Builds the schema. Areas add their types when they are imported (see `schema.ts`). */
export const builder = new SchemaBuilder<BuilderTypes>({
  plugins: [RelayPlugin, PrismaPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  prisma: {
    client: (context) => context.scope.db,
    dmmf: getDatamodel(),
    exposeDescriptions: true,
    onUnusedQuery: process.env.NODE_ENV === 'test' ? 'error' : null,
  },
  relay: {
    // The ids of objects are already global, and the same on both surfaces.
    encodeGlobalID: (_typename, id) => String(id),
    decodeGlobalID: (id) => ({ typename: kindOfId(id) ?? '', id }),
    clientMutationId: 'omit',
    cursorType: 'ID',
    nodesOnConnection: { description: 'The objects on the page, in the order of the list.', ...objectsOfPage },
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      description: 'The objects on the page with their cursors.',
      ...objectsOfPage,
    },
    defaultConnectionFieldOptions: {
      complexity: ({ first, last }) => pagePrice(first ?? last ?? pageSizeMax),
    },
    nodeFieldOptions: { nullable: false, description: 'The object.' },
    cursorFieldOptions: {
      description: 'Opaque position of the object in the list, for `after` and `before`.',
    },
    idFieldOptions: { description: 'Globally unique identifier of the object, the same in GraphQL and REST.' },
    nodeTypeOptions: { description: 'An object with a globally unique identifier.', resolveType: typeOfRow },
    pageInfoTypeOptions: { description: 'The position of a page in its list.' },
    pageInfoFieldOptions: { description: 'The position of the page in the list.' },
    hasNextPageFieldOptions: { description: 'Whether objects of the list follow the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether objects of the list precede the page.' },
    startCursorFieldOptions: { description: 'Cursor of the first object on the page; null if the page is empty.' },
    endCursorFieldOptions: { description: 'Cursor of the last object on the page; null if the page is empty.' },
    firstArgOptions: {
      description: `How many objects to return, from the beginning of the list; 1 to ${pageSizeMax}, defaults to ${pageSizeMax}.`,
      extensions: { jsonSchema: { minimum: 1, maximum: pageSizeMax, default: pageSizeMax } },
    },
    lastArgOptions: {
      description: `How many objects to return, from the end of the list; 1 to ${pageSizeMax}. Cannot be combined with \`first\`.`,
    },
    afterArgOptions: { description: 'Only objects after this cursor.' },
    beforeArgOptions: { description: 'Only objects before this cursor.' },
    mutationInputArgOptions: { description: 'The input of the mutation.' },
    nodeQueryOptions: {
      description:
        'Any object of this account, by its identifier; null if it does not exist. Needs read access to the area of the object, ' +
        'such as `ip-policies:read`.',
      extensions: { needs: scopesOfLookup },
      args: { id: { description: 'Identifier of the object.' } },
      resolve: async (_root, { id: { id } }, { budget, scope }) => {
        budget.expectObjects(objectsOfLookup);
        const kind = kindOfId(id);
        if (kind === null || !hasRows(kind)) return null;
        const [row] = await readsOf(kind).getMany(scope, [id]);
        return row ?? null;
      },
    },
    // `nodes.ts` defines this query instead, and reads all objects of a kind in one statement.
    nodesQueryOptions: false,
  },
});

builder.queryType({
  description:
    'Everything that can be read. A field that fails is null, with an error in `errors`; the others are still answered.',
});
builder.mutationType({
  description:
    'Everything that can be changed, executed in order. Each change is applied completely or not at all. One that fails ' +
    'is null, with an error in `errors`; those after it are still executed.',
});
builder.subscriptionType({
  description:
    'Everything that can be followed over server-sent events: `POST /graphql` with `Accept: text/event-stream` (the distinct connections mode ' +
    'of the protocol graphql-sse). An error ends the stream.',
});

builder.globalConnectionFields((t) => ({
  totalCount: t.int({
    description: 'The number of objects in the whole list, across all pages.',
    complexity: countCost,
    resolve: ({ totalCount }) => totalCount(),
  }),
  searchedInPart: t.boolean(searchedInPart),
  uri: t.exposeString('uri', { description: 'URL of the list in the REST API.' }),
  nextPageUri: t.exposeString('nextPageUri', {
    nullable: true,
    description: 'URL of the next page in the REST API; null on the last page and on filtered lists.',
  }),
}));
