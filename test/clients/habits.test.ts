// Replays the habits of those clients of the API family that are not installed here, byte for byte where it matters: what the
// Python, Ruby and Go clients send, and what they require in an answer.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { hostKey } from '../support/host-key.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ baseUrl: null });
});
afterAll(() => service.close());

/** What each client sends with every request, in its own letter case. */
const headersOf = {
  python: { 'user-agent': 'ngrok-api-python/0.0.0/3.11', 'accept-encoding': 'gzip, deflate', 'ngrok-version': '2' },
  ruby: { 'User-Agent': 'ngrok-api-ruby//3.1-p2', 'Accept-Encoding': 'gzip;q=1.0,deflate;q=0.6', 'Ngrok-Version': '2' },
  go: { 'User-Agent': 'ngrok-api-go/8.0.0/go1.23', 'Accept-Encoding': 'gzip', 'ngrok-version': '2' },
} as const;

async function send(client: keyof typeof headersOf, method: string, path: string, body?: unknown, extra = {}) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...headersOf[client],
    Authorization: `Bearer ${service.token}`,
    ...(text === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) }),
    ...extra,
  };
  return sendRaw(service.url, { method, path, headers, ...(text === undefined ? {} : { body: text }) });
}

async function create(path: string, body: object) {
  const answer = await send('go', 'POST', path, body);
  expect(answer.status).toBe(201);
  return answer.body;
}

/** Creates what modules refer to, a route and a TLS edge, and returns the settings of modules and the paths. */
async function makeDoors(client: keyof typeof headersOf, unset: object) {
  const [policy, backend] = [await create('/ip_policies', {}), await create('/backends/tunnel_group', {})];
  const edge = await create('/edges/https', {});
  const ref = ({ id, uri }: { id: string; uri: string }) => ({ id, uri });
  const modules = {
    ip_restriction: { enabled: true, ip_policy_ids: [policy.id] },
    backend: { enabled: true, backend_id: backend.id },
  };
  const shown = {
    ip_restriction: expect.objectContaining({ enabled: true, ip_policies: [ref(policy)] }),
    backend: { enabled: true, backend: ref(backend) },
  };
  const made = [];
  for (const [collection, own] of [
    [`/edges/https/${edge.id}/routes`, { match_type: 'path_prefix', match: '/' }],
    ['/edges/tls', { hostports: ['tls.example.com:443'] }],
  ] as const) {
    const { status, body } = await send(client, 'POST', collection, { ...unset, ...own, ...modules });
    expect([status, body]).toEqual([201, expect.objectContaining(shown)]);
    made.push({ path: `${collection}/${body.id}`, body, own });
  }
  return { modules, shown, made };
}

describe('the Python client', () => {
  test('creates routes and TLS edges with modules, keeps these in an update, and replaces and deletes each', async () => {
    const { modules, shown, made } = await makeDoors('python', { description: '', metadata: '' });
    for (const { path, body, own } of made) {
      // What is not given is empty, and a module that is not given is absent.
      const update = { description: 'd', metadata: '', ...own };
      expect((await send('python', 'PATCH', path, update)).body).toEqual({ ...body, description: 'd' });
      for (const [name, module] of Object.entries(modules)) {
        const replaced = await send('python', 'PUT', `${path}/${name}`, module);
        expect([name, replaced.status, replaced.body]).toEqual([name, 200, Object(shown)[name]]);
        expect((await send('python', 'GET', `${path}/${name}`)).body).toEqual(replaced.body);
        const empty = { 'Content-Length': '0' };
        expect((await send('python', 'DELETE', `${path}/${name}`, undefined, empty)).status).toBe(204);
        expect((await send('python', 'DELETE', `${path}/${name}`, undefined, empty)).status).toBe(204);
      }
    }
  });

  test('creates with every field that it knows, empty where it is not set', async () => {
    const notes = { description: '', metadata: '' };
    const policy = await send('python', 'POST', '/ip_policies', notes);
    const restriction = await send('python', 'POST', '/ip_restrictions', {
      ...notes,
      enforced: false,
      type: 'agent',
      ip_policy_ids: [policy.body.id],
    });
    const authority = await send('python', 'POST', '/ssh_certificate_authorities', {
      ...notes,
      private_key_type: '',
      elliptic_curve: '',
      key_size: 0,
    });
    const certificate = await send('python', 'POST', '/ssh_host_certificates', {
      ...notes,
      ssh_certificate_authority_id: authority.body.id,
      public_key: hostKey,
      principals: [],
      valid_after: '',
      valid_until: '',
    });
    const key = await send('python', 'POST', '/api_keys', { ...notes, owner_id: null });
    expect([policy, restriction, authority, certificate, key].map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect(authority.body.key_type).toBe('ed25519');
    expect(certificate.body.valid_until).toBe('2027-11-20T21:00:00Z');
  });

  test('changes nothing with an update of nothing', async () => {
    const policy = await create('/ip_policies', { description: 'kept' });
    const { status, body } = await send('python', 'PATCH', `/ip_policies/${policy.id}`, {});
    expect({ status, body }).toEqual({ status: 200, body: policy });
  });

  test('keeps the policies of a restriction that it updates without them', async () => {
    const policy = await create('/ip_policies', {});
    const { id } = await create('/ip_restrictions', { type: 'endpoints', ip_policy_ids: [policy.id] });
    const changes = { description: 'x', metadata: '', enforced: true, ip_policy_ids: [] };
    const { status, body } = await send('python', 'PATCH', `/ip_restrictions/${id}`, changes);
    expect([status, body.enforced, body.ip_policies.map((policy: { id: string }) => policy.id)]).toEqual([
      200,
      true,
      [policy.id],
    ]);
  });

  test('deletes with a body of no bytes', async () => {
    const { id } = await create('/ip_policies', {});
    const answer = await send('python', 'DELETE', `/ip_policies/${id}`, undefined, { 'Content-Length': '0' });
    expect([answer.status, answer.body]).toEqual([204, undefined]);
  });

  test('gets a whole error for a module without a body and without a content type', async () => {
    for (const { path } of routes.filter(({ method }) => method === 'PUT')) {
      const target = path.replace(/\{\w+\}/g, 'none');
      const answer = await send('python', 'PUT', target, undefined, { 'Content-Length': '0' });
      expect([400, 404], target).toContain(answer.status);
      expect(Object.keys(answer.body), target).toEqual(['error_code', 'status_code', 'msg', 'details']);
    }
  });
});

describe('the Ruby client', () => {
  test('creates routes and TLS edges with modules, and replaces each; false is never sent, and empty is not set', async () => {
    const { modules, shown, made } = await makeDoors('ruby', { description: '', metadata: '' });
    for (const { path, body } of made) {
      const update = { description: '', metadata: 'm', ...('hostports' in body ? { hostports: [] } : {}) };
      expect((await send('ruby', 'PATCH', path, update)).body).toEqual({ ...body, metadata: 'm' });
      for (const [name, { enabled: _enabled, ...module }] of Object.entries(modules)) {
        const replaced = await send('ruby', 'PUT', `${path}/${name}`, module);
        expect([name, replaced.status, replaced.body]).toEqual([name, 200, Object(shown)[name]]);
        // A module that is not given is an empty one.
        const refused = await send('ruby', 'PUT', `${path}/${name}`, {});
        expect([name, refused.status, Object.keys(refused.body)]).toEqual([
          name,
          400,
          ['error_code', 'status_code', 'msg', 'details'],
        ]);
      }
    }
  });

  test('finds its own base URL at the front of next_page_uri, and goes on behind it', async () => {
    await create('/ip_policies', { description: 'a' });
    await create('/ip_policies', { description: 'b' });
    const first = await send('ruby', 'GET', '/ip_policies?limit=1');
    expect(first.body.next_page_uri.startsWith(`${service.url}/ip_policies?`)).toBe(true);
    const next = await send('ruby', 'GET', first.body.next_page_uri.slice(service.url.length));
    expect([first, next].map(({ body }) => body.ip_policies[0].description)).toEqual(['b', 'a']);
  });

  test('may have a base URL that ends in a slash', async () => {
    const { status, headers } = await send('ruby', 'GET', '//ip_policies?limit=1');
    expect([status, headers.get('location')]).toEqual([200, null]);
  });

  test('reads nothing from a deleted object, and a 404 when it deletes again', async () => {
    const { id } = await create('/ip_policies', {});
    const statuses = [
      (await send('ruby', 'DELETE', `/ip_policies/${id}`)).status,
      (await send('ruby', 'DELETE', `/ip_policies/${id}`)).status,
    ];
    expect(statuses).toEqual([204, 404]);
  });
});

describe('the Go client, and Terraform and the operator with it', () => {
  test('lists with its parameters in any order, and stops after the last page', async () => {
    const { id } = await create('/ip_policies', {});
    const { status, body } = await send('go', 'GET', `/ip_policies?before_id=${id}&limit=100`);
    expect([status, body.next_page_uri]).toEqual([200, null]);
    expect(body.ip_policies.every((policy: { id: string }) => policy.id < id)).toBe(true);
  });

  test('updates with the id of the path in the body, and with notes that did not change', async () => {
    const policy = await create('/ip_policies', { description: 'x' });
    const body = { id: policy.id, description: 'x', metadata: '' };
    const answer = await send('go', 'PATCH', `/ip_policies/${policy.id}`, body);
    expect([answer.status, answer.body]).toEqual([200, policy]);
  });

  test('reads back what it created', async () => {
    const policy = await create('/ip_policies', { description: 'x', metadata: 'y' });
    expect((await send('go', 'GET', `/ip_policies/${policy.id}`)).body).toEqual(policy);
  });

  test('recognises a missing object by the body, whose details are all text', async () => {
    const { status, body } = await send('go', 'GET', '/ip_policies/ipp_none');
    expect([status, body.status_code]).toEqual([404, 404]);
    expect(Object.values(body.details).every((value) => typeof value === 'string')).toBe(true);
    expect(body.details.operation_id).toMatch(/^op_/);
  });

  test('creates routes and TLS edges with modules, and reads them back', async () => {
    const { made } = await makeDoors('go', {});
    for (const { path, body } of made) {
      expect((await send('go', 'PATCH', path, { id: body.id, edge_id: body.edge_id })).body).toEqual(body);
      expect((await send('go', 'DELETE', `${path}/ip_restriction`)).status).toBe(204);
      expect((await send('go', 'GET', path)).body).toEqual({ ...body, ip_restriction: null });
    }
  });

  test('checks its key when it starts', async () => {
    const { status, body } = await send('go', 'GET', '/api_keys?limit=1');
    expect([status, body.keys.length]).toEqual([200, 1]);
  });
});

test('every error has the four fields of the family, whatever went wrong', async () => {
  const wrong = await Promise.all([
    sendRaw(service.url, { method: 'GET', path: '/ip_policies', headers: {} }),
    send('go', 'GET', '/nowhere'),
    send('go', 'PUT', '/ip_policies'),
    send('go', 'POST', '/ip_policies', { metadata: 'x'.repeat(1_100_000) }),
    send('go', 'POST', '/ip_policies', {}, { 'Content-Type': 'text/plain' }),
    send('go', 'GET', '/ip_policies', undefined, { 'ngrok-version': '1' }),
  ]);
  expect(wrong.map(({ status }) => status)).toEqual([401, 404, 405, 413, 415, 400]);
  for (const { status, headers, body } of wrong) {
    expect(body).toEqual({
      error_code: expect.any(String),
      status_code: status,
      msg: expect.any(String),
      details: expect.objectContaining({ operation_id: headers.get('x-request-id') }),
    });
  }
});
