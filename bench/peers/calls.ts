// What the peers and we are asked on `/graphql`: the same columns of the same policies, in the words of each schema; and what their answers
// say, in one form.

import type { Contender } from '../goals.ts';
import type { Call } from '../load.ts';
import { graphqlHeaders, type Kind, readId } from '../scenarios.ts';
import { notes, type Template } from '../template.ts';

/** Whom the section of the peers measures. */
export type Peer = Extract<Contender, 'sqlite' | 'postgres' | 'postgraphile' | 'plain'>;

/** A kind of request that peers are sent: a change of one field would not be the same work on each. */
export const peerKinds = ['GET one', 'LIST 100', 'POST create'] as const satisfies readonly Kind[];
export type PeerKind = (typeof peerKinds)[number];

/** A policy, as every answer gives it. */
export interface AnsweredPolicy {
  readonly id: string;
  readonly createdAt: string;
  readonly description: string;
  readonly metadata: string;
  readonly version: number;
}

/** How a schema is asked. */
interface Dialect {
  readonly documents: Readonly<Record<PeerKind, string>>;
  readonly create: object;
}

const fields = 'id createdAt description metadata version';
// PostGraphile's own `id` is one of the whole schema.
const columns = 'id: rowId createdAt description metadata version';

const sallyport: Dialect = {
  documents: {
    'GET one': `query Policy($id: ID!) { ipPolicy(id: $id) { ${fields} } }`,
    'LIST 100': `query Policies($first: Int!) { ipPolicies(first: $first) { nodes { ${fields} } } }`,
    'POST create': `mutation Create($input: CreateIpPolicyInput!) { createIpPolicy(input: $input) { ipPolicy { ${fields} } } }`,
  },
  create: { input: notes },
};

const dialects: Readonly<Record<Peer, Dialect>> = {
  sqlite: sallyport,
  postgres: sallyport,
  postgraphile: {
    documents: {
      'GET one': `query Policy($id: String!) { ipPolicy: ipPolicyByRowId(rowId: $id) { ${columns} } }`,
      'LIST 100': `query Policies($first: Int!) { ipPolicies: allIpPolicies(first: $first, orderBy: ROW_ID_DESC) { nodes { ${columns} } } }`,
      'POST create': `mutation Create($input: CreateIpPolicyInput!) { createIpPolicy(input: $input) { ipPolicy { ${columns} } } }`,
    },
    create: { input: { ipPolicy: notes } },
  },
  plain: {
    documents: {
      'GET one': `query Policy($id: ID!) { ipPolicy(id: $id) { ${fields} } }`,
      'LIST 100': `query Policies($first: Int!) { ipPolicies(first: $first) { ${fields} } }`,
      'POST create': `mutation Create($description: String!, $metadata: String!) { createIpPolicy(description: $description, metadata: $metadata) { ${fields} } }`,
    },
    create: notes,
  },
};

/** Gives the request of a kind, for the nth time. All are sent a key, which only Sallyport checks. */
export function peerCall(peer: Peer, kind: PeerKind, { token, ids }: Pick<Template, 'token' | 'ids'>, n: number): Call {
  const { documents, create } = dialects[peer];
  const variables = { 'GET one': { id: readId(ids, n) }, 'LIST 100': { first: 100 }, 'POST create': create }[kind];
  const body = JSON.stringify({ query: documents[kind], variables });
  return { method: 'POST', path: '/graphql', headers: graphqlHeaders(token), body };
}

/**
 * Reads the policies of an answer: times to the second, in UTC, as Sallyport writes them.
 *
 * @throws Error with the answer when it holds none
 */
export function readPolicies(answer: string): AnsweredPolicy[] {
  const { data, errors } = JSON.parse(answer);
  const found =
    data?.ipPolicy ??
    data?.ipPolicies?.nodes ??
    data?.ipPolicies ??
    data?.createIpPolicy?.ipPolicy ??
    data?.createIpPolicy;
  if (errors !== undefined || typeof found !== 'object' || found === null) throw new Error(`No policies: ${answer}`);
  return [found].flat().map((policy) => ({ ...policy, createdAt: toSeconds(policy.createdAt) }));
}

/** PostgreSQL's own type has no zone: it is UTC. */
function toSeconds(time: string): string {
  const instant = new Date(/Z|[+-]\d\d:?\d\d$/.test(time) ? time : `${time}Z`);
  return `${instant.toISOString().slice(0, 19)}Z`;
}
