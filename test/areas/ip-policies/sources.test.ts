// Sources of IP policies: names and lists that others keep, from a real DNS server and a real list server that do not mean well.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { findAllowed } from '../../../src/areas/ip-restrictions/allowed-store.ts';
import { rangesOf } from '../../../src/domain/ip/address-set.ts';
import { parseRange } from '../../../src/domain/ip/cidr.ts';
import { createOutgoing } from '../../../src/outgoing/outgoing.ts';
import { sql } from '../../../src/storage/sql/statement.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { type DnsAnswer, startDnsServer } from '../../support/dns-server.ts';
import { makePolicy, makeRestriction } from '../../support/ip-rules.ts';
import { startListServer } from '../../support/list-server.ts';
import { type RestAnswer, startBeside, startService, startTime, type TestService } from '../../support/service.ts';

const names: Record<string, DnsAnswer> = {};
const asked: IncomingMessage[] = [];
let answerList: (answer: ServerResponse, asked: IncomingMessage) => void;
const dns = await startDnsServer(names);
const lists = await startListServer((request, answer) => {
  asked.push(request);
  answerList(answer, request);
});
afterAll(async () => {
  lists.close();
  await dns.close();
});
const outgoing = createOutgoing({
  outgoingNetworks: [parseRange('networks', '127.0.0.0/8')],
  outgoingDns: [dns.address],
});

let shared: TestService;
let service: TestService;
let policyId: string;
beforeAll(async () => {
  shared = await startService({ outgoing });
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  policyId = await makePolicy(service, []);
  await service.rest('PATCH', `/ip_policies/${policyId}`, { description: 'visitors' });
  asked.length = 0;
  say('192.0.2.0/24\n2001:db8::/32\n');
});

/** Sets what the list server answers. */
function say(body: string | Buffer, headers: Record<string, string> = {}) {
  answerList = (answer) => answer.writeHead(200, headers).end(body);
}

const post = (values: object = {}, headers = {}) =>
  service.rest(
    'POST',
    '/ip_policy_sources',
    { ip_policy_id: policyId, kind: 'text', address: `${lists.url}/ranges.txt`, action: 'allow', ...values },
    headers,
  );
const forced = { 'Sallyport-Force': 'true' };

/** The status and code of a failure. */
const failureOf = ({ status, body }: RestAnswer) => [status, body.error_code];

/** Adds a source that is read without a failure. */
async function add(values: object = {}): Promise<string> {
  const { status, body } = await post(values);
  expect(status).toBe(201);
  return body.id;
}

async function mutate(name: string, id: string, fields = 'rangeCount pendingCount failure', more = '') {
  const { data, errors } = await service.graphql(
    `mutation ($id: ID!) { ${name}(input: { id: $id ${more} }) { ipPolicySource { ${fields} } } }`,
    { id },
  );
  return errors?.[0]?.extensions.code ?? data[name].ipPolicySource;
}
const refresh = (id: string, fields?: string) => mutate('refreshIpPolicySource', id, fields);
const confirm = (id: string, more?: string) => mutate('confirmIpPolicySource', id, undefined, more);

/** What the policy says about an address, and the source that decides. */
async function evaluated(address: string) {
  const query =
    'query ($id: ID!, $address: IpAddress!) { evaluateIpPolicy(ipPolicyId: $id, address: $address) { passes decidedBySource { id } } }';
  const { passes, decidedBySource } = (await service.graphql(query, { id: policyId, address })).data.evaluateIpPolicy;
  return [passes, decidedBySource?.id ?? null];
}

/** The events of sources, oldest first. */
async function events() {
  const query = '{ auditEvents(kind: "IpPolicySource", first: 100) { nodes { action actor { type } state } } }';
  const { data } = await service.graphql(query);
  return data.auditEvents.nodes
    .reverse()
    .map(({ action, actor, state }: { action: string; actor: { type: string }; state: Record<string, unknown> }) => {
      const { rangeCount, pendingCount, lastChange } = state;
      return [`${action} by ${actor.type}`, rangeCount, pendingCount, lastChange];
    });
}

/** Runs a round of upkeep some seconds after the start. */
async function roundAfter(seconds: number) {
  service.setTime(new Date(startTime.getTime() + seconds * 1_000));
  await service.storage.upkeep();
}

test('a list at a URL is in force as soon as it is stored, and a round of upkeep takes its changes with an event each', async () => {
  const created = await post();
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    id: expect.stringMatching(/^ips_/),
    uri: `https://sallyport.test/ip_policy_sources/${created.body.id}`,
    created_at: '2026-11-20T21:00:00Z',
    description: '',
    metadata: '',
    ip_policy: { id: policyId, uri: `https://sallyport.test/ip_policies/${policyId}` },
    kind: 'text',
    address: `${lists.url}/ranges.txt`,
    json_path: '',
    action: 'allow',
    interval_seconds: 3_600,
    range_count: 2,
    pending_count: null,
    read_at: '2026-11-20T21:00:00Z',
    tried_at: '2026-11-20T21:00:00Z',
    failure: null,
  });
  const { id } = created.body;
  expect(await evaluated('192.0.2.1')).toEqual([true, id]);
  expect(await evaluated('198.51.100.1')).toEqual([false, null]);
  say('192.0.2.0/24\n198.51.100.0/24 # new\n; a comment\n\n2001:db8:1::/48');
  await roundAfter(3_599);
  expect(asked).toHaveLength(1);
  await roundAfter(3_600);
  expect(await evaluated('198.51.100.1')).toEqual([true, id]);
  expect(await evaluated('2001:db8:2::1')).toEqual([false, null]);
  await roundAfter(7_200);
  expect(asked).toHaveLength(3);
  expect(await events()).toEqual([
    ['create by api_key', 2, null, expect.objectContaining({ added: 2, removed: 0 })],
    [
      'update by system',
      3,
      null,
      {
        at: '2026-11-20T22:00:00.500Z',
        added: 2,
        removed: 1,
        addedRanges: ['198.51.100.0/24', '2001:db8:1::/48'],
        removedRanges: ['2001:db8::/32'],
      },
    ],
  ]);
});

test('a DNS name allows its addresses, and those that it gets later', async () => {
  names['office.example'] = ['192.0.2.7', '2001:db8::7'];
  const id = await add({ kind: 'dns', address: 'Office.example', interval_seconds: 60 });
  expect(await evaluated('2001:db8::7')).toEqual([true, id]);
  names['office.example'] = ['192.0.2.8', '2001:db8::7'];
  await roundAfter(60);
  expect([await evaluated('192.0.2.7'), await evaluated('192.0.2.8')]).toEqual([
    [false, null],
    [true, id],
  ]);
  // A name that is not there for a moment keeps nobody out.
  names['office.example'] = 'SERVFAIL';
  await roundAfter(120);
  expect(await evaluated('192.0.2.8')).toEqual([true, id]);
  expect((await service.rest('GET', `/ip_policy_sources/${id}`)).body).toMatchObject({
    failure: 'office.example cannot be looked up: its DNS server failed (SERVFAIL).',
    read_at: '2026-11-20T21:01:00Z',
    tried_at: '2026-11-20T21:02:00Z',
  });
});

test('ranges are read from JSON as cloud providers publish it', async () => {
  const published = {
    prefixes: [{ ip_prefix: '192.0.2.0/24' }, { ip_prefix: '198.51.100.9' }, { other: 1 }],
    ipv6: { all: ['2001:db8::/32'] },
  };
  say(JSON.stringify(published));
  const id = await add({ kind: 'json', json_path: 'prefixes[].ip_prefix, ipv6.all' });
  expect((await service.rest('GET', `/ip_policy_sources/${id}`)).body.range_count).toBe(3);
  expect(await evaluated('198.51.100.9')).toEqual([true, id]);
});

test('an ETag is sent again, and Cache-Control puts the next read off', async () => {
  answerList = (answer, { headers }) =>
    headers['if-none-match'] === '"1"'
      ? answer.writeHead(304, { 'cache-control': 'max-age=600' }).end()
      : answer.writeHead(200, { etag: '"1"' }).end('192.0.2.0/24');
  const id = await add({ interval_seconds: 300 });
  service.setTime(new Date(startTime.getTime() + 300_000));
  expect(await refresh(id, 'rangeCount readAt nextAt')).toEqual({
    rangeCount: 1,
    readAt: '2026-11-20T21:05:00Z',
    nextAt: '2026-11-20T21:15:00Z',
  });
  expect(await events()).toHaveLength(1);
});

describe('a list that has shrunk', () => {
  const ten = Array.from({ length: 10 }, (_, index) => `10.${index}.0.0/16`);

  test.each([
    ['to less than half', ten.slice(0, 4).join('\n'), 4],
    ['to nothing', '# Nobody', 0],
  ])('%s waits to be confirmed', async (_, shrunk, count) => {
    say(ten.join('\n'));
    const id = await add();
    say(shrunk);
    await roundAfter(3_600);
    expect(await evaluated('10.9.0.1')).toEqual([true, id]);
    const query = '{ attention { code message subjectId } }';
    expect((await service.graphql(query)).data.attention).toEqual([
      {
        code: 'ip_policy_source_waits',
        message:
          `The source "${lists.url}/ranges.txt" of the IP policy "visitors" has shrunk from 10 ranges to ${count}, which is not in ` +
          'force yet. See what is missing, and confirm it if it is right.',
        subjectId: id,
      },
    ]);
    await roundAfter(7_200);
    expect(await confirm(id)).toEqual({ rangeCount: count, pendingCount: null, failure: null });
    expect(await evaluated('10.9.0.1')).toEqual([false, null]);
    expect(await confirm(id)).toBe('OUT_OF_ORDER');
    expect((await events()).map(([what, ranges, pending]: unknown[]) => [what, ranges, pending])).toEqual([
      ['create by api_key', 10, null],
      ['update by system', 10, count],
      ['update by api_key', count, null],
    ]);
  });

  test('to half is taken, and one that comes back needs no confirmation', async () => {
    say(ten.join('\n'));
    const id = await add();
    say(ten.slice(0, 5).join('\n'));
    expect(await refresh(id)).toEqual({ rangeCount: 5, pendingCount: null, failure: null });
    say(ten.slice(0, 1).join('\n'));
    expect(await refresh(id)).toEqual({ rangeCount: 5, pendingCount: 1, failure: null });
    say(ten.slice(0, 5).join('\n'));
    expect(await refresh(id)).toEqual({ rangeCount: 5, pendingCount: null, failure: null });
  });
});

describe('a source that cannot be read', () => {
  const cases: [string, () => void, object, string][] = [
    [
      'an error',
      () => (answerList = (answer) => answer.writeHead(503).end()),
      {},
      'answers with status 503 instead of 200.',
    ],
    ['a page', () => say('<!doctype html>'), {}, 'The list has no range in line 1'],
    ['an empty list', () => say(''), {}, 'The list has no ranges.'],
    ['no JSON', () => say('{'), { kind: 'json', json_path: 'a' }, 'The list is not JSON.'],
    [
      'nothing at the path',
      () => say('{"b":[]}'),
      { kind: 'json', json_path: 'a[].b' },
      'The list has nothing at a.b.',
    ],
    [
      'numbers',
      () => say('{"a":[1]}'),
      { kind: 'json', json_path: 'a' },
      'The list has an entry that is not text at a.',
    ],
    [
      'too many ranges',
      () =>
        say(
          Array.from({ length: 100_001 }, (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`).join(
            '\n',
          ),
        ),
      {},
      'The list has more than 100000 ranges, the maximum.',
    ],
    ['too much', () => say(Buffer.alloc(8 * 1024 * 1024 + 1, '#')), {}, 'answers with more than 8388608 bytes'],
    [
      'a redirect to the metadata of a cloud',
      () => (answerList = (answer) => answer.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()),
      {},
      '169.254.169.254 is not a public address',
    ],
    ['a name that is not there', () => {}, { kind: 'dns', address: 'missing.example' }, 'there is no such name'],
    ['a private host', () => {}, { address: 'http://10.0.0.1/' }, '10.0.0.1 is not a public address'],
  ];

  test.each(cases)('because of %s is stored only when it is forced', async (_, prepare, values, message) => {
    prepare();
    const { status, body } = await post(values);
    expect([status, body.error_code]).toEqual(
      /public/.test(message) ? [400, 'OUTGOING_REFUSED'] : [422, 'OUTGOING_FAILED'],
    );
    expect(body.msg).toContain(message);
    expect((await service.rest('GET', '/ip_policy_sources')).body.ip_policy_sources).toEqual([]);
    const stored = await post(values, forced);
    expect([stored.status, stored.body.range_count]).toEqual([201, 0]);
    expect(stored.body.failure).toContain(message);
  });

  test('keeps the last good list, and attention says since when it is old', async () => {
    const id = await add({ description: 'partners' });
    answerList = (answer) => answer.destroy();
    await roundAfter(3_600);
    expect(await evaluated('192.0.2.1')).toEqual([true, id]);
    expect((await service.graphql('{ attention { code message at } }')).data.attention).toEqual([
      {
        code: 'ip_policy_source_old',
        message: expect.stringMatching(
          /^The source "partners" of the IP policy "visitors" was last read at 2026-11-20T21:00:00Z: 127\.0\.0\.1:\d+ broke the connection off.* Its 2 ranges stay in force\.$/,
        ),
        at: '2026-11-20T21:00:00Z',
      },
    ]);
    // It is tried again soon, and not only after an hour.
    say('192.0.2.0/24\n2001:db8::/32\n');
    await roundAfter(3_900);
    expect((await service.graphql('{ attention { code } }')).data.attention).toEqual([]);
  });
});

describe('its ranges count', () => {
  test('where restrictions do, and the source that decides is named', async () => {
    const id = await add();
    await makeRestriction(service, [policyId], { type: 'endpoints' });
    const query =
      'query ($address: IpAddress!) { evaluateIp(type: endpoints, address: $address) { allowed verdicts { decidedBy { id } decidedBySource { id } } } }';
    const ask = async (address: string) => (await service.graphql(query, { address })).data.evaluateIp;
    expect(await ask('192.0.2.1')).toEqual({ allowed: true, verdicts: [{ decidedBy: null, decidedBySource: { id } }] });
    say('198.51.100.0/24\n203.0.113.0/24');
    await refresh(id);
    expect(await ask('192.0.2.1')).toEqual({ allowed: false, verdicts: [{ decidedBy: null, decidedBySource: null }] });
    await service.rest('DELETE', `/ip_policy_sources/${id}`);
    expect((await ask('203.0.113.1')).allowed).toBe(false);
  });

  test('at the gate for the next request, and in exports', async () => {
    const id = await add();
    const edge = (await service.rest('POST', '/edges/https', { hostports: ['app.example.com:443'] })).body.id;
    const path = `/edges/https/${edge}/routes`;
    const route = (await service.rest('POST', path, { match: '/', match_type: 'path_prefix' })).body.id;
    await service.rest('PUT', `${path}/${route}/ip_restriction`, { ip_policy_ids: [policyId] });
    const gate = (address: string) =>
      fetch(`${service.url}/gate/auth-request/${edge}`, {
        headers: {
          'x-forwarded-for': address,
          'x-forwarded-proto': 'https',
          'x-forwarded-host': 'app.example.com',
          'x-original-url': 'https://app.example.com/',
          'x-original-method': 'GET',
        },
      }).then(({ status }) => status);
    expect([await gate('192.0.2.1'), await gate('198.51.100.1')]).toEqual([200, 403]);
    say('192.0.2.0/24\n198.51.100.0/24');
    await refresh(id);
    // At once by the same server, and within a second by another.
    await vi.waitFor(async () => expect(await gate('198.51.100.1')).toBe(200), 10_000);
    expect(await gate('192.0.2.1')).toBe(200);
    await makeRestriction(service, [policyId]);
    const [[accountId] = []] = await service.storage.server.rows(
      sql`SELECT "accountId" FROM "IpPolicySource" WHERE "id" = ${id}`,
    );
    const allowed = await findAllowed(service.storage.actingFor(String(accountId), commandLine), 'endpoints');
    expect(rangesOf(allowed.set, 'ipv4')).toEqual(['192.0.2.0/24', '198.51.100.0/24']);
  });

  test('for the guard against locking oneself out', async () => {
    say('127.0.0.0/8');
    const id = await add();
    await makeRestriction(service, [policyId], { type: 'api' });
    say('192.0.2.0/24');
    const path = `/ip_policy_sources/${id}`;
    const lockedOut = [409, 'LOCKOUT'];
    expect(failureOf(await service.rest('DELETE', path))).toEqual(lockedOut);
    expect(failureOf(await service.rest('PATCH', path, { action: 'deny' }))).toEqual(lockedOut);
    expect(failureOf(await service.rest('PATCH', path, { address: `${lists.url}/other` }))).toEqual(lockedOut);
    expect((await service.rest('PATCH', path, { interval_seconds: 600 })).status).toBe(200);
    expect((await service.rest('DELETE', path, undefined, forced)).status).toBe(204);
  });

  test('in the preview of a refresh, which tells for whom', async () => {
    const id = await add();
    await makeRestriction(service, [policyId], { type: 'endpoints' });
    say('192.0.2.0/25\n2001:db8::/32');
    const query = `query ($id: ID!) { evaluateIpPolicySource(id: $id) {
      added removed addedRanges removedRanges needsConfirmation
      change { problems { index } restrictions { newlyRefused { text } newlyAllowed { text } } } } }`;
    expect((await service.graphql(query, { id })).data.evaluateIpPolicySource).toEqual({
      added: 1,
      removed: 1,
      addedRanges: ['192.0.2.0/25'],
      removedRanges: ['192.0.2.0/24'],
      needsConfirmation: false,
      change: {
        problems: [],
        restrictions: [{ newlyRefused: [{ text: '192.0.2.128/25' }], newlyAllowed: [] }],
      },
    });
    expect(await evaluated('192.0.2.200')).toEqual([true, id]);
  });
});

test('of several servers one reads a source that is due', async () => {
  const address = `${lists.url}/once.txt`;
  await add({ address });
  asked.length = 0;
  const beside = await startBeside(service, undefined, { outgoing });
  const later = new Date(startTime.getTime() + 3_600_000);
  service.setTime(later);
  beside.setTime(later);
  await Promise.all([service, beside].map(({ storage }) => storage.upkeep()));
  // The sources of other tests are due as well.
  expect(asked.filter(({ url }) => url === '/once.txt')).toHaveLength(1);
  await beside.close();
});

test('sources whose server says nothing hold up those of no other account', async () => {
  for (let count = 0; count < 20; count += 1) await add({ address: `${lists.url}/silent-${count}.txt` });
  const neighbour = await shared.asNewAccount();
  neighbour.setTime(new Date(startTime.getTime() + 1_000));
  const theirs = await makePolicy(neighbour, []);
  const address = `${lists.url}/neighbour.txt`;
  await neighbour.rest('POST', '/ip_policy_sources', { ip_policy_id: theirs, kind: 'text', address, action: 'allow' });
  const held: ServerResponse[] = [];
  answerList = (answer, { url = '' }) => {
    if (url.startsWith('/silent')) held.push(answer);
    else answer.end('192.0.2.0/24\n2001:db8::/32\n');
  };
  asked.length = 0;
  const round = roundAfter(7_200);
  // It is the last to be due, and is read while the first ones of the other account are still waited for.
  await expect.poll(() => asked.some(({ url }) => url === '/neighbour.txt')).toBe(true);
  expect(asked.filter(({ url = '' }) => url.startsWith('/silent')).length).toBeLessThanOrEqual(4);
  say('192.0.2.0/24\n2001:db8::/32\n');
  for (const answer of held) answer.end('192.0.2.0/24\n2001:db8::/32\n');
  await round;
});

test('a policy comes back with its sources, which are read in the next round', async () => {
  const id = await add();
  await service.rest('DELETE', `/ip_policies/${policyId}`);
  const find = '{ auditEvents(kind: "IpPolicy", first: 1) { nodes { id } } }';
  const eventId = (await service.graphql(find)).data.auditEvents.nodes[0].id;
  const restore = 'mutation ($eventId: ID!) { restoreObject(input: { eventId: $eventId }) { event { id } } }';
  expect((await service.graphql(restore, { eventId })).errors).toBeUndefined();
  expect(await evaluated('192.0.2.1')).toEqual([false, null]);
  await roundAfter(60);
  expect(await evaluated('192.0.2.1')).toEqual([true, id]);
});

describe('refused are', () => {
  test.each<[object, string]>([
    [{ kind: 'ftp' }, 'kind'],
    [{ address: '' }, 'address'],
    [{ address: 'ranges.example' }, 'address'],
    [{ address: 'file:///etc/passwd' }, 'address'],
    [{ address: 'https://user:secret@ranges.example/' }, 'address'],
    [{ address: `https://ranges.example/${'x'.repeat(2_048)}` }, 'address'],
    [{ kind: 'dns', address: 'https://ranges.example' }, 'address'],
    [{ kind: 'dns', address: '192.0.2.1' }, 'address'],
    [{ kind: 'dns', address: '192.0.2' }, 'address'],
    [{ kind: 'dns', address: 'a..example' }, 'address'],
    [{ kind: 'dns', address: '-a.example' }, 'address'],
    [{ kind: 'dns', address: `${'a'.repeat(64)}.example` }, 'address'],
    [{ kind: 'json' }, 'json_path'],
    [{ kind: 'json', json_path: 'a[0]' }, 'json_path'],
    [{ kind: 'json', json_path: 'a..b' }, 'json_path'],
    [{ kind: 'json', json_path: 'a,'.repeat(11) }, 'json_path'],
    [{ json_path: 'a' }, 'json_path'],
    [{ interval_seconds: 299 }, 'interval_seconds'],
    [{ interval_seconds: 86_401 }, 'interval_seconds'],
    [{ kind: 'dns', address: 'a.example', interval_seconds: 59 }, 'interval_seconds'],
    [{ interval_seconds: -1 }, 'interval_seconds'],
    [{ action: 'log' }, 'action'],
  ])('%j', async (values, field) => {
    const answer = await post(values);
    expect([answer.status, answer.body.error_code, answer.body.details.field]).toEqual([400, 'INVALID_INPUT', field]);
    expect(asked).toEqual([]);
  });

  test('a source of a policy of another account, and one too many', async () => {
    const other = await service.otherAccount('other');
    const foreign = (await other.rest('POST', '/ip_policies', {})).body.id;
    expect(failureOf(await post({ ip_policy_id: foreign }))).toEqual([400, 'UNKNOWN_REFERENCE']);
    for (let count = 0; count < 20; count += 1) await add();
    const answer = await post();
    expect([answer.status, answer.body.msg]).toEqual([
      400,
      expect.stringContaining('would have more than 20 sources, the maximum.'),
    ]);
  });
});

test('a list that would break an expectation waits to be confirmed, and confirming it must be forced', async () => {
  await makeRestriction(service, [policyId], { type: 'endpoints', enforced: true });
  const id = await add();
  const expectation = { kind: 'ip', expected: 'allowed', address: '192.0.2.7', traffic_type: 'endpoints' };
  const made = await service.rest('POST', '/expectations', { ...expectation, name: 'visitors come in' });
  expect(made.body.state).toEqual({ met: true, outcome: 'allowed', logged: null });
  const deleted = await service.rest('DELETE', `/ip_policy_sources/${id}`);
  expect([deleted.status, deleted.body.error_code]).toEqual([409, 'EXPECTATION_FAILED']);
  say('192.0.2.128/25\n2001:db8::/32\n');
  expect(await refresh(id)).toEqual({ rangeCount: 2, pendingCount: 2, failure: null });
  expect(await evaluated('192.0.2.7')).toEqual([true, id]);
  expect(await confirm(id)).toBe('EXPECTATION_FAILED');
  expect(await confirm(id, 'force: true')).toEqual({ rangeCount: 2, pendingCount: null, failure: null });
  expect(await evaluated('192.0.2.7')).toEqual([false, null]);
});
