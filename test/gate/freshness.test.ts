// An acknowledged change applies to the next question, or within a second if another process made the change.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEdgeFinder } from '../../src/areas/https-edges/gate-store.ts';
import { passMs } from '../support/clocks.ts';
import { executeNow } from '../support/database.ts';
import { ofOneServer, startBeside, startService, type TestService } from '../support/service.ts';
import { countStatements, statementsOf } from '../support/statements.ts';
import { allowing, ask, makeEdge, makeRoute, restrictTo, setSaml } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = ofOneServer(await startService());
});

let client: TestService;
let edge: string;
let route: string;
beforeEach(async () => {
  client = ofOneServer(await service.asNewAccount());
  edge = await makeEdge(client);
  route = await makeRoute(client, edge, '/app');
});

const statusOf = async (path = '/app', host = 'app.example.com', at = service) =>
  (await ask(at.url, 'auth-request', edge, { url: `https://${host}${path}` })).status;
const routePath = () => `/edges/https/${edge}/routes/${route}`;
const patchEdge = (hostports: string[]) => client.rest('PATCH', `/edges/https/${edge}`, { hostports });

/** Makes changes one after the other; returns the status before the first and after each. */
async function statusesAfter(changes: readonly (() => Promise<unknown>)[], path?: string): Promise<number[]> {
  const statuses = [await statusOf(path)];
  for (const change of changes) {
    await change();
    statuses.push(await statusOf(path));
  }
  return statuses;
}

describe('the next question counts a change of', () => {
  test('the hosts of an edge', async () => {
    const changes = [() => patchEdge(['other.example.com:443']), () => patchEdge(['*.example.com:443'])];
    expect(await statusesAfter(changes)).toEqual([200, 403, 200]);
  });

  test('a route, its creation and its deletion', async () => {
    const changes = [
      () => client.rest('PATCH', routePath(), { match: '/other' }),
      () => client.rest('PATCH', routePath(), { match: '/app', match_type: 'exact_path' }),
      () => client.rest('DELETE', routePath()),
      () => makeRoute(client, edge, '/'),
    ];
    expect(await statusesAfter(changes)).toEqual([200, 403, 200, 403, 200]);
  });

  test('a route with a longer prefix', async () => {
    let inner = '';
    const changes = [
      async () => {
        inner = await makeRoute(client, edge, '/app/inner', {});
      },
      () => client.rest('DELETE', `/edges/https/${edge}/routes/${inner}`),
    ];
    expect(await statusesAfter(changes, '/app/inner')).toEqual([200, 401, 200]);
  });

  test('a SAML module, its settings and its deletion', async () => {
    const changes = [
      () => setSaml(client, edge, route, {}),
      () => setSaml(client, edge, route, { enabled: false }),
      () => setSaml(client, edge, route, { enabled: true }),
      () => client.rest('DELETE', `${routePath()}/saml`),
    ];
    expect(await statusesAfter(changes)).toEqual([200, 401, 200, 401, 200]);
  });

  test('an edge: its deletion', async () => {
    expect(await statusesAfter([() => client.rest('DELETE', `/edges/https/${edge}`)])).toEqual([200, 403]);
  });

  test('a restriction, its policy and its rules', async () => {
    let made = { policy: '', rule: '', restriction: '' };
    const restriction = () => `/ip_restrictions/${made.restriction}`;
    const changes = [
      async () => {
        made = await restrictTo(client, '198.51.100.0/24', true);
      },
      () => client.rest('PATCH', `/ip_policy_rules/${made.rule}`, { cidr: '203.0.113.0/24' }),
      () => client.rest('PATCH', `/ip_policy_rules/${made.rule}`, { action: 'deny' }),
      () => client.rest('PATCH', restriction(), { enforced: false }),
      () => client.rest('PATCH', restriction(), { enforced: true }),
      () => client.rest('PATCH', `/ip_policy_rules/${made.rule}`, { action: 'allow' }),
      () => client.rest('DELETE', `/ip_policy_rules/${made.rule}`),
      () => client.rest('DELETE', restriction()),
    ];
    expect(await statusesAfter(changes)).toEqual([200, 403, 200, 403, 200, 403, 200, 403, 200]);
  });

  test('an IP restriction module, its policies and their rules', async () => {
    const { policy, rule } = await allowing(client, '198.51.100.0/24');
    const module = `${routePath()}/ip_restriction`;
    const changes = [
      () => client.rest('PUT', module, { ip_policy_ids: [policy] }),
      () => client.rest('PATCH', `/ip_policy_rules/${rule}`, { cidr: '203.0.113.0/24' }),
      () => client.rest('PATCH', `/ip_policy_rules/${rule}`, { action: 'deny' }),
      () => client.rest('PUT', module, { enabled: false, ip_policy_ids: [policy] }),
      () => client.rest('PUT', module, { ip_policy_ids: [policy] }),
      () => client.rest('PATCH', `/ip_policy_rules/${rule}`, { action: 'allow' }),
      () => client.rest('DELETE', `/ip_policies/${policy}`),
      () => client.rest('DELETE', module),
    ];
    expect(await statusesAfter(changes)).toEqual([200, 403, 200, 403, 200, 403, 200, 403, 200]);
  });

  test('a restriction of which the policy is deleted: it lets nobody in', async () => {
    const { policy } = await restrictTo(client, '203.0.113.0/24', true);
    const changes = [() => client.rest('DELETE', `/ip_policies/${policy}`)];
    expect(await statusesAfter(changes)).toEqual([200, 403]);
  });
});

test('restrictions of other types and of other accounts count for nothing', async () => {
  const { body: policy } = await client.rest('POST', '/ip_policies', {});
  for (const type of ['dashboard', 'agent']) {
    await client.rest('POST', '/ip_restrictions', { type, ip_policy_ids: [policy.id], enforced: true });
  }
  await restrictTo(ofOneServer(await service.asNewAccount()), '198.51.100.0/24', true);
  expect(await statusOf()).toBe(200);
});

test('nothing is read while nothing changes', async () => {
  await restrictTo(client, '203.0.113.0/24', true);
  const counts: number[] = [];
  // The minimum, because a pause of a second between two questions causes another read.
  for (let round = 0; round < 5; round += 1) counts.push(await countStatements(service, () => statusOf()));
  expect(Math.min(...counts)).toBe(0);
});

test('nothing is read after a change of what decides nothing', async () => {
  await statusOf();
  const counts: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await client.rest('POST', '/ip_policies', {});
    counts.push(await countStatements(service, () => statusOf()));
  }
  // The minimum for the same reason as above.
  expect(Math.min(...counts)).toBe(0);
});

test('questions that come at the same time after a change read the edge once', async () => {
  const find = createEdgeFinder(service.storage);
  await find(edge);
  await patchEdge(['other.example.com:443']);
  const ask = async () => (await find(edge))?.hostports;
  let answers: unknown[] = [];
  const statements = await statementsOf(service, async () => {
    answers = await Promise.all(Array.from({ length: 20 }, ask));
  });
  expect(answers).toEqual(Array.from({ length: 20 }, () => ['other.example.com:443']));
  expect(statements.filter((sql) => sql.includes('HttpsEdgeRoute'))).toHaveLength(1);
});

test('what has not changed after a second is only looked at', async () => {
  await statusOf();
  await passMs(950);
  const statements = await statementsOf(service, () => statusOf());
  expect(statements.filter((sql) => /HttpsEdgeRoute|SamlModule/.test(sql))).toEqual([]);
  expect(statements.filter((sql) => /HttpsEdge/.test(sql))).toHaveLength(1);
});

test('what another process changes counts within a second', async () => {
  const beside = await startBeside(service);
  const other = ofOneServer({ ...beside, token: client.token });
  const { restriction } = await restrictTo(client, '203.0.113.0/24', true);
  expect(await statusOf('/app', 'app.example.com', other)).toBe(200);
  const changes = [
    () => setSaml(client, edge, route, {}),
    () => client.rest('DELETE', `${routePath()}/saml`),
    () => client.rest('DELETE', `/ip_restrictions/${restriction}`),
    () => client.rest('DELETE', `/edges/https/${edge}`),
  ];
  const statuses: number[] = [];
  for (const change of changes) {
    await change();
    await passMs(1_000);
    statuses.push(await statusOf('/app', 'app.example.com', other));
  }
  expect(statuses).toEqual([401, 200, 200, 403]);
  await beside.close();
});

test('a module that another process sets, changes and deletes counts within a second', async () => {
  const beside = await startBeside(service);
  const other = ofOneServer({ ...beside, token: client.token });
  const { policy, rule } = await allowing(client, '198.51.100.0/24');
  const module = `${routePath()}/ip_restriction`;
  const statusThere = () => statusOf('/app', 'app.example.com', other);
  expect(await statusThere()).toBe(200);
  const changes = [
    () => client.rest('PUT', module, { ip_policy_ids: [policy] }),
    () => client.rest('PATCH', `/ip_policy_rules/${rule}`, { cidr: '203.0.113.0/24' }),
    () => client.rest('DELETE', `/ip_policies/${policy}`),
    () => client.rest('DELETE', module),
  ];
  const statuses: number[] = [];
  for (const change of changes) {
    await change();
    await passMs(1_000);
    statuses.push(await statusThere());
  }
  expect(statuses).toEqual([403, 200, 403, 200]);
  await beside.close();
});

test('a rule of a module counts until the second in which it ends, and not from then on', async () => {
  const own = ofOneServer(await startService());
  edge = await makeEdge(own);
  route = await makeRoute(own, edge, '/app');
  // A rule ends with a whole second.
  const ends = Date.parse('2026-11-20T21:01:00Z');
  const { id: policy } = (await own.rest('POST', '/ip_policies', {})).body;
  const rule = {
    ip_policy_id: policy,
    cidr: '203.0.113.0/24',
    action: 'allow',
    expires_at: new Date(ends).toISOString(),
  };
  await own.rest('POST', '/ip_policy_rules', rule);
  await own.rest('PUT', `${routePath()}/ip_restriction`, { ip_policy_ids: [policy] });
  const statusAt = async (ms: number) => {
    own.setTime(new Date(ms));
    return statusOf('/app', 'app.example.com', own);
  };
  expect([await statusAt(ends - 1), await statusAt(ends), await statusAt(ends + 1)]).toEqual([200, 403, 403]);
  await own.close();
});

test('where the database cannot tell, nobody passes, and people are asked to try again', async () => {
  const broken = ofOneServer(await startService());
  edge = await makeEdge(broken);
  await makeRoute(broken, edge, '/app');
  expect(await statusOf('/app', 'app.example.com', broken)).toBe(200);
  executeNow(broken.database, 'ALTER TABLE "HttpsEdge" RENAME TO "Gone"');
  await passMs(950);
  const { status, body } = await ask(broken.url, 'auth-request', edge);
  expect([status, body.split('\n')[0]]).toEqual([
    403,
    'Access denied. Your access cannot be checked at the moment. Try again in a few minutes.',
  ]);
  expect(broken.failures).toHaveLength(1);
  await broken.close();
});
