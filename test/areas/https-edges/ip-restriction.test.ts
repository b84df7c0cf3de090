// The IP restriction module of a route on both surfaces.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { baseUrl, type Client, startService, type TestService } from '../../support/service.ts';

let service: TestService;
let stranger: Client;
let edge: string;
let route: string;
let module: string;
let office: string;
let home: string;
beforeAll(async () => {
  service = await startService();
  stranger = await service.otherAccount('stranger');
});
beforeEach(async () => {
  edge = (await service.rest('POST', '/edges/https', {})).body.id;
  const routes = `/edges/https/${edge}/routes`;
  route = (await service.rest('POST', routes, { match_type: 'path_prefix', match: '/' })).body.id;
  module = `${routes}/${route}/ip_restriction`;
  office = (await service.rest('POST', '/ip_policies', {})).body.id;
  home = (await service.rest('POST', '/ip_policies', {})).body.id;
});

const refTo = (id: string) => ({ id, uri: `${baseUrl}/ip_policies/${id}` });
const routeNow = async () => (await service.rest('GET', module.replace('/ip_restriction', ''))).body;

test('PUT keeps the order of the policies, and applies the defaults', async () => {
  const { status, headers, body } = await service.rest('PUT', module, { ip_policy_ids: [home, office, home] });
  expect([status, headers.get('etag'), body]).toEqual([
    200,
    '"2"',
    { enabled: true, mode: 'require', ip_policies: [refTo(home), refTo(office)] },
  ]);
  expect((await service.rest('GET', module)).body).toEqual(body);
  expect((await routeNow()).ip_restriction).toEqual(body);
});

test('PUT replaces the whole module', async () => {
  await service.rest('PUT', module, { enabled: false, mode: 'suffice', ip_policy_ids: [home, office] });
  const { body } = await service.rest('PUT', module, { ip_policy_ids: [office] });
  expect(body).toEqual({ enabled: true, mode: 'require', ip_policies: [refTo(office)] });
});

test('DELETE takes the module away, also one that is not set', async () => {
  await service.rest('PUT', module, { ip_policy_ids: [office] });
  expect((await service.rest('DELETE', module)).status).toBe(204);
  expect([(await service.rest('GET', module)).status, (await routeNow()).ip_restriction]).toEqual([404, null]);
  expect((await service.rest('DELETE', module)).status).toBe(204);
});

test('the reference to a deleted policy remains', async () => {
  await service.rest('PUT', module, { ip_policy_ids: [home, office] });
  await service.rest('DELETE', `/ip_policies/${home}`);
  expect((await service.rest('GET', module)).body.ip_policies).toEqual([refTo(home), refTo(office)]);
  const document = `query ($edge: ID!, $id: ID!) {
    httpsEdgeRoute(edgeId: $edge, id: $id) { ipRestriction { ipPolicies { id } } }
  }`;
  const { data } = await service.graphql(document, { edge, id: route });
  expect(data.httpsEdgeRoute.ipRestriction).toEqual({ ipPolicies: [{ id: office }] });
});

test('a policy tells the routes that refer to it', async () => {
  await service.rest('PUT', module, { ip_policy_ids: [office] });
  const document = 'query ($id: ID!) { ipPolicy(id: $id) { httpsEdgeRoutes { totalCount nodes { id } } } }';
  const { data } = await service.graphql(document, { id: office });
  expect(data.ipPolicy).toEqual({ httpsEdgeRoutes: { totalCount: 1, nodes: [{ id: route }] } });
});

describe('refuses, and stores nothing', () => {
  test.each([
    ['no policy', () => [], 'ip_policy_ids', 'must name at least one IP policy.'],
    [
      'more policies than a list may have',
      () => Array<string>(201).fill(office),
      'ip_policy_ids',
      'must have at most 200',
    ],
    [
      'an unknown policy',
      () => [office, 'ipp_01h455vb4pex5vsknk084sn02q'],
      'ip_policy_ids[1]',
      'There is no IP policy',
    ],
  ])('%s', async (_what, ids, field, message) => {
    const { status, body } = await service.rest('PUT', module, { ip_policy_ids: ids() });
    expect([status, body.details.field, body.msg]).toEqual([400, field, expect.stringContaining(message)]);
    expect((await routeNow()).ip_restriction).toBeNull();
  });

  test('a policy of another account', async () => {
    const foreign = (await stranger.rest('POST', '/ip_policies', {})).body.id;
    const { status, body } = await service.rest('PUT', module, { ip_policy_ids: [foreign] });
    expect([status, body.error_code, body.details.field]).toEqual([400, 'UNKNOWN_REFERENCE', 'ip_policy_ids[0]']);
  });
});

test('a module is restored with its route, and to an earlier state', async () => {
  const restore = 'mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { __typename } }';
  const events = async (objectId: string) => {
    const document = 'query ($id: ID!) { auditEvents(objectId: $id) { nodes { id } } }';
    return (await service.graphql(document, { id: objectId })).data.auditEvents.nodes;
  };
  const { body } = await service.rest('PUT', module, { mode: 'suffice', ip_policy_ids: [home, office] });
  const [set] = await events(route);
  await service.rest('DELETE', module);
  expect((await service.graphql(restore, { id: set.id })).errors).toBeUndefined();
  expect((await service.rest('GET', module)).body).toEqual(body);
  await service.rest('DELETE', `/edges/https/${edge}`);
  const [deletion] = await events(edge);
  expect((await service.graphql(restore, { id: deletion.id })).errors).toBeUndefined();
  expect((await service.rest('GET', module)).body).toEqual(body);
});
