// Every object shows, next to its version, when it was last changed and by whom.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { unlimited } from '../../../src/areas/api-keys/rules.ts';
import { createApiKey } from '../../../src/areas/api-keys/store.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { createWorld } from '../../http/world.ts';
import { openClient } from '../../support/database.ts';
import { makeApprovals, makePerson } from '../../support/people.ts';
import { accountOf, createClient, startService, type TestService } from '../../support/service.ts';
import { recordedModels, rowsOf } from './trail.ts';

let service: TestService;
beforeEach(async () => {
  service = await startService();
});
afterEach(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

const lastChange = `query ($id: ID!) { node(id: $id) { ... on Resource { version createdAt updatedAt updatedBy { type id description } } } }`;
const later = new Date('2026-11-21T08:00:00.250Z');

async function keyId(client: Pick<TestService, 'graphql'>): Promise<string> {
  return (await client.graphql('{ viewer { apiKey { id } } }')).data.viewer.apiKey.id;
}

test('an object that never changed was last changed when it was made, by who made it', async () => {
  const { body } = await service.rest('POST', '/ip_policies', { description: 'office' });
  expect((await service.graphql(lastChange, { id: body.id })).data.node).toEqual({
    version: 1,
    createdAt: '2026-11-20T21:00:00Z',
    updatedAt: '2026-11-20T21:00:00Z',
    updatedBy: { type: 'api_key', id: await keyId(service), description: 'key of default' },
  });
});

test('a change is the time and the actor of the object from then on, and of no other', async () => {
  const { body: changed } = await service.rest('POST', '/ip_policies', {});
  const { body: other } = await service.rest('POST', '/ip_policies', {});
  const { data: viewer } = await service.graphql('{ viewer { account { id } } }');
  const scope = service.storage.actingFor(viewer.viewer.account.id, commandLine);
  const { token } = await createApiKey(scope, { description: 'second' }, unlimited);
  const second = createClient(service.url, token);
  service.setTime(later);
  const { data } = await second.graphql(
    `mutation ($id: ID!) { updateIpPolicy(input: { id: $id, description: "new" }) { ipPolicy {
      version createdAt updatedAt updatedBy { type id description } } } }`,
    { id: changed.id },
  );
  const expected = {
    version: 2,
    createdAt: '2026-11-20T21:00:00Z',
    updatedAt: '2026-11-21T08:00:00Z',
    updatedBy: { type: 'api_key', id: await keyId(second), description: 'second' },
  };
  expect(data.updateIpPolicy.ipPolicy).toEqual(expected);
  expect((await service.graphql(lastChange, { id: changed.id })).data.node).toEqual(expected);
  expect((await service.graphql(lastChange, { id: other.id })).data.node).toMatchObject({
    version: 1,
    updatedAt: '2026-11-20T21:00:00Z',
  });
});

test('a part that an object shows changes the object as well; an empty change does not', async () => {
  const { body: edge } = await service.rest('POST', '/edges/https', { hostports: ['example.com:443'] });
  service.setTime(later);
  await service.rest('PATCH', `/edges/https/${edge.id}`, {});
  expect((await service.graphql(lastChange, { id: edge.id })).data.node.updatedAt).toBe('2026-11-20T21:00:00Z');
  await service.rest('POST', `/edges/https/${edge.id}/routes`, { match_type: 'path_prefix', match: '/' });
  expect((await service.graphql(lastChange, { id: edge.id })).data.node).toMatchObject({
    version: 2,
    updatedAt: '2026-11-21T08:00:00Z',
  });
});

test('an object that comes back is as old as it was, and has changed now', async () => {
  const { body } = await service.rest('POST', '/ip_policies', {});
  await service.rest('DELETE', `/ip_policies/${body.id}`);
  service.setTime(later);
  const { data } = await service.graphql('{ auditEvents(first: 1) { nodes { id } } }');
  const restore = 'mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { __typename } }';
  expect((await service.graphql(restore, { id: data.auditEvents.nodes[0].id })).errors).toBeUndefined();
  expect((await service.graphql(lastChange, { id: body.id })).data.node).toMatchObject({
    createdAt: '2026-11-20T21:00:00Z',
    updatedAt: '2026-11-21T08:00:00Z',
  });
});

test('every object that is made has a time at once, and REST says nothing of it', async () => {
  const owned = await createWorld(service);
  await makePerson(service, await accountOf(service), owned('/sign_in_providers'));
  await makeApprovals(service, await accountOf(service));
  const client = await openClient(service.database);
  for (const { name } of recordedModels) {
    const rows = await rowsOf(client, name);
    expect([
      name,
      rows.length > 0,
      rows.filter(({ version, updatedAt, createdAt }) => version === 1 && `${updatedAt}` !== `${createdAt}`),
    ]).toEqual([name, true, []]);
  }
  expect(Object.keys((await service.rest('GET', `/ip_policies/${owned('/ip_policies')}`)).body)).toEqual([
    'id',
    'uri',
    'created_at',
    'description',
    'metadata',
  ]);
});

test('it is no change of its own in the trail', async () => {
  const { body } = await service.rest('POST', '/ip_policies', {});
  service.setTime(later);
  await service.rest('PATCH', `/ip_policies/${body.id}`, { description: 'new' });
  const { data } = await service.graphql('{ auditEvents(first: 1) { nodes { state changes { field } } } }');
  expect(data.auditEvents.nodes).toEqual([
    {
      state: { description: 'new', metadata: '', createdAt: '2026-11-20T21:00:00.500Z' },
      changes: [{ field: 'description' }],
    },
  ]);
});

test('who it was is null once the trail does not know it any more', async () => {
  const { body } = await service.rest('POST', '/ip_policies', {});
  const client = await openClient(service.database);
  await client.auditEvent.deleteMany({ where: { objectId: body.id } });
  expect((await service.graphql(lastChange, { id: body.id })).data.node).toMatchObject({
    updatedAt: '2026-11-20T21:00:00Z',
    updatedBy: null,
  });
});

test('a page reads all of its actors at once, and needs no right but to read its objects', async () => {
  const { data: viewer } = await service.graphql('{ viewer { account { id } } }');
  const scope = service.storage.actingFor(viewer.viewer.account.id, commandLine);
  const { token } = await createApiKey(scope, { scopes: ['ip-policies:read'] }, unlimited);
  for (let index = 0; index < 30; index += 1) await service.rest('POST', '/ip_policies', {});
  service.statements.length = 0;
  const { data, errors } = await createClient(service.url, token).graphql(
    '{ ipPolicies { nodes { updatedBy { description } } } }',
  );
  expect(errors).toBeUndefined();
  expect(
    new Set(data.ipPolicies.nodes.map(({ updatedBy }: { updatedBy: object }) => JSON.stringify(updatedBy))),
  ).toEqual(new Set([JSON.stringify({ description: 'key of default' })]));
  expect(service.statements.filter((sql) => sql.includes('AuditEvent'))).toHaveLength(1);
});
