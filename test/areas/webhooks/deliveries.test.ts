// The messages of webhooks, to real receivers that accept, refuse, hang, redirect and die.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { renewLeases, storeSteps } from '../../../src/areas/webhooks/lane-store.ts';
import { parseRange } from '../../../src/domain/ip/cidr.ts';
import { createOutgoing } from '../../../src/outgoing/outgoing.ts';
import { sql } from '../../../src/storage/sql/statement.ts';
import { openClient } from '../../support/database.ts';
import { startListServer } from '../../support/list-server.ts';
import { accountOf, startService, startTime, type TestService } from '../../support/service.ts';

/** A message as it was received. */
interface Received {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly body: { type: string; timestamp: string; data: Record<string, unknown> };
}

const received: Received[] = [];
/** What the receivers answer, by path; 204 unless set. */
const answers = new Map<string, (answer: ServerResponse) => void>();
const receiver = await startListServer((request: IncomingMessage, answer) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const text = Buffer.concat(pieces).toString();
    const path = request.url ?? '';
    received.push({ path, headers: request.headers as Record<string, string>, text, body: JSON.parse(text) });
    (answers.get(path) ?? ((each) => each.writeHead(204).end()))(answer);
  });
});
const outgoing = createOutgoing({ outgoingNetworks: [parseRange('networks', '127.0.0.0/8')], outgoingDns: [] });

let shared: TestService;
let service: TestService;
let paths = 0;
/** The path of the receiver of a test. */
let path: string;
beforeAll(async () => {
  shared = await startService({ outgoing });
  await shared.storage.upkeep();
});
afterAll(async () => {
  await shared.close();
  receiver.close();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  paths += 1;
  path = `/${paths}`;
});

const got = (at = path) => received.filter((each) => each.path === at);
const typesAt = (at = path) => got(at).map(({ body }) => body.type);
const status =
  (code: number, headers = {}, text = '') =>
  (answer: ServerResponse) =>
    answer.writeHead(code, headers).end(text);

/** Waits until a receiver has had as many messages. */
const until = (count: number, at = path) =>
  vi.waitFor(() => expect(got(at).length).toBeGreaterThanOrEqual(count), { timeout: 30_000, interval: 20 });

async function addHook(values: object = {}, at = path): Promise<{ id: string; secret: string }> {
  const { status: code, body } = await service.rest('POST', '/webhooks', { url: `${receiver.url}${at}`, ...values });
  expect(code).toBe(201);
  return body;
}

/** Carries out one of the mutations that have no route; returns the webhook, or the code of the error. */
async function mutate(name: string, id: string, more = '', fields = 'id') {
  const document = `mutation ($id: ID!) { ${name}(input: { id: $id ${more} }) { webhook { ${fields} } } }`;
  const { data, errors } = await service.graphql(document, { id });
  return errors?.[0]?.extensions.code ?? data[name].webhook;
}

const deliveries = async (id: string, state?: string) =>
  (await service.rest('GET', `/webhooks/${id}/deliveries${state === undefined ? '' : `?state=${state}`}`)).body
    .deliveries;

/** Waits until the deliveries of a webhook are as expected. */
const untilDeliveries = (id: string, expected: unknown[], state?: string) =>
  vi.waitFor(async () => expect(await deliveries(id, state)).toEqual(expected), { timeout: 30_000, interval: 20 });

/** Moves the clock to some seconds after the start. */
const at = (seconds: number) => service.setTime(new Date(startTime.getTime() + seconds * 1_000));

test('an event is sent once, as JSON without secrets, signed so that the library of the specification verifies it', async () => {
  const { secret } = await addHook({ events: ['ip_policy.create'] });
  const { body: policy } = await service.rest('POST', '/ip_policies', { description: 'Offices' });
  await service.rest('PATCH', `/ip_policies/${policy.id}`, { description: 'Labs' });
  await until(1);
  const [message] = got();
  expect(message?.body).toEqual({
    type: 'ip_policy.create',
    timestamp: '2026-11-20T21:00:00.500Z',
    data: {
      id: expect.stringMatching(/^evt_/),
      account_id: expect.stringMatching(/^acct_/),
      action: 'create',
      kind: 'IpPolicy',
      object_id: policy.id,
      version: 1,
      actor: expect.stringMatching(/^ak_/),
      actor_description: expect.any(String),
      request_id: expect.stringMatching(/^op_/),
      surface: 'rest',
      client_address: '127.0.0.1',
      state: { description: 'Offices', metadata: '', createdAt: '2026-11-20T21:00:00.500Z' },
    },
  });
  expect(message?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': message?.body.data.id });
  // The clock of the service stands still at a time that the library would call too old or too new.
  vi.useFakeTimers({ now: startTime, toFake: ['Date'] });
  try {
    expect(new Webhook(secret).verify(message?.text ?? '', message?.headers ?? {})).toEqual(message?.body);
    expect(() => new Webhook(secret).verify(`${message?.text} `, message?.headers ?? {})).toThrow(
      'No matching signature',
    );
  } finally {
    vi.useRealTimers();
  }
  expect(typesAt()).toEqual(['ip_policy.create']);
});

test('only what is wanted is sent: by type, by kind, and by object', async () => {
  const { body: policy } = await service.rest('POST', '/ip_policies', {});
  const { body: other } = await service.rest('POST', '/ip_policies', {});
  await addHook({ events: ['ip_policy.*'], object_ids: [policy.id] }, `${path}-object`);
  await addHook({ events: ['tunnel_group_backend.*', 'ip_policy.delete'] });
  await service.rest('PATCH', `/ip_policies/${other.id}`, { description: 'a' });
  await service.rest('PATCH', `/ip_policies/${policy.id}`, { description: 'b' });
  await service.rest('POST', '/backends/tunnel_group', { labels: { app: 'a' } });
  await service.rest('DELETE', `/ip_policies/${policy.id}`);
  await until(2);
  await until(2, `${path}-object`);
  expect(typesAt().sort()).toEqual(['ip_policy.delete', 'tunnel_group_backend.create']);
  expect(typesAt(`${path}-object`)).toEqual(['ip_policy.update', 'ip_policy.delete']);
});

test('a failure holds back the later messages of its object alone, and they arrive in order', async () => {
  const { body: policy } = await service.rest('POST', '/ip_policies', {});
  const hook = await addHook({ events: ['ip_policy.*'] });
  answers.set(path, status(400, {}, 'not today'));
  await service.rest('PATCH', `/ip_policies/${policy.id}`, { description: 'first' });
  await until(1);
  answers.delete(path);
  await service.rest('PATCH', `/ip_policies/${policy.id}`, { description: 'second' });
  const { body: other } = await service.rest('POST', '/ip_policies', {});
  await until(2);
  expect(got()[1]?.body.data.object_id).toBe(other.id);
  const [first, second] = got();
  await vi.waitFor(async () => expect(await deliveries(hook.id, 'waiting')).toHaveLength(2), { timeout: 30_000 });
  expect(await deliveries(hook.id, 'waiting')).toContainEqual({
    cursor: expect.stringContaining(first?.headers['webhook-id'] ?? '-'),
    message_id: first?.headers['webhook-id'],
    type: 'ip_policy.update',
    object_id: policy.id,
    state: 'waiting',
    attempts: 1,
    tried_at: '2026-11-20T21:00:00Z',
    next_at: '2026-11-20T21:00:05Z',
    status: 400,
    answer: 'not today',
    failure: 'The receiver answered with status 400.',
  });
  expect(second?.body.type).toBe('ip_policy.create');
  at(6);
  await until(4);
  const states = got().map(({ body }) => (body.data.state as { description: string }).description);
  expect(states).toEqual(['first', '', 'first', 'second']);
  expect(got()[2]?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
});

describe('a receiver that', () => {
  test('redirects is not followed', async () => {
    const hook = await addHook({ events: ['ip_policy.*'] });
    answers.set(path, status(307, { location: `${receiver.url}/elsewhere` }));
    await service.rest('POST', '/ip_policies', {});
    await untilDeliveries(
      hook.id,
      [expect.objectContaining({ status: 307, failure: 'The receiver answered with status 307.', state: 'waiting' })],
      'waiting',
    );
    expect(got('/elsewhere')).toEqual([]);
  });

  test('says much has accepted the message, and the beginning of its answer is kept', async () => {
    const hook = await addHook({ events: ['ip_policy.*'] });
    answers.set(path, status(200, {}, `\u0007${'x'.repeat(1_000_000)}`));
    await service.rest('POST', '/ip_policies', {});
    await untilDeliveries(hook.id, [expect.objectContaining({ state: 'delivered', status: 200, failure: null })]);
    expect((await deliveries(hook.id))[0].answer).toMatch(/^\ufffdx{400,500}$/);
  });

  test('is gone disables its webhook, and the trail says that the server did', async () => {
    const hook = await addHook({ events: ['ip_policy.*'] });
    answers.set(path, status(410));
    await service.rest('POST', '/ip_policies', {});
    const enabled = async () => (await service.rest('GET', `/webhooks/${hook.id}`)).body.enabled;
    await vi.waitFor(async () => expect(await enabled()).toBe(false), { timeout: 30_000 });
    const query = 'query ($id: ID!) { auditEvents(objectId: $id) { nodes { action actor { type } } } }';
    const { data } = await service.graphql(query, { id: hook.id });
    expect(data.auditEvents.nodes[0]).toEqual({ action: 'update', actor: { type: 'system' } });
  });

  test('is away is tried again more and more rarely, holds up no other webhook, and gets everything when it is back', async () => {
    const hook = await addHook({ events: ['ip_policy.*'] });
    await addHook({ events: ['ip_policy.*'] }, `${path}-well`);
    answers.set(path, (answer) => answer.destroy());
    for (let count = 0; count < 30; count += 1) await service.rest('POST', '/ip_policies', { metadata: String(count) });
    await until(30, `${path}-well`);
    await vi.waitFor(
      async () =>
        expect((await service.rest('GET', `/webhooks/${hook.id}/deliveries`)).body.failing_since).toBe(
          '2026-11-20T21:00:00Z',
        ),
      { timeout: 30_000 },
    );
    const triesBefore = got().length;
    expect(triesBefore).toBeLessThanOrEqual(8);
    answers.delete(path);
    at(400);
    await vi.waitFor(
      () => {
        const numbers = got()
          .slice(triesBefore)
          .map(({ body }) => Number((body.data.state as { metadata: string }).metadata));
        expect([...new Set(numbers)].sort((one, other) => one - other)).toEqual(
          Array.from({ length: 30 }, (_, n) => n),
        );
      },
      { timeout: 30_000 },
    );
    await untilDeliveries(hook.id, [], 'waiting');
    expect((await service.rest('GET', `/webhooks/${hook.id}/deliveries`)).body).toMatchObject({
      failing_since: null,
      delivered_at: '2026-11-20T21:06:40Z',
    });
  });

  test('fails for a day has its messages set aside, which needs attention until they are sent again', async () => {
    const hook = await addHook({ events: ['ip_policy.create'], description: 'Chat' });
    answers.set(path, status(500));
    await service.rest('POST', '/ip_policies', {});
    await until(1);
    await untilDeliveries(hook.id, [expect.objectContaining({ attempts: 1 })], 'waiting');
    at(86_400);
    await untilDeliveries(hook.id, [expect.objectContaining({ attempts: 2, next_at: null })], 'set_aside');
    const attention = async () =>
      (await service.graphql('{ attention { code message subjectId } }')).data.attention.filter(
        ({ code }: { code: string }) => code === 'webhook_fails',
      );
    expect(await attention()).toEqual([
      {
        code: 'webhook_fails',
        message:
          'The webhook "Chat" has failed since 2026-11-20T21:00:00Z, and has 1 message that was set aside. See what its receiver ' +
          'answers, and send again what it has missed.',
        subjectId: hook.id,
      },
    ]);
    answers.delete(path);
    at(86_400 + 400);
    expect(await mutate('resendWebhookDeliveries', hook.id)).toEqual({ id: hook.id });
    await untilDeliveries(hook.id, [expect.objectContaining({ state: 'delivered', status: 204 })]);
    expect(await attention()).toEqual([]);
    expect(new Set(got().map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });
});

test('an address that is not public is not connected to, and the delivery says so', async () => {
  const guarded = await startService();
  try {
    await guarded.storage.upkeep();
    const { body: hook } = await guarded.rest('POST', '/webhooks', {
      url: `${receiver.url}${path}`,
      events: ['ip_policy.*'],
    });
    await guarded.rest('POST', '/ip_policies', {});
    await vi.waitFor(
      async () => {
        const { body } = await guarded.rest('GET', `/webhooks/${hook.id}/deliveries`);
        expect(body.deliveries).toEqual([
          expect.objectContaining({
            state: 'waiting',
            status: null,
            failure: expect.stringMatching(/^127\.0\.0\.1 is not a public address, .* OUTGOING_NETWORKS/),
          }),
        ]);
      },
      { timeout: 30_000 },
    );
    expect(got()).toEqual([]);
  } finally {
    await guarded.close();
  }
});

test('messages are read page by page and counted, by their state, and a cursor that is none is refused', async () => {
  const hook = await addHook({ events: ['ip_policy.create'] });
  for (const description of ['a', 'b', 'c']) await service.rest('POST', '/ip_policies', { description });
  await vi.waitFor(async () => expect(await deliveries(hook.id, 'delivered')).toHaveLength(3), { timeout: 30_000 });
  const page = async (query: string) => (await service.rest('GET', `/webhooks/${hook.id}/deliveries?${query}`)).body;
  const all = await deliveries(hook.id);
  const {
    deliveries: [first, second],
    delivery_count: count,
  } = await page('limit=2&state=delivered');
  expect([first, second, count]).toEqual([all[0], all[1], 3]);
  expect(await page(`before_id=${second.cursor}`)).toMatchObject({ deliveries: [all[2]], delivery_count: 3 });
  expect(await page(`before_id=${all[2].cursor}`)).toMatchObject({ deliveries: [] });
  expect(await page('state=waiting')).toMatchObject({ deliveries: [], delivery_count: 0 });
  for (const cursor of [hook.id, 'a.b', `a.${'9'.repeat(15)}`, `${'x'.repeat(65)}.1`])
    expect(await page(`before_id=${cursor}`)).toMatchObject({
      error_code: 'INVALID_INPUT',
      details: { field: 'before_id' },
    });
});

test('a ping is sent whatever the webhook receives, and shown', async () => {
  const hook = await addHook({ events: ['attention.*'] });
  expect(await mutate('pingWebhook', hook.id)).toEqual({ id: hook.id });
  await until(1);
  expect(got()[0]?.body).toEqual({
    type: 'ping',
    timestamp: '2026-11-20T21:00:00.500Z',
    data: { account_id: expect.stringMatching(/^acct_/), webhook_id: hook.id },
  });
  await untilDeliveries(hook.id, [expect.objectContaining({ type: 'ping', state: 'delivered', attempts: 1 })]);
  const message = got()[0]?.headers['webhook-id'];
  await mutate('resendWebhookDeliveries', hook.id, `messageIds: ["${message}"]`);
  await until(2);
  expect(got()[1]?.headers['webhook-id']).toBe(message);
});

test('after a rotation, the old secret verifies until the overlap ends, and the new one at once', async () => {
  const hook = await addHook({ events: ['ip_policy.*'] });
  const rotated = await mutate('rotateWebhookSecret', hook.id, 'overlapSeconds: 60', 'secret formerSecretUntil');
  expect(rotated).toEqual({ secret: expect.stringMatching(/^whsec_/), formerSecretUntil: '2026-11-20T21:01:00Z' });
  const verifies = (secret: string, message: Received | undefined) => {
    vi.useFakeTimers({ now: new Date(Number(message?.headers['webhook-timestamp']) * 1000), toFake: ['Date'] });
    try {
      return new Webhook(secret).verify(message?.text ?? '', message?.headers ?? {}) !== null;
    } catch {
      return false;
    } finally {
      vi.useRealTimers();
    }
  };
  await service.rest('POST', '/ip_policies', {});
  await until(1);
  expect([hook.secret, rotated.secret].map((secret) => verifies(secret, got()[0]))).toEqual([true, true]);
  at(60);
  await service.rest('POST', '/ip_policies', {});
  await until(2);
  expect([hook.secret, rotated.secret].map((secret) => verifies(secret, got()[1]))).toEqual([false, true]);
  const read = await service.rest('GET', `/webhooks/${hook.id}`);
  expect(read.body).toMatchObject({ former_secret_until: null, secret: null });
});

test('what happens while a webhook is disabled is not sent later', async () => {
  const hook = await addHook({ events: ['ip_policy.*'] });
  await service.rest('PATCH', `/webhooks/${hook.id}`, { enabled: false });
  await service.rest('POST', '/ip_policies', { description: 'meanwhile' });
  await service.rest('PATCH', `/webhooks/${hook.id}`, { enabled: true });
  await service.rest('POST', '/ip_policies', { description: 'after' });
  await until(1);
  expect(got().map(({ body }) => (body.data.state as { description: string }).description)).toEqual(['after']);
});

test('what happens once another server has disabled a webhook is not sent, before this one has looked at webhooks, either', async () => {
  const hook = await addHook({ events: ['ip_policy.*'] });
  await service.rest('POST', '/ip_policies', {});
  await until(1);
  await service.storage.server.change(sql`UPDATE "Webhook" SET "enabled" = false WHERE "id" = ${hook.id}`);
  await service.rest('POST', '/ip_policies', {});
  await untilSeen();
  expect(got().length).toBe(1);
});

test.runIf(inject('engine') === 'postgresql')(
  'behind a transaction in progress, a new or enabled webhook gets nothing of before, and all that is committed later',
  async () => {
    const described = (description: string) => service.rest('POST', '/ip_policies', { description });
    const client = await openClient(shared.database);
    await client.$transaction(async (others) => {
      await others.$queryRawUnsafe('SELECT pg_current_xact_id()::text');
      await described('before');
      await addHook({ events: ['ip_policy.*'] });
      const hook = await addHook({ events: ['ip_policy.*'] }, `${path}-again`);
      await service.rest('PATCH', `/webhooks/${hook.id}`, { enabled: false });
      const { body: meanwhile } = await described('meanwhile');
      await service.rest('PATCH', `/webhooks/${hook.id}`, { enabled: true });
      await described('after');
      // What another server is about to commit has the lowest number of all.
      await others.$executeRawUnsafe(`INSERT INTO "AuditEvent" SELECT (jsonb_populate_record(e, jsonb_build_object(
        'id', e."id" || '9', 'commitOrder', pg_current_xact_id()::text::bigint, 'objectId', e."objectId" || '9',
        'state', replace(e."state", 'meanwhile', 'committed later')
      ))).* FROM "AuditEvent" e WHERE e."objectId" = '${meanwhile.id}'`);
    });
    await until(3);
    await until(2, `${path}-again`);
    await untilSeen();
    const descriptions = (at?: string) =>
      got(at).map(({ body }) => (body.data.state as { description: string }).description);
    // The one without a description tells that everything before it was seen.
    expect(descriptions().sort()).toEqual(['', 'after', 'committed later', 'meanwhile']);
    expect(descriptions(`${path}-again`).sort()).toEqual(['', 'after', 'committed later']);
  },
);

/** Makes twelve rules in one change, which are twelve messages at once, and returns the answers that their receiver holds back. */
async function twelveHeld(): Promise<ServerResponse[]> {
  const held: ServerResponse[] = [];
  answers.set(path, (answer) => held.push(answer));
  const { id } = (await service.rest('POST', '/ip_policies', {})).body;
  const rules = Array.from({ length: 12 }, (_, index) => ({ cidr: `192.0.2.${index}/32`, action: 'allow' }));
  const document =
    'mutation ($input: ReplaceIpPolicyRulesInput!) { replaceIpPolicyRules(input: $input) { __typename } }';
  expect((await service.graphql(document, { input: { ipPolicyId: id, rules } })).errors).toBeUndefined();
  await until(8);
  return held;
}

/** Waits until the delivery has seen all changes of webhooks so far. */
async function untilSeen() {
  const hook = await addHook({ events: ['ip_policy.create'] }, `${path}-seen`);
  await service.rest('POST', '/ip_policies', {});
  await until(1, `${path}-seen`);
  await service.rest('DELETE', `/webhooks/${hook.id}`);
}

test('once a webhook is disabled, nothing more of what was read for it is sent', async () => {
  const hook = await addHook({ events: ['ip_policy_rule.create'] });
  const held = await twelveHeld();
  await service.rest('PATCH', `/webhooks/${hook.id}`, { enabled: false });
  await untilSeen();
  for (const answer of held) answer.writeHead(204).end();
  await untilDeliveries(hook.id, Array(4).fill(expect.objectContaining({ attempts: 0 })), 'waiting');
  expect(got().length).toBe(8);
});

test('a webhook that is enabled again begins anew, whatever a server still has under way', async () => {
  const apart = await startService();
  const { id } = (await apart.rest('POST', '/webhooks', { url: receiver.url })).body;
  for (const enabled of [false, true]) await apart.rest('PATCH', `/webhooks/${id}`, { enabled });
  const lease = { webhookId: id, leaseNumber: 0, accountId: await accountOf(apart) };
  const standing = { failingSince: null, failures: 0, pausedUntil: null, deliveredAt: null };
  const step = { ...lease, cursor: { order: 0n, id: '' }, standing, results: [] };
  const { server } = apart.storage;
  expect(await storeSteps(server, [step], startTime)).toBe(false);
  expect(await renewLeases(server, [lease], startTime)).toBe(false);
  expect(await renewLeases(server, [{ ...lease, leaseNumber: 1 }], startTime)).toBe(true);
});

test('a webhook whose secret cannot be opened holds up no other', async () => {
  const { id } = await addHook({}, `${path}-damaged`);
  const damaged = new Uint8Array([1, 2, 3]);
  const damage = sql`UPDATE "Webhook" SET "sealedSecret" = ${damaged}, "version" = "version" + 1 WHERE "id" = ${id}`;
  await service.storage.server.change(damage);
  await addHook({ events: ['ip_policy.create'] });
  await service.rest('POST', '/ip_policies', {});
  await until(1);
  await service.rest('DELETE', `/webhooks/${id}`);
});

test('what begins to need attention is told once, and once when it ends', async () => {
  const key =
    'mutation { createApiKey(input: { description: "Backup", expiresAt: "2026-11-25T21:00:00Z" }) { apiKey { id } } }';
  await addHook({ events: ['attention.begin', 'attention.end'] });
  await addHook({ events: ['ip_policy.*'] }, `${path}-other`);
  const { id } = (await service.graphql(key)).data.createApiKey.apiKey;
  await shared.storage.upkeep();
  await until(1);
  await shared.storage.upkeep();
  await service.rest('DELETE', `/api_keys/${id}`);
  at(60);
  await shared.storage.upkeep();
  await until(2);
  const item = {
    account_id: expect.stringMatching(/^acct_/),
    code: 'api_key_expires',
    severity: 'warning',
    message: expect.stringContaining('"Backup"'),
    count: 1,
    at: '2026-11-25T21:00:00.000Z',
    subject_id: id,
    subject_kind: 'ApiKey',
    begun_at: '2026-11-20T21:00:00.500Z',
  };
  expect(got().map(({ body }) => body)).toEqual([
    { type: 'attention.begin', timestamp: '2026-11-20T21:00:00.500Z', data: item },
    { type: 'attention.end', timestamp: '2026-11-20T21:01:00.500Z', data: item },
  ]);
  expect(got(`${path}-other`)).toEqual([]);
});

describe('refused', () => {
  test.each([
    [{ url: 'ftp://example.com/' }, 'INVALID_INPUT', 'must begin with http:// or https://.'],
    [{ url: 'https://a:b@example.com/' }, 'INVALID_INPUT', 'user name or password'],
    [{ events: ['ip_polcy.update'] }, 'INVALID_INPUT', 'did you mean "ip_policy"?'],
    [{ events: ['ip_policy.refuse'] }, 'INVALID_INPUT', 'must end with ".create"'],
    [{ object_ids: ['all'] }, 'INVALID_INPUT', 'must be the identifier of an object'],
  ])('%j', async (values, code, message) => {
    const { status: http, body } = await service.rest('POST', '/webhooks', { url: 'https://example.com/', ...values });
    expect([http, body.error_code]).toEqual([400, code]);
    expect(JSON.stringify(body)).toContain(JSON.stringify(message).slice(1, -1));
  });

  test('more webhooks than an account may have', async () => {
    for (let count = 0; count < 20; count += 1) await addHook({ enabled: false });
    const { status: http, body } = await service.rest('POST', '/webhooks', { url: 'https://example.com/' });
    expect([http, body.msg]).toEqual([400, expect.stringContaining('the account has 20 webhooks, the maximum')]);
  });

  test('a key that may not read the trail, because messages tell what is in it', async () => {
    const query = 'mutation { createApiKey(input: { scopes: ["webhooks:write"] }) { apiKey { token } } }';
    const { token } = (await service.graphql(query)).data.createApiKey.apiKey;
    const { id } = await addHook({ enabled: false });
    const headers = { authorization: `Bearer ${token}` };
    const asked = [
      await service.rest('POST', '/webhooks', { url: 'https://example.com/' }, headers),
      await service.rest('PATCH', `/webhooks/${id}`, { url: 'https://example.com/' }, headers),
    ];
    expect(asked.map((answer) => [answer.status, answer.body.msg])).toEqual(
      asked.map(() => [403, expect.stringContaining('audit-events:read')]),
    );
  });

  test('pings and messages again of a webhook that is disabled, and messages that are not kept', async () => {
    const { id } = await addHook({ enabled: false });
    const codes = async () => [
      await mutate('pingWebhook', id),
      await mutate('resendWebhookDeliveries', id, 'messageIds: ["msg_1"]'),
    ];
    expect(await codes()).toEqual(['OUT_OF_ORDER', 'OUT_OF_ORDER']);
    await service.rest('PATCH', `/webhooks/${id}`, { enabled: true });
    expect((await codes())[1]).toBe('INVALID_INPUT');
  });
});
