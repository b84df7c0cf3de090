// TLS edges and their backend module on both surfaces.

import { beforeAll, describe, expect, test } from 'vitest';
import { failureOf, invalidField } from '../../support/answers.ts';
import { baseUrl, type Client, startService, type TestService } from '../../support/service.ts';
import { tablesRead } from '../../support/statements.ts';

let service: TestService;
let stranger: Client;
let backendId: string;
beforeAll(async () => {
  service = await startService();
  stranger = await service.otherAccount('stranger');
  backendId = (await service.rest('POST', '/backends/tunnel_group', {})).body.id;
});

const path = '/edges/tls';
const anId = expect.stringMatching(/^edgtls_[0-7][0-9a-hjkmnp-tv-z]{25}$/);

/** Creates an edge and returns the answer's body. */
async function create(body: unknown = {}, client: Client = service) {
  const answer = await client.rest('POST', path, body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

describe('POST /edges/tls', () => {
  test('answers with every field of the new edge', async () => {
    const hostports = ['b.example.com:443', '*.example.com:443', 'a.example.com:8443'];
    const { status, headers, body } = await service.rest('POST', path, { hostports, description: 'd', metadata: 'm' });
    expect({ status, etag: headers.get('etag'), body }).toEqual({
      status: 201,
      etag: '"1"',
      body: {
        id: anId,
        uri: `${baseUrl}${path}/${body.id}`,
        created_at: '2026-11-20T21:00:00Z',
        description: 'd',
        metadata: 'm',
        hostports,
        backend: null,
        policy: null,
        ip_restriction: null,
      },
    });
  });

  test('refuses a wrong port, and names its place', async () => {
    expect(failureOf(await service.rest('POST', path, { hostports: ['a:443', 'a:0'] }))).toEqual(
      invalidField('hostports[1]', 'must have a port from 1 to 65535, in plain digits.'),
    );
  });

  test.each(['POST', 'PATCH'])('refuses a policy module on %s, and names its route', async (method) => {
    const { id } = await create();
    const { status, body } = await service.rest(method, method === 'POST' ? path : `${path}/${id}`, {
      policy: { inbound: [] },
    });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        error_code: 'READ_ONLY_FIELD',
        status_code: 400,
        msg: 'policy: has its own route: PUT /edges/tls/{id}/policy. Leave it out.',
        details: { operation_id: expect.stringMatching(/^op_/), field: 'policy' },
      },
    });
  });
});

describe('GET /edges/tls/{id}', () => {
  test('answers with the modules of the edge', async () => {
    const made = await create({ hostports: ['a:443'] });
    await service.rest('PUT', `${path}/${made.id}/backend`, { backend_id: backendId });
    await service.rest('PUT', `${path}/${made.id}/policy`, {
      enabled: false,
      inbound: [{ actions: [{ type: 'deny' }] }],
    });
    const { status, headers, body } = await service.rest('GET', `${path}/${made.id}`);
    expect([status, headers.get('etag'), body]).toEqual([
      200,
      '"3"',
      {
        ...made,
        backend: { enabled: true, backend: { id: backendId, uri: `${baseUrl}/backends/tunnel_group/${backendId}` } },
        policy: {
          enabled: false,
          inbound: [{ name: null, expressions: null, actions: [{ type: 'deny', config: null }] }],
          outbound: null,
        },
      },
    ]);
  });
});

describe('GET /edges/tls', () => {
  test('reads as many statements for many edges as for one', async () => {
    const other = await service.otherAccount('with many edges');
    const policy = { inbound: [{ actions: [{ type: 'deny' }] }] };
    const addEdge = async () => {
      const { body: backend } = await other.rest('POST', '/backends/tunnel_group', {});
      const edge = await create({}, other);
      await other.rest('PUT', `${path}/${edge.id}/backend`, { backend_id: backend.id });
      await other.rest('PUT', `${path}/${edge.id}/policy`, policy);
    };
    const statementsOfList = async () => {
      const tables = await tablesRead(service, () => other.rest('GET', path));
      return [(await other.rest('GET', path)).body.tls_edges.length, tables];
    };
    // Backends are not read: the module itself has the backend's id.
    const tables = ['TlsEdge', 'TlsBackendModule', 'TlsPolicyModule', 'TlsIpRestrictionModule'];
    await addEdge();
    expect(await statementsOfList()).toEqual([1, tables]);
    for (let count = 0; count < 4; count += 1) await addEdge();
    expect(await statementsOfList()).toEqual([5, tables]);
  });
});

describe('PATCH /edges/tls/{id}', () => {
  test('keeps the edge and its modules for a null in each field', async () => {
    const { id } = await create({ hostports: ['a:443'], description: 'd' });
    await service.rest('PUT', `${path}/${id}/backend`, { backend_id: backendId });
    const before = await service.rest('GET', `${path}/${id}`);
    const answer = await service.rest('PATCH', `${path}/${id}`, {
      hostports: null,
      backend: null,
      policy: null,
      ip_restriction: null,
    });
    expect([answer.status, answer.body]).toEqual([200, before.body]);
  });

  test('replaces the hostports and keeps the modules', async () => {
    const { id } = await create({ hostports: ['a:443'] });
    await service.rest('PUT', `${path}/${id}/backend`, { backend_id: backendId });
    const before = await service.rest('GET', `${path}/${id}`);
    const { status, headers, body } = await service.rest('PATCH', `${path}/${id}`, { hostports: ['b:1', 'a:1'] });
    expect([status, headers.get('etag'), body]).toEqual([200, '"3"', { ...before.body, hostports: ['b:1', 'a:1'] }]);
  });
});

describe('DELETE /edges/tls/{id}', () => {
  test('deletes the edge with its modules, once, and keeps the backend', async () => {
    const { body: backend } = await service.rest('POST', '/backends/tunnel_group', {});
    const { id } = await create();
    await service.rest('PUT', `${path}/${id}/backend`, { backend_id: backend.id });
    await service.rest('PUT', `${path}/${id}/policy`, {});
    expect((await stranger.rest('DELETE', `${path}/${id}`)).status).toBe(404);
    expect(await service.rest('DELETE', `${path}/${id}`)).toMatchObject({ status: 204, body: undefined });
    for (const below of ['', '/backend', '/policy']) {
      expect((await service.rest('GET', `${path}/${id}${below}`)).status, below).toBe(404);
    }
    expect((await service.rest('DELETE', `${path}/${id}`)).status).toBe(404);
    // The backend is no longer in use.
    expect((await service.rest('DELETE', `/backends/tunnel_group/${backend.id}`)).status).toBe(204);
  });
});

describe('PUT /edges/tls/{id}/backend', () => {
  const moduleOf = (id: string, enabled = true) => ({
    enabled,
    backend: { id, uri: `${baseUrl}/backends/tunnel_group/${id}` },
  });

  test('sets the module, and gives it back until it is replaced', async () => {
    const edge = await create();
    const { body: second } = await service.rest('POST', '/backends/tunnel_group', {});
    const modulePath = `${path}/${edge.id}/backend`;
    const put = await service.rest('PUT', modulePath, { enabled: false, backend_id: backendId });
    expect([put.status, put.headers.get('etag'), put.body]).toEqual([200, '"2"', moduleOf(backendId, false)]);
    expect((await service.rest('GET', modulePath)).body).toEqual(put.body);
    // Fields that are left out return to their defaults.
    const again = await service.rest('PUT', modulePath, { backend_id: second.id });
    expect([again.status, again.headers.get('etag'), again.body]).toEqual([200, '"3"', moduleOf(second.id)]);
    const get = await service.rest('GET', modulePath);
    expect([get.status, get.headers.get('etag'), get.body]).toEqual([200, '"3"', again.body]);
  });

  test('unwraps the module that one client wraps', async () => {
    const { id } = await create();
    const { status, body } = await service.rest('PUT', `${path}/${id}/backend`, {
      id,
      module: { enabled: false, backend_id: backendId },
    });
    expect([status, body]).toEqual([200, moduleOf(backendId, false)]);
  });

  test.each([
    ['no body', undefined, 'INVALID_INPUT', 'backend_id', 'is required; it must be a string.'],
    [
      'an empty text',
      { backend_id: '' },
      'UNKNOWN_REFERENCE',
      'backend_id',
      'There is no such tunnel-group backend in this account.',
    ],
    [
      'an unknown backend',
      { backend_id: 'bkdtg_00000000000000000000000000' },
      'UNKNOWN_REFERENCE',
      'backend_id',
      'There is no tunnel-group backend "bkdtg_00000000000000000000000000" in this account.',
    ],
    [
      'an unknown field',
      { backend_id: 'x', backendId: 'y' },
      'UNKNOWN_FIELD',
      'backendId',
      'is not a field of this route. Accepted: enabled, backend_id.',
    ],
  ])('refuses %s, and keeps what is set', async (_, body, code, field, message) => {
    const { id } = await create();
    await service.rest('PUT', `${path}/${id}/backend`, { enabled: false, backend_id: backendId });
    const answer = await service.rest('PUT', `${path}/${id}/backend`, body);
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        error_code: code,
        status_code: 400,
        msg: `${field}: ${message}`,
        details: { operation_id: expect.stringMatching(/^op_/), field },
      },
    ]);
    expect((await service.rest('GET', `${path}/${id}/backend`)).body).toEqual(moduleOf(backendId, false));
  });

  test('replaces nothing when the edge is at another version', async () => {
    const { id } = await create();
    const put = (etag: string) =>
      service.rest('PUT', `${path}/${id}/backend`, { backend_id: backendId }, { 'If-Match': etag });
    expect((await put('"1"')).status).toBe(200);
    expect(await put('"1"')).toMatchObject({ status: 412, body: { error_code: 'VERSION_CONFLICT' } });
    expect((await put('"2"')).status).toBe(200);
  });
});

describe.each(['backend', 'policy'])('GET and DELETE /edges/tls/{id}/%s', (module) => {
  const set = (id: string) =>
    service.rest('PUT', `${path}/${id}/${module}`, module === 'backend' ? { backend_id: backendId } : {});

  test('answer 404 and 204 for a module that is not set, and leave the edge as it is', async () => {
    const made = await create();
    expect(await service.rest('GET', `${path}/${made.id}/${module}`)).toMatchObject({
      status: 404,
      body: { error_code: 'NOT_FOUND', msg: 'No such object in this account.' },
    });
    expect(await service.rest('DELETE', `${path}/${made.id}/${module}`)).toMatchObject({
      status: 204,
      body: undefined,
    });
    const after = await service.rest('GET', `${path}/${made.id}`);
    expect([after.headers.get('etag'), after.body]).toEqual(['"1"', made]);
  });

  test('give and delete a module that is set, and the second DELETE is 204 too', async () => {
    const { id } = await create();
    expect((await set(id)).status).toBe(200);
    expect((await service.rest('GET', `${path}/${id}/${module}`)).status).toBe(200);
    const both = await Promise.all([1, 2].map(() => service.rest('DELETE', `${path}/${id}/${module}`)));
    expect(both.map(({ status, body }) => [status, body])).toEqual([
      [204, undefined],
      [204, undefined],
    ]);
    expect((await service.rest('GET', `${path}/${id}/${module}`)).status).toBe(404);
    const { headers, body } = await service.rest('GET', `${path}/${id}`);
    expect([headers.get('etag'), body[module]]).toEqual(['"3"', null]);
  });

  test('delete nothing when the edge is at another version, whether the module is set or not', async () => {
    const { id } = await create();
    const remove = (etag: string) => service.rest('DELETE', `${path}/${id}/${module}`, undefined, { 'If-Match': etag });
    expect((await remove('"2"')).status).toBe(412);
    expect((await remove('"1"')).status).toBe(204);
    await set(id);
    expect((await remove('"1"')).status).toBe(412);
    expect((await remove('"2"')).status).toBe(204);
  });
});

describe('GraphQL', () => {
  test('gives the edges of many backends in one statement for each relation, newest first', async () => {
    const other = await service.otherAccount('with relations');
    const expected = [];
    for (let count = 0; count < 3; count += 1) {
      const { body: backend } = await other.rest('POST', '/backends/tunnel_group', {});
      const edges = [];
      for (let edgeCount = 0; edgeCount < 2; edgeCount += 1) {
        const edge = await create({}, other);
        await other.rest('PUT', `${path}/${edge.id}/backend`, { backend_id: backend.id });
        edges.unshift({ id: edge.id, policy: null });
      }
      expected.unshift({ id: backend.id, tlsEdges: { nodes: edges } });
    }
    const ask = () =>
      other.graphql('{ tunnelGroupBackends { nodes { id tlsEdges { nodes { id policy { enabled } } } } } }');
    expect((await ask()).data.tunnelGroupBackends.nodes).toEqual(expected);
    expect(await tablesRead(service, ask)).toEqual([
      'TunnelGroupBackend',
      'TlsBackendModule',
      'TlsEdge',
      'TlsPolicyModule',
    ]);
  });
});
