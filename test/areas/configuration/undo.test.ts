// Everything that one request has changed is taken back: all of it or nothing, and only while nothing of it has moved.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { idpMetadata } from '../../gate/support.ts';
import { dataOf, errorOf } from '../../support/answers.ts';
import { createClient, ofOneServer, startService, type TestService } from '../../support/service.ts';
import { apply, exported, imported, plan, withoutRequest } from './documents.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = ofOneServer(await shared.asNewAccount());
});

const mutation = `mutation ($input: UndoRequestInput!) {
  undoRequest(input: $input) { undone { requestId objects } }
}`;
const undo = async (requestId: string, options: object = {}) =>
  dataOf(await service.graphql(mutation, { input: { requestId, ...options } })).undoRequest.undone;
const refusalOfUndo = async (requestId: string, options: object = {}) =>
  withoutRequest(errorOf(await service.graphql(mutation, { input: { requestId, ...options } })));
const words = ({ objects }: { objects: { action: string; kind: string; name: string }[] }) =>
  objects.map(({ action, kind, name }) => `${action} ${kind} ${name}`).sort();

const first = {
  ipPolicies: {
    office: { description: 'office', rules: [{ cidr: '203.0.113.0/24', action: 'allow' }] },
    guests: { description: 'guests', rules: [{ cidr: '192.0.2.0/24', action: 'allow', description: 'hall' }] },
  },
  tunnelGroupBackends: { wiki: { description: 'wiki', targets: ['10.0.0.5:8080'] } },
  httpsEdges: {
    intranet: {
      hostports: ['wiki.example.com:443'],
      routes: {
        all: {
          matchType: 'path_prefix',
          match: '/',
          saml: { idpMetadata },
          backend: { backendId: 'wiki' },
          ipRestriction: { ipPolicyIds: ['office', 'guests'] },
        },
        files: { matchType: 'path_prefix', match: '/files' },
      },
    },
  },
};
/** Changes, replaces and deletes much of it, and moves a name from one object to another. */
const second = {
  ipPolicies: { office: { description: 'bureau', rules: [{ cidr: '198.51.100.0/24', action: 'allow' }] } },
  tunnelGroupBackends: { other: { description: 'other', targets: ['10.0.0.6:8080'] } },
  httpsEdges: {
    intranet: {
      hostports: ['wiki.example.org:443'],
      routes: {
        all: { matchType: 'path_prefix', match: '/all', backend: { backendId: 'other' } },
        pages: { matchType: 'path_prefix', match: '/', ipRestriction: { ipPolicyIds: ['office'] } },
      },
    },
  },
};

test('an application is undone as a whole, and so is the undoing', async () => {
  await apply(service, first);
  const before = await exported(service);
  const applied = await apply(service, second, { prune: true });
  const between = await exported(service);
  const undone = await undo(applied.requestId);
  expect(words(undone)).toEqual([
    'create HttpsEdgeRoute "/files"',
    'create IpPolicy "guests"',
    'create IpPolicyRule "203.0.113.0/24"',
    'create IpPolicyRule "hall"',
    'create TunnelGroupBackend "wiki"',
    'delete HttpsEdgeRoute "/"',
    'delete IpPolicyRule "198.51.100.0/24"',
    'delete TunnelGroupBackend "other"',
    'update HttpsEdge "wiki.example.org:443"',
    'update HttpsEdgeRoute "/all"',
    'update IpPolicy "bureau"',
  ]);
  expect(await exported(service)).toEqual(before);
  // What came back belongs to the document again.
  expect((await plan(service, first, { prune: true })).changes).toEqual([]);
  await undo(undone.requestId);
  expect(await exported(service)).toEqual(between);
  expect((await plan(service, second, { prune: true })).changes).toEqual([]);
});

test('what several mutations of one request have done is undone, whatever of it they did twice', async () => {
  const { body } = await service.rest('POST', '/ip_policies', { description: 'kept' });
  const answer = await service.graphql(
    `mutation ($id: ID!) {
      a: createIpPolicy(input: { description: "new" }) { ipPolicy { id } }
      b: updateIpPolicy(input: { id: $id, description: "once" }) { ipPolicy { id } }
      c: updateIpPolicy(input: { id: $id, description: "twice" }) { ipPolicy { id } }
      d: createIpPolicyRule(input: { ipPolicyId: $id, cidr: "10.0.0.0/8", action: allow }) { ipPolicyRule { id } }
    }`,
    { id: body.id },
  );
  expect(answer.errors).toBeUndefined();
  const { nodes } = dataOf(await service.graphql('{ auditEvents(first: 1) { nodes { requestId } } }')).auditEvents;
  expect(words(await undo(nodes[0].requestId))).toEqual([
    'delete IpPolicy "new"',
    'delete IpPolicyRule "10.0.0.0/8"',
    'update IpPolicy "twice"',
  ]);
  expect((await exported(service)).document).toEqual({ ipPolicies: { kept: { description: 'kept' } } });
});

describe('nothing is undone', () => {
  const policyOf = async (description: string) => {
    const { ipPolicies } = dataOf(await service.graphql('{ ipPolicies { nodes { id description } } }'));
    return ipPolicies.nodes.find((one: { description: string }) => one.description === description).id;
  };
  const changedSince = (what: string) => ({
    code: 'CHANGED_SINCE',
    field: undefined,
    message: `${what} has changed since the request. Nothing was undone. Undo the later change first, or restore single objects from their events in the audit trail.`,
  });

  test('if something of it has changed since, or has got a part', async () => {
    const { requestId } = await apply(service, first);
    const guests = await policyOf('guests');
    const rule = { ip_policy_id: guests, cidr: '10.0.0.0/8', action: 'allow' };
    const added = (await service.rest('POST', '/ip_policy_rules', rule)).body;
    const before = await exported(service);
    expect(await refusalOfUndo(requestId)).toEqual(changedSince('The IP policy "guests"'));
    expect(await exported(service)).toEqual(before);
    await service.rest('DELETE', `/ip_policy_rules/${added.id}`);
    await service.rest('PATCH', `/ip_policies/${guests}`, { metadata: 'by hand' });
    expect(await refusalOfUndo(requestId, { force: true })).toEqual(changedSince('The IP policy "guests"'));
    await service.rest('DELETE', `/ip_policies/${guests}`);
  });

  test('if something cannot come back, or what it refers to is gone', async () => {
    await apply(service, { ...first, sshCertificateAuthorities: { hosts: { description: 'hosts' } } });
    const pruned = await apply(service, {}, { prune: true });
    expect(await refusalOfUndo(pruned.requestId)).toEqual({
      code: 'NOT_RESTORABLE',
      field: undefined,
      message:
        'The SSH certificate authority "hosts" cannot be put back. A deleted certificate authority cannot come back: its private key ' +
        'went with it, and the trail never has it. Create another authority.',
    });
    await apply(service, first);
    const changed = await apply(service, { ...first, httpsEdges: {} }, { prune: true });
    await service.rest('DELETE', `/ip_policies/${await policyOf('guests')}`);
    expect(await refusalOfUndo(changed.requestId)).toMatchObject({
      code: 'UNKNOWN_REFERENCE',
      message: expect.stringContaining('referred to the IP policy "guests", which has been deleted since.'),
    });
    expect((await exported(service)).document).not.toHaveProperty('httpsEdges');
  });

  test('that would lock out its client, unless it is forced', async () => {
    const here = [{ cidr: '127.0.0.0/8', action: 'allow' }];
    const away = [{ cidr: '203.0.113.0/24', action: 'allow' }];
    const document = (enforced: boolean, rules: object[]) => ({
      ipPolicies: { office: { rules } },
      ipRestrictions: { api: { type: 'api', enforced, ipPolicyIds: ['office'] } },
    });
    await apply(service, document(false, away));
    const { requestId } = await apply(service, document(false, here));
    await apply(service, { ...document(true, here), document: 'other', ipRestrictions: {} });
    await service.rest('PATCH', `/ip_restrictions/${await restriction()}`, { enforced: true });
    expect(await refusalOfUndo(requestId)).toMatchObject({ code: 'LOCKOUT' });
    expect((await service.rest('GET', '/ip_policies')).status).toBe(200);
    expect((await undo(requestId, { force: true })).objects).toHaveLength(2);
    expect((await service.rest('GET', '/ip_policies')).status).toBe(403);
  });
  const restriction = async () =>
    dataOf(await service.graphql('{ ipRestrictions { nodes { id } } }')).ipRestrictions.nodes[0].id;

  test('of another account, of a request that has changed nothing, or without the rights to change all of it', async () => {
    const { requestId } = await apply(service, first);
    const other = await shared.asNewAccount();
    const input = { requestId };
    const notFound = { code: 'NOT_FOUND' };
    expect(errorOf(await other.graphql(mutation, { input }))).toMatchObject(notFound);
    expect(await refusalOfUndo(`op_${'0'.repeat(26)}`)).toMatchObject(notFound);
    expect(await refusalOfUndo('office')).toMatchObject({ code: 'NOT_FOUND' });
    const scopes = ['audit-events:read', 'ip-policies:write', 'backends:write'];
    const narrow = createClient(service.url, (await service.rest('POST', '/api_keys', { scopes })).body.token);
    expect(errorOf(await narrow.graphql(mutation, { input }))).toMatchObject({ code: 'FORBIDDEN' });
    expect((await plan(service, first)).changes).toEqual([]);
  });
});

test('what an undo would do is what it does, and is refused for the same reasons', async () => {
  const wall = (cidr: string) => ({
    ipPolicies: { office: { rules: [{ cidr, action: 'allow' }] } },
    ipRestrictions: { web: { type: 'endpoints', enforced: true, ipPolicyIds: ['office'] } },
    expectations: {
      office: { name: 'Berlin', kind: 'ip', trafficType: 'endpoints', address: '203.0.113.7', expected: 'allowed' },
    },
  });
  const { requestId: made } = await apply(service, { ...wall('203.0.113.0/24'), expectations: {} });
  const { requestId } = await apply(service, wall('203.0.113.0/28'));
  const planned = (id: string) => service.rest('GET', `/requests/${id}/undo`);
  const { body } = await planned(requestId);
  expect(body.refusals).toEqual([]);
  expect((await planned(made)).body).toMatchObject({ error_code: 'CHANGED_SINCE' });
  expect(await undo(requestId)).toMatchObject({ objects: body.objects });
  await apply(service, wall('198.51.100.0/24'), { force: true });
  const { requestId: widened } = await apply(service, wall('203.0.113.0/24'));
  expect((await planned(widened)).body.refusals).toMatchObject([{ code: 'EXPECTATION_FAILED' }]);
  expect(await refusalOfUndo(widened)).toMatchObject({ code: 'EXPECTATION_FAILED' });
});

test('what it gave to a document belongs to none again, and REST does the same', async () => {
  const { body: policy } = await service.rest('POST', '/ip_policies', { description: 'office' });
  const document = { ipPolicies: { office: { description: 'office' } } };
  const { requestId } = await imported(service, document);
  expect((await plan(service, {}, { prune: true })).changes).toMatchObject([{ action: 'delete' }]);
  const { status, body } = await service.rest('PUT', `/requests/${requestId}/undo`, {});
  expect([status, body.objects]).toEqual([
    200,
    [{ action: 'release', kind: 'IpPolicy', id: policy.id, name: '"office"' }],
  ]);
  expect((await plan(service, {}, { prune: true })).changes).toEqual([]);
  expect((await plan(service, document)).changes).toMatchObject([{ action: 'create' }]);
  expect((await service.rest('PUT', `/requests/${requestId}/undo`, {})).body.error_code).toBe('NOT_FOUND');
});
