// What a document can reach: only what the key of the caller may, and only in its own account.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { createClient, startService, type TestService } from '../../support/service.ts';
import {
  apply,
  exported,
  exportQuery,
  imported,
  importMutation,
  plan,
  refusalOf,
  shortly,
  withoutRequest,
} from './documents.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

async function keyWith(scopes: readonly string[]) {
  const { status, body } = await service.rest('POST', '/api_keys', { scopes });
  expect(status).toBe(201);
  return createClient(service.url, body.token);
}

const policies = (description: string) => ({ ipPolicies: { office: { description } } });
const withEdge = { ...policies('the office'), tlsEdges: { mail: { hostports: ['mail.example.com:443'] } } };

async function importRefusalOf(client: Pick<TestService, 'graphql'>, document: object) {
  return errorOf(await client.graphql(importMutation, { input: { document } }))?.code;
}

async function standing() {
  const { data } = await service.graphql(
    '{ ipPolicies { nodes { description version } } tlsEdges { nodes { hostports version } } roles { nodes { name scopes } } }',
  );
  return { policies: data.ipPolicies.nodes, edges: data.tlsEdges.nodes, roles: data.roles.nodes };
}

describe('a key', () => {
  test('that may write one area changes and reads nothing else', async () => {
    await apply(service, withEdge);
    const before = await standing();
    const key = await keyWith(['ip-policies:write']);
    expect(await refusalOf(key, { ...policies('changed'), tlsEdges: {} })).toMatchObject({ code: 'FORBIDDEN' });
    expect(
      await refusalOf(key, { ...policies('changed'), tlsEdges: { mail: { hostports: ['a.example.com:443'] } } }),
    ).toMatchObject({ code: 'FORBIDDEN' });
    // The document has made the edge, which is missing in it: this would delete it.
    expect(await refusalOf(key, policies('changed'), { prune: true })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await importRefusalOf(key, { document: 'other', tlsEdges: { mail: {} } })).toBe('FORBIDDEN');
    const answer = await key.graphql(exportQuery);
    expect(withoutRequest(errorOf(answer))).toMatchObject({ code: 'FORBIDDEN' });
    expect(answer.data?.exportConfiguration ?? null).toBeNull();
    expect(await standing()).toEqual(before);
    expect(shortly(await apply(key, { document: 'other', ipPolicies: { mine: {} } }).then((one) => one.plan))).toEqual([
      'create IpPolicy mine',
    ]);
  });

  test('that may only read plans no change, and applies none', async () => {
    await apply(service, withEdge);
    const before = await standing();
    const key = await keyWith(['read']);
    expect((await exported(key)).document).toEqual((await exported(service)).document);
    expect((await plan(key, withEdge)).changes).toEqual([]);
    expect(await refusalOf(key, { ...withEdge, ...policies('changed') })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await refusalOf(key, {}, { prune: true })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await standing()).toEqual(before);
    // What belongs to a document can be deleted by whoever applies it.
    expect((await service.rest('POST', '/ip_policies', { description: 'loose' })).status).toBe(201);
    const loose = { ipPolicies: { loose: { description: 'loose' } } };
    expect(await importRefusalOf(key, { document: 'other', ...loose })).toBe('FORBIDDEN');
    expect((await imported(service, { document: 'other', ...loose })).objects).toMatchObject([{ name: 'loose' }]);
  });

  test('grants no rights by a document that it has not', async () => {
    for (const collection of ['apiKeys', 'people', 'approvalRequests']) {
      expect(await refusalOf(service, { [collection]: {} })).toMatchObject({
        code: 'UNKNOWN_FIELD',
        field: collection,
      });
    }
    const key = await keyWith(['ip-policies:write', 'webhooks:write']);
    const roles = { network: { name: 'network', scopes: ['tls-edges:write'] } };
    expect(await refusalOf(key, { roles })).toMatchObject({ code: 'FORBIDDEN' });
    const ofRoles = await keyWith(['people:write', 'ip-policies:write']);
    expect(await refusalOf(ofRoles, { roles })).toMatchObject({ code: 'FORBIDDEN', field: 'roles.network.scopes' });
    // Messages tell all that is in the trail.
    const webhooks = { chat: { url: 'https://chat.example.com/hook' } };
    expect(await refusalOf(key, { webhooks })).toMatchObject({ code: 'FORBIDDEN', field: 'webhooks.chat' });
  });

  test('that may not read restrictions learns nothing of them from a plan', async () => {
    const created = async (path: string, body: object) => (await service.rest('POST', path, body)).body.id;
    const id = await created('/ip_policies', { description: 'office' });
    await created('/ip_policy_rules', { ip_policy_id: id, action: 'allow', cidr: '127.0.0.0/8' });
    const restriction = { enforced: true, ip_policy_ids: [id], description: 'secretly named' };
    for (const type of ['api', 'endpoints']) await created('/ip_restrictions', { type, ...restriction });
    const rules = [{ cidr: '192.0.2.0/24', action: 'allow' }];
    const document = { ipPolicies: { office: { description: 'office', rules } } };
    await imported(service, document);
    const seen = async (client: Pick<TestService, 'graphql'>) => {
      const { access, refusals } = await plan(client, document);
      return [access.length, JSON.stringify(refusals).includes('secretly named'), refusals[0]?.code];
    };
    expect(await seen(service)).toEqual([2, true, 'LOCKOUT']);
    expect(await seen(await keyWith(['ip-policies:write']))).toEqual([0, false, 'LOCKOUT']);
  });
});

describe('another account', () => {
  test('is not reached by its ids, by the same names, by imports or by its plans', async () => {
    const other = await service.otherAccount('other');
    await apply(other, withEdge);
    const { nodes } = dataOf(await other.graphql('{ ipPolicies { nodes { id } } }')).ipPolicies;
    const [{ id }] = nodes;
    const missing = await refusalOf(service, {
      ipRestrictions: { web: { type: 'endpoints', ipPolicyIds: [id.replace(/.{4}$/, '0000')] } },
    });
    expect(await refusalOf(service, { ipRestrictions: { web: { type: 'endpoints', ipPolicyIds: [id] } } })).toEqual({
      ...missing,
      message: missing.message?.replace(/ipp_\w+/, id),
    });
    expect((await imported(service, withEdge)).objects).toEqual([]);
    const planned = await plan(service, withEdge, { prune: true });
    expect(shortly(planned)).toEqual(['create IpPolicy office', 'create TlsEdge mail']);
    expect((await plan(other, withEdge)).digest).not.toBe(planned.digest);
    expect((await exported(service)).document).toEqual({});
    await apply(service, {}, { prune: true });
    await apply(service, withEdge);
    await apply(service, {}, { prune: true });
    expect((await plan(other, withEdge)).changes).toEqual([]);
    expect(dataOf(await other.graphql('{ ipPolicies { nodes { id } } }')).ipPolicies.nodes).toEqual(nodes);
  });
});
