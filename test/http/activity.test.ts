// The events of the last hour by minute, as counted by the server that answers; and the state of the server itself.

import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createActivity } from '../../src/domain/access/activity.ts';
import { dataOf, errorOf } from '../support/answers.ts';
import { makePolicy, makeRestriction } from '../support/ip-rules.ts';
import { Browser, makePlace } from '../support/login.ts';
import { createClient, ofOneServer, startService, startTime, type TestService } from '../support/service.ts';

let whole: TestService;
let service: TestService;
beforeEach(async () => {
  whole = await startService();
  // Each server keeps its own counts.
  service = ofOneServer(whole);
});
afterEach(async () => {
  expect(whole.failures).toEqual([]);
  await whole.close();
});

const minutesLater = (count: number) => new Date(startTime.getTime() + count * 60_000);
const fields = 'at requests failedRequests brokenRequests apiWarned gateAllowed gateWarned gateLogins gateRefused';
const nothing = {
  ...{ requests: 0, failedRequests: 0, brokenRequests: 0, apiWarned: 0 },
  ...{ gateAllowed: 0, gateWarned: 0, gateLogins: 0, gateRefused: 0 },
};
const activity = async (args = '', client: Pick<TestService, 'graphql'> = service) =>
  dataOf(await client.graphql(`{ activity${args} { ${fields} } }`)).activity;

describe('activity', () => {
  test('has every minute of the last hour, the oldest first, also those in which nothing happened', async () => {
    const minutes = await activity();
    expect(minutes).toHaveLength(60);
    expect(minutes[0]).toEqual({ at: '2026-11-20T20:01:00Z', ...nothing });
    expect(minutes[59]).toEqual({ at: '2026-11-20T21:00:00Z', ...nothing });
    expect(await activity('(minutes: 2)')).toMatchObject([
      { at: '2026-11-20T20:59:00Z' },
      { at: '2026-11-20T21:00:00Z' },
    ]);
  });

  test('counts requests with their outcomes, on both surfaces, and of this account alone', async () => {
    await service.rest('GET', '/ip_policies');
    await service.graphql('{ ipPolicies { totalCount } }');
    await service.rest('GET', '/ip_policies/ipp_00000000000000000000000000');
    await service.graphql('{ unknown }');
    // Not counted for any account: a page, and a request with an unknown token.
    await fetch(`${service.url}/`).then((page) => page.arrayBuffer());
    await createClient(service.url, 'unknown').rest('GET', '/ip_policies');
    const counted = { at: '2026-11-20T21:00:00Z', ...nothing, requests: 4, failedRequests: 1 };
    await expect.poll(async () => (await activity('(minutes: 1)')).at(0).requests).toBeGreaterThanOrEqual(4);
    service.setTime(minutesLater(1));
    const [before] = await activity('(minutes: 2)');
    expect({ ...before, requests: 4 }).toEqual(counted);
    const stranger = createClient(service.url, (await service.otherAccount('stranger')).token);
    expect(await activity('(minutes: 2)', stranger)).toMatchObject([nothing, nothing]);
  });

  test('forgets what is older than an hour', async () => {
    await service.rest('GET', '/ip_policies');
    await expect.poll(async () => (await activity('(minutes: 1)')).at(0).requests).toBeGreaterThan(1);
    service.setTime(minutesLater(59));
    expect((await activity())[0].requests).toBeGreaterThan(1);
    service.setTime(minutesLater(60));
    const [first] = await activity();
    expect(first).toEqual({ at: '2026-11-20T21:01:00Z', ...nothing });
  });

  test('counts what the gate has decided, and which restriction only warned', async () => {
    const place = await makePlace(service);
    const browser = new Browser(service);
    const open = (path: string) => browser.open(place, `https://app.example.com${path}`);
    const free = { match_type: 'path_prefix', match: '/free' };
    await service.rest('POST', `/edges/https/${place.edgeId}/routes`, free);
    await open('/app');
    await open('/free');
    await open('/nowhere');
    const policy = await makePolicy(service, ['allow 192.0.2.0/24']);
    const restriction = await makeRestriction(service, [policy], { enforced: false });
    const warnings = async () =>
      dataOf(await service.graphql(`{ ipRestriction(id: "${restriction}") { warnings { count lastAt } } }`))
        .ipRestriction.warnings;
    expect(await warnings()).toEqual({ count: 0, lastAt: null });
    await open('/free');
    await open('/free');
    const { requests: _, ...counted } = (await activity('(minutes: 1)'))[0];
    const { requests: __, ...none } = nothing;
    const gate = { gateAllowed: 3, gateWarned: 2, gateLogins: 1, gateRefused: 1 };
    expect(counted).toEqual({ at: '2026-11-20T21:00:00Z', ...none, ...gate });
    expect(await warnings()).toEqual({ count: 2, lastAt: '2026-11-20T21:00:00Z' });
    service.setTime(minutesLater(61));
    expect(await warnings()).toEqual({ count: 0, lastAt: '2026-11-20T21:00:00Z' });
  });

  test('counts warnings of the API, and of every restriction that warned', async () => {
    const policy = await makePolicy(service, ['allow 192.0.2.0/24']);
    const restrictions: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      restrictions.push(await makeRestriction(service, [policy], { type: 'api', enforced: false }));
    }
    service.setTime(minutesLater(5));
    await service.rest('GET', '/ip_policies');
    await expect
      .poll(async () => {
        const { data } = await service.graphql('{ ipRestrictions { nodes { id warnings { count } } } }');
        const last = data.ipRestrictions.nodes.find(({ id }: { id: string }) => id === restrictions[11]);
        return last.warnings.count;
      })
      .toBeGreaterThan(0);
    expect((await activity('(minutes: 1)'))[0].apiWarned).toBeGreaterThan(0);
  });

  test.each([0, -1, 61])('refuses %s minutes', async (minutes) => {
    expect(errorOf(await service.graphql(`{ activity(minutes: ${minutes}) { at } }`))).toMatchObject({
      code: 'INVALID_INPUT',
      field: 'minutes',
    });
  });
});

test('the counters are bounded: those that were not counted in for longest are forgotten', () => {
  const counting = createActivity();
  const now = (minute: number) => minutesLater(minute);
  counting.count('first', ['requests'], now(0));
  for (let index = 0; index < 1_999; index += 1) counting.count(`acct_${index}`, ['requests'], now(1));
  counting.count('first', ['requests'], now(2));
  counting.count('one more', ['requests'], now(2));
  const requestsOf = (account: string) =>
    counting.minutesOf(account, 60, now(2)).reduce((sum, { requests }) => sum + requests, 0);
  expect(['first', 'acct_0', 'acct_1', 'one more'].map(requestsOf)).toEqual([2, 0, 1, 1]);
});

describe('service', () => {
  test('says which program answers, and that all is well', async () => {
    const { data } = await service.graphql('{ service { version startedAt database healthy problems } }');
    expect(data).toEqual({
      service: {
        version: '0.0.0-test',
        startedAt: '2026-11-20T21:00:00Z',
        database: inject('engine') === 'sqlite' ? 'SQLite' : 'PostgreSQL',
        healthy: true,
        problems: [],
      },
    });
  });
});
