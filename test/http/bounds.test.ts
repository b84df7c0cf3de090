// The work that one key can cause is bounded, whatever it has stored before.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ofOneServer, startService, type TestService } from '../support/service.ts';
import { countStatements } from '../support/statements.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('a query that goes round in circles is refused before it is executed, also where the lists are long', async () => {
  const { body: policy } = await service.rest('POST', '/ip_policies', {});
  for (let number = 0; number < 60; number += 1) {
    const rule = { ip_policy_id: policy.id, cidr: `10.${number}.0.0/16`, action: 'allow' };
    await service.rest('POST', '/ip_policy_rules', rule);
  }
  const circle = (turns: number): string =>
    turns === 0 ? 'id' : `rules { nodes { ipPolicy { ${circle(turns - 1)} } } }`;
  const ask = (turns: number) =>
    service.graphql(`query ($id: ID!) { ipPolicy(id: $id) { ${circle(turns)} } }`, { id: policy.id });
  const once = await ask(1);
  expect(once.data.ipPolicy.rules.nodes).toHaveLength(50);
  const { data, errors } = await ask(3);
  expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([undefined, ['QUERY_TOO_COMPLEX']]);
});

test('what one request was allowed says nothing for another that asks for more with the same document', async () => {
  const query = `query ($n: Int = 1, $more: Boolean = false) { ipPolicies(first: $n) {
    nodes { id @include(if: $more) rules(first: $n) { nodes { ipPolicy { rules(first: $n) { nodes { ipPolicy { rules(first: $n) { nodes { id } } } } } } } } } } }`;
  const codesOf = async (variables: Record<string, unknown>) =>
    (await service.graphql(query, variables)).errors?.map(({ extensions }) => extensions.code);
  for (const cheap of [{}, { n: 1 }, { 'n=100': 'x' }, { n: 1, 'n=100': '' }, { more: true }, { 'n,100': 1 }]) {
    expect(await codesOf(cheap)).toBeUndefined();
    expect(await codesOf({ n: 100 })).toEqual(['QUERY_TOO_COMPLEX']);
    expect(await codesOf({ ...cheap, n: 100 })).toEqual(['QUERY_TOO_COMPLEX']);
  }
  for (let n = 2; n < 40; n += 1) await codesOf({ n });
  expect(await codesOf({ n: 100 })).toEqual(['QUERY_TOO_COMPLEX']);
  expect(await codesOf({ n: 1 })).toBeUndefined();
});

test('evaluateIp reads no more for many addresses in one document than for one', async () => {
  const { body: policy } = await service.rest('POST', '/ip_policies', {});
  await service.rest('POST', '/ip_restrictions', { type: 'api', ip_policy_ids: [policy.id] });
  const ask = (count: number) => {
    const aliases = Array.from(
      { length: count },
      (_, i) => `a${i}: evaluateIp(address: "10.0.0.${i}", type: api) { allowed }`,
    );
    return server.graphql(`{ ${aliases.join(' ')} }`);
  };
  const server = ofOneServer(service);
  await ask(1);
  const one = await countStatements(service, () => ask(1));
  expect(await countStatements(service, () => ask(100))).toBe(one);
  expect((await ask(100)).errors).toBeUndefined();
});

describe('work that takes long has a cost of its own', () => {
  const repeated = (count: number, field: string) =>
    Array.from({ length: count }, (_, index) => `a${index}: ${field} { __typename }`).join(' ');
  const codesOf = async (query: string, variables?: Record<string, unknown>) => {
    const { errors } = await service.graphql(query, variables);
    return [...new Set(errors?.map(({ extensions }) => extensions.code))];
  };
  const unknown = '01m7xc4kkmepqbszdrczy3hnma';

  test.each([
    [5, 'RSA keys', 'createSshCertificateAuthority', { privateKeyType: 'rsa', keySize: 2048 }, []],
    [
      140,
      'signatures',
      'createSshHostCertificate',
      { sshCertificateAuthorityId: `sshca_${unknown}`, publicKey: 'none' },
      ['INVALID_INPUT'],
    ],
    [
      14,
      'SAML modules',
      'replaceSamlModule',
      { edgeId: `edghts_${unknown}`, routeId: `edghtsrt_${unknown}`, idpMetadata: 'none' },
      ['INVALID_INPUT'],
    ],
  ])('so that a document may ask for %d %s and not for many more', async (count, _, name, input, codes) => {
    const ask = (times: number) => {
      const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`;
      return codesOf(`mutation ($input: ${type}) { ${repeated(times, `${name}(input: $input)`)} }`, { input });
    };
    expect(await ask(count)).toEqual(codes);
    expect(await ask(Math.ceil(count * 1.1))).toEqual(['QUERY_TOO_COMPLEX']);
  });

  test.each([
    ['a variable', '$type: SshKeyType!', '{ privateKeyType: $type }', { type: 'ed25519' }, { type: 'rsa' }],
    ['a default', '$type: SshKeyType = rsa', '{ privateKeyType: $type }', { type: 'ecdsa' }, {}],
    [
      'an object',
      '$input: CreateSshCertificateAuthorityInput!',
      '$input',
      { input: {} },
      { input: { privateKeyType: 'rsa' } },
    ],
  ])('also where %s tells the kind of key, whatever was asked for before', async (_, head, input, quick, dear) => {
    const field = `createSshCertificateAuthority(input: ${input})`;
    const document = `mutation (${head}) { ${repeated(6, field)} }`;
    expect(await codesOf(document, quick)).toEqual([]);
    expect(await codesOf(document, dear)).toEqual(['QUERY_TOO_COMPLEX']);
    expect(await codesOf(document, quick)).toEqual([]);
  });
});

test('the modules of an edge are bounded together, so that a page of edges stays an answer', async () => {
  const { body: edge } = await service.rest('POST', '/edges/https', {});
  const metadata = (bytes: number) =>
    `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com"><!--${'x'.repeat(bytes)}--></EntityDescriptor>`;
  const put = async (match: string) => {
    const { body } = await service.rest('POST', `/edges/https/${edge.id}/routes`, { match_type: 'path_prefix', match });
    const path = `/edges/https/${edge.id}/routes/${body.id}/saml`;
    return service.rest('PUT', path, { idp_metadata: metadata(200_000) });
  };
  expect([(await put('/a')).status, (await put('/b')).status]).toEqual([200, 200]);
  const { status, body } = await put('/c');
  expect([status, body.error_code, body.details.field]).toEqual([400, 'INVALID_INPUT', 'idp_metadata']);
  expect(body.msg).toContain('524288');
});
