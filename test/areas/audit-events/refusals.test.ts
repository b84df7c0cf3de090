// Refused requests in the trail: whose, why, how many, and no part of their content.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unlimited } from '../../../src/areas/api-keys/rules.ts';
import { createApiKey, type NewApiKey } from '../../../src/areas/api-keys/store.ts';
import { revokedKeyUpkeep } from '../../../src/areas/api-keys/upkeep.ts';
import { readTrail } from '../../../src/areas/audit-events/store.ts';
import { auditUpkeep } from '../../../src/areas/audit-events/upkeep.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { openClient } from '../../support/database.ts';
import { Browser, leave, makePlace, post, respond } from '../../support/login.ts';
import { type Client, createClient, ofOneServer, startService, type TestService } from '../../support/service.ts';
import { expectTrailToAgree } from './trail.ts';

let whole: TestService;
let service: TestService;
let accountId: string;
let monotonicMs: number;
beforeEach(async () => {
  monotonicMs = 0;
  whole = await startService({}, { monotonicMs: () => monotonicMs });
  // Each server has its own limit on recorded refusals and its own cache of the rights of keys.
  service = ofOneServer(whole);
  accountId = (await service.graphql('{ viewer { account { id } } }')).data.viewer.account.id;
});
afterEach(async () => {
  expect(whole.failures).toEqual([]);
  await expectTrailToAgree(await openClient(whole.database));
  await whole.close();
});

async function makeKey(input: NewApiKey): Promise<{ id: string; client: Client }> {
  const scope = service.storage.actingFor(accountId, commandLine);
  const { id, token } = await createApiKey(scope, input, unlimited);
  return { id, client: createClient(service.url, token) };
}

const fields = `id createdAt action kind objectId version surface requestId clientAddress state
  actor { type apiKeyId description } changes { field } refusal { code asked reason leftOut }`;

/** Returns the events of refused requests, oldest first. */
async function refusals(filter = '') {
  await service.storage.refusals.settled();
  const { data } = await service.graphql(`{ auditEvents(action: refuse${filter}) { nodes { ${fields} } } }`);
  return data.auditEvents.nodes.reverse();
}

describe('a refused request is an event', () => {
  test('with who asked for what, and where from: a key that was revoked, on both surfaces', async () => {
    const { id, client } = await makeKey({ description: 'old laptop' });
    await service.rest('DELETE', `/api_keys/${id}`);
    const answer = await client.rest('PATCH', '/ip_policies/ipp_00000000000000000000000000?x=secret', {
      description: 'secret',
    });
    expect([answer.status, answer.body.error_code]).toEqual([401, 'UNAUTHENTICATED']);
    expect((await client.graphql('{ ipPolicies { totalCount } }')).status).toBe(401);
    const [first, second, ...more] = await refusals();
    const requestId = answer.headers.get('x-request-id');
    expect(first).toEqual({
      id: expect.stringMatching(/^evt_\w{26}$/),
      createdAt: '2026-11-20T21:00:00Z',
      action: 'refuse',
      kind: 'Request',
      objectId: requestId,
      version: 0,
      surface: 'rest',
      requestId,
      clientAddress: '127.0.0.1',
      state: { code: 'UNAUTHENTICATED', asked: 'PATCH /ip_policies/{id}', reason: 'revoked', leftOut: 0 },
      actor: { type: 'api_key', apiKeyId: id, description: 'old laptop' },
      changes: [],
      refusal: { code: 'UNAUTHENTICATED', asked: 'PATCH /ip_policies/{id}', reason: 'revoked', leftOut: 0 },
    });
    expect([second.surface, second.refusal, more]).toEqual([
      'graphql',
      { code: 'UNAUTHENTICATED', asked: null, reason: 'revoked', leftOut: 0 },
      [],
    ]);
    // Neither the request's content nor the token is stored.
    const client2 = await openClient(whole.database);
    const events = await client2.auditEvent.findMany({ where: { action: 'refuse' }, omit: { commitOrder: true } });
    const stored = JSON.stringify(events);
    expect(stored).not.toContain('secret');
    expect(stored).not.toContain(client.token);
    expect(stored).not.toContain((await client2.revokedApiKey.findFirstOrThrow()).tokenHash);
  });

  test('of a key that has expired', async () => {
    const { id, client } = await makeKey({ description: 'short', expiresAt: '2026-11-20T22:00:00Z' });
    service.setTime(new Date('2026-11-20T22:00:00Z'));
    expect((await client.rest('GET', '/ip_policies')).status).toBe(401);
    expect((await refusals()).map(({ actor, refusal }: never) => [actor, refusal])).toEqual([
      [
        { type: 'api_key', apiKeyId: id, description: 'short' },
        { code: 'UNAUTHENTICATED', asked: 'GET /ip_policies', reason: 'expired', leftOut: 0 },
      ],
    ]);
  });

  test('of a key that lacks a scope, once for each request, whatever else it asked for', async () => {
    const { id, client } = await makeKey({ scopes: ['ip-policies:read'] });
    expect((await client.rest('POST', '/ip_policies', {})).status).toBe(403);
    await client.graphql('mutation { createIpPolicy(input: {}) { ipPolicy { id } } }');
    await client.graphql('{ ipPolicy(id: "x") { id } a: tlsEdges { totalCount } b: httpsEdges { totalCount } }');
    const events = await refusals();
    expect(events.map(({ surface, refusal }: never) => [surface, refusal])).toEqual([
      ['rest', { code: 'FORBIDDEN', asked: 'POST /ip_policies', reason: null, leftOut: 0 }],
      ['graphql', { code: 'FORBIDDEN', asked: 'createIpPolicy', reason: null, leftOut: 0 }],
      ['graphql', { code: 'FORBIDDEN', asked: 'several', reason: null, leftOut: 0 }],
    ]);
    expect(await refusals(`, actor: "${id}"`)).toEqual(events);
  });

  test('of a key that would make a stronger one', async () => {
    const { client } = await makeKey({ scopes: ['api-keys:write'] });
    expect((await client.rest('POST', '/api_keys', { scopes: ['write'] })).status).toBe(403);
    expect((await refusals()).map(({ refusal }: never) => refusal)).toMatchObject([
      { code: 'FORBIDDEN', asked: 'POST /api_keys' },
    ]);
  });

  test('of an address that IP restrictions refuse', async () => {
    const policy = (await service.rest('POST', '/ip_policies', {})).body.id;
    const restriction = { type: 'api', enforced: true, ip_policy_ids: [policy] };
    await service.rest('POST', '/ip_restrictions', restriction, { 'Sallyport-Force': 'true' });
    expect((await service.rest('GET', '/ip_policies')).status).toBe(403);
    expect((await service.graphql('{ __typename }')).status).toBe(403);
    await service.storage.refusals.settled();
    const client = await openClient(whole.database);
    const events = await client.auditEvent.findMany({ where: { action: 'refuse' }, orderBy: { id: 'asc' } });
    expect(events.map(({ surface, clientAddress, state }) => [surface, clientAddress, JSON.parse(state)])).toEqual([
      ['rest', '127.0.0.1', { code: 'IP_RESTRICTED', asked: 'GET /ip_policies', reason: null, leftOut: 0 }],
      ['graphql', '127.0.0.1', { code: 'IP_RESTRICTED', asked: null, reason: null, leftOut: 0 }],
    ]);
  });

  test('of a user whose login is refused, by the server itself', async () => {
    const place = await makePlace(service);
    const response = respond(place, null);
    expect((await post(service, place, response)).status).toBe(303);
    expect((await post(service, place, response)).status).toBe(403);
    // A browser that posts its own form twice has done nothing wrong.
    const browser = new Browser(service);
    const own = respond(place, (await leave(browser, place)).requestId);
    for (let times = 0; times < 2; times += 1)
      expect((await post(service, place, own, undefined, browser)).status).toBe(303);
    // Without a route, there is no account whose trail could record the refused login.
    await post(
      service,
      { ...place, acs: place.acs.replace(place.routeId, 'edghtsrt_00000000000000000000000000') },
      response,
    );
    expect(
      (await refusals()).map(({ actor, surface, clientAddress, refusal }: never) => [
        actor,
        surface,
        clientAddress,
        refusal,
      ]),
    ).toEqual([
      [
        { type: 'system', apiKeyId: null, description: '' },
        'login',
        '127.0.0.1',
        { code: 'FORBIDDEN', asked: `login ${place.routeId}`, reason: 'replayed', leftOut: 0 },
      ],
    ]);
  });

  test('of a user whose logout is refused, even if nobody can read the message', async () => {
    const { routeId } = await makePlace(service);
    const slo = (id: string) => `${service.url}/saml/${id}/slo`;
    expect((await fetch(slo(routeId))).status).toBe(403);
    expect((await fetch(slo(routeId), { method: 'POST', body: '{}' })).status).toBe(403);
    // Without a route, there is no account whose trail could record the refused logout.
    expect((await fetch(slo('edghtsrt_00000000000000000000000000'))).status).toBe(404);
    const refusal = { code: 'FORBIDDEN', asked: `logout ${routeId}`, reason: 'malformed', leftOut: 0 };
    expect(await refusals()).toMatchObject([
      { surface: 'login', refusal },
      { surface: 'login', refusal },
    ]);
  });

  test('but not one that fails otherwise, nor one with a token that never was', async () => {
    const { token } = service;
    const stranger = createClient(service.url, `${token.slice(0, -4)}aaaa`);
    expect((await stranger.rest('GET', '/ip_policies')).status).toBe(401);
    expect((await createClient(service.url, 'nonsense').rest('GET', '/ip_policies')).status).toBe(401);
    await service.rest('GET', '/ip_policies/ipp_00000000000000000000000000');
    await service.rest('POST', '/ip_policies', { nonsense: true });
    await service.graphql('{ ipPolicy(id: "x") { id } }');
    expect(await refusals()).toEqual([]);
  });

  test('of the account whose key it was, and of no other', async () => {
    const other = await service.otherAccount('other');
    const { client } = await makeKey({ scopes: ['ssh:read'] });
    await client.rest('GET', '/ip_policies');
    expect(await refusals()).toHaveLength(1);
    expect((await other.graphql('{ auditEvents(action: refuse) { totalCount } }')).data.auditEvents.totalCount).toBe(0);
  });
});

describe('the trail', () => {
  test('shows refusals in every form that it has', async () => {
    const { id, client } = await makeKey({ scopes: ['ssh:read'], description: 'ssh' });
    const requestId = (await client.rest('GET', '/ip_policies')).headers.get('x-request-id');
    const [{ id: eventId }] = await refusals();
    const refusal = { code: 'FORBIDDEN', asked: 'GET /ip_policies', reason: null };
    const { body } = await service.rest('GET', '/audit_events?limit=1');
    expect(body.audit_events).toEqual([
      {
        id: eventId,
        uri: `https://sallyport.test/audit_events/${eventId}`,
        created_at: '2026-11-20T21:00:00Z',
        action: 'refuse',
        kind: 'Request',
        object_id: requestId,
        version: 0,
        actor: { type: 'api_key', id, api_key_id: id, description: 'ssh' },
        surface: 'rest',
        request_id: requestId,
        client_address: '127.0.0.1',
        changes: [],
        refusal: { ...refusal, left_out: 0 },
      },
    ]);
    expect((await service.rest('GET', `/audit_events/${eventId}`)).body).toEqual(body.audit_events[0]);
    for (const filter of [', kind: "Request"', `, objectId: "${requestId}"`])
      expect(await refusals(filter)).toHaveLength(1);
    const exported = [];
    for await (const events of readTrail(service.storage.forAccount(accountId), {
      newerThan: undefined,
      olderThan: undefined,
    }))
      exported.push(...events);
    expect(exported.at(-1)).toMatchObject({ id: eventId, action: 'refuse', changes: [] });
    const { errors } = await service.graphql(
      'mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { event { id } } }',
      { id: eventId },
    );
    expect(errors?.map(({ extensions, message }) => [extensions.code, message])).toEqual([
      ['NOT_RESTORABLE', 'Nothing of the kind Request can be put back.'],
    ]);
  });

  test('forgets refusals, and the tokens of revoked keys, with its days', async () => {
    const { id, client } = await makeKey({});
    await service.rest('DELETE', `/api_keys/${id}`);
    await client.rest('GET', '/ip_policies');
    expect(await refusals()).toHaveLength(1);
    // The newest event of an account is always kept, so this one must not be a refusal.
    await service.rest('POST', '/ip_policies', {});
    const { server } = service.storage;
    const upkeep = async (days: number) => {
      const time = new Date(Date.parse('2026-11-20T21:00:00.500Z') + days * 86_400_000);
      for (const area of [auditUpkeep(400), revokedKeyUpkeep(400)]) {
        await area.hourly?.(server, time, new AbortController().signal);
      }
    };
    await upkeep(399);
    expect(await refusals()).toHaveLength(1);
    await upkeep(401);
    expect(await refusals()).toEqual([]);
    await client.rest('GET', '/ip_policies');
    expect(await refusals()).toEqual([]);
  });
});
