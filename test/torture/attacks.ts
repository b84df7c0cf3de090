// The attacks: what the holder of one valid key of one account can send to stop the service, each with sizes that can be
// varied. An attack must be refused, or answered like any other request; it may never cost more than one.

import { gzipSync } from 'node:zlib';
import type { Sending } from './client.ts';

/** How large the attacks are, and what they find in the account of the attacker. */
export interface Sizes {
  readonly policies: number;
  readonly rulesOfEach: number;
  readonly restrictions: number;
  /** TLS edges with a policy module of 100 rules of 20 actions each. */
  readonly edges: number;
  readonly singleSignOnServices: number;
  /** Aliases on each level of the introspection. */
  readonly introspectionAliases: number;
  /** How often an introspection goes from types to their interfaces and back. */
  readonly introspectionRounds: number;
  /** Keys that one document asks for, and signatures that are asked for at once. */
  readonly keys: number;
  readonly signings: number;
  /** Share of 1 MiB that the large bodies fill. */
  readonly bodies: number;
}

/** The sizes with which the attacks were found, and those of the short form. */
export const longSizes: Sizes = {
  policies: 200,
  rulesOfEach: 100,
  restrictions: 100,
  edges: 10,
  singleSignOnServices: 1_000,
  introspectionAliases: 40,
  introspectionRounds: 6,
  keys: 110,
  signings: 1_100,
  bodies: 1,
};
export const shortSizes: Sizes = {
  policies: 50,
  rulesOfEach: 20,
  restrictions: 50,
  edges: 2,
  singleSignOnServices: 200,
  introspectionAliases: 10,
  introspectionRounds: 3,
  keys: 20,
  signings: 40,
  bodies: 1,
};

/** Multiplies sizes, within what one request can hold. */
export function scaled(sizes: Sizes, factor: number): Sizes {
  const times = (value: number) => Math.max(1, Math.round(value * factor));
  return {
    policies: Math.min(200, times(sizes.policies)),
    rulesOfEach: Math.min(1_000, times(sizes.rulesOfEach)),
    restrictions: times(sizes.restrictions),
    edges: times(sizes.edges),
    singleSignOnServices: Math.min(2_000, times(sizes.singleSignOnServices)),
    introspectionAliases: times(sizes.introspectionAliases),
    introspectionRounds: Math.min(6, times(sizes.introspectionRounds)),
    keys: times(sizes.keys),
    signings: times(sizes.signings),
    bodies: Math.min(1, sizes.bodies * factor),
  };
}

/** What stands in the account of the attacker. */
export interface AttackedWorld {
  readonly tlsEdge: string;
  /** Path of a SAML module. */
  readonly saml: string;
  readonly rsaAuthority: string;
  /** An ed25519 authority of the other account. */
  readonly otherAuthority: string;
}

/** A request as it is sent. */
export interface AttackRequest extends Sending {
  readonly method: string;
  readonly path: string;
}

/** One attack. */
export interface Attack {
  readonly name: string;
  /** Which part of the issue it is of, or the promise of docs/reliability.md. */
  readonly item: string;
  /** Makes the request; `nonce` keeps caches of documents from helping. */
  request(sizes: Sizes, world: AttackedWorld, nonce: number): AttackRequest;
  /** The limit of processor time does not hold, because generating or using an RSA key alone takes longer. */
  readonly isCrypto?: true;
  /** The request is an honest one: it must succeed. */
  readonly mustSucceed?: true;
}

const graphql = (query: string, variables: object = {}): AttackRequest => ({
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
});
const put = (path: string, body: string): AttackRequest => ({ method: 'PUT', path, body });
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
/** How many pieces of a size fit into the share of 1 MiB that the sizes leave, with some room for what is around them. */
const filling = ({ bodies }: Sizes, bytesOfEach: number) => Math.floor((bodies * 1_040_000) / bytesOfEach);
const policyBody = (rules: string) => `{"inbound":[${rules}]}`;

function introspection({ introspectionAliases: n }: Sizes, nonce: number): AttackRequest {
  const fields = (prefix: string, selection: string) => times(n, (i) => `${prefix}${i}:${selection}`).join(' ');
  return graphql(
    `query Q${nonce} {__schema{${fields('a', 'types{...A}')}}} fragment A on __Type{${fields('b', 'fields{...B}')}} ` +
      `fragment B on __Field{type{ofType{${fields('c', 'fields{name}')}}}}`,
  );
}

function nestedIntrospection({ introspectionRounds }: Sizes, nonce: number): AttackRequest {
  let selection = '{name}';
  for (let level = 0; level < introspectionRounds; level += 1) selection = `{possibleTypes{interfaces${selection}}}`;
  return graphql(`query Q${nonce} {__schema{types{interfaces${selection}}}}`);
}

/** The query that tools send; `n` says which, as they differ in what they ask of arguments and directives. */
function honestIntrospection(nonce: number): AttackRequest {
  const typeRef = times(9, () => '').reduce(
    (inner) => `kind name ofType { ${inner === '' ? 'kind name' : inner} }`,
    '',
  );
  const value = 'name description type { ...TypeRef } defaultValue isDeprecated deprecationReason';
  return graphql(
    `query IntrospectionQuery${nonce} { __schema { description queryType { name kind } mutationType { name kind }
      subscriptionType { name kind } types { ...FullType }
      directives { name description isRepeatable locations args(includeDeprecated: true) { ${value} } } } }
    fragment FullType on __Type { kind name description specifiedByURL isOneOf
      fields(includeDeprecated: true) { name description args(includeDeprecated: true) { ${value} }
        type { ...TypeRef } isDeprecated deprecationReason }
      inputFields(includeDeprecated: true) { ${value} } interfaces { ...TypeRef }
      enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
      possibleTypes { ...TypeRef } }
    fragment TypeRef on __Type { ${typeRef} }`,
  );
}

function samlBody(metadata: string): string {
  return JSON.stringify({ idp_metadata: metadata });
}

/** One document that asks for many RSA keys. */
export function manyKeys(count: number): AttackRequest {
  const create = 'createSshCertificateAuthority(input:{privateKeyType:rsa,keySize:2048}){__typename}';
  return graphql(`mutation{${times(count, (i) => `k${i}:${create}`).join(' ')}}`);
}

/** The body that asks an authority for a host certificate. */
export function certificateRequest(authority: string): string {
  return JSON.stringify({
    ssh_certificate_authority_id: authority,
    public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEA8FP+pNKj5rD7kA8yjV4re5Sskl/+zOBFXRLVIgE/y',
    principals: ['host.example.com'],
  });
}

const namespace = 'urn:oasis:names:tc:SAML:2.0:metadata';

function nestedNamespaces(): string {
  const declarations = times(14, (i) => `xmlns:n${i}="u:${i}"`).join(' ');
  const open = times(900, () => `<a ${declarations}>`).join('');
  return `<EntityDescriptor xmlns="${namespace}" entityID="https://idp">${open}${'</a>'.repeat(900)}</EntityDescriptor>`;
}

/** All attacks. */
export const attacks: readonly Attack[] = [
  { name: 'introspection-aliases', item: '1', request: (sizes, _world, nonce) => introspection(sizes, nonce) },
  { name: 'introspection-nesting', item: '1', request: (sizes, _world, nonce) => nestedIntrospection(sizes, nonce) },
  {
    name: 'introspection-of-tools',
    item: '1',
    request: (_sizes, _world, nonce) => honestIntrospection(nonce),
    mustSucceed: true,
  },
  {
    name: 'evaluate-ip',
    item: '2',
    request: (_sizes, _world, nonce) =>
      graphql(`{evaluateIp(address:"203.0.113.${nonce % 256}",type:api){allowed decision:warned}}`),
    mustSucceed: true,
  },
  {
    name: 'evaluate-ip-aliases',
    item: '2',
    request: (_sizes, _world, nonce) =>
      graphql(
        `{${times(3, (i) => `a${i}:evaluateIp(address:"198.51.${i}.${nonce % 256}",type:api){allowed}`).join(' ')}}`,
      ),
  },
  {
    name: 'lists-of-references',
    item: '3',
    request: (_sizes, _world, nonce) =>
      graphql(
        `query Q${nonce} {ipRestrictions(first:20){nodes{ipPolicies{restrictions(first:60){ipPolicyRefs{id}}}}}}`,
      ),
  },
  {
    name: 'lists-of-references-aliased',
    item: '3',
    request: (_sizes, _world, nonce) =>
      graphql(
        `query Q${nonce} {ipRestrictions(first:100){nodes{${times(40, (i) => `a${i}:ipPolicyRefs{id uri}`).join(' ')}}}}`,
      ),
  },
  {
    name: 'lists-of-actions',
    item: '3',
    request: (_sizes, _world, nonce) =>
      graphql(
        `query Q${nonce} {tlsEdges(first:100){nodes{policy{${times(40, (i) => `a${i}:inbound{actions{type config}}`).join(' ')}}}}}`,
      ),
  },
  {
    name: 'lists-of-single-sign-on',
    item: '3',
    request: (_sizes, _world, nonce) =>
      graphql(
        `query Q${nonce} {httpsEdges(first:100){nodes{routes{saml{identityProvider{${times(40, (i) => `a${i}:singleSignOnServices{binding location}`).join(' ')}}}}}}}`,
      ),
  },
  {
    name: 'answer-of-aliases',
    item: '4',
    request: (_sizes, _world, nonce) =>
      graphql(`query Q${nonce} {ipPolicies(first:100){nodes{${times(490, (i) => `m${i}:metadata`).join(' ')}}}}`),
  },
  {
    name: 'errors-of-a-long-name',
    item: '4',
    request: (sizes, _world, nonce) => {
      const name = `N${nonce}${'n'.repeat(Math.floor(sizes.bodies * 1_000_000))}`;
      return graphql(`query ${name}(${times(110, (i) => `$v${i}:Int`).join(',')}){viewer{account{name}}}`);
    },
  },
  {
    name: 'keys-in-one-document',
    item: '5',
    request: ({ keys }) => manyKeys(keys),
    isCrypto: true,
  },
  {
    name: 'rsa-signing',
    item: '6',
    request: (_sizes, { rsaAuthority }) => ({
      method: 'POST',
      path: '/ssh_host_certificates',
      body: certificateRequest(rsaAuthority),
    }),
    isCrypto: true,
  },
  {
    name: 'body-of-actions',
    item: '7',
    request: (sizes, { tlsEdge }) => {
      const action = '{"type":"deny"}';
      const actions = Array(filling(sizes, action.length + 1))
        .fill(action)
        .join();
      return put(`/edges/tls/${tlsEdge}/policy`, policyBody(`{"actions":[${actions}]}`));
    },
  },
  {
    name: 'body-of-nested-arrays',
    item: '7',
    request: (sizes, { tlsEdge }) => {
      const nested = `${'['.repeat(56)}${']'.repeat(56)}`;
      const entries = Array(filling(sizes, nested.length + 1))
        .fill(nested)
        .join();
      return put(`/edges/tls/${tlsEdge}/policy`, policyBody(`{"actions":[{"type":"x","config":{"a":[${entries}]}}]}`));
    },
  },
  {
    name: 'body-of-empty-strings',
    item: '7',
    request: (sizes) => ({
      method: 'POST',
      path: '/ip_restrictions',
      body: `{"type":"api","ip_policy_ids":[${Array(filling(sizes, 3)).fill('""').join()}]}`,
    }),
  },
  {
    name: 'body-of-expressions',
    item: '7',
    request: (sizes, { tlsEdge }) => {
      const expressions = Array(filling(sizes, 3)).fill('""').join();
      return put(`/edges/tls/${tlsEdge}/policy`, policyBody(`{"expressions":[${expressions}],"actions":[]}`));
    },
  },
  {
    name: 'body-of-labels',
    item: '7',
    request: (sizes) => {
      const labels = times(filling(sizes, 12), (i) => `"${i.toString(36).padStart(5, '0')}":""`).join();
      return { method: 'POST', path: '/backends/tunnel_group', body: `{"labels":{${labels}}}` };
    },
  },
  {
    name: 'body-of-namespaces',
    item: '7',
    request: (_sizes, { saml }) => put(saml, samlBody(nestedNamespaces())),
  },
  {
    name: 'variables-of-empty-strings',
    item: '7',
    request: (sizes) =>
      graphql('mutation($input:CreateIpRestrictionInput!){createIpRestriction(input:$input){__typename}}', {
        input: { type: 'api', ipPolicyIds: Array(filling(sizes, 3)).fill('') },
      }),
  },
  {
    name: 'aliases-ten-thousand',
    item: 'R24',
    request: (_sizes, _world, nonce) =>
      graphql(`query Q${nonce} {${times(10_000, (i) => `a${i}:__typename`).join(' ')}}`),
  },
  {
    name: 'depth-five-thousand',
    item: 'R24',
    request: (_sizes, _world, nonce) => graphql(`query Q${nonce} ${'{a'.repeat(5_000)}${'}'.repeat(5_000)}`),
  },
  {
    name: 'fragment-bomb',
    item: 'R24',
    request: (_sizes, _world, nonce) => {
      const fragments = times(25, (i) => `fragment F${i} on Viewer{...F${i + 1} ...F${i + 1}}`).join(' ');
      return graphql(`query Q${nonce} {viewer{...F0}} ${fragments} fragment F25 on Viewer{__typename}`);
    },
  },
  {
    name: 'token-of-100-kilobytes',
    item: 'R24',
    request: () => ({
      method: 'GET',
      path: '/ip_policies',
      headers: { authorization: `Bearer ${'x'.repeat(100_000)}` },
    }),
  },
  {
    name: 'gzip-bomb',
    item: 'R24',
    request: () => ({
      method: 'POST',
      path: '/ip_policies',
      body: gzipBomb(),
      headers: { 'content-encoding': 'gzip' },
    }),
  },
  {
    name: 'text-that-is-not-text',
    item: 'R24',
    request: () => ({ method: 'POST', path: '/ip_policies', body: '{"description":"\\u0000","metadata":"\\ud800"}' }),
  },
  {
    name: 'config-too-deep',
    item: 'R24',
    request: (_sizes, { tlsEdge }) => {
      const config = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
      return put(`/edges/tls/${tlsEdge}/policy`, policyBody(`{"actions":[{"type":"x","config":${config}}]}`));
    },
  },
];

/** The names of all attacks, those of `incidents.ts` not among them. */
export const attackNames: readonly string[] = attacks.map(({ name }) => name);

let bomb: Buffer | undefined;
/** 256 MiB of zeros in a quarter of a megabyte. */
function gzipBomb(): Buffer {
  bomb ??= gzipSync(Buffer.alloc(256 * 2 ** 20), { level: 9 });
  return bomb;
}
