// Restoring objects to earlier versions: what comes back, what cannot, and who may do it.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { unlimited } from '../../../src/areas/api-keys/rules.ts';
import { createApiKey } from '../../../src/areas/api-keys/store.ts';
import { restorers } from '../../../src/areas/audit-events/restore-store.ts';
import { createIpPolicyRules } from '../../../src/areas/ip-policies/store.ts';
import type { KeyScope } from '../../../src/domain/access/key-scopes.ts';
import { kinds } from '../../../src/domain/values/ids.ts';
import { collectionOf } from '../../../src/storage/objects/collections.ts';
import { sql } from '../../../src/storage/sql/statement.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { createWorld, fillPath, type IdOf } from '../../http/world.ts';
import { openClient } from '../../support/database.ts';
import { keyFromStock } from '../../support/keys.ts';
import { Browser, configure, host, logIn, makePlace } from '../../support/login.ts';
import {
  accountOf,
  type Client,
  createClient,
  ofOneServer,
  startService,
  type TestService,
} from '../../support/service.ts';
import { workOf } from '../../support/statements.ts';
import { expectTrailToAgree } from './trail.ts';

let shared: TestService;
let service: TestService;
/** The generation of new keys waits for this. */
let keysHeld: Promise<void>;
beforeAll(async () => {
  const makePrivateKey: typeof keyFromStock = async (kind) => {
    await keysHeld;
    return keyFromStock(kind);
  };
  shared = await startService({}, { makePrivateKey });
});
beforeEach(async () => {
  keysHeld = Promise.resolve();
  service = await shared.asNewAccount();
});
afterAll(async () => {
  expect(shared.failures).toEqual([]);
  const { client, close } = await shared.database.engine.open({});
  await expectTrailToAgree(client).finally(close);
  await shared.close();
});

const mutation = `mutation ($input: RestoreObjectInput!) {
  restoreObject(input: $input) { object { id } event { id action kind objectId version surface requestId } }
}`;

const restore = (eventId: string, more: object = {}, client: Client = service) =>
  client.graphql(mutation, { input: { eventId, ...more } });

/** Restores an event, which must succeed, and returns the event of the restoration. */
async function restored(eventId: string, more: object = {}) {
  const { data, errors } = await restore(eventId, more);
  expect(errors).toBeUndefined();
  expect(data.restoreObject.object.id).toBe(data.restoreObject.event.objectId);
  return data.restoreObject.event;
}

/** How the errors of restorations say what has to be done first. */
const deletedSince =
  'which has been deleted since. Restore that first, from the event of its deletion in the audit trail.';

/** Counts equal texts of those that are wanted. */
function countBy(texts: readonly string[], isWanted: (text: string) => boolean): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts.filter(isWanted)) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

/** Tries a restoration that must be refused and returns its error. */
async function refusal(eventId: string, more: object = {}, client: Client = service) {
  const { data, errors } = await restore(eventId, more, client);
  expect(data).toEqual({ restoreObject: null });
  return [errors?.[0]?.extensions.code, errors?.[0]?.message];
}

/** Returns the latest event of an object, or its latest event with the given action. */
async function lastEvent(objectId: string, action?: string): Promise<string> {
  const { data } = await service.graphql(
    `query ($id: ID!, $action: AuditAction) { auditEvents(objectId: $id, action: $action) { nodes { id version } } }`,
    { id: objectId, action },
  );
  const nodes: { id: string; version: number }[] = data.auditEvents.nodes;
  return nodes.sort((a, b) => b.version - a.version)[0]?.id ?? '';
}

/** Returns the event of a version of an object. */
async function eventOf(objectId: string, version: number): Promise<string> {
  const client = await openClient(service.database);
  return (await client.auditEvent.findFirstOrThrow({ where: { objectId, version } })).id;
}

/** The collection path of each kind of object that can be restored. */
const paths = [
  '/api_keys',
  '/ip_policies',
  '/ip_policy_rules',
  '/ip_restrictions',
  '/ssh_certificate_authorities',
  '/ssh_host_certificates',
  '/backends/tunnel_group',
  '/edges/https',
  '/edges/https/{edge_id}/routes',
  '/edges/tls',
];

const get = async (path: string) => (await service.rest('GET', path)).body;
/** Returns an object's fields without the certificate of a SAML module, because restoring the module generates a new key. */
const withoutCertificate = (body: unknown) =>
  JSON.parse(
    JSON.stringify(body, (name, value) =>
      ['certificate_pem', 'request_signing_certificate_pem'].includes(name) ? undefined : value,
    ),
  );

test('every kind of object that can be changed can be put back', () => {
  const changeable = Object.keys(kinds).filter(
    (kind) =>
      ![
        ...[
          'Account',
          'AuditEvent',
          'AuditCheckpoint',
          'Request',
          'DashboardSession',
          'LoginSession',
          'ApprovalRequest',
        ],
      ].includes(kind),
  );
  expect(Object.keys(restorers).sort()).toEqual(changeable.sort());
});

describe('an object that is there', () => {
  test('is what it was before a change, whatever it is, but for its version', async () => {
    const id: IdOf = await createWorld(service);
    for (const collection of paths) {
      const path = `${fillPath(collection, id)}/${id(collection)}`;
      const before = await service.rest('GET', path);
      const event = await lastEvent(id(collection));
      expect((await service.rest('PATCH', path, { description: 'other', metadata: 'other' })).status).toBe(200);
      const { action, version, surface } = await restored(event);
      const after = await service.rest('GET', path);
      expect([path, after.body]).toEqual([path, before.body]);
      expect([action, surface, `"${version}"`]).toEqual(['update', 'graphql', after.headers.get('etag')]);
    }
  });

  test('gets its own fields back, also those that are not notes', async () => {
    const policies = await Promise.all(['a', 'b'].map(() => service.rest('POST', '/ip_policies', {})));
    const ipPolicyIds = policies.map(({ body }) => body.id);
    const cases: [path: string, body: object, change: object][] = [
      [
        '/ip_policy_rules',
        { ip_policy_id: ipPolicyIds[0], cidr: '10.0.0.0/8', action: 'allow' },
        { cidr: '11.0.0.0/8', action: 'deny' },
      ],
      [
        '/ip_restrictions',
        { type: 'agent', enforced: true, ip_policy_ids: ipPolicyIds },
        { enforced: false, ip_policy_ids: [ipPolicyIds[1]] },
      ],
      ['/backends/tunnel_group', { labels: { b: '1', a: '2' } }, { labels: { c: '3' } }],
      ['/edges/tls', { hostports: ['a.example.com:443', 'b.example.com:443'] }, { hostports: ['c.example.com:443'] }],
      ['/edges/https', { hostports: ['a.example.com:443'] }, { hostports: ['c.example.com:443'] }],
    ];
    for (const [path, body, change] of cases) {
      const { body: made } = await service.rest('POST', path, { ...body, description: 'first' });
      const event = await lastEvent(made.id);
      const { body: changed } = await service.rest('PATCH', `${path}/${made.id}`, { ...change, metadata: 'second' });
      expect(changed).not.toEqual(made);
      expect((await restored(event)).version).toBe(3);
      expect(await get(`${path}/${made.id}`)).toEqual(made);
      // The version that the restoration replaced can itself be restored.
      await restored(await eventOf(made.id, 2));
      expect(await get(`${path}/${made.id}`)).toEqual(changed);
    }
  });

  test('gets its modules back, and keeps the key of one that stays', async () => {
    const id: IdOf = await createWorld(service);
    const tls = `/edges/tls/${id('/edges/tls')}`;
    const route = `/edges/https/${id('/edges/https')}/routes/${id('/edges/https/{edge_id}/routes')}`;
    const [tlsBefore, routeBefore] = [await get(tls), await get(route)];
    const events = [await lastEvent(tlsBefore.id), await lastEvent(routeBefore.id)] as const;
    await service.rest('PUT', `${tls}/policy`, { enabled: false });
    await service.rest('DELETE', `${tls}/backend`);
    await service.rest('PUT', `${route}/saml`, {
      idp_metadata: routeBefore.saml.idp_metadata,
      cookie_prefix: 'other.',
    });
    await service.rest('PATCH', route, { match: '/other' });
    await restored(events[0]);
    await restored(events[1]);
    expect(await get(tls)).toEqual(tlsBefore);
    expect(await get(route)).toEqual(routeBefore);
    // Deleting the module deletes its key, so the restored module has a new one.
    await service.rest('DELETE', `${route}/saml`);
    await restored(events[1]);
    const again = await get(route);
    expect(withoutCertificate(again)).toEqual(withoutCertificate(routeBefore));
    expect(again.saml.request_signing_certificate_pem).not.toBe(routeBefore.saml.request_signing_certificate_pem);
    // A module that did not exist in the restored version is removed.
    const created = await eventOf(routeBefore.id, 1);
    await restored(created);
    expect((await get(route)).saml).toBeNull();
    expect((await service.rest('GET', `/edges/https/${id('/edges/https')}`)).body.routes[0].saml).toBeNull();
  });
});

/** Deletes the backend modules of a world. */
async function releaseBackend(id: IdOf): Promise<void> {
  await service.rest('DELETE', `/edges/tls/${id('/edges/tls')}/backend`);
  await service.rest('DELETE', `${fillPath(routesPath, id)}/${id(routesPath)}/backend`);
}

const routesPath = '/edges/https/{edge_id}/routes';

describe('an object that is gone', () => {
  test('comes back as it was, whatever it is, or says why it cannot', async () => {
    const id: IdOf = await createWorld(service);
    const impossible: Record<string, RegExp> = {
      '/api_keys': /^A revoked API key cannot come back/,
      '/ssh_certificate_authorities': /^A deleted certificate authority cannot come back: its private key went with it/,
      '/ssh_host_certificates': /^A deleted host certificate cannot come back: it is revoked for good/,
    };
    // Objects that others refer to are deleted last.
    for (const collection of [...paths.toReversed()]) {
      const path = `${fillPath(collection, id)}/${id(collection)}`;
      if (collection === '/backends/tunnel_group') await releaseBackend(id);
      const before = await get(path);
      expect([path, (await service.rest('DELETE', path)).status]).toEqual([path, 204]);
      const event = await lastEvent(id(collection), 'delete');
      if (impossible[collection] !== undefined) {
        expect(await refusal(event)).toEqual(['NOT_RESTORABLE', expect.stringMatching(impossible[collection])]);
        continue;
      }
      expect([path, (await restored(event)).action]).toEqual([path, 'create']);
      expect([path, withoutCertificate(await get(path))]).toEqual([path, withoutCertificate(before)]);
      // It is an object like any other, also for the limits that count objects: it can be changed and deleted again.
      expect((await service.rest('PATCH', path, { description: 'again' })).status).toBe(200);
      expect((await service.rest('DELETE', path)).status).toBe(204);
      await restored(await lastEvent(id(collection), 'delete'));
    }
  });

  test('an IP policy comes back with its rules, for all that refers to it', async () => {
    const policy = (await service.rest('POST', '/ip_policies', { description: 'offices' })).body;
    const rules = [];
    for (const [cidr, action] of [
      ['10.0.0.0/8', 'allow'],
      ['10.1.0.0/16', 'deny'],
      ['2001:db8::/32', 'allow'],
    ]) {
      const rule = { ip_policy_id: policy.id, cidr, action, description: `${cidr}` };
      rules.unshift((await service.rest('POST', '/ip_policy_rules', rule)).body);
    }
    await service.rest('POST', '/ip_restrictions', { type: 'agent', enforced: true, ip_policy_ids: [policy.id] });
    const allowed = async (address: string) =>
      (await service.graphql(`{ evaluateIp(type: agent, address: "${address}") { allowed } }`)).data.evaluateIp.allowed;
    const all = () => Promise.all(['10.2.0.1', '10.1.0.1', '2001:db8::1', '192.0.2.1'].map(allowed));
    expect(await all()).toEqual([true, false, true, false]);
    const listed = async () => (await get('/ip_policy_rules')).ip_policy_rules;
    // Twice: cached rules from before one deletion must not answer for the policy as restored later.
    for (const life of [1, 2]) {
      await service.rest('DELETE', `/ip_policies/${policy.id}`);
      expect([life, await all(), await listed()]).toEqual([life, [false, false, false, false], []]);
      const event = await restored(await lastEvent(policy.id, 'delete'));
      expect([event.action, event.kind, event.version]).toEqual(['create', 'IpPolicy', 1 + 2 * life]);
      expect([life, await all()]).toEqual([life, [true, false, true, false]]);
      expect(await listed()).toEqual(rules);
      expect(await get(`/ip_policies/${policy.id}`)).toEqual(policy);
    }
    const { data } = await service.graphql(
      '{ ipPolicyRules { nodes { version history { nodes { action requestId } } } } }',
    );
    for (const { version, history } of data.ipPolicyRules.nodes) {
      expect([version, history.nodes.map(({ action }: { action: string }) => action)]).toEqual([
        5,
        ['create', 'delete', 'create', 'delete', 'create'],
      ]);
    }
  });

  test('a policy that lost its rules one by one comes back without them, and each of them by its own event', async () => {
    const policy = (await service.rest('POST', '/ip_policies', {})).body.id;
    const add = async (cidr: string) =>
      (await service.rest('POST', '/ip_policy_rules', { ip_policy_id: policy, cidr, action: 'allow' })).body.id;
    const [first, second] = [await add('10.0.0.0/8'), await add('11.0.0.0/8')];
    await service.rest('DELETE', `/ip_policy_rules/${first}`);
    await service.rest('DELETE', `/ip_policies/${policy}`);
    const gone = await lastEvent(first, 'delete');
    expect(await refusal(gone)).toEqual([
      'UNKNOWN_REFERENCE',
      `eventId: The IP policy rule "10.0.0.0/8" referred to the IP policy without description (${policy}), ${deletedSince}`,
    ]);
    await restored(await lastEvent(policy));
    const ids = async () => (await get('/ip_policy_rules')).ip_policy_rules.map(({ id }: { id: string }) => id);
    expect(await ids()).toEqual([second]);
    await restored(gone);
    expect(await ids()).toEqual([second, first]);
    // Another rule may have taken its range in the meantime.
    await service.rest('DELETE', `/ip_policy_rules/${first}`);
    await add('10.0.0.0/8');
    expect((await refusal(await lastEvent(first, 'delete')))[0]).toBe('DUPLICATE');
  });

  test('an HTTPS edge comes back with its routes, and users can log in there', async () => {
    const one = ofOneServer(service);
    const place = await makePlace(one);
    await one.rest('POST', `/edges/https/${place.edgeId}/routes`, { match_type: 'exact_path', match: '/open' });
    const edge = await get(`/edges/https/${place.edgeId}`);
    await one.rest('DELETE', `/edges/https/${place.edgeId}`);
    await restored(await lastEvent(place.edgeId, 'delete'));
    expect(withoutCertificate(await get(`/edges/https/${place.edgeId}`))).toEqual(withoutCertificate(edge));
    const browser = new Browser(one);
    await logIn(one, browser, place);
    expect((await browser.open(place, `https://${host}/app/`)).status).toBe(200);
    expect((await browser.open(place, `https://${host}/open`)).status).toBe(200);
  });

  test('an HTTPS edge does not come back with larger modules than an edge may have', async () => {
    const one = ofOneServer(service);
    const { edgeId, routeId } = await makePlace(one);
    await one.rest('DELETE', `/edges/https/${edgeId}`);
    const gone = await lastEvent(edgeId, 'delete');
    const client = await openClient(service.database);
    const where = { id: await lastEvent(routeId, 'delete') };
    const { state } = await client.auditEvent.findFirstOrThrow({ where });
    // As a release with a higher limit would have recorded it.
    const groups = Array.from({ length: 600 }, (_, index) => String(index).padEnd(1_000, 'x'));
    const route = JSON.parse(state);
    const larger = { ...route, saml: { ...route.saml, authorizedGroups: groups } };
    await client.auditEvent.updateMany({ where, data: { state: JSON.stringify(larger) } });
    expect(await refusal(gone)).toEqual([
      'INVALID_INPUT',
      expect.stringMatching(
        /^idpMetadata: would bring the modules of this edge to 6\d{5} bytes .* maximum is 524288\.$/,
      ),
    ]);
    await client.auditEvent.updateMany({ where, data: { state } });
    await restored(gone);
  });

  test('does not come back without what it needs', async () => {
    const id: IdOf = await createWorld(service);
    const edge = id('/edges/tls');
    await service.rest('DELETE', `/edges/tls/${edge}`);
    await releaseBackend(id);
    const backend = id('/backends/tunnel_group');
    await service.rest('DELETE', `/backends/tunnel_group/${backend}`);
    const gone = await lastEvent(edge, 'delete');
    expect(await refusal(gone)).toEqual([
      'UNKNOWN_REFERENCE',
      expect.stringMatching(
        `^eventId: The TLS edge .* referred to the tunnel-group backend without description .${backend}., ${deletedSince}$`,
      ),
    ]);
    await restored(await lastEvent(backend, 'delete'));
    await restored(gone);
    const restriction = id('/ip_restrictions');
    const [{ id: policy }] = (await get(`/ip_restrictions/${restriction}`)).ip_policies;
    await service.rest('DELETE', `/ip_restrictions/${restriction}`);
    await service.rest('DELETE', `/ip_policies/${policy}`);
    expect(await refusal(await lastEvent(restriction, 'delete'))).toEqual([
      'UNKNOWN_REFERENCE',
      expect.stringMatching(`^eventId: The IP restriction .* referred to the IP policy .*, ${deletedSince}$`),
    ]);
    await restored(await lastEvent(policy, 'delete'));
    await service.rest('DELETE', `/edges/https/${id('/edges/https')}`);
    expect(await refusal(await lastEvent(id('/edges/https/{edge_id}/routes')))).toEqual([
      'UNKNOWN_REFERENCE',
      expect.stringMatching(`^eventId: The HTTPS edge route .* referred to the HTTPS edge .*, ${deletedSince}$`),
    ]);
  });

  test('names the route and the policy that is missing as people know them', async () => {
    const edge = (await service.rest('POST', '/edges/https', { hostports: ['www.example.com:443'] })).body.id;
    const policy = (await service.rest('POST', '/ip_policies', { description: 'Office' })).body.id;
    const routes = `/edges/https/${edge}/routes`;
    const route = (await service.rest('POST', routes, { match_type: 'path_prefix', match: '/admin' })).body.id;
    await service.rest('PUT', `${routes}/${route}/ip_restriction`, { ip_policy_ids: [policy] });
    await service.rest('DELETE', `/edges/https/${edge}`);
    await service.rest('DELETE', `/ip_policies/${policy}`);
    const gone = await lastEvent(edge, 'delete');
    expect(await refusal(gone)).toEqual([
      'UNKNOWN_REFERENCE',
      `eventId: The route "/admin" of the HTTPS edge referred to the IP policy "Office", ${deletedSince}`,
    ]);
    await restored(await lastEvent(policy, 'delete'));
    await restored(gone);
  });

  test('comes back with its lists in few statements', async () => {
    const scope = service.storage.actingFor(await accountOf(service), commandLine);
    const policies = [];
    for (let number = 0; number < 201; number += 1)
      policies.push((await collectionOf('IpPolicy').create(scope, {})).id);
    const [policy, ...others] = policies;
    const rules = policies.map((_, number) => ({ cidr: `10.0.${number}.0/24`, action: 'allow' as const }));
    await createIpPolicyRules(scope, policy ?? '', rules);
    const edge = (await service.rest('POST', '/edges/https', {})).body.id;
    for (const match of ['/a', '/b']) {
      const routes = `/edges/https/${edge}/routes`;
      const route = (await service.rest('POST', routes, { match_type: 'path_prefix', match })).body.id;
      await service.rest('PUT', `${routes}/${route}/ip_restriction`, { ip_policy_ids: others });
    }
    await service.rest('DELETE', `/edges/https/${edge}`);
    await service.rest('DELETE', `/ip_policies/${policy}`);
    const inserted = async (gone: string) =>
      countBy(await workOf(service, () => restored(gone)), (work) => work.startsWith('INSERT'));
    const restoredPolicy = await lastEvent(policy ?? '', 'delete');
    expect(await inserted(restoredPolicy)).toEqual({
      'INSERT IpPolicy': 1,
      'INSERT IpPolicyRule': 2,
      'INSERT AuditEvent': 6,
    });
    expect(await inserted(await lastEvent(edge, 'delete'))).toEqual({
      'INSERT HttpsEdge': 1,
      'INSERT HttpsEdgeRoute': 2,
      'INSERT HttpsIpRestrictionModule': 2,
      'INSERT HttpsIpRestrictionPolicy': 2,
      'INSERT AuditEvent': 2,
    });
  });
});

describe('a restoration', () => {
  test('is held to a version, of an object that is there and of one that is gone', async () => {
    const policy = (await service.rest('POST', '/ip_policies', {})).body.id;
    const event = await lastEvent(policy);
    expect((await refusal(event, { expectedVersion: 7 }))[0]).toBe('VERSION_CONFLICT');
    expect((await restored(event, { expectedVersion: 1 })).version).toBe(2);
    await service.rest('DELETE', `/ip_policies/${policy}`);
    expect((await refusal(event, { expectedVersion: 2 }))[0]).toBe('VERSION_CONFLICT');
    expect((await restored(event, { expectedVersion: 3 })).version).toBe(4);
    const edge = (await service.rest('POST', '/edges/tls', {})).body.id;
    expect((await refusal(await lastEvent(edge), { expectedVersion: 7 }))[0]).toBe('VERSION_CONFLICT');
  });

  test('that would shut out the client is refused, unless it is meant', async () => {
    // Another server may apply a change up to a second later.
    service = ofOneServer(service);
    const policy = (await service.rest('POST', '/ip_policies', {})).body.id;
    const rule = (cidr: string, action: string) =>
      service.rest('POST', '/ip_policy_rules', { ip_policy_id: policy, cidr, action }).then(({ body }) => body.id);
    await rule('127.0.0.0/8', 'allow');
    const denying = await rule('127.0.0.1/32', 'deny');
    const created = await lastEvent(denying);
    await service.rest('PATCH', `/ip_policy_rules/${denying}`, { action: 'allow' });
    const restriction = { type: 'api', enforced: true, ip_policy_ids: [policy] };
    const { id } = (await service.rest('POST', '/ip_restrictions', restriction)).body;
    const shut = ['LOCKOUT', expect.stringContaining('Nothing was changed')];
    expect(await refusal(created)).toEqual(shut);
    await service.rest('DELETE', `/ip_policy_rules/${denying}`);
    expect(await refusal(created)).toEqual(shut);
    // A restriction that was created while another policy let the client in.
    const enforced = await lastEvent(id);
    await service.rest('PATCH', `/ip_restrictions/${id}`, { enforced: false });
    await restored(created);
    expect(await refusal(enforced)).toEqual(shut);
    await service.rest('DELETE', `/ip_restrictions/${id}`);
    expect(await refusal(enforced)).toEqual(shut);
    await restored(enforced, { force: true });
    expect((await service.rest('GET', '/ip_policies')).status).toBe(403);
  });

  test('of a policy that then denies the client is refused', async () => {
    // Another server may apply a change up to a second later.
    service = ofOneServer(service);
    const [allowing, denying] = [
      (await service.rest('POST', '/ip_policies', {})).body.id,
      (await service.rest('POST', '/ip_policies', {})).body.id,
    ];
    const rule = (ip_policy_id: string, action: string) =>
      service.rest('POST', '/ip_policy_rules', { ip_policy_id, cidr: '127.0.0.1/32', action });
    await rule(allowing, 'allow');
    await rule(denying, 'deny');
    const restriction = { type: 'api', ip_policy_ids: [allowing, denying] };
    const { id } = (await service.rest('POST', '/ip_restrictions', restriction)).body;
    await service.rest('DELETE', `/ip_policies/${denying}`);
    expect((await service.rest('PATCH', `/ip_restrictions/${id}`, { enforced: true })).status).toBe(200);
    expect((await refusal(await lastEvent(denying, 'delete')))[0]).toBe('LOCKOUT');
    expect((await get('/ip_policies')).ip_policies).toHaveLength(1);
  });

  test('by several at once leaves one object, and an event of each', async () => {
    const policy = (await service.rest('POST', '/ip_policies', {})).body.id;
    await service.rest('POST', '/ip_policy_rules', { ip_policy_id: policy, cidr: '10.0.0.0/8', action: 'allow' });
    await service.rest('DELETE', `/ip_policies/${policy}`);
    const event = await lastEvent(policy, 'delete');
    const answers = await Promise.all(Array.from({ length: 8 }, () => restored(event)));
    expect(answers.map(({ version }) => version).sort((a, b) => a - b)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
    expect((await get('/ip_policy_rules')).ip_policy_rules).toHaveLength(1);
  });

  test('while others change, delete and restore the object is made whole or not at all', async () => {
    const id: IdOf = await createWorld(service);
    const edge = `/edges/tls/${id('/edges/tls')}`;
    const event = await lastEvent(id('/edges/tls'));
    const codes = new Set<string>();
    await Promise.all(
      Array.from({ length: 24 }, async (_, turn) => {
        const work = [
          () => service.rest('DELETE', `${edge}/policy`),
          () => service.rest('PATCH', edge, { description: `${turn}` }),
          () => service.rest('DELETE', edge),
        ][turn % 4];
        if (work !== undefined) return work();
        const { errors = [] } = await restore(event);
        for (const { extensions } of errors) codes.add(extensions.code);
      }),
    );
    expect([...codes].filter((code) => code !== 'UNAVAILABLE')).toEqual([]);
    await restored(event);
  });

  test.each([
    ['', 'no id'],
    ['evt_00000000000000000000000000', 'an event that never was'],
    ['ipp_00000000000000000000000000', 'another kind of id'],
  ])('by %j is refused: %s', async (eventId) => {
    expect(await refusal(eventId)).toEqual(['NOT_FOUND', 'No such object in this account.']);
  });

  test('has a document of its own: two are too much to ask for, and nothing is done', async () => {
    const policy = (await service.rest('POST', '/ip_policies', {})).body.id;
    const event = await lastEvent(policy);
    const one = `restoreObject(input: { eventId: "${event}" }) {
      object { ... on IpPolicy { id version metadata rules { nodes { cidr } } history(first: 10) { nodes { id state } } } } event { id state }
    }`;
    const both = await service.graphql(`mutation { a: ${one} b: ${one} }`);
    expect([both.data, both.errors?.map(({ extensions }) => extensions.code)]).toEqual([
      undefined,
      ['QUERY_TOO_COMPLEX'],
    ]);
    // The deletion that comes first counts as well.
    const bare = 'restoreObject(input: { eventId: $event }) { event { id } }';
    const turns = `mutation ($event: ID!, $policy: ID!) {
      a: deleteIpPolicy(input: { id: $policy }) { deletedId } b: ${bare}
      c: deleteIpPolicy(input: { id: $policy }) { deletedId } d: ${bare}
    }`;
    const { errors } = await service.graphql(turns, { event, policy });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['QUERY_TOO_COMPLEX']);
    expect((await service.rest('GET', `/ip_policies/${policy}`)).headers.get('etag')).toBe('"1"');
    const alone = await service.graphql(`mutation { ${one} }`);
    expect([alone.errors, alone.data.restoreObject.object.version]).toEqual([undefined, 2]);
  });

  test('of what has no keys waits for nobody whose edges need new ones', async () => {
    const policy = (await service.rest('POST', '/ip_policies', {})).body.id;
    const event = await lastEvent(policy);
    const deletions = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) => {
        const client = createClient(service.url, (await service.otherAccount(name)).token);
        const place = await makePlace({ ...service, ...client });
        const second = { match_type: 'exact_path', match: '/second' };
        const { id: routeId } = (await client.rest('POST', `/edges/https/${place.edgeId}/routes`, second)).body;
        await configure({ ...service, ...client }, { ...place, routeId }, {});
        await client.rest('DELETE', `/edges/https/${place.edgeId}`);
        return { client, eventId: await eventOf(place.edgeId, 6) };
      }),
    );
    let [ready, release] = [0, () => {}];
    keysHeld = new Promise((resolve) => {
      release = resolve;
    });
    const slow = deletions.map(async ({ client, eventId }) => {
      const { errors } = await restore(eventId, {}, client);
      ready += 1;
      return errors;
    });
    const errors = await restore(event, {}, createClient(service.url, service.token)).then((answer) => answer.errors);
    expect([errors, ready]).toEqual([undefined, 0]);
    release();
    expect(await Promise.all(slow)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('by an event of another account is refused, as if there were none', async () => {
    const other = await service.otherAccount('other');
    const policy = (await service.rest('POST', '/ip_policies', {})).body.id;
    expect(await refusal(await lastEvent(policy), {}, other)).toEqual(['NOT_FOUND', 'No such object in this account.']);
  });

  test('of what never changes is refused', async () => {
    const client = await openClient(service.database);
    const account = await client.auditEvent.findFirstOrThrow({
      where: { accountId: await accountOf(service), kind: 'Account' },
    });
    expect(await refusal(account.id)).toEqual(['NOT_RESTORABLE', 'Nothing of the kind Account can be put back.']);
  });

  test('needs to read the trail, and to write the area of the object', async () => {
    const policy = (await service.rest('POST', '/ip_policies', {})).body.id;
    const event = await lastEvent(policy);
    const scope = service.storage.actingFor(await accountOf(service), commandLine);
    const clientWith = async (...scopes: KeyScope[]) => {
      return createClient(service.url, (await createApiKey(scope, { scopes }, unlimited)).token);
    };
    const cases: [scopes: KeyScope[], missing: string][] = [
      [['ip-policies:write'], '"audit-events:read"'],
      [['audit-events:read', 'ip-policies:read'], '"ip-policies:write"'],
      [['audit-events:write', 'ip-restrictions:write'], '"ip-policies:write"'],
    ];
    for (const [scopes, missing] of cases) {
      expect(await refusal(event, {}, await clientWith(...scopes))).toEqual([
        'FORBIDDEN',
        expect.stringContaining(`The API key lacks ${missing}; it has `),
      ]);
    }
    const enough = await clientWith('audit-events:read', 'ip-policies:write');
    const { data, errors } = await restore(event, {}, enough);
    expect([errors, data.restoreObject.event.version]).toEqual([undefined, 2]);
    // If the key may not read a selected field, nothing is changed.
    const query = mutation.replace('object { id }', 'object { ... on IpPolicy { restrictions { nodes { id } } } }');
    const refused = await enough.graphql(query, { input: { eventId: event } });
    expect([refused.data, refused.errors?.[0]?.extensions.code]).toEqual([{ restoreObject: null }, 'FORBIDDEN']);
    expect((await service.rest('GET', `/ip_policies/${policy}`)).headers.get('etag')).toBe('"2"');
  });

  test('that is repeated needs it, too, where its answer was not kept', async () => {
    const policy = (await service.rest('POST', '/ip_policies', { description: 'hidden' })).body.id;
    const request = {
      query: mutation.replace('object { id }', 'object { ... on IpPolicy { description } }'),
      variables: { input: { eventId: await lastEvent(policy) } },
    };
    const send = async ({ token }: { token: string }) => {
      const headers = {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'k',
      };
      return (await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(request) })).json();
    };
    const scope = service.storage.actingFor(await accountOf(service), commandLine);
    const keyWith = (...scopes: KeyScope[]) => createApiKey(scope, { scopes }, unlimited);
    const owner = await keyWith('audit-events:read', 'ip-policies:write');
    expect((await send(owner)).data.restoreObject.object).toEqual({ description: 'hidden' });
    // As after a crash.
    await service.storage.server.change(sql`DELETE FROM "IdempotencyRecord" WHERE "responseName" = ''`);
    const refused = await send(await keyWith('audit-events:read'));
    expect([refused.data, refused.errors[0].extensions.code, refused.errors[0].message]).toEqual([
      { restoreObject: null },
      'FORBIDDEN',
      'The API key lacks "ip-policies:write"; it has "audit-events:read".',
    ]);
    expect((await send(owner)).data.restoreObject.object).toEqual({ description: 'hidden' });
  });
});
