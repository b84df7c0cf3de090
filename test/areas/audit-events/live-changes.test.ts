// Live changes: each stored change is sent once, in order, to the clients that may read it.

import { execFile } from 'node:child_process';
import { Agent, request as httpRequest } from 'node:http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { unlimited } from '../../../src/areas/api-keys/rules.ts';
import { createApiKey } from '../../../src/areas/api-keys/store.ts';
import { auditUpkeep } from '../../../src/areas/audit-events/upkeep.ts';
import type { KeyScope } from '../../../src/domain/access/key-scopes.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { createEventStreams, type EventStreams, type StreamBounds } from '../../../src/surfaces/kit/event-streams.ts';
import { execute } from '../../support/database.ts';
import { followWithCuts, openStream, type Stream, subscribe } from '../../support/event-stream.ts';
import { createClient, ofOneServer, startService, startTime, type TestService } from '../../support/service.ts';
import { read } from '../../support/source-files.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

/** Starts a service whose streams have the given bounds. */
async function startWithBounds(bounds: Partial<StreamBounds>): Promise<{ own: TestService; streams: EventStreams }> {
  let own: TestService | undefined;
  const streams = createEventStreams((_requestId, error) => expect.fail(String(error)), bounds);
  own = await startService({ streams });
  onTestFinished(() => own.close());
  return { own, streams };
}

const query = `subscription ($after: ID, $kinds: [String!], $ids: [ID!]) {
  changes(after: $after, kinds: $kinds, ids: $ids) { id action kind objectId version changes { field before after } }
}`;

interface Event {
  readonly id: string;
  readonly kind: string;
  readonly object_id: string;
  readonly version: number;
}

/** Creates an account and opens a REST stream of its changes, which is closed when the test ends. */
async function follow(path = '/events', headers: Record<string, string> = {}) {
  const own = await service.asNewAccount();
  const stream = await open(own, path, headers);
  return { ...own, stream };
}

async function open({ url, token }: { url: string; token: string }, path = '/events', headers = {}): Promise<Stream> {
  const stream = await openStream(`${url}${path}`, token, { headers });
  onTestFinished(() => stream.cut());
  return stream;
}

/**
 * Waits until no event can appear any more before those already stored. On PostgreSQL, a writing transaction in any database of the
 * cluster holds streams back (docs/live-changes.md), and the other tests share the cluster.
 */
async function settled({ database }: TestService): Promise<void> {
  const { dialect } = database.engine;
  const open = `SELECT 1 FROM "AuditEvent" WHERE NOT (${dialect.commitOrder.settled('"commitOrder"')}) LIMIT 1`;
  await expect.poll(() => execute(database, open), { timeout: 30_000 }).toEqual([]);
}

/** Returns the id of the newest event, from which a stream can resume. */
const newestOf = async (own: TestService): Promise<string> => {
  await settled(own);
  return (await own.rest('GET', '/audit_events?limit=1')).body.audit_events[0].id;
};
const errorOf = (stream: Stream) => JSON.parse(stream.text());
const create = async ({ rest }: TestService, description: string): Promise<string> =>
  (await rest('POST', '/ip_policies', { description })).body.id;

describe('a change', () => {
  test('is told over both surfaces, as the trail shows it', async () => {
    const own = await follow();
    const { rest, token, url, stream } = own;
    const graphql = await subscribe(url, token, query);
    onTestFinished(() => graphql.cut());
    for (const each of [stream, graphql]) {
      expect([each.status, each.headers['content-type']]).toEqual([200, 'text/event-stream']);
    }
    const id = await create(own, 'Berlin');
    await rest('PATCH', `/ip_policies/${id}`, { description: 'Paris' });
    expect(await graphql.wait(2)).toEqual([
      { data: { changes: expect.objectContaining({ action: 'create', kind: 'IpPolicy', objectId: id, version: 1 }) } },
      {
        data: {
          changes: expect.objectContaining({
            version: 2,
            changes: [{ field: 'description', before: 'Berlin', after: 'Paris' }],
          }),
        },
      },
    ]);
    expect(graphql.messages.map(({ event }) => event)).toEqual(['next', 'next']);
    const listed = (await rest('GET', '/audit_events?limit=2')).body.audit_events.reverse();
    expect(await stream.wait(2)).toEqual(listed);
    expect(stream.messages.slice(-2).map(({ id: place }) => place)).toEqual(listed.map((event: Event) => event.id));
  });

  test('is told from now on, and after an event all that came since', async () => {
    const own = await service.asNewAccount();
    const before = await newestOf(own);
    await create(own, 'first');
    const now = await open(own);
    const since = await open(own, `/events?after=${before}`);
    await create(own, 'second');
    expect((await since.wait(2)).map((event) => (event as Event).kind)).toEqual(['IpPolicy', 'IpPolicy']);
    expect(await now.wait(1)).toEqual([since.data()[1]]);
  });

  test('of another account, or of what was not asked for, is not told', async () => {
    const own = await service.asNewAccount();
    const other = await service.asNewAccount();
    const wanted = await create(own, 'wanted');
    const byKind = await open(own, '/events?kinds=IpPolicyRule&kinds=TlsEdge');
    const byId = await open(own, `/events?ids=${wanted}`);
    const byBoth = await open(own, `/events?ids=${wanted}&kinds=TlsEdge`);
    const others = await open(other);
    await create(own, 'another');
    const rule = { ip_policy_id: wanted, cidr: '192.0.2.0/24', action: 'allow' };
    const { body } = await own.rest('POST', '/ip_policy_rules', rule);
    await own.rest('PATCH', `/ip_policies/${wanted}`, { description: 'changed' });
    const ofOther = await create(other, 'of another account');
    expect((await byKind.wait(1)).map((event) => (event as Event).object_id)).toEqual([body.id]);
    expect((await byId.wait(1)).map((event) => (event as Event).version)).toEqual([2]);
    expect((await others.wait(1)).map((event) => (event as Event).object_id)).toEqual([ofOther]);
    expect([byKind.data().length, byId.data().length, byBoth.data().length]).toEqual([1, 1, 0]);
  });

  test('stands among requests that were refused, which kinds leave out', async () => {
    const { url } = service;
    const token = await keyWith(['read']);
    const [all, policies] = [await open({ url, token }), await open({ url, token }, '/events?kinds=IpPolicy')];
    const requests = await open({ url, token }, '/events?kinds=Request');
    const { rest } = createClient(url, await keyWith(['ip-policies:read']));
    const refused = await rest('POST', '/ip_policies', {});
    expect(refused.status).toBe(403);
    await service.storage.refusals.settled();
    const id = await create(ofOneServer(service), 'changed');
    const event = {
      action: 'refuse',
      kind: 'Request',
      object_id: refused.headers.get('x-request-id'),
      refusal: { code: 'FORBIDDEN', asked: 'POST /ip_policies', reason: null, left_out: 0 },
    };
    // The first event is the creation of the key.
    expect((await all.wait(3)).slice(1)).toMatchObject([event, { action: 'create', object_id: id }]);
    expect(await requests.wait(1)).toMatchObject([event]);
    expect(await policies.wait(1)).toMatchObject([{ object_id: id }]);
  });

  test('is told once, in order, whoever writes at the same time and however often the client is cut off', async () => {
    const own = await service.asNewAccount();
    const after = await newestOf(own);
    const [writers, changes] = [8, 12];
    const write = async (writer: number) => {
      const id = await create(own, `writer ${writer}`);
      for (let count = 1; count < changes; count++) {
        await own.rest('PATCH', `/ip_policies/${id}`, { description: `${writer} ${count}` });
      }
    };
    let seed = 7;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed / 2 ** 31;
    };
    const [events] = await Promise.all([
      followWithCuts<Event>([own.url], own.token, { after, count: writers * changes, random }),
      ...Array.from({ length: writers }, (_, writer) => write(writer)),
    ]);
    const listed: Event[] = (await own.rest('GET', `/audit_events?limit=${writers * changes}`)).body.audit_events;
    expect(events.map(({ id }) => id).sort()).toEqual(listed.map(({ id }) => id).sort());
    const versions = new Map<string, number>();
    for (const { object_id: id, version } of events) {
      expect(version).toBe((versions.get(id) ?? 0) + 1);
      versions.set(id, version);
    }
  });

  test('is told in the order of commits, which every stream shares', async () => {
    const own = await service.asNewAccount();
    const streams = [await open(own), await open(own), await open(own)];
    await Promise.all(Array.from({ length: 30 }, (_, count) => create(own, `at once ${count}`)));
    const [first, ...others] = await Promise.all(streams.map((stream) => stream.wait(30)));
    for (const other of others) expect(other).toEqual(first);
  });
});

describe('a stream is refused', () => {
  const never = 'evt_01zzzzzzzzzzzzzzzzzzzzzzzz';

  test.each([
    [
      'after what is no event',
      '/events?after=ipp_1',
      400,
      'INVALID_INPUT',
      'after: must be the identifier of an audit event (evt_...).',
    ],
    [
      'after an event that does not exist',
      `/events?after=${never}`,
      410,
      'EVENT_GONE',
      /^There is no such event in this account, or /,
    ],
    [
      'for a kind that there is not',
      '/events?kinds=IpPolicy&kinds=Nothing',
      400,
      'INVALID_INPUT',
      /^kinds\[1\]: must be one of Account, ApiKey/,
    ],
    ['for what is no id', '/events?ids=x', 400, 'INVALID_INPUT', 'ids[0]: must be the identifier of an object.'],
    [
      'for more ids than 100',
      `/events?${'ids=ipp_1&'.repeat(101)}`,
      400,
      'INVALID_INPUT',
      /^ids: must have at most 100/,
    ],
    ['with a parameter that it does not have', '/events?kind=IpPolicy', 400, 'UNKNOWN_FIELD', /after, kinds, ids/],
  ])('%s', async (_what, path, status, code, message) => {
    const own = await service.asNewAccount();
    const stream = await open(own, path);
    await stream.ended;
    const { error_code, msg } = errorOf(stream);
    expect([stream.status, error_code, msg]).toEqual([
      status,
      code,
      typeof message === 'string' ? message : expect.stringMatching(message),
    ]);
  });

  test('after an event of another account, as after one that does not exist', async () => {
    const other = await newestOf(await service.asNewAccount());
    const own = await service.asNewAccount();
    const messages = [];
    for (const after of [other, never]) {
      const stream = await open(own, '/events', { 'Last-Event-ID': after });
      await stream.ended;
      messages.push(errorOf(stream).msg);
    }
    expect(messages[0]).toBe(messages[1]);
  });

  test('with the same codes over GraphQL', async () => {
    const { url, token } = await service.asNewAccount();
    const refusals = [
      { variables: { after: 'x' }, code: 'INVALID_INPUT', status: 400, message: /^after: must be/ },
      { variables: { after: never }, code: 'EVENT_GONE', status: 410, message: /newest event/ },
      { variables: { kinds: [] }, code: 'INVALID_INPUT', status: 400, message: /^kinds: must not be empty/ },
      { variables: { ids: 7 }, code: 'INVALID_INPUT', status: 400, message: /^ids/ },
      { query: 'subscription { nothing }', code: 'GRAPHQL_INVALID', status: 400, message: /nothing/ },
      { query: 'subscription {', code: 'GRAPHQL_SYNTAX', status: 400, message: /Syntax/ },
      // The query is kept while the stream is open, so it must be small.
      { query: `${query} # ${'x'.repeat(8_192)}`, code: 'BODY_TOO_LARGE', status: 413, message: /at most 8192 bytes/ },
      {
        query: 'subscription ($no: Boolean!) { changes @skip(if: $no) { id } }',
        variables: { no: true },
        code: 'GRAPHQL_INVALID',
        status: 400,
        message: /./,
      },
      {
        query: `subscription { changes { ${Array.from({ length: 600 }, (_, at) => `f${at}: id`).join(' ')} } }`,
        code: 'QUERY_TOO_COMPLEX',
        status: 400,
        message: /fields/,
      },
    ];
    for (const { variables, code, status, message, query: own = query } of refusals) {
      const stream = await subscribe(url, token, own, variables);
      await stream.ended;
      const [error] = errorOf(stream).errors;
      expect([error.extensions.code, error.message, stream.status]).toEqual([
        code,
        expect.stringMatching(message),
        status,
      ]);
    }
  });

  test('without a key, with a wrong one, and with one that may not read the trail', async () => {
    const { url } = await service.asNewAccount();
    const stream = await openStream(`${url}/events`, 'wrong');
    expect(stream.status).toBe(401);
    const weak = await keyWith(['ip-policies:read']);
    for (const refused of [await openStream(`${url}/events`, weak), await subscribe(url, weak, query)]) {
      await refused.ended;
      expect([refused.status, refused.text()]).toEqual([403, expect.stringContaining('lacks')]);
    }
    await service.storage.refusals.settled();
    const { data: whose } = await createClient(url, weak).graphql('{ viewer { apiKey { id } } }');
    const noted = 'query ($actor: ID!) { auditEvents(actor: $actor) { nodes { surface refusal { code asked } } } }';
    const { data } = await service.graphql(noted, { actor: whose.viewer.apiKey.id });
    expect(data.auditEvents.nodes).toEqual([
      { surface: 'graphql', refusal: { code: 'FORBIDDEN', asked: 'changes' } },
      { surface: 'rest', refusal: { code: 'FORBIDDEN', asked: 'GET /events' } },
    ]);
  });

  test('where the client does not take one; and what is no stream is refused to those who take nothing else', async () => {
    const { url, token } = await service.asNewAccount();
    const ask = async (text: string, accept: string) => {
      const stream = await openStream(`${url}/graphql`, token, { headers: { Accept: accept }, body: { query: text } });
      await stream.ended;
      return [stream.status, errorOf(stream).errors[0].message];
    };
    expect(await ask(query, 'application/json')).toEqual([
      406,
      'Subscriptions are answered as a stream of events: send "Accept: text/event-stream".',
    ]);
    expect(await ask('{ viewer { account { id } } }', 'text/event-stream')).toEqual([
      406,
      'GraphQL answers are JSON: send "Accept: application/json".',
    ]);
    // Parameters are no other type, if they say what is sent.
    const { status, headers } = await openStream(`${url}/graphql`, token, {
      headers: { Accept: 'text/event-stream; charset=utf-8' },
      body: { query },
    });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
  });

  test('with other methods than GET; HEAD gives the head alone', async () => {
    const { url, token } = await service.asNewAccount();
    const post = await openStream(`${url}/events`, token, { body: {} });
    expect([post.status, post.headers.allow]).toEqual([405, 'HEAD, GET, OPTIONS']);
    const head = await openStream(`${url}/events`, token, { method: 'HEAD' });
    expect([head.status, head.headers['content-type'], await head.ended]).toEqual([200, 'text/event-stream', 'end']);
  });

  test('when the account has as many as it may have, until one ends', async () => {
    const { own } = await startWithBounds({ ofAccountMax: 2 });
    const first = await open(own);
    await open(own);
    const third = await open(own);
    await third.ended;
    expect([third.status, errorOf(third).error_code]).toEqual([429, 'TOO_MANY_STREAMS']);
    first.cut();
    await expect.poll(async () => (await open(own)).status).toBe(200);
  });
});

test('when all places are taken, the account with the most streams gives up its oldest for one that has fewer', async () => {
  const { own, streams } = await startWithBounds({ ofAccountMax: 4, ofAllMax: 4 });
  const [oldest, ...others] = [await open(own), await open(own), await open(own), await open(own)];
  const openAs = async (name: string) => open({ url: own.url, token: (await own.otherAccount(name)).token });
  const other = await own.otherAccount('other');
  const asOther = { url: own.url, token: other.token };
  expect((await open(asOther)).status).toBe(200);
  expect(await oldest?.ended).toBe('end');
  expect(oldest?.text()).toMatch(/\nretry: [1-5]\d\d\d\n\n$/);
  // The accounts have 3 and 1 streams, then 2 and 2.
  expect((await open(asOther)).status).toBe(200);
  expect(await others[0]?.ended).toBe('end');
  // Neither account may take another place: two accounts with equal shares would evict each other's streams forever.
  for (const client of [own, asOther]) {
    const refused = await open(client);
    await refused.ended;
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '2']);
  }
  expect((await openAs('third')).status).toBe(200);
  await expect.poll(() => streams.count()).toBe(4);
  expect((await openAs('fourth')).status).toBe(200);
  const fifth = await openAs('fifth');
  await fifth.ended;
  expect(fifth.status).toBe(503);
});

/** Creates a key with the given scopes in the account `default`. */
async function keyWith(scopes: KeyScope[], expiresAt?: Date): Promise<string> {
  const accountId = (await service.graphql('{ viewer { account { id } } }')).data.viewer.account.id;
  const scope = service.storage.actingFor(accountId, commandLine);
  return (await createApiKey(scope, { scopes, expiresAt: expiresAt?.toISOString() }, unlimited)).token;
}

describe('a stream ends', () => {
  const unauthenticated = 'The API key has expired or has been revoked.';

  test('when its key is revoked, at once, and streams of other keys go on', async () => {
    const own = await service.asNewAccount();
    const { body: key } = await own.rest('POST', '/api_keys', {});
    const [rest, graphql] = [
      await openStream(`${own.url}/events`, key.token),
      await subscribe(own.url, key.token, query),
    ];
    const another = await open(own);
    await own.rest('DELETE', `/api_keys/${key.id}`);
    expect([await rest.ended, await graphql.ended]).toEqual(['end', 'end']);
    expect(rest.messages.at(-1)).toEqual({ event: 'end', data: expect.stringContaining(unauthenticated) });
    expect(graphql.messages.slice(-2)).toEqual([
      {
        event: 'next',
        data: JSON.stringify({ errors: [{ message: unauthenticated, extensions: { code: 'UNAUTHENTICATED' } }] }),
      },
      { event: 'complete', data: '' },
    ]);
    expect(await another.wait(1)).toMatchObject([{ action: 'delete', kind: 'ApiKey', object_id: key.id }]);
  });

  test('when its key expires', async () => {
    const token = await keyWith(['read'], new Date(startTime.getTime() + 60_000));
    const stream = await open({ url: service.url, token });
    service.setTime(new Date(startTime.getTime() + 60_000));
    onTestFinished(() => service.setTime(startTime));
    await stream.ended;
    expect(stream.messages.at(-1)?.data).toContain(unauthenticated);
  });

  test('with the first change after which its client may no longer come from where it is', async () => {
    const own = await service.asNewAccount();
    const stream = await open(own);
    const ip_policy_ids = [await create(own, 'nobody')];
    await stream.wait(1);
    const { status } = await own.rest(
      'POST',
      '/ip_restrictions',
      { type: 'api', ip_policy_ids, enforced: true },
      { 'Sallyport-Force': 'true' },
    );
    expect(status).toBe(201);
    await stream.ended;
    expect(stream.data()).toEqual([expect.anything(), expect.objectContaining({ error_code: 'IP_RESTRICTED' })]);
  });

  test('when the server stops, with a hint when to come again, and leaves its connection to others', async () => {
    const { own, streams } = await startWithBounds({});
    await settled(own);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ask = (path: string) =>
      new Promise<{ status: number | undefined; text: string; reused: boolean }>((resolve, reject) => {
        const headers = { Authorization: `Bearer ${own.token}`, 'Service-Version': '2' };
        const asked = httpRequest(`${own.url}${path}`, { agent, headers }, (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode, text, reused: asked.reusedSocket }));
        });
        asked.on('error', reject);
        asked.end();
      });
    const stream = ask('/events');
    await expect.poll(() => streams.count()).toBe(1);
    streams.stop();
    expect((await stream).text).toMatch(/^id: evt_\w+\n\nretry: [1-5]\d\d\d\n\n$/);
    const after = await ask('/ip_policies');
    expect([after.status, after.reused]).toEqual([200, true]);
    expect((await ask('/events')).status).toBe(503);
  });
});

describe('a silent stream', () => {
  test('says from time to time that it is alive, and after which event to go on', async () => {
    const { own } = await startWithBounds({ heartbeatMs: 60 });
    const newest = await newestOf(own);
    const stream = await open(own, '/events?kinds=TlsEdge');
    expect(stream.messages[0] ?? { id: newest }).toEqual({ id: newest });
    await expect.poll(() => stream.text()).toMatch(/\n:\n\n:\n\n/);
    await create(own, 'of another kind');
    const changed = await newestOf(own);
    await expect.poll(() => stream.messages.at(-1)).toEqual({ id: changed });
    expect(stream.data()).toEqual([]);
  });
});

describe('after old events were deleted', () => {
  test('a stream does not go on after one of those, and does after the newest', async () => {
    // The newest id belongs to the newest commit only if a single server creates the ids.
    const own = ofOneServer(await service.asNewAccount());
    const first = await create(own, 'first');
    const old = await newestOf(own);
    await own.rest('PATCH', `/ip_policies/${first}`, { description: 'changed' });
    await own.rest('DELETE', `/ip_policies/${first}`);
    const newest = await newestOf(own);
    const inTime = new Date(startTime.getTime() + 402 * 86_400_000);
    await auditUpkeep(400).hourly?.(own.storage.server, inTime, new AbortController().signal);
    const gone = await open(own, `/events?after=${old}`);
    await gone.ended;
    expect([gone.status, errorOf(gone).error_code]).toEqual([410, 'EVENT_GONE']);
    const stream = await open(own, `/events?after=${newest}`);
    await create(own, 'second');
    expect(await stream.wait(1)).toMatchObject([{ kind: 'IpPolicy', action: 'create', version: 1 }]);
  });
});

describe('docs/live-changes.md', () => {
  const blocks = [...read('docs/live-changes.md').matchAll(/^```(\w*)\n(.*?)^```/gms)].map(([, , text = '']) => text);

  test('has a call and a document that work', async () => {
    const own = await service.asNewAccount();
    await settled(own);
    const document = blocks.find((text) => text.startsWith('subscription')) ?? '';
    const stream = await subscribe(own.url, own.token, document);
    onTestFinished(() => stream.cut());
    const call = execFile('bash', ['-c', blocks.find((text) => text.startsWith('curl')) ?? ''], {
      env: { ...process.env, URL: own.url, API_KEY: own.token },
    });
    onTestFinished(() => void call.kill());
    let output = '';
    call.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    await expect.poll(() => output, { timeout: 30_000 }).toMatch(/^id: evt_/);
    const id = await create(own, 'Berlin');
    await expect.poll(() => output, { timeout: 30_000 }).toMatch(new RegExp(`\\ndata: .*"object_id":"${id}"`));
    expect(await stream.wait(1)).toMatchObject([{ data: { changes: { objectId: id, actor: {} } } }]);
  });
});
