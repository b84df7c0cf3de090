// IP restrictions of type `dashboard` guard the dashboard's sessions. While none of them is enforced, restrictions of type `api`
// guard the sessions, too.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RequestSummary } from '../../src/wire/trace.ts';
import { dataOf, errorOf } from '../support/answers.ts';
import { DashboardBrowser } from '../support/dashboard-browser.ts';
import { openStream } from '../support/event-stream.ts';
import { ofOneServer, startService, type TestService } from '../support/service.ts';

const inside = '192.0.2.10';
const outside = '198.51.100.7';
const summaries: RequestSummary[] = [];

let shared: TestService;
let service: TestService;
let browser: DashboardBrowser;
beforeAll(async () => {
  shared = ofOneServer(await startService({ trustProxy: 1, requestEnded: (summary) => summaries.push(summary) }));
});
beforeEach(async () => {
  service = ofOneServer(await shared.asNewAccount());
  browser = await at(inside).signIn(service.token);
});

/** Returns a browser behind the proxy, at an address. */
function at(address: string): DashboardBrowser {
  return new DashboardBrowser(service, { 'X-Forwarded-For': address });
}

/** Returns the same browser at another address. */
function moved(address: string): DashboardBrowser {
  const there = at(address);
  there.cookie = browser.cookie;
  return there;
}

const rest = (path: string, body: object, method = 'POST') =>
  service.rest(method, path, body, { 'X-Forwarded-For': inside });

/** Restricts a type to a range. */
async function restrict(type: 'dashboard' | 'api', enforced = true, cidr = '192.0.2.0/24') {
  const policy = (await rest('/ip_policies', {})).body.id;
  await rest('/ip_policy_rules', { ip_policy_id: policy, action: 'allow', cidr });
  const made = await rest('/ip_restrictions', { type, enforced, ip_policy_ids: [policy] });
  expect(made.status).toBe(201);
  return { policy, id: made.body.id };
}

const viewer = '{ viewer { clientAddress } }';
const messageFor = (id: string) =>
  expect.stringContaining(
    `refuse requests from ${outside}: without description (${id}). Who runs the server can suspend them: `,
  );

describe('an enforced restriction', () => {
  test('refuses to sign in, and every later request by a session', async () => {
    const { id } = await restrict('dashboard');
    const refused = { error_code: 'IP_RESTRICTED', msg: messageFor(id) };
    const asked = await at(outside).askSession(service.token);
    expect([asked.status, asked.body]).toEqual([403, expect.objectContaining(refused)]);
    expect(asked.headers.getSetCookie()).toEqual([]);
    const there = moved(outside);
    const { status, errors } = await there.graphql(viewer);
    expect([status, errors]).toEqual([
      403,
      [
        {
          message: refused.msg,
          extensions: { code: 'IP_RESTRICTED', command: expect.stringMatching(/^sallyport restrictions suspend/) },
        },
      ],
    ]);
    const told = await there.send('/dashboard/session');
    expect([told.status, told.body]).toEqual([403, expect.objectContaining(refused)]);
    const stream = await openStream(`${service.url}/graphql`, null, {
      headers: there.headers,
      body: { query: 'subscription { changes { kind } }' },
    });
    expect(stream.status).toBe(403);
    // A person whom it refuses can still sign out.
    expect((await there.send('/dashboard/session', { method: 'DELETE' })).status).toBe(204);
    expect((await browser.graphql(viewer)).status).toBe(401);
  });

  test('lets pass what its policies allow, and guards no request with a key', async () => {
    await restrict('dashboard');
    expect(dataOf(await browser.graphql(viewer)).viewer.clientAddress).toBe(inside);
    await at(inside).signIn(service.token);
    const byKey = await service.rest('GET', '/ip_policies', undefined, { 'X-Forwarded-For': outside });
    expect(byKey.status).toBe(200);
  });

  test('of type api guards sessions as well, so that no stolen key becomes one', async () => {
    const { id } = await restrict('api');
    const asked = await at(outside).askSession(service.token);
    expect([asked.status, asked.body.msg, asked.headers.getSetCookie()]).toEqual([403, messageFor(id), []]);
    const there = moved(outside);
    expect((await there.graphql(viewer)).errors?.[0]?.message).toEqual(messageFor(id));
    expect((await there.send('/dashboard/session')).status).toBe(403);
    expect(dataOf(await browser.graphql(viewer)).viewer.clientAddress).toBe(inside);
    // A restriction that only warns does not decide whom to let in.
    const warning = await restrict('dashboard', false, '203.0.113.0/24');
    expect((await at(outside).askSession(service.token)).status).toBe(403);
    const warned = await at(inside).askSession(service.token);
    expect([warned.status, warned.headers.get('Sallyport-Would-Refuse')]).toEqual([201, warning.id]);
  });

  test('of type api guards no session where one of type dashboard is enforced', async () => {
    await restrict('api');
    await restrict('dashboard', true, '198.51.100.0/24');
    expect(dataOf(await moved(outside).graphql(viewer)).viewer.clientAddress).toBe(outside);
    await at(outside).signIn(service.token);
    expect((await at(inside).askSession(service.token)).status).toBe(403);
    const byKey = await service.rest('GET', '/ip_policies', undefined, { 'X-Forwarded-For': outside });
    expect(byKey.status).toBe(403);
  });

  test('ends the live stream of a session that it begins to refuse', async () => {
    const there = moved(outside);
    const stream = await openStream(`${service.url}/graphql`, null, {
      headers: there.headers,
      body: { query: 'subscription { changes { kind } }' },
    });
    const { id } = await restrict('dashboard');
    expect(await stream.ended).toBe('end');
    expect(stream.data().at(-1)).toEqual({
      errors: [{ message: messageFor(id), extensions: { code: 'IP_RESTRICTED' } }],
    });
  });

  test('is in the trail and in the log with what it refuses', async () => {
    const { id } = await restrict('dashboard');
    summaries.length = 0;
    await at(outside).askSession(service.token);
    await moved(outside).graphql(viewer);
    await service.storage.refusals.settled();
    const query = `{ auditEvents(action: refuse) { nodes { surface clientAddress actor { type } refusal { code asked } } } }`;
    const { nodes } = dataOf(await browser.graphql(query)).auditEvents;
    const refusal = (asked: string | null) => ({
      surface: 'dashboard',
      clientAddress: outside,
      actor: { type: 'api_key' },
      refusal: { code: 'IP_RESTRICTED', asked },
    });
    expect(nodes).toEqual([refusal(null), refusal('POST /dashboard/session')]);
    await expect.poll(() => summaries.length).toBeGreaterThan(1);
    const objections = { address: outside, refusedBy: [id], wouldRefuse: [] };
    expect(summaries.slice(0, 2).map((each) => [each.surface, each.route, each.ipRestrictions])).toEqual([
      ['dashboard', 'POST /dashboard/session', objections],
      ['graphql', null, objections],
    ]);
  });
});

test('a restriction that is not enforced warns in a header', async () => {
  const { id } = await restrict('dashboard', false);
  const there = at(outside);
  const answers = [
    await there.askSession(service.token),
    await there.send('/dashboard/session'),
    await there.send('/graphql', { method: 'POST', body: { query: viewer } }),
  ];
  expect(answers.map(({ status, headers }) => [status, headers.get('Sallyport-Would-Refuse')])).toEqual([
    [201, id],
    [200, id],
    [200, id],
  ]);
});

const enforce =
  'mutation ($id: ID!, $enforced: Boolean = true) { updateIpRestriction(input: { id: $id, enforced: $enforced }) { ipRestriction { id } } }';
const allow =
  'mutation ($id: ID!) { createIpPolicyRule(input: { ipPolicyId: $id, action: allow, cidr: "192.0.2.0/24" }) { ipPolicyRule { id } } }';
const disallow = 'mutation ($id: ID!) { deleteIpPolicyRule(input: { id: $id }) { deletedId } }';
const lockoutBy = (id: string, address = inside) => ({
  code: 'LOCKOUT',
  message: expect.stringContaining(
    `without description (${id}) would refuse requests from your own address, ${address}.`,
  ),
});

test.each(['dashboard', 'api'] as const)(
  'nobody shuts himself out of the dashboard by mistake, by type %s',
  async (type) => {
    const made = await restrict(type, false, '203.0.113.0/24');
    expect(errorOf(await browser.graphql(enforce, { id: made.id }))).toMatchObject(lockoutBy(made.id));
    const { id: rule } = dataOf(await browser.graphql(allow, { id: made.policy })).createIpPolicyRule.ipPolicyRule;
    expect(dataOf(await browser.graphql(enforce, { id: made.id })).updateIpRestriction.ipRestriction.id).toBe(made.id);
    expect(errorOf(await browser.graphql(disallow, { id: rule }))).toMatchObject(lockoutBy(made.id));
  },
);

describe('where one of type dashboard is enforced', () => {
  test('nobody is kept from what only guards the API', async () => {
    await restrict('dashboard');
    const ofApi = await restrict('api', false, '203.0.113.0/24');
    expect(dataOf(await browser.graphql(enforce, { id: ofApi.id })).updateIpRestriction.ipRestriction.id).toBe(
      ofApi.id,
    );
  });

  test('nobody takes the last one away by mistake where those of type api would refuse him', async () => {
    const ofDashboard = [
      await restrict('dashboard', true, '198.51.100.0/24'),
      await restrict('dashboard', true, '198.51.100.0/24'),
    ];
    const ofApi = await restrict('api');
    const there = await at(outside).signIn(service.token);
    const remove =
      'mutation ($id: ID!, $force: Boolean) { deleteIpRestriction(input: { id: $id, force: $force }) { deletedId } }';
    const [first, last] = ofDashboard.map(({ id }) => id);
    expect(
      dataOf(await there.graphql(enforce, { id: first, enforced: false })).updateIpRestriction.ipRestriction.id,
    ).toBe(first);
    for (const document of [enforce, remove]) {
      expect(errorOf(await there.graphql(document, { id: last, enforced: false }))).toMatchObject(
        lockoutBy(ofApi.id, outside),
      );
    }
    expect(dataOf(await there.graphql(remove, { id: first })).deleteIpRestriction.deletedId).toBe(first);
    expect(dataOf(await there.graphql(remove, { id: last, force: true })).deleteIpRestriction.deletedId).toBe(last);
    expect((await there.graphql(viewer)).status).toBe(403);
  });
});
