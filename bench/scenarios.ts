// The requests that are sent: four kinds, on both surfaces.

import type { Call } from './load.ts';
import { notes, type Template } from './template.ts';

/** The kinds of requests, in the order in which a round measures them: those that add rows come last. */
export const kinds = ['GET one', 'LIST 100', 'PATCH', 'POST create'] as const;
export type Kind = (typeof kinds)[number];

/** The kinds that peers are sent: a change of one field would not be the same work on each. */
export const peerKinds = ['GET one', 'LIST 100', 'POST create'] as const satisfies readonly Kind[];
export type PeerKind = (typeof peerKinds)[number];

/** The numbers of connections. */
export const connectionCounts = [1, 32] as const;

/** Returns whether requests of a kind change something. */
export function isWrite(kind: Kind): boolean {
  return kind === 'PATCH' || kind === 'POST create';
}

/** The Host header, the same for all servers, because answers contain URLs that begin with it. */
const host = 'bench.example.com';

/** Returns the headers of a REST request. */
export function restHeaders(token: string, isWrite = false): Record<string, string> {
  const contentType = isWrite ? { 'Content-Type': 'application/json' } : {};
  return { Host: host, Authorization: `Bearer ${token}`, 'Service-Version': '2', ...contentType };
}

/** Returns the headers of a GraphQL request. */
export function graphqlHeaders(token: string): Record<string, string> {
  return { Host: host, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
}

/** Returns the nth REST request of a kind. Reads and changes use different policies. */
export function restCall(kind: Kind, { token, ids }: Pick<Template, 'token' | 'ids'>, n: number): Call {
  const path = '/ip_policies';
  switch (kind) {
    case 'GET one':
      return { method: 'GET', path: `${path}/${readId(ids, n)}`, headers: restHeaders(token) };
    case 'LIST 100':
      return { method: 'GET', path: `${path}?limit=100`, headers: restHeaders(token) };
    case 'PATCH': {
      const body = JSON.stringify({ description: notes.description });
      return { method: 'PATCH', path: `${path}/${changeId(ids, n)}`, headers: restHeaders(token, true), body };
    }
    case 'POST create':
      return { method: 'POST', path, headers: restHeaders(token, true), body: JSON.stringify(notes) };
  }
}

const fields = 'id uri createdAt description metadata version';

const documents: Record<Kind, string> = {
  'GET one': `query Policy($id: ID!) { ipPolicy(id: $id) { ${fields} } }`,
  'LIST 100': `query Policies($first: Int) { ipPolicies(first: $first) { nodes { ${fields} } uri nextPageUri } }`,
  PATCH: `mutation Describe($input: UpdateIpPolicyInput!) { updateIpPolicy(input: $input) { ipPolicy { ${fields} } } }`,
  'POST create': `mutation Create($input: CreateIpPolicyInput!) { createIpPolicy(input: $input) { ipPolicy { ${fields} } } }`,
};

/** Returns the nth GraphQL request of a kind, as a dashboard sends it: the document with its variables. */
export function graphqlCall(kind: Kind, { token, ids }: Pick<Template, 'token' | 'ids'>, n: number): Call {
  const variables: Record<Kind, object> = {
    'GET one': { id: readId(ids, n) },
    'LIST 100': { first: 100 },
    PATCH: { input: { id: changeId(ids, n), description: notes.description } },
    'POST create': { input: notes },
  };
  return {
    method: 'POST',
    path: '/graphql',
    headers: graphqlHeaders(token),
    body: JSON.stringify({ query: documents[kind], variables: variables[kind] }),
  };
}

/** Returns the nth id, going round, of the newer half, which is only read. */
export function readId(ids: readonly string[], n: number): string {
  const half = Math.floor(ids.length / 2);
  return ids[half + (n % half)] ?? '';
}

/** Returns the nth id, going round, of the older half. */
function changeId(ids: readonly string[], n: number): string {
  return ids[n % Math.floor(ids.length / 2)] ?? '';
}
