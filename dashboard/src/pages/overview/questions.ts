// The overview's queries that depend on the rights of the key.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { gql } from 'urql';
import { allows } from '../../client/rights.ts';
import { countedLists } from '../../shell/navigation.ts';

/** The variables for the latest changes: how many are shown. */
export const latestChanges = { first: 8 } as const;

/** Returns the lists that a key with these scopes may count. */
export const countedIn = (scopes: readonly string[]) => countedLists.filter(({ scope }) => allows(scopes, scope));

type CountsDocument = TypedDocumentNode<
  Readonly<Record<string, { readonly totalCount: number } | null>>,
  Record<string, never>
>;

/** By the selected fields: urql tells documents apart by identity. */
const documents = new Map<string, CountsDocument>();

/** Returns the document that counts these lists. */
export function countsOf(lists: readonly { readonly field: string }[]): CountsDocument {
  const fields = lists.map(({ field }) => `${field}(first: 1) { totalCount }`).join(' ');
  const document = documents.get(fields) ?? gql(`query Counts { __typename ${fields} }`);
  documents.set(fields, document);
  return document;
}
