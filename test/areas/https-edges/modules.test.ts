// The modules that are set together with their object, of routes and of TLS edges; and the backend module of a route by itself.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { baseUrl, type Client, startService, type TestService } from '../../support/service.ts';

let service: TestService;
let stranger: Client;
let edge: string;
let office: string;
let home: string;
let backend: string;
beforeAll(async () => {
  service = await startService();
  stranger = await service.otherAccount('stranger');
});
beforeEach(async () => {
  edge = (await service.rest('POST', '/edges/https', {})).body.id;
  office = (await service.rest('POST', '/ip_policies', {})).body.id;
  home = (await service.rest('POST', '/ip_policies', {})).body.id;
  backend = (await service.rest('POST', '/backends/tunnel_group', {})).body.id;
});

const policyRef = (id: string) => ({ id, uri: `${baseUrl}/ip_policies/${id}` });
const backendRef = (id: string) => ({ id, uri: `${baseUrl}/backends/tunnel_group/${id}` });
const unknownPolicy = 'ipp_01h455vb4pex5vsknk084sn02q';
const unknownBackend = 'bkdtg_01h455vb4pex5vsknk084sn02q';

/** The kinds of objects that have both modules. */
const kinds = [
  {
    kind: 'a route',
    collection: () => `/edges/https/${edge}/routes`,
    required: (match = '/') => ({ match_type: 'path_prefix', match }),
    mode: { mode: 'require' },
  },
  { kind: 'a TLS edge', collection: () => '/edges/tls', required: () => ({}), mode: {} },
];

describe.each(kinds)('of $kind', ({ collection, required, mode }) => {
  const create = (modules: object) => service.rest('POST', collection(), { ...required(), ...modules });

  test('are set by its creation, and shown from then on', async () => {
    const modules = {
      ip_restriction: { ip_policy_ids: [home, office] },
      backend: { enabled: false, backend_id: backend },
    };
    const { status, headers, body } = await create(modules);
    expect([status, headers.get('etag'), body.ip_restriction, body.backend]).toEqual([
      201,
      '"2"',
      { enabled: true, ...mode, ip_policies: [policyRef(home), policyRef(office)] },
      { enabled: false, backend: backendRef(backend) },
    ]);
    const read = await service.rest('GET', `${collection()}/${body.id}`);
    expect([read.headers.get('etag'), read.body]).toEqual(['"2"', body]);
    expect((await service.rest('GET', `${collection()}/${body.id}/ip_restriction`)).body).toEqual(body.ip_restriction);
  });

  test('are replaced by an update that has them, and kept by one that has null or leaves them out', async () => {
    const { id } = (await create({})).body;
    const path = `${collection()}/${id}`;
    const set = { ip_restriction: { enabled: false, ip_policy_ids: [office] }, backend: { backend_id: backend } };
    const { headers, body } = await service.rest('PATCH', path, set, { 'If-Match': '"1"' });
    expect([headers.get('etag'), body.ip_restriction, body.backend]).toEqual([
      '"2"',
      { enabled: false, ...mode, ip_policies: [policyRef(office)] },
      { enabled: true, backend: backendRef(backend) },
    ]);
    const replaced = await service.rest('PATCH', path, { ip_restriction: { ip_policy_ids: [home] }, backend: null });
    expect(replaced.body).toEqual({
      ...body,
      ip_restriction: { enabled: true, ...mode, ip_policies: [policyRef(home)] },
    });
    const kept = await service.rest('PATCH', path, { description: 'd', ip_restriction: null });
    expect(kept.body).toEqual({ ...replaced.body, description: 'd' });
    expect((await service.rest('PATCH', path, set, { 'If-Match': '"1"' })).status).toBe(412);
    expect((await service.rest('GET', path)).body).toEqual(kept.body);
  });

  const foreign = async () => (await stranger.rest('POST', '/ip_policies', {})).body.id;
  test.each<[string, () => object | Promise<object>, string, string, string]>([
    [
      'an unknown policy',
      () => ({ ip_restriction: { ip_policy_ids: [office, unknownPolicy] } }),
      'UNKNOWN_REFERENCE',
      'ip_restriction.ip_policy_ids[1]',
      'There is no IP policy',
    ],
    [
      'a policy of another account',
      async () => ({ ip_restriction: { ip_policy_ids: [await foreign()] } }),
      'UNKNOWN_REFERENCE',
      'ip_restriction.ip_policy_ids[0]',
      'There is no IP policy',
    ],
    [
      'an empty list',
      () => ({ ip_restriction: { ip_policy_ids: [] } }),
      'INVALID_INPUT',
      'ip_restriction.ip_policy_ids',
      'must name at least one IP policy.',
    ],
    [
      'more policies than a list may have',
      () => ({ ip_restriction: { ip_policy_ids: Array<string>(201).fill(office) } }),
      'INVALID_INPUT',
      'ip_restriction.ip_policy_ids',
      'must have at most 200',
    ],
    ['no list', () => ({ ip_restriction: {} }), 'INVALID_INPUT', 'ip_restriction.ip_policy_ids', 'is required'],
    [
      'one id for a list',
      () => ({ ip_restriction: { ip_policy_ids: office } }),
      'INVALID_INPUT',
      'ip_restriction.ip_policy_ids',
      'must be a list.',
    ],
    [
      'the spelling of GraphQL',
      () => ({ ip_restriction: { ipPolicyIds: [office] } }),
      'UNKNOWN_FIELD',
      'ip_restriction.ipPolicyIds',
      'ip_policy_ids.',
    ],
    [
      'an unknown backend beside a good module',
      () => ({ ip_restriction: { ip_policy_ids: [office] }, backend: { backend_id: unknownBackend } }),
      'UNKNOWN_REFERENCE',
      'backend.backend_id',
      'There is no tunnel-group backend',
    ],
    ['a list for a module', () => ({ backend: [backend] }), 'INVALID_INPUT', 'backend', 'must be an object or null.'],
  ])('are refused with %s, and nothing is stored', async (_what, modules, code, field, message) => {
    const given = await modules();
    const { id } = (await create({})).body;
    const path = `${collection()}/${id}`;
    const before = (await service.rest('GET', collection())).body;
    const updated = await service.rest('PATCH', path, { description: 'half', ...given });
    const created = await service.rest('POST', collection(), { ...required('/other'), ...given });
    for (const { status, body } of [updated, created]) {
      expect([status, body.error_code, body.details.field, body.msg]).toEqual([
        400,
        code,
        field,
        expect.stringContaining(message),
      ]);
    }
    expect((await service.rest('GET', collection())).body).toEqual(before);
  });
});

describe('GraphQL', () => {
  test('sets modules with a route, and names the fields as it spells them', async () => {
    const document = `mutation ($input: CreateHttpsEdgeRouteInput!) {
      createHttpsEdgeRoute(input: $input) {
        httpsEdgeRoute {
          version
          ipRestriction { enabled mode ipPolicies { id } version }
          backend { enabled backend { id } version }
        }
      }
    }`;
    const route = (ipPolicyIds: readonly string[]) => ({
      edgeId: edge,
      matchType: 'path_prefix',
      match: '/',
      ipRestriction: { mode: 'suffice', ipPolicyIds },
      backend: { backendId: backend },
    });
    const refused = await service.graphql(document, { input: route([office, unknownPolicy]) });
    expect(refused.errors?.map(({ extensions }) => [extensions.code, extensions.field])).toEqual([
      ['UNKNOWN_REFERENCE', 'ipRestriction.ipPolicyIds[1]'],
    ]);
    const { data } = await service.graphql(document, { input: route([office, home]) });
    expect(data.createHttpsEdgeRoute.httpsEdgeRoute).toEqual({
      version: 2,
      ipRestriction: { enabled: true, mode: 'suffice', ipPolicies: [{ id: office }, { id: home }], version: 2 },
      backend: { enabled: true, backend: { id: backend }, version: 2 },
    });
    const users = await service.graphql(
      'query ($id: ID!) { tunnelGroupBackend(id: $id) { httpsEdgeRoutes { totalCount } } }',
      {
        id: backend,
      },
    );
    expect(users.data.tunnelGroupBackend).toEqual({ httpsEdgeRoutes: { totalCount: 1 } });
  });
});

describe('the backend module of a route', () => {
  let module: string;
  let route: string;
  beforeEach(async () => {
    const routes = `/edges/https/${edge}/routes`;
    route = (await service.rest('POST', routes, { match_type: 'path_prefix', match: '/' })).body.id;
    module = `${routes}/${route}/backend`;
  });

  test('is set, shown in its route, replaced as a whole and taken away, also if it is not set', async () => {
    const { status, headers, body } = await service.rest('PUT', module, { enabled: false, backend_id: backend });
    expect([status, headers.get('etag'), body]).toEqual([200, '"2"', { enabled: false, backend: backendRef(backend) }]);
    expect((await service.rest('GET', module)).body).toEqual(body);
    const replaced = await service.rest('PUT', module, { module: { backend_id: backend }, edge_id: edge, id: route });
    expect(replaced.body).toEqual({ enabled: true, backend: backendRef(backend) });
    const whole = await service.rest('GET', `/edges/https/${edge}`);
    expect([whole.headers.get('etag'), whole.body.routes[0].backend]).toEqual(['"4"', replaced.body]);
    expect((await service.rest('DELETE', module)).status).toBe(204);
    expect((await service.rest('GET', module)).status).toBe(404);
    expect((await service.rest('DELETE', module)).status).toBe(204);
  });

  test('refuses an unknown backend', async () => {
    const { status, body } = await service.rest('PUT', module, { backend_id: unknownBackend });
    expect([status, body.error_code, body.details.field]).toEqual([400, 'UNKNOWN_REFERENCE', 'backend_id']);
    expect((await service.rest('GET', module)).status).toBe(404);
  });

  test('is restored with its route, unless its backend is gone', async () => {
    const restore = 'mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { __typename } }';
    const find = 'query ($id: ID!) { auditEvents(objectId: $id) { nodes { id } } }';
    const { body } = await service.rest('PUT', module, { backend_id: backend });
    await service.rest('DELETE', `/edges/https/${edge}`);
    const [deletion] = (await service.graphql(find, { id: edge })).data.auditEvents.nodes;
    expect((await service.graphql(restore, { id: deletion.id })).errors).toBeUndefined();
    expect((await service.rest('GET', module)).body).toEqual(body);
    await service.rest('DELETE', `/edges/https/${edge}`);
    await service.rest('DELETE', `/backends/tunnel_group/${backend}`);
    const [again] = (await service.graphql(find, { id: edge })).data.auditEvents.nodes;
    const { errors } = await service.graphql(restore, { id: again.id });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UNKNOWN_REFERENCE']);
  });
});
