// The requests to `/graphql` of the peers and of Sallyport: the same columns of the same policies, in the terms of each schema; and
// their answers, in one form.

import type { Contender } from '../goals.ts';
import type { Call } from '../load.ts';
import { graphqlHeaders, type PeerKind, readId } from '../scenarios.ts';
import { notes, type Template } from '../template.ts';

/** The contenders in the section of the peers. */
export type Peer = Extract<Contender, 'sqlite' | 'postgres' | 'postgraphile' | 'plain'>;

/** A policy, as every answer contains it. */
export interface AnsweredPolicy {
  readonly id: string;
  readonly createdAt: string;
  readonly description: string;
  readonly metadata: string;
  readonly version: number;
}

/** The requests for one schema. */
interface Dialect {
  readonly documents: Readonly<Record<PeerKind, string>>;
  readonly create: object;
}

const fields = 'id createdAt description metadata version';
// PostGraphile's own `id` is unique across the whole schema, so `rowId` is requested.
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

/** Returns the nth request of a kind. All are sent with a key, which only Sallyport checks. */
export function peerCall(peer: Peer, kind: PeerKind, { token, ids }: Pick<Template, 'token' | 'ids'>, n: number): Call {
  const { documents, create } = dialects[peer];
  const variables = { 'GET one': { id: readId(ids, n) }, 'LIST 100': { first: 100 }, 'POST create': create }[kind];
  const body = JSON.stringify({ query: documents[kind], variables });
  return { method: 'POST', path: '/graphql', headers: graphqlHeaders(token), body };
}

/**
 * Reads the policies of an answer, with times to the second, in UTC, as Sallyport writes them.
 *
 * @throws Error with the answer if it holds none
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

/** Converts a time to seconds in UTC. PostgreSQL's own type has no zone, and is in UTC. */
function toSeconds(time: string): string {
  const instant = new Date(/Z|[+-]\d\d:?\d\d$/.test(time) ? time : `${time}Z`);
  return `${instant.toISOString().slice(0, 19)}Z`;
}
