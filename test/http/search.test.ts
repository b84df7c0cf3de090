// Search: what is found, in which field, by which key, and how much is searched.

import { beforeAll, describe, expect, test } from 'vitest';
import { unlimited } from '../../src/areas/api-keys/rules.ts';
import { createApiKey } from '../../src/areas/api-keys/store.ts';
import { kinds } from '../../src/domain/values/ids.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { copyRow, lateId } from '../support/crowd.ts';
import { hostKey } from '../support/host-key.ts';
import { type Client, createClient, startService, type TestService } from '../support/service.ts';

let service: TestService;
const ids: Record<string, string> = {};
beforeAll(async () => {
  service = await startService();
  const make = async (name: string, path: string, body: object) => {
    const answer = await service.rest('POST', path, body);
    expect([name, answer.status]).toEqual([name, 201]);
    ids[name] = answer.body.id;
    return answer.body;
  };
  await make('policy', '/ip_policies', { description: 'Head Office', metadata: '{"team":"Ops_100%"}' });
  const ip_policy_id = ids.policy;
  await make('wide', '/ip_policy_rules', { ip_policy_id, cidr: '10.0.0.0/8', action: 'allow' });
  await make('narrow', '/ip_policy_rules', { ip_policy_id, cidr: '10.1.2.0/24', action: 'deny' });
  await make('v6', '/ip_policy_rules', { ip_policy_id, cidr: '2001:DB8::/32', action: 'allow' });
  await make('edge', '/edges/https', { hostports: ['shop.example.com:443', 'www.example.com:443'] });
  await make('route', `/edges/https/${ids.edge}/routes`, { match_type: 'path_prefix', match: '/Checkout' });
  await make('tls', '/edges/tls', { hostports: ['db.example.com:5432'] });
  await make('backend', '/backends/tunnel_group', { labels: { region: 'eu-west', tier: 'gold' } });
  await make('authority', '/ssh_certificate_authorities', { description: 'Größe Ä' });
  await make('certificate', '/ssh_host_certificates', {
    ssh_certificate_authority_id: ids.authority,
    public_key: hostKey,
    principals: ['web1.example.com', '10.1.2.3'],
  });
});

const query = `query ($text: String!, $first: Int, $kinds: [String!]) {
  search(text: $text, first: $first, kinds: $kinds) { node { __typename id } field text } }`;

/** Searches, and returns the names of the found objects with the matching fields and texts. */
async function find(text: string, args: object = {}, client: Client = service) {
  const { data, errors } = await client.graphql(query, { text, ...args });
  expect(errors).toBeUndefined();
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  return data.search.map((hit: { node: { id: string }; field: string; text: string }) => [
    names.get(hit.node.id) ?? hit.node.id,
    hit.field,
    hit.text,
  ]);
}

describe('finds', () => {
  test.each([
    ['a description, in either case', 'head OFF', [['policy', 'description', 'Head Office']]],
    ['metadata', '"TEAM"', [['policy', 'metadata', '{"team":"Ops_100%"}']]],
    ['letters beyond ASCII as they are', 'Größe Ä', [['authority', 'description', 'Größe Ä']]],
    ['a path', '/check', [['route', 'match', '/Checkout']]],
    ['a label', 'EU-w', [['backend', 'labels', 'eu-west']]],
    ['a range', '10.1.2.0/', [['narrow', 'cidr', '10.1.2.0/24']]],
    [
      'hosts, the newest object first',
      'example.com',
      [
        ['certificate', 'principals', 'web1.example.com'],
        ['tls', 'hostports', 'db.example.com:5432'],
        ['edge', 'hostports', 'shop.example.com:443'],
      ],
    ],
    [
      'an address in the ranges that hold it, and where it stands',
      '10.1.2.3',
      [
        ['certificate', 'principals', '10.1.2.3'],
        ['narrow', 'cidr', '10.1.2.0/24'],
        ['wide', 'cidr', '10.0.0.0/8'],
      ],
    ],
    ['an address of IPv6, however it is written', '2001:0db8:0:0:0:0:0:1', [['v6', 'cidr', '2001:DB8::/32']]],
    ['nothing for wildcards of SQL', 'Head%', []],
    ['nothing for others', 'H_ad', []],
    ['what has them', '_100%', [['policy', 'metadata', '{"team":"Ops_100%"}']]],
    ['nothing for quotes', "Head' OR '1'='1", []],
    ['nothing by the middle of an id', 'pp_', []],
    ['nothing by the form in which lists are stored', '","', []],
  ])('%s', async (_what, text, expected) => {
    expect(await find(text)).toEqual(expected);
  });

  test('an object by its id, or the beginning of it, of every kind', async () => {
    for (const [name, id] of Object.entries(ids)) {
      expect(await find(id)).toEqual([[name, 'id', id]]);
      expect(await find(id.toUpperCase())).toEqual([[name, 'id', id]]);
      expect(await find(id.slice(0, -1), { kinds: undefined })).toContainEqual([name, 'id', id]);
    }
  });

  test('keys by their fingerprints, with and without the name of the hash', async () => {
    const { data } = await service.graphql(
      `{ sshCertificateAuthority(id: "${ids.authority}") { fingerprint } sshHostCertificate(id: "${ids.certificate}") { fingerprint } }`,
    );
    for (const [name, { fingerprint }] of [
      ['authority', data.sshCertificateAuthority],
      ['certificate', data.sshHostCertificate],
    ]) {
      expect(await find(fingerprint)).toEqual([[name, 'fingerprint', fingerprint]]);
      expect(await find(fingerprint.slice('SHA256:'.length, 30))).toEqual([[name, 'fingerprint', fingerprint]]);
    }
  });

  test('what is asked for of each object, relations among it', async () => {
    const { data, errors } = await service.graphql(`{ search(text: "10.1.2.0/24") { node {
      uri updatedBy { type } ... on IpPolicyRule { ipPolicy { description } } } } }`);
    expect(errors).toBeUndefined();
    expect(data.search).toEqual([
      {
        node: {
          uri: `https://sallyport.test/ip_policy_rules/${ids.narrow}`,
          updatedBy: { type: 'api_key' },
          ipPolicy: { description: 'Head Office' },
        },
      },
    ]);
  });

  test('as many as are asked for, of the kinds that are asked for', async () => {
    expect(await find('example.com', { first: 1 })).toEqual([['certificate', 'principals', 'web1.example.com']]);
    expect(await find('example.com', { kinds: ['TlsEdge', 'TlsEdge'] })).toEqual([
      ['tls', 'hostports', 'db.example.com:5432'],
    ]);
    expect(await find('example.com', { kinds: [] })).toEqual([]);
  });
});

test('nothing of another account is found', async () => {
  const other = await service.asNewAccount();
  for (const text of ['Head Office', '10.1.2.3', 'example.com', ids.policy ?? '']) {
    expect(await find(text, {}, other)).toEqual([]);
  }
});

test('a key finds what it may read, and is told what it lacks for a kind that it asks for', async () => {
  const { data: viewer } = await service.graphql('{ viewer { account { id } } }');
  const scope = service.storage.actingFor(viewer.viewer.account.id, commandLine);
  const { token } = await createApiKey(scope, { scopes: ['tls-edges:read'] }, unlimited);
  const client = createClient(service.url, token);
  expect(await find('example.com', {}, client)).toEqual([['tls', 'hostports', 'db.example.com:5432']]);
  expect(await find(ids.edge ?? '', {}, client)).toEqual([]);
  const { data, errors } = await client.graphql(query, { text: 'example', kinds: ['TlsEdge', 'HttpsEdge'] });
  expect(data).toEqual({ search: null });
  expect(errors?.map(({ message, extensions }) => [message, extensions.code])).toEqual([
    ['The API key lacks "https-edges:read"; it has "tls-edges:read".', 'FORBIDDEN'],
  ]);
});

test.each([
  [{ text: '' }, 'text'],
  [{ text: 'ä'.repeat(128) }, 'text'],
  [{ text: 'a\u0000' }, 'text'],
  [{ text: 'a', first: 0 }, 'first'],
  [{ text: 'a', first: 51 }, 'first'],
  [{ text: 'a', kinds: ['AuditEvent'] }, 'kinds[0]'],
  [{ text: 'a', kinds: ['IpPolicy', 'nonsense'] }, 'kinds[1]'],
  [{ text: 'a', kinds: Array.from({ length: Object.keys(kinds).length + 1 }, () => 'IpPolicy') }, 'kinds'],
])('%j is refused', async (variables, field) => {
  const { errors } = await service.graphql(query, variables);
  expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'INVALID_INPUT', field }]);
});

test('a document holds no more than ten searches', async () => {
  const many = (count: number) =>
    `{ ${Array.from({ length: count }, (_, index) => `a${index}: search(text: "x${index}", first: 1) { field }`).join(' ')} }`;
  expect((await service.graphql(many(3))).errors).toBeUndefined();
  expect((await service.graphql(many(11))).errors?.map(({ extensions }) => extensions.code)).toEqual([
    'QUERY_TOO_COMPLEX',
  ]);
});

test('looks through the newest objects part by part, and finds what is behind a thousand others', async () => {
  const { body } = await service.rest('POST', '/ip_policies', { description: 'among many' });
  const columns = ['id', 'accountId', 'description', 'version', 'createdAt', 'updatedAt'];
  const description = "CASE WHEN n % 700 = 0 THEN 'one of many' ELSE 'no match' END";
  await copyRow(service.database, 'IpPolicy', body.id, 2_200, { description }, columns);
  const found = async (first: number) =>
    (await find('of many', { first, kinds: ['IpPolicy'] })).map(([id]: string[]) => id);
  const all = [2_100, 1_400, 700, 0].map((number) => lateId('IpPolicy', number));
  expect(await found(10)).toEqual(all);
  expect(await found(3)).toEqual(all.slice(0, 3));
  expect(await find('among many')).toEqual([[body.id, 'description', 'among many']]);
});
