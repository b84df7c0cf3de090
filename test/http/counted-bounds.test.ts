// Bounds on what an object contains are exact, however many requests and processes add to it at once: the parent keeps the count,
// and the statement that writes checks it.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { replaceSamlModule } from '../../src/areas/https-edges/saml-store.ts';
import { createHttpsEdgeRoute } from '../../src/areas/https-edges/store.ts';
import { createIpPolicyRule } from '../../src/areas/ip-policies/store.ts';
import type { AccountScope } from '../../src/storage/objects/account-scope.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { start } from '../storage/fixtures/temporary.ts';
import { openClient } from '../support/database.ts';
import { accountOf, startService, type TestService } from '../support/service.ts';

let shared: TestService;
let service: TestService;
let scope: AccountScope;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  scope = service.storage.actingFor(await accountOf(service), commandLine);
});

const times = <T>(count: number, make: (place: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Counts attempts by outcome: the code of the error, or `ok`. */
function outcomes(ends: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const end of ends) counts[end] = (counts[end] ?? 0) + 1;
  return counts;
}

/** Awaits concurrent calls of the store, and counts their outcomes. */
async function stored(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const ended = await Promise.allSettled(calls);
  return outcomes(ended.map((end) => (end.status === 'fulfilled' ? 'ok' : `${end.reason.code} ${end.reason.field}`)));
}

/** Awaits concurrent requests, and counts their outcomes. */
async function sent(requests: readonly Promise<{ status: number; body: { error_code?: string } }>[]) {
  return outcomes((await Promise.all(requests)).map(({ status, body }) => body?.error_code ?? String(status)));
}

/** Creates an edge with routes; returns its id, a function that adds one more, and the routes. */
async function edgeWith(routeCount: number) {
  const { id } = (await service.rest('POST', '/edges/https', {})).body;
  const route = (match: string) => createHttpsEdgeRoute(scope, { edgeId: id, matchType: 'exact_path', match });
  const routes = await Promise.all(times(routeCount, (i) => route(`/${i}`)));
  return { id: String(id), route, routes };
}

describe('an edge with 95 routes has exactly 100 after 64 more were asked for', () => {
  test('of the store in one turn', async () => {
    const { id, route } = await edgeWith(95);
    const [before] = await scope.db.httpsEdge.findMany({ where: { id } });
    expect(await stored(times(64, (i) => route(`/more/${i}`)))).toEqual({ ok: 5, 'INVALID_INPUT edgeId': 59 });
    expect(await scope.db.httpsEdgeRoute.count({ where: { edgeId: id } })).toBe(100);
    const [after] = await scope.db.httpsEdge.findMany({ where: { id } });
    expect(after).toEqual({ ...before, routeCount: 100, version: (before?.version ?? 0) + 5 });
  });

  test('over HTTP', async () => {
    const { id } = await edgeWith(95);
    const body = (i: number) => ({ match_type: 'exact_path', match: `/more/${i}` });
    const answers = await sent(times(64, (i) => service.rest('POST', `/edges/https/${id}/routes`, body(i))));
    expect(answers).toEqual({ 201: 5, INVALID_INPUT: 59 });
    expect((await service.rest('GET', `/edges/https/${id}`)).body.routes).toHaveLength(100);
  });

  test('of two processes', async () => {
    const { id } = await edgeWith(95);
    const makers = ['/a', '/b'].map((match) =>
      start('route-maker.ts', service.database.url, scope.accountId, id, match, '32'),
    );
    expect(await Promise.all(makers.map((maker) => maker.line()))).toEqual(['ready', 'ready']);
    for (const maker of makers) maker.process.stdin?.write('go\n');
    const made = (await Promise.all(makers.map((maker) => maker.line()))).map(Number);
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(5);
    expect(await scope.db.httpsEdgeRoute.count({ where: { edgeId: id } })).toBe(100);
  });
});

test('a route that is deleted makes room for another, and one that is refused takes none', async () => {
  const { id, route, routes } = await edgeWith(100);
  await service.rest('DELETE', `/edges/https/${id}/routes/${routes[0]?.id}`);
  expect(await stored([route('/1')])).toEqual({ 'DUPLICATE match': 1 });
  expect(await stored([route('/new')])).toEqual({ ok: 1 });
  expect(await stored([route('/newer')])).toEqual({ 'INVALID_INPUT edgeId': 1 });
});

/** Creates a policy with a number of rules; returns its id, and a function that adds one more. */
async function policyWith(ruleCount: number) {
  const { id } = (await service.rest('POST', '/ip_policies', {})).body;
  const client = await openClient(service.database);
  await client.ipPolicyRule.createMany({
    data: times(ruleCount, (i) => {
      const range = `10.${i >> 8}.${i & 255}.0/24`;
      const { accountId } = scope;
      return {
        id: scope.newId('IpPolicyRule'),
        accountId,
        ipPolicyId: id,
        cidr: range,
        range,
        action: 'allow',
        createdAt: new Date(0),
      };
    }),
  });
  await client.ipPolicy.update({ where: { id }, data: { ruleCount } });
  const rule = (cidr: string) => createIpPolicyRule(scope, { ipPolicyId: id, cidr, action: 'allow' });
  return { id: String(id), rule };
}

describe('a policy with 995 rules has exactly 1,000 after 64 more were asked for', () => {
  test('of the store in one turn, without a new version of its own', async () => {
    const { id, rule } = await policyWith(995);
    expect(await stored(times(64, (i) => rule(`11.${i}.0.0/16`)))).toEqual({ ok: 5, 'INVALID_INPUT ipPolicyId': 59 });
    expect(await scope.db.ipPolicyRule.count({ where: { ipPolicyId: id } })).toBe(1_000);
    expect(await scope.db.ipPolicy.findMany({ where: { id } })).toMatchObject([
      { ruleCount: 1_000, version: 1, rulesVersion: 5 },
    ]);
  });

  test('over HTTP', async () => {
    const { id } = await policyWith(995);
    const body = (i: number) => ({ ip_policy_id: id, cidr: `11.${i}.0.0/16`, action: 'deny' });
    const answers = await sent(times(64, (i) => service.rest('POST', '/ip_policy_rules', body(i))));
    expect(answers).toEqual({ 201: 5, INVALID_INPUT: 59 });
    expect(await scope.db.ipPolicyRule.count({ where: { ipPolicyId: id } })).toBe(1_000);
  });
});

test('a rule that is deleted makes room for another, and one that is refused takes none', async () => {
  const { rule } = await policyWith(999);
  const last = await rule('11.0.0.0/8');
  expect(await stored([rule('12.0.0.0/8')])).toEqual({ 'INVALID_INPUT ipPolicyId': 1 });
  const deletions = times(5, () => service.rest('DELETE', `/ip_policy_rules/${last.id}`));
  expect(await sent(deletions)).toEqual({ 204: 1, NOT_FOUND: 4 });
  expect(await stored([rule('10.0.0.0/24')])).toEqual({ 'DUPLICATE cidr': 1 });
  expect(await stored([rule('12.0.0.0/8')])).toEqual({ ok: 1 });
  expect(await stored([rule('13.0.0.0/8')])).toEqual({ 'INVALID_INPUT ipPolicyId': 1 });
});

describe('the modules of an edge', () => {
  const bytesMax = 512 * 1024;
  /** Returns metadata of a given size in bytes. */
  const metadata = (bytes: number) => {
    const [head, tail] = [
      '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com"><!--',
      '--></EntityDescriptor>',
    ];
    return head + 'x'.repeat(bytes - head.length - tail.length) + tail;
  };
  // An empty list of groups is stored as `[]`, which is two bytes.
  const put = (edgeId: string, id: string, bytes: number) =>
    replaceSamlModule(scope, { edgeId, id, idpMetadata: metadata(bytes - 2) });

  /** Returns the bytes that the edge counts, and the real bytes. */
  const bytesOf = async (edgeId: string) => {
    const [edge] = await scope.db.httpsEdge.findMany({ where: { id: edgeId } });
    const modules = await scope.db.samlModule.findMany({ where: { route: { edgeId } } });
    const real = modules.map((module) => module.idpMetadata.length + JSON.stringify(module.authorizedGroups).length);
    return { counted: edge?.moduleBytes, real: real.reduce((sum, bytes) => sum + bytes, 0), modules: modules.length };
  };

  /** Creates an edge with a small module on each of its routes. */
  const edgeWithModules = async (count: number, bytes: number) => {
    const edge = await edgeWith(count);
    await Promise.all(edge.routes.map(({ id }) => put(edge.id, id, bytes)));
    return { ...edge, ids: edge.routes.map(({ id }) => id) };
  };

  test('never have more bytes than they may, however many are replaced at once', async () => {
    const { id, ids } = await edgeWithModules(8, 1_000);
    // Room for three.
    const large = Math.floor((bytesMax - 5 * 1_000) / 3);
    const outcome = await stored(ids.map((routeId) => put(id, routeId, large)));
    expect(outcome).toEqual({ ok: 3, 'INVALID_INPUT idpMetadata': 5 });
    expect(await bytesOf(id)).toEqual({ counted: 3 * large + 5 * 1_000, real: 3 * large + 5 * 1_000, modules: 8 });
  });

  test('never have more over HTTP, and take no place when they are refused', async () => {
    const { id, ids } = await edgeWithModules(8, 1_000);
    const large = Math.floor((bytesMax - 5 * 1_000) / 3);
    const body = { idp_metadata: metadata(large - 2) };
    const answers = await sent(
      ids.map((routeId) => service.rest('PUT', `/edges/https/${id}/routes/${routeId}/saml`, body)),
    );
    expect(answers).toEqual({ 200: 3, INVALID_INPUT: 5 });
    expect((await bytesOf(id)).counted).toBe(3 * large + 5 * 1_000);
  });

  test('are counted right when one module is changed, deleted and set by many at once', async () => {
    const { id, ids } = await edgeWithModules(1, 1_000);
    const path = `/edges/https/${id}/routes/${ids[0]}`;
    const answers = await sent([
      ...times(20, (i) => service.rest('PUT', `${path}/saml`, { idp_metadata: metadata(500 + i) })),
      ...times(3, () => service.rest('DELETE', `${path}/saml`)),
      ...times(10, (i) => service.rest('PATCH', path, { description: `${i}` })),
    ]);
    expect(answers).toEqual({ 200: 30, 204: 3 });
    const { counted, real } = await bytesOf(id);
    expect(counted).toBe(real);
  });

  test('make room when a module or its route is deleted', async () => {
    const { id, ids } = await edgeWithModules(4, 1_000);
    const [first = '', second = '', third = '', fourth = ''] = ids;
    const half = bytesMax / 2 - 1_000;
    expect(await stored([put(id, first, half), put(id, second, half)])).toEqual({ ok: 2 });
    expect(await stored([put(id, third, 1_001)])).toEqual({ 'INVALID_INPUT idpMetadata': 1 });
    await service.rest('DELETE', `/edges/https/${id}/routes/${fourth}`);
    expect(await stored([put(id, third, 2_000)])).toEqual({ ok: 1 });
    expect(await bytesOf(id)).toEqual({ counted: bytesMax, real: bytesMax, modules: 3 });
    await service.rest('DELETE', `/edges/https/${id}/routes/${first}/saml`);
    await service.rest('DELETE', `/edges/https/${id}/routes/${second}/saml`);
    expect(await bytesOf(id)).toEqual({ counted: 2_000, real: 2_000, modules: 1 });
  });
});
