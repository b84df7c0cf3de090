// The attacks: requests with which the holder of one valid key of one account could try to stop the service, each with variable
// sizes. An attack must be refused, or answered like any other request; it may never cost more than one.

import {
  type AttackedWorld,
  type AttackRequest,
  certificateRequest,
  filling,
  graphql,
  gzipBomb,
  honestIntrospection,
  introspection,
  manyKeys,
  nestedIntrospection,
  nestedNamespaces,
  policyBody,
  put,
  samlBody,
  times,
} from './requests.ts';
import type { Sizes } from './sizes.ts';

/** One attack. */
export interface Attack {
  readonly name: string;
  /** The part of the issue that it belongs to, or the promise of docs/reliability.md. */
  readonly item: string;
  /** Creates the request; `nonce` keeps document caches from helping. */
  request(sizes: Sizes, world: AttackedWorld, nonce: number): AttackRequest;
  /** Exempts the attack from the limit of processor time, because generating or using an RSA key alone takes longer. */
  readonly isCrypto?: true;
  /** The request is honest: it must succeed. */
  readonly mustSucceed?: true;
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
      graphql(`{evaluateIp(address:"203.0.113.${nonce % 256}",type:endpoints){allowed decision:warned}}`),
    mustSucceed: true,
  },
  {
    name: 'evaluate-ip-aliases',
    item: '2',
    request: (_sizes, _world, nonce) =>
      graphql(
        `{${times(3, (i) => `a${i}:evaluateIp(address:"198.51.${i}.${nonce % 256}",type:endpoints){allowed}`).join(' ')}}`,
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
    name: 'pages-of-all-sizes',
    item: '3',
    request: (_sizes, _world, nonce) =>
      graphql(
        `query Q${nonce} {${times(60, (i) => `a${i}:tlsEdges(first:${41 + i}){nodes{policy{enabled}}}`).join(' ')}}`,
      ),
  },
  {
    name: 'errors-behind-many-lines',
    item: '4',
    request: (_sizes, _world, nonce) =>
      graphql(
        `query Q${nonce} {${'\r\n'.repeat(2_900)}${times(150, (i) => `a${i}:ipPolicies(first:0){totalCount}`).join(' ')}}`,
      ),
  },
  {
    name: 'labels-under-many-names',
    item: '4',
    request: (_sizes, _world, nonce) =>
      graphql(
        `query Q${nonce} {tunnelGroupBackends(first:100){nodes{${times(200, (i) => `a${i}:labels`).join(' ')}}}}`,
      ),
  },
  {
    name: 'lists-of-actions',
    item: '3',
    request: (_sizes, _world, nonce) =>
      graphql(
        `query Q${nonce} {tlsEdges(first:20){nodes{policy{${times(12, (i) => `a${i}:inbound{actions{type config}}`).join(' ')}}}}}`,
      ),
  },
  {
    name: 'lists-of-single-sign-on',
    item: '3',
    request: (_sizes, _world, nonce) =>
      graphql(
        `query Q${nonce} {httpsEdges(first:2){nodes{routes{saml{identityProvider{${times(10, (i) => `a${i}:singleSignOnServices{binding location}`).join(' ')}}}}}}}`,
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

/** The names of all attacks, without those of `incidents.ts`. */
export const attackNames: readonly string[] = attacks.map(({ name }) => name);
