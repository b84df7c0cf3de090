// The IP restriction module of a TLS edge on both surfaces. What it has in common with that of routes is tested there.

import { beforeAll, beforeEach, expect, test } from 'vitest';
import { baseUrl, startService, type TestService } from '../../support/service.ts';

let service: TestService;
let edge: string;
let module: string;
let policy: string;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  edge = (await service.rest('POST', '/edges/tls', {})).body.id;
  module = `/edges/tls/${edge}/ip_restriction`;
  policy = (await service.rest('POST', '/ip_policies', {})).body.id;
});

test('the module is set, shown in the edge and at the policy, and taken away', async () => {
  const { headers, body } = await service.rest('PUT', module, { ip_policy_ids: [policy] });
  const uri = `${baseUrl}/ip_policies/${policy}`;
  expect([headers.get('etag'), body]).toEqual(['"2"', { enabled: true, ip_policies: [{ id: policy, uri }] }]);
  expect((await service.rest('GET', `/edges/tls/${edge}`)).body.ip_restriction).toEqual(body);
  const document = 'query ($id: ID!) { ipPolicy(id: $id) { tlsEdges { nodes { id } } } }';
  expect((await service.graphql(document, { id: policy })).data.ipPolicy.tlsEdges.nodes).toEqual([{ id: edge }]);
  expect((await service.rest('DELETE', module)).status).toBe(204);
  expect((await service.rest('GET', module)).status).toBe(404);
});

test('refuses an unknown policy with its place in the list', async () => {
  const unknown = 'ipp_01h455vb4pex5vsknk084sn02q';
  const { status, body } = await service.rest('PUT', module, { ip_policy_ids: [policy, unknown] });
  expect([status, body.error_code, body.details.field]).toEqual([400, 'UNKNOWN_REFERENCE', 'ip_policy_ids[1]']);
  expect((await service.rest('GET', module)).status).toBe(404);
});

test('evaluateTlsPolicy asks the module before the policy', async () => {
  const rule = { ip_policy_id: policy, cidr: '198.51.100.0/24', action: 'allow' };
  await service.rest('POST', '/ip_policy_rules', rule);
  await service.rest('PUT', module, { ip_policy_ids: [policy] });
  const deny = { inbound: [{ actions: [{ type: 'deny' }] }] };
  await service.rest('PUT', `/edges/tls/${edge}/policy`, deny);
  const document = `query ($edge: ID!, $address: IpAddress!) {
    evaluateTlsPolicy(edge: $edge, connection: { clientIp: $address }) { allowed ipRestrictionAllows steps { position } }
  }`;
  const evaluated = async (address: string) =>
    (await service.graphql(document, { edge, address })).data.evaluateTlsPolicy;
  expect(await evaluated('203.0.113.7')).toEqual({ allowed: false, ipRestrictionAllows: false, steps: [] });
  const inside = { allowed: false, ipRestrictionAllows: true, steps: [{ position: 0 }] };
  expect(await evaluated('198.51.100.7')).toEqual(inside);
  await service.rest('PUT', module, { enabled: false, ip_policy_ids: [policy] });
  expect(await evaluated('203.0.113.7')).toEqual({ ...inside, ipRestrictionAllows: null });
});

test('a module is restored with its edge', async () => {
  const { body } = await service.rest('PUT', module, { enabled: false, ip_policy_ids: [policy] });
  await service.rest('DELETE', `/edges/tls/${edge}`);
  const find = 'query ($id: ID!) { auditEvents(objectId: $id) { nodes { id } } }';
  const [deletion] = (await service.graphql(find, { id: edge })).data.auditEvents.nodes;
  const restore = 'mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { __typename } }';
  expect((await service.graphql(restore, { id: deletion.id })).errors).toBeUndefined();
  expect((await service.rest('GET', module)).body).toEqual(body);
});
