// Tunnel-group backends on both surfaces: what is returned, what is refused, and which objects block their deletion.

import { beforeAll, describe, expect, test } from 'vitest';
import { baseUrl, type Client, createClient, startService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

const path = '/backends/tunnel_group';
const anId = expect.stringMatching(/^bkdtg_[0-7][0-9a-hjkmnp-tv-z]{25}$/);

/** Creates a backend and returns the answer's body. */
async function create(body: unknown = {}, client: Client = service) {
  const answer = await client.rest('POST', path, body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

describe('POST /backends/tunnel_group', () => {
  test('answers with every field of the new backend', async () => {
    const { status, body, headers } = await service.rest('POST', path, {
      labels: { app: 'mail', 'Straße 😀': '' },
      targets: ['mail-2.internal:993', '10.0.0.5:993', '[2001:db8::5]:993', '10.0.0.5:993'],
      tls: 'passthrough',
      description: 'mail servers',
      metadata: '{"a":1}',
    });
    expect({ status, etag: headers.get('etag'), body }).toEqual({
      status: 201,
      etag: '"1"',
      body: {
        id: anId,
        uri: `${baseUrl}${path}/${body.id}`,
        created_at: '2026-11-20T21:00:00Z',
        description: 'mail servers',
        metadata: '{"a":1}',
        labels: { app: 'mail', 'Straße 😀': '' },
        targets: ['mail-2.internal:993', '10.0.0.5:993', '[2001:db8::5]:993'],
        tls: 'passthrough',
        tunnels: [],
      },
    });
  });

  test('keeps keys exactly, also those that mean something to JavaScript and to the database client', async () => {
    const labels =
      '{"__proto__":"a","constructor":"b","$type":"Json","value":"{}","camelCase":"c","snake_case":"d","1":"e"}';
    const { id } = await create(`{"labels":${labels}}`);
    const { body } = await service.rest('GET', `${path}/${id}`);
    expect(Object.entries(body.labels).sort()).toEqual(Object.entries(JSON.parse(labels)).sort());
  });

  test('takes the most and the longest labels', async () => {
    const labels = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`${i}`.padEnd(255, 'k'), 'v'.repeat(255)]));
    expect((await create({ labels })).labels).toEqual(labels);
  });

  const mapOf = (size: number) => Object.fromEntries(Array.from({ length: size }, (_, i) => [`k${i}`, 'v']));
  test.each([
    ['a list', ['a'], 'must be an object whose values are strings.'],
    ['a text', 'a=b', 'must be an object whose values are strings.'],
    ['a number as a value', { a: 1 }, 'must have a string as the value of "a".'],
    ['null as a value', { a: null }, 'must have a string as the value of "a".'],
    ['an object as a value', { a: {} }, 'must have a string as the value of "a".'],
    ['"=" in a key', { 'a=b': 'c' }, 'must not contain "=" in a key or value, as the label "a=b" does.'],
    ['"=" in a value', { a: 'b=c' }, 'must not contain "=" in a key or value, as the label "a" does.'],
    ['an empty key', { '': 'a' }, 'must not have an empty key.'],
    ['NUL in a key', { '\u0000': 'a' }, 'must not contain the NUL character (U+0000).'],
    ['NUL in a value', { a: '\u0000' }, 'must not contain the NUL character (U+0000).'],
    ['half of a surrogate pair', { a: '\ud800' }, 'must be well-formed Unicode; it contains an unpaired surrogate.'],
    ['a key of 256 bytes', { ['ü'.repeat(128)]: 'a' }, 'must be at most 255 bytes of UTF-8; it has 256.'],
    ['a value of 256 bytes', { a: 'ü'.repeat(128) }, 'must be at most 255 bytes of UTF-8; it has 256.'],
    ['65 labels', mapOf(65), 'must have at most 64 labels; it has 65.'],
  ])('refuses %s in the labels', async (_, labels, message) => {
    const { status, body } = await service.rest('POST', path, { labels });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        error_code: 'INVALID_INPUT',
        status_code: 400,
        msg: `labels: ${message}`,
        details: { operation_id: expect.stringMatching(/^op_/), field: 'labels' },
      },
    });
  });

  test.each([
    [
      'a target without a port',
      { targets: ['a:1', 'b'] },
      'targets[1]',
      'must be a host and a port, such as 10.0.0.5:8080 or [2001:db8::1]:8080.',
    ],
    [
      'an URL as a target',
      { targets: ['https://a:1'] },
      'targets[0]',
      'must be a host and a port, such as 10.0.0.5:8080 or [2001:db8::1]:8080.',
    ],
    [
      '101 targets',
      { targets: Array.from({ length: 101 }, (_, i) => `a:${i + 1}`) },
      'targets',
      'must have at most 100 entries; it has 101.',
    ],
    ['another kind of TLS', { tls: 'terminate' }, 'tls', 'must be one of "passthrough", "none" or null.'],
  ])('refuses %s', async (_, input, field, message) => {
    const { status, body } = await service.rest('POST', path, input);
    expect([status, body.error_code, body.details.field, body.msg]).toEqual([
      400,
      'INVALID_INPUT',
      field,
      `${field}: ${message}`,
    ]);
  });
});

describe('PATCH /backends/tunnel_group/{id}', () => {
  test('replaces all labels and targets, and clears the notes', async () => {
    const made = await create({ labels: { a: 'b', c: 'd' }, targets: ['a:1', 'b:2'], description: 'd', metadata: 'm' });
    const change = { labels: { a: 'x' }, targets: ['b:2'], tls: 'none', description: '', metadata: null };
    const { status, headers, body } = await service.rest('PATCH', `${path}/${made.id}`, { id: made.id, ...change });
    expect([status, headers.get('etag'), body]).toEqual([200, '"2"', { ...made, ...change, metadata: '' }]);
    expect((await service.rest('GET', `${path}/${made.id}`)).body).toEqual(body);
  });
});

describe('DELETE /backends/tunnel_group/{id}', () => {
  /** Creates an edge that uses the backend and returns the edge's id. */
  const use = async (backendId: string, input: object = {}): Promise<string> => {
    const { body: edge } = await service.rest('POST', '/edges/tls', input);
    const { status } = await service.rest('PUT', `/edges/tls/${edge.id}/backend`, { backend_id: backendId });
    expect(status).toBe(200);
    return edge.id;
  };

  test('keeps a backend that edges use, and names them', async () => {
    const { id } = await create();
    const edges = [await use(id, { description: 'mail' }), await use(id, { hostports: ['db.example.com:5432'] })];
    const { status, body } = await service.rest('DELETE', `${path}/${id}`);
    expect({ status, body }).toEqual({
      status: 409,
      body: {
        error_code: 'IN_USE',
        status_code: 409,
        msg:
          'The backend is used by 2 TLS edges: "mail", "db.example.com:5432". ' +
          'Switch them to another backend or delete their backend module.',
        details: { operation_id: expect.stringMatching(/^op_/) },
      },
    });
    for (const edge of edges) await service.rest('DELETE', `/edges/tls/${edge}/backend`);
    expect((await service.rest('DELETE', `${path}/${id}`)).status).toBe(204);
  });

  test('keeps a backend that routes use, and names them', async () => {
    const { id } = await create();
    await use(id, { description: 'mail' });
    const { body: edge } = await service.rest('POST', '/edges/https', {});
    const routes = `/edges/https/${edge.id}/routes`;
    const route = { match_type: 'path_prefix', match: '/shop', backend: { backend_id: id } };
    const { body: made } = await service.rest('POST', routes, route);
    const { status, body } = await service.rest('DELETE', `${path}/${id}`);
    expect([status, body.error_code, body.msg]).toEqual([
      409,
      'IN_USE',
      'The backend is used by 1 TLS edge: "mail", and by 1 route: "/shop". ' +
        'Switch them to another backend or delete their backend module.',
    ]);
    const { body: key } = await service.rest('POST', '/api_keys', { scopes: ['backends:write', 'tls-edges:read'] });
    const unaware = await createClient(service.url, key.token).rest('DELETE', `${path}/${id}`);
    expect(unaware.body.msg).toBe(
      'The backend is used by 1 TLS edge: "mail", and by 1 route, which this key may not read. ' +
        'A key with "tls-edges:write" and "https-edges:write" can change that.',
    );
    await service.rest('DELETE', `${routes}/${made.id}/backend`);
    expect((await service.rest('DELETE', `${path}/${id}`)).body.msg).toMatch(/^The backend is used by 1 TLS edge: /);
  });

  test('does not tell a key that may not read edges which they are', async () => {
    const { id } = await create();
    await use(id, { description: 'mail' });
    const { body: key } = await service.rest('POST', '/api_keys', { scopes: ['backends:write'] });
    const { body } = await createClient(service.url, key.token).rest('DELETE', `${path}/${id}`);
    expect([body.error_code, body.msg]).toEqual([
      'IN_USE',
      'The backend is used by 1 TLS edge, which this key may not read. A key with "tls-edges:write" can change that.',
    ]);
  });
});

describe('GraphQL', () => {
  test('creates, changes and deletes; an empty map clears the labels', async () => {
    const created = await service.graphql(
      'mutation { createTunnelGroupBackend(input: { labels: { a: "b" } }) { tunnelGroupBackend { id labels version } } }',
    );
    const { id } = created.data.createTunnelGroupBackend.tunnelGroupBackend;
    expect(created.data.createTunnelGroupBackend.tunnelGroupBackend).toEqual({
      id: anId,
      labels: { a: 'b' },
      version: 1,
    });
    const updated = await service.graphql(
      `mutation { updateTunnelGroupBackend(input: { id: "${id}", labels: {} }) { tunnelGroupBackend { labels version } } }`,
    );
    expect(updated.data.updateTunnelGroupBackend.tunnelGroupBackend).toEqual({ labels: {}, version: 2 });
    const deleted = await service.graphql(
      `mutation { deleteTunnelGroupBackend(input: { id: "${id}", expectedVersion: 2 }) { deletedId } }`,
    );
    expect(deleted.data).toEqual({ deleteTunnelGroupBackend: { deletedId: id } });
  });
});
