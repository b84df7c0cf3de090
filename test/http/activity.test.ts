// What happened in an account, by minute and by hour, as all servers have counted it; and the state of the server itself.

import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { dataOf, errorOf } from '../support/answers.ts';
import { makePolicy, makeRestriction } from '../support/ip-rules.ts';
import { Browser, makePlace } from '../support/login.ts';
import { createClient, ofOneServer, startService, startTime, type TestService } from '../support/service.ts';

let whole: TestService;
let service: TestService;
beforeEach(async () => {
  whole = await startService();
  // Each server counts warnings on its own, and only the first one stores when a test asks for it.
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
/** Stores what was counted, and reads it. */
const activity = async (args = '', client: Pick<TestService, 'graphql'> = service) => {
  await service.storage.activity.store();
  return dataOf(await client.graphql(`{ activity${args} { ${fields} } }`)).activity;
};

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

  test('has only the last hour, unless asked for more', async () => {
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

  test('has the last day by minutes and the last month by hours, in any intervals that these fit into', async () => {
    for (let count = 0; count < 5; count += 1) await service.rest('GET', '/ip_policies');
    await expect.poll(async () => (await activity('(minutes: 1)')).at(0).requests).toBeGreaterThan(4);
    const filled = async (args: string) => {
      const all: { at: string; requests: number }[] = await activity(args);
      return { intervals: all.length, filled: all.flatMap(({ at, requests }) => (requests > 4 ? [at] : [])) };
    };
    service.setTime(minutesLater(23 * 60 + 50));
    const at = '2026-11-20T21:00:00Z';
    expect(await filled('(minutes: 1440)')).toEqual({ intervals: 1_440, filled: [at] });
    expect(await filled('(minutes: 1440, everyMinutes: 15)')).toEqual({ intervals: 96, filled: [at] });
    service.setTime(minutesLater(29 * 24 * 60));
    expect(await filled('(minutes: 43200, everyMinutes: 60)')).toEqual({ intervals: 720, filled: [at] });
    expect(await filled('(minutes: 43200, everyMinutes: 360)')).toEqual({
      intervals: 120,
      filled: ['2026-11-20T18:00:00Z'],
    });
    expect(await filled('(minutes: 10080, everyMinutes: 60)')).toEqual({ intervals: 168, filled: [] });
  });

  test.each<[args: string, field: string, message: string]>([
    ['minutes: 0', 'minutes', 'must be from 1 to 43200.'],
    ['minutes: -1', 'minutes', 'must be from 1 to 43200.'],
    ['minutes: 43201, everyMinutes: 60', 'minutes', 'must be from 1 to 43200.'],
    ['everyMinutes: 0', 'everyMinutes', 'must be from 1 to 1440.'],
    ['everyMinutes: 1441', 'everyMinutes', 'must be from 1 to 1440.'],
    ['minutes: 60, everyMinutes: 7', 'minutes', 'must be a multiple of everyMinutes.'],
    ['minutes: 1441', 'everyMinutes', 'must be a multiple of 60 for more than 1440 minutes.'],
  ])('refuses (%s)', async (args, field, message) => {
    expect(errorOf(await service.graphql(`{ activity(${args}) { at } }`))).toEqual({
      code: 'INVALID_INPUT',
      field,
      message: `${field}: ${message}`,
    });
  });
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
