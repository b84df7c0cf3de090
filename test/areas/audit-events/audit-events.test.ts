// What the trail shows: who changed which fields, and for how long that is kept.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { auditUpkeep } from '../../../src/areas/audit-events/upkeep.ts';
import { collectionOf } from '../../../src/storage/objects/collections.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { byEngine, openClient } from '../../support/database.ts';
import { accountOf, ofOneServer, ownService, startService, type TestService } from '../../support/service.ts';

const ipPolicies = collectionOf('IpPolicy');

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  // Events of several servers are ordered by the servers' clocks, which stand still here.
  service = ofOneServer(await shared.asNewAccount());
});

const day = 86_400_000;
const start = new Date('2026-11-20T21:00:00.500Z').getTime();
const inDays = (days: number) => new Date(start + days * day);

const createPolicy = async (description: string): Promise<string> =>
  (await service.rest('POST', '/ip_policies', { description })).body.id;

describe('an event', () => {
  test('tells who changed what, over both surfaces alike', async () => {
    const id = await createPolicy('office');
    const answer = await service.rest('PATCH', `/ip_policies/${id}`, { description: 'offices' });
    const { data } = await service.graphql('{ viewer { apiKey { id description } } }');
    const { id: apiKeyId, description } = data.viewer.apiKey;
    const { body } = await service.rest('GET', '/audit_events?limit=1');
    const [event] = body.audit_events;
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_\w{26}$/),
      uri: `https://sallyport.test/audit_events/${event.id}`,
      created_at: '2026-11-20T21:00:00Z',
      action: 'update',
      kind: 'IpPolicy',
      object_id: id,
      version: 2,
      actor: { type: 'api_key', id: apiKeyId, api_key_id: apiKeyId, description },
      surface: 'rest',
      request_id: answer.headers.get('x-request-id'),
      client_address: '127.0.0.1',
      changes: [{ field: 'description', before: 'office', after: 'offices', shortened: false }],
      refusal: null,
    });
    expect((await service.rest('GET', `/audit_events/${event.id}`)).body).toEqual(event);
    const query = `query ($id: ID!) { auditEvent(id: $id) { version state changes { before after } } node(id: $id) { id } }`;
    expect((await service.graphql(query, { id: event.id })).data).toEqual({
      auditEvent: {
        version: 2,
        state: { description: 'offices', metadata: '', createdAt: '2026-11-20T21:00:00.500Z' },
        changes: [{ before: 'office', after: 'offices' }],
      },
      node: { id: event.id },
    });
  });

  test('keeps the description that the key had', async () => {
    const { data } = await service.graphql('{ viewer { apiKey { id } } }');
    const id = data.viewer.apiKey.id;
    await service.rest('PATCH', `/api_keys/${id}`, { description: 'renamed' });
    await createPolicy('x');
    const { body } = await service.rest('GET', '/audit_events?limit=2');
    expect(body.audit_events.map(({ kind, actor }: never) => [kind, actor])).toEqual([
      ['IpPolicy', { type: 'api_key', id, api_key_id: id, description: 'renamed' }],
      ['ApiKey', { type: 'api_key', id, api_key_id: id, description: 'renamed' }],
    ]);
  });

  test('shortens values of more than 256 bytes between characters, and keeps them whole in the state', async () => {
    const [fits, long] = ['é'.repeat(128), `x${'é'.repeat(128)}`];
    const id = (await service.rest('POST', '/ip_policies', { description: 'a', metadata: fits })).body.id;
    await service.rest('PATCH', `/ip_policies/${id}`, { metadata: long });
    const query =
      'query ($id: ID!) { ipPolicy(id: $id) { history(first: 1) { nodes { state changes { before after shortened } } } } }';
    const [event] = (await service.graphql(query, { id })).data.ipPolicy.history.nodes;
    expect(event.changes).toEqual([{ before: fits, after: `x${'é'.repeat(127)}…`, shortened: true }]);
    expect(event.state.metadata).toBe(long);
  });

  test('is not there for a change that failed, or changed nothing', async () => {
    const id = await createPolicy('a');
    const rule = { ip_policy_id: id, cidr: '10.0.0.0/8', action: 'allow' };
    await service.rest('POST', '/ip_policy_rules', rule);
    const count = async () => (await service.graphql('{ auditEvents { totalCount } }')).data.auditEvents.totalCount;
    const before = await count();
    expect((await service.rest('POST', '/ip_policy_rules', rule)).status).toBe(400);
    expect(
      (await service.rest('PATCH', `/ip_policies/${id}`, { description: 'b' }, { 'If-Match': '"7"' })).status,
    ).toBe(412);
    expect((await service.rest('DELETE', `/ip_policies/${id}`, undefined, { 'If-Match': '"7"' })).status).toBe(412);
    expect((await service.rest('PATCH', `/ip_policies/${id}`, {})).status).toBe(200);
    expect(await count()).toBe(before);
  });

  test('of a whole goes with one of each part that ends with it', async () => {
    const id = await createPolicy('a');
    for (const cidr of ['10.0.0.0/8', '11.0.0.0/8']) {
      await service.rest('POST', '/ip_policy_rules', { ip_policy_id: id, cidr, action: 'deny' });
    }
    const answer = await service.rest('DELETE', `/ip_policies/${id}`);
    const { data } = await service.graphql(
      '{ auditEvents(action: delete) { totalCount nodes { kind version requestId state } } }',
    );
    const requestId = answer.headers.get('x-request-id');
    const notes = { description: '', metadata: '', createdAt: inDays(0).toISOString() };
    const rule = { ipPolicyId: id, action: 'deny', expiresAt: null, ...notes };
    expect(data.auditEvents).toEqual({
      totalCount: 3,
      nodes: [
        { kind: 'IpPolicyRule', version: 2, requestId, state: { ...rule, cidr: '11.0.0.0/8' } },
        { kind: 'IpPolicyRule', version: 2, requestId, state: { ...rule, cidr: '10.0.0.0/8' } },
        {
          kind: 'IpPolicy',
          version: 2,
          requestId,
          state: { description: 'a', metadata: '', createdAt: inDays(0).toISOString() },
        },
      ],
    });
  });

  test('of a whole whose part changes has no changes of its own', async () => {
    const edge = (await service.rest('POST', '/edges/https', {})).body.id;
    const route = { match_type: 'exact_path', match: '/' };
    await service.rest('POST', `/edges/https/${edge}/routes`, route);
    const { body } = await service.rest('GET', '/audit_events?limit=2');
    expect(body.audit_events.map(({ kind, action, changes }: never) => [kind, action, changes])).toEqual([
      [
        'HttpsEdgeRoute',
        'create',
        expect.arrayContaining([{ field: 'match', before: null, after: '/', shortened: false }]),
      ],
      ['HttpsEdge', 'update', []],
    ]);
  });

  test('does not know what was before it where the object is older than the trail', async () => {
    const id = await createPolicy('a');
    const client = await openClient(service.database);
    await client.auditEvent.deleteMany({ where: { accountId: await accountOf(service) } });
    await service.rest('PATCH', `/ip_policies/${id}`, { description: 'b' });
    const { body } = await service.rest('GET', '/audit_events');
    expect(body.audit_events.map(({ version, changes }: never) => [version, changes])).toEqual([[2, null]]);
  });
});

describe('the list', () => {
  // Event ids contain the time, which never goes back within one storage, so tests of time ranges use a separate storage.
  let history: TestService;
  let first: string;
  /** Creates two policies, changes one and deletes one, on four days; one of these steps is done by the command line. */
  beforeAll(async () => {
    history = await startService();
    const one = ofOneServer(history);
    first = (await one.rest('POST', '/ip_policies', { description: 'a' })).body.id;
    history.setTime(inDays(1));
    const scope = history.storage.actingFor(await accountOf(history), commandLine);
    await ipPolicies.create(scope, { description: 'b' });
    history.setTime(inDays(2));
    await one.rest('PATCH', `/ip_policies/${first}`, { description: 'c' });
    history.setTime(inDays(3));
    await one.rest('DELETE', `/ip_policies/${first}`);
  });
  afterAll(async () => {
    expect(history.failures).toEqual([]);
    await history.close();
  });

  test.each([
    ['', 'delete update create create create create', 6],
    ['objectId: "FIRST"', 'delete update create', 3],
    ['kind: "ApiKey"', 'create', 1],
    ['actor: "cli"', 'create create create', 3],
    ['action: update', 'update', 1],
    ['kind: "IpPolicy", action: create', 'create create', 2],
    ['from: "2026-11-22T00:00:00Z"', 'delete update', 2],
    ['to: "2026-11-21T00:00:00Z", kind: "IpPolicy"', 'create', 1],
    ['from: "2026-11-21T00:00:00Z", to: "2026-11-23T00:00:00Z"', 'update create', 2],
    ['from: "2026-11-21T00:00:00Z", last: 1', 'create', 3],
    ['from: "2027-11-21T00:00:00Z"', '', 0],
  ])('narrowed by (%s) has %s', async (filter, actions, totalCount) => {
    const args = filter === '' ? '' : `(${filter.replace('FIRST', first)})`;
    const { data, errors } = await history.graphql(`{ auditEvents${args} { totalCount nodes { action } } }`);
    expect(errors).toBeUndefined();
    const found = data.auditEvents.nodes.map(({ action }: { action: string }) => action);
    expect([found.join(' '), data.auditEvents.totalCount]).toEqual([actions, totalCount]);
  });

  test.each([
    ['kind: "Nonsense"', 'kind'],
    // PostgreSQL rejects NUL characters; SQLite would accept them.
    ['objectId: "a\\u0000"', 'objectId'],
    ['actor: "a\\u0000"', 'actor'],
    ['from: "yesterday"', 'from'],
    ['to: "2026-11-20"', 'to'],
  ])('refuses (%s)', async (filter, field) => {
    const { data, errors } = await service.graphql(`{ auditEvents(${filter}) { totalCount } }`);
    expect(data).toEqual({ auditEvents: null });
    expect(errors?.map(({ extensions }) => [extensions.code, extensions.field])).toEqual([['INVALID_INPUT', field]]);
  });
});

describe('retention', () => {
  // Retention runs over all accounts and moves the time, which cannot go back.
  beforeEach(async () => {
    service = ofOneServer(await ownService());
  });

  test('deletes what is older than 400 days, but for the last event of each object', async () => {
    const stays = await createPolicy('a');
    const goes = await createPolicy('b');
    for (const description of ['c', 'd']) await service.rest('PATCH', `/ip_policies/${stays}`, { description });
    await service.rest('DELETE', `/ip_policies/${goes}`);
    service.setTime(inDays(300));
    await service.rest('PATCH', `/ip_policies/${stays}`, { description: 'e' });
    const client = await openClient(service.database);
    const versions = async (objectId: string) =>
      (await client.auditEvent.findMany({ where: { objectId }, orderBy: { version: 'asc' } })).map(
        ({ version }) => version,
      );
    const upkeep = serviceUpkeep();
    await upkeep(inDays(399));
    expect([await versions(stays), await versions(goes)]).toEqual([
      [1, 2, 3, 4],
      [1, 2],
    ]);
    const gauge = async (name: string) => {
      const found = auditUpkeep(400).gauges?.find((one) => one.name === name);
      return (await found?.count(service.storage.server, inDays(401)))?.map(({ count }) => count);
    };
    const checked = async () => (await auditUpkeep(400).check?.(service.storage.server, inDays(402)))?.[0];
    expect(await gauge('sallyport_audit_pruned_timestamp_seconds')).toEqual([inDays(399).getTime() / 1000]);
    const overdue = await client.auditEvent.count({ where: { createdAt: { lt: inDays(1) } } });
    expect(await gauge('sallyport_audit_events_overdue')).toEqual([overdue]);
    expect(await checked()).toMatchObject({
      level: 'warn',
      message: expect.stringContaining(`${overdue} events should`),
    });
    await upkeep(inDays(401));
    expect(await gauge('sallyport_audit_pruned_timestamp_seconds')).toEqual([inDays(401).getTime() / 1000]);
    expect(await gauge('sallyport_audit_events_overdue')).toEqual([0]);
    expect(await checked()).toMatchObject({ level: 'ok' });
    expect([await versions(stays), await versions(goes)]).toEqual([[3, 4], []]);
    await upkeep(inDays(1000));
    expect(await versions(stays)).toEqual([4]);
    await service.rest('PATCH', `/ip_policies/${stays}`, { description: 'f' });
    const { body } = await service.rest('GET', '/audit_events?limit=1');
    expect(body.audit_events[0].changes).toEqual([{ field: 'description', before: 'e', after: 'f', shortened: false }]);
  });

  test('leaves no deletion of a part behind that of its whole, and what was restored is as if it had never gone', async () => {
    const [goes, returns] = [await createPolicy('a'), await createPolicy('b')];
    for (const id of [goes, returns]) {
      await service.rest('POST', '/ip_policy_rules', { ip_policy_id: id, cidr: '10.0.0.0/8', action: 'allow' });
      await service.rest('DELETE', `/ip_policies/${id}`);
    }
    const client = await openClient(service.database);
    const deletion = await client.auditEvent.findFirstOrThrow({ where: { objectId: returns, action: 'delete' } });
    service.setTime(inDays(399));
    await service.graphql('mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { event { id } } }', {
      id: deletion.id,
    });
    await serviceUpkeep()(inDays(401));
    const events = await client.auditEvent.findMany({
      where: { kind: { startsWith: 'IpPolicy' } },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ kind, version, action }) => [kind, version, action])).toEqual([
      ['IpPolicy', 3, 'create'],
      ['IpPolicyRule', 3, 'create'],
    ]);
  });

  test('takes many events in small steps', async () => {
    const id = await createPolicy('a');
    const client = await openClient(service.database);
    const [event] = await client.auditEvent.findMany({ where: { objectId: id } });
    if (event === undefined) throw new Error('The creation is an event.');
    const more = Array.from({ length: 1_200 }, (_, index) => ({
      ...event,
      id: `${event.id.slice(0, -4)}${String(index).padStart(4, '0')}`,
      version: index + 2,
    }));
    await client.auditEvent.deleteMany({ where: { objectId: id } });
    await client.auditEvent.createMany({ data: more });
    const { length } = service.statements;
    await serviceUpkeep()(inDays(401));
    expect(await client.auditEvent.count({ where: { objectId: id } })).toBe(1);
    const steps = service.statements.slice(length).filter((sql) => sql.startsWith('DELETE FROM "AuditEvent"'));
    // On the fastest machine, of 100, 200, 400 and 500 events, or of 400 and 2,000. A slow step is followed by smaller ones.
    expect(steps.length).toBeGreaterThanOrEqual(byEngine({ sqlite: 4, postgresql: 2 }));
  });

  /** Returns a function that runs the trail's hourly upkeep at a given time. */
  const serviceUpkeep = () => (time: Date) =>
    auditUpkeep(400).hourly?.(service.storage.server, time, new AbortController().signal) ?? Promise.resolve();
});
