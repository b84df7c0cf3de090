// Reads objects by their ids, many at once.

import { beforeAll, describe, expect, test } from 'vitest';
import { unlimited } from '../../src/areas/api-keys/rules.ts';
import { createApiKey } from '../../src/areas/api-keys/store.ts';
import { kinds } from '../../src/domain/values/ids.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { createClient, startService, type TestService } from '../support/service.ts';
import { createWorld, type IdOf, neverId } from './world.ts';

let service: TestService;
let owned: IdOf;
beforeAll(async () => {
  service = await startService();
  owned = await createWorld(service);
});

const nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';
const collections = Object.entries(kinds).flatMap(([kind, properties]) =>
  'path' in properties ? [{ kind, path: properties.path }] : [],
);

test('are objects of any kinds in the order of their ids, as often as they are named', async () => {
  const asked = [...collections, ...collections.toReversed()];
  const { data, errors } = await service.graphql(nodes, { ids: asked.map(({ path }) => owned(path)) });
  expect(errors).toBeUndefined();
  expect(data.nodes).toEqual(asked.map(({ kind, path }) => ({ __typename: kind, id: owned(path) })));
});

test('are null where an id names nothing, is of another account, or is no id', async () => {
  const other = await service.asNewAccount();
  const ids = ['nonsense', neverId(owned)('/ip_policies'), owned('/ip_policies'), ''];
  const { data: viewer } = await service.graphql('{ viewer { account { id } } }');
  const accountId = viewer.viewer.account.id;
  const own = await service.graphql(nodes, { ids: [...ids, accountId] });
  expect(own).toEqual({
    status: 200,
    data: { nodes: [null, null, { __typename: 'IpPolicy', id: owned('/ip_policies') }, null, null] },
    errors: undefined,
  });
  expect((await other.graphql(nodes, { ids })).data).toEqual({ nodes: [null, null, null, null] });
});

test('are null, with an error in its place, where the key may not read the kind, whether or not there is one', async () => {
  const { data: viewer } = await service.graphql('{ viewer { account { id } } }');
  const scope = service.storage.actingFor(viewer.viewer.account.id, commandLine);
  const { token } = await createApiKey(scope, { scopes: ['ip-policies:read'] }, unlimited);
  const client = createClient(service.url, token);
  const ids = [owned('/ip_policies'), owned('/edges/tls'), neverId(owned)('/edges/tls')];
  const { data, errors } = await client.graphql(nodes, { ids });
  expect(data).toEqual({ nodes: [{ __typename: 'IpPolicy', id: ids[0] }, null, null] });
  const message = 'The API key lacks "tls-edges:read"; it has "ip-policies:read".';
  expect(errors?.map(({ path, message, extensions }) => [path, message, extensions.code])).toEqual([
    [['nodes', 1], message, 'FORBIDDEN'],
    [['nodes', 2], message, 'FORBIDDEN'],
  ]);
});

test('show what is asked of each type, relations and lists of relations among it', async () => {
  const query = `query ($ids: [ID!]!) { nodes(ids: $ids) {
    ... on Resource { uri updatedAt }
    ... on IpPolicyRule { ipPolicy { id } }
    ... on TlsEdge { hostports backend { backend { id } } }
    ... on SshHostCertificate { sshCertificateAuthority { id keyType } }
  } }`;
  const ids = ['/ip_policy_rules', '/edges/tls', '/ssh_host_certificates', '/backends/tunnel_group'].map(owned);
  const { data, errors } = await service.graphql(query, { ids });
  expect(errors).toBeUndefined();
  expect(data.nodes.map(({ uri, updatedAt, ...own }: Record<string, unknown>) => own)).toEqual([
    { ipPolicy: { id: owned('/ip_policies') } },
    { hostports: expect.any(Array), backend: { backend: { id: owned('/backends/tunnel_group') } } },
    { sshCertificateAuthority: { id: owned('/ssh_certificate_authorities'), keyType: expect.any(String) } },
    {},
  ]);
});

test('are read by one statement of each kind', async () => {
  const many = await Promise.all(
    Array.from({ length: 50 }, async () => (await service.rest('POST', '/ip_policies', {})).body.id),
  );
  service.statements.length = 0;
  const { data } = await service.graphql(nodes, { ids: [...many, owned('/edges/tls')] });
  expect(data.nodes.every((node: unknown) => node !== null)).toBe(true);
  const read = service.statements.filter((sql) => /FROM "(IpPolicy|TlsEdge)"/.test(sql));
  expect(read).toHaveLength(2);
});

describe('of more than a hundred ids', () => {
  test.each([
    ['as a variable', (ids: string[]) => service.graphql(nodes, { ids }), 'ids'],
    ['in the document', (ids: string[]) => service.graphql(`{ nodes(ids: ${JSON.stringify(ids)}) { id } }`), 'ids'],
  ])('nothing is read, %s', async (_where, ask, field) => {
    const { errors } = await ask(Array.from({ length: 101 }, () => owned('/ip_policies')));
    expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'INVALID_INPUT', field }]);
  });
});
