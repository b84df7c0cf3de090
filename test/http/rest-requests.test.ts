// What every REST request must contain, and how each mistake is answered.

import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { prepareRoutes } from '../../src/surfaces/rest/prepared-route.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { execute } from '../support/database.ts';
import { baseUrl, ofOneServer, startService, type TestService } from '../support/service.ts';
import { expectRestError, restHeaders, send, type WireAnswer, type WireRequest } from './wire.ts';

let service: TestService;
let headers: Record<string, string>;
let jsonHeaders: Record<string, string>;
let policyId: string;

beforeAll(async () => {
  service = await startService();
  ({ headers, jsonHeaders } = restHeaders(service));
  policyId = (await service.rest('POST', '/ip_policies', { description: 'first' })).body.id;
});

const get = (path: string, more: Record<string, string | string[]> = {}): Promise<WireAnswer> =>
  send(service.url, path, { headers: { ...headers, ...more } });
const post = (body: string | Buffer, more: WireRequest['headers'] = {}) =>
  send(service.url, '/ip_policies', { method: 'POST', headers: { ...jsonHeaders, ...more }, body });
const patch = (body: string) =>
  send(service.url, `/ip_policies/${policyId}`, { method: 'PATCH', headers: jsonHeaders, body });

function without(name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));
}

describe('the key', () => {
  const unauthenticated = async (authorization: string | undefined) => {
    const answer = await send(service.url, '/ip_policies', {
      headers: { 'service-version': '2', ...(authorization === undefined ? {} : { authorization }) },
    });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expectRestError(answer, 'UNAUTHENTICATED');
    return answer.body.msg;
  };

  test('is asked for when it is missing or malformed', async () => {
    const asked = 'Send an API key as "Authorization: Bearer <API key>".';
    const { token } = service;
    for (const authorization of [undefined, '', 'Bearer', 'Bearer ', token, `Basic ${token}`, `Bearer ${token} x`]) {
      expect(await unauthenticated(authorization)).toBe(asked);
    }
    expect(await unauthenticated(`Bearer ${'x'.repeat(513)}`)).toBe(asked);
  });

  test('is refused in the same words whether it never was, is mistyped or has been revoked', async () => {
    const { body: key } = await service.rest('POST', '/api_keys', {});
    expect((await get('/ip_policies', { authorization: `Bearer ${key.token}` })).status).toBe(200);
    expect((await ofOneServer(service).rest('DELETE', `/api_keys/${key.id}`)).status).toBe(204);
    const revoked = await unauthenticated(`Bearer ${key.token}`);
    expect(revoked).toBe('The API key is unknown, has expired or has been revoked.');
    expect(await unauthenticated('Bearer some-other-key-of-an-operator')).toBe(revoked);
    expect(await unauthenticated(`Bearer ${service.token.slice(0, -1)}g`)).toBe(revoked);
    expect(await unauthenticated(`Bearer ${service.token.slice(0, -8)}00000000`)).toBe(revoked);
  });

  test('may follow a scheme in any case and several spaces', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
      expect((await get('/ip_policies', { authorization: `${scheme} ${service.token}` })).status).toBe(200);
    }
  });

  const keyed = routes.filter(({ withoutKey }) => withoutKey === undefined);
  test('is needed for all routes but those that take a proof in its place', () => {
    expect(routes.filter((route) => !keyed.includes(route)).map(({ path }) => path)).toEqual([
      '/ssh_challenges',
      '/ssh_enrollments',
      '/ssh_host_certificates/{id}/renew',
    ]);
  });

  test('is needed for each of them, and so is the version header', async () => {
    for (const { method, path } of keyed) {
      const url = path.replace(/\{\w+\}/g, policyId);
      const unversioned = { 'service-version': '3', 'content-type': 'application/json' };
      const body = '{"not":"read"}';
      const strange = await send(service.url, url, { method, headers: unversioned, body });
      expect([method, path, strange.status]).toEqual([method, path, 401]);
      expect(strange.headers['www-authenticate']).toBe('Bearer');
      expectRestError(strange, 'UNAUTHENTICATED');
      const other = await send(service.url, url, { method, headers: { ...headers, ...unversioned }, body });
      expect([method, path, other.status]).toEqual([method, path, 400]);
      expectRestError(other, 'UNSUPPORTED_VERSION');
    }
  });
});

describe('the version header', () => {
  test('is taken under both names, in any case', async () => {
    for (const name of ['Service-Version', 'service-version', 'SERVICE-VERSION', 'Ngrok-Version', 'nGROK-vERSION']) {
      const answer = await send(service.url, '/ip_policies', {
        headers: { ...without('service-version'), [name]: ' 2 ' },
      });
      expect([name, answer.status]).toEqual([name, 200]);
    }
  });

  test('is named with what to send when it is missing', async () => {
    const answer = await send(service.url, '/ip_policies', { headers: without('service-version') });
    expect(answer.status).toBe(400);
    expectRestError(answer, 'UNSUPPORTED_VERSION');
    expect(answer.body.msg).toBe('The version header is missing. Send "Service-Version: 2".');
  });

  test('is refused with any other value, and when two of them disagree', async () => {
    for (const wrong of ['', '1', '3', '02', '2.0', '2, 2', 'latest']) {
      const answer = await get('/ip_policies', { 'service-version': wrong });
      expect([wrong, answer.status]).toEqual([wrong, 400]);
      expectRestError(answer, 'UNSUPPORTED_VERSION');
    }
    expectRestError(await get('/ip_policies', { 'ngrok-version': '1' }), 'UNSUPPORTED_VERSION');
  });
});

describe('the body', () => {
  test('must be declared as JSON in UTF-8', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/xml',
      '',
    ]) {
      const answer = await post('{}', { 'content-type': type });
      expect([type, answer.status]).toEqual([type, 415]);
      expectRestError(answer, 'UNSUPPORTED_MEDIA_TYPE');
    }
    expectRestError(await post('{}', { 'content-type': 'application/json; charset=latin1' }), 'UNSUPPORTED_MEDIA_TYPE');
    for (const type of ['application/json; charset=UTF-8', 'APPLICATION/JSON', 'application/json;charset="utf-8"']) {
      expect([type, (await post('{}', { 'content-type': type })).status]).toEqual([type, 201]);
    }
  });

  test('that is absent needs no type', async () => {
    expect((await send(service.url, '/ip_policies', { method: 'POST', headers })).status).toBe(201);
    const typed = { ...headers, 'content-type': 'text/plain', 'content-length': '0' };
    expect((await send(service.url, '/ip_policies', { method: 'POST', headers: typed })).status).toBe(201);
  });

  test('must be JSON, and no part of it is repeated in the answer', async () => {
    for (const text of ['{', '{"a":1}}', "{'hush':1}", '{"description":hush}', 'hush', '{"a":"\t"}', 'NaN', ' ']) {
      const answer = await post(text);
      expect([text, answer.status]).toEqual([text, 400]);
      expectRestError(answer, 'MALFORMED_BODY');
      expect(answer.bytes.toString()).not.toContain('hush');
    }
  });

  test('must be one object', async () => {
    for (const text of ['[]', '[{}]', 'null', 'true', '2', '"text"']) {
      const answer = await post(text);
      expect([text, answer.status]).toEqual([text, 400]);
      expectRestError(answer, 'MALFORMED_BODY');
    }
  });

  test('must be valid UTF-8', async () => {
    for (const hex of ['ff', 'c080', 'eda080', 'f4908080', 'e282']) {
      const bytes = Buffer.concat([Buffer.from('{"description":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]);
      expectRestError(await post(bytes), 'MALFORMED_BODY');
    }
    const { body } = await post(Buffer.from('{"description":"Büro 東京 🚪"}'));
    expect(body.description).toBe('Büro 東京 🚪');
  });

  test('may have 1 MiB and not one byte more', async () => {
    const sized = (bytes: number) => `{"description":"x"}`.padEnd(bytes, ' ');
    expect((await post(sized(1_048_576))).status).toBe(201);
    const answer = await post(sized(1_048_577));
    expect(answer.status).toBe(413);
    expectRestError(answer, 'BODY_TOO_LARGE');
    // Also if the length is not announced.
    const chunked = await post(sized(1_048_577), { 'transfer-encoding': 'chunked' });
    expect(chunked.status).toBe(413);
    expectRestError(chunked, 'BODY_TOO_LARGE');
  });

  test('may be packed with gzip, and counts as long as it is unpacked', async () => {
    const gzip = { 'content-encoding': 'gzip' };
    // Compressed beforehand: it takes so long that the server would close the connection meanwhile.
    const packed = gzipSync(Buffer.alloc(200 << 20));
    const { status, body } = await post(gzipSync('{"description":"packed"}'), gzip);
    expect([status, body.description]).toEqual([201, 'packed']);
    expect((await post(gzipSync('{}'.padEnd(1_048_576)), gzip)).status).toBe(201);
    const bomb = await post(packed, gzip);
    expect(bomb.status).toBe(413);
    expectRestError(bomb, 'BODY_TOO_LARGE');
    expectRestError(await post('{}', gzip), 'MALFORMED_BODY');
    expectRestError(await post(gzipSync('{"description":"cut"}').subarray(0, 20), gzip), 'MALFORMED_BODY');
    expectRestError(await post('{}', { 'content-encoding': 'zstd' }), 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('may nest 64 levels deep and not one more', async () => {
    const nested = (depth: number) => `{"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expectRestError(await post(nested(64)), 'UNKNOWN_FIELD', 'x');
    expectRestError(await post(nested(65)), 'BODY_TOO_DEEP');
    expectRestError(await post(`{"x":${'{"y":'.repeat(64)}1${'}'.repeat(64)}}`), 'BODY_TOO_DEEP');
    expectRestError(await post(nested(500_000)), 'BODY_TOO_DEEP');
  });

  test('has no field by the names that JavaScript objects inherit', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'id']) {
      const answer = await post(`{"${name}":{"description":"polluted"}}`);
      expect([name, answer.status]).toEqual([name, 400]);
      expectRestError(answer, name === 'id' ? 'READ_ONLY_FIELD' : 'UNKNOWN_FIELD', name);
    }
    const { body } = await post('{"__proto__":null,"constructor":null}');
    expect(body.description).toBe('');
    expect(Object.hasOwn(Object.prototype, 'description')).toBe(false);
  });

  test('counts the last of a repeated key', async () => {
    const { status, body } = await post('{"description":"one","description":"two"}');
    expect([status, body.description]).toEqual([201, 'two']);
  });

  test('with a misspelt field is refused with the accepted ones, and changes nothing', async () => {
    const answer = await patch('{"description":"changed","descripton":"x"}');
    expectRestError(answer, 'UNKNOWN_FIELD', 'descripton');
    expect(answer.body.msg).toBe('descripton: is not a field of this route. Accepted: description, metadata.');
    expect((await get(`/ip_policies/${policyId}`)).body.description).toBe('first');
  });

  test('with what the server sets is refused, and says so', async () => {
    for (const [field, value] of [
      ['uri', 'https://sallyport.test/'],
      ['created_at', '2026-11-20T21:00:00Z'],
    ] as const) {
      for (const answer of [
        await post(JSON.stringify({ [field]: value })),
        await patch(JSON.stringify({ [field]: value })),
      ]) {
        expectRestError(answer, 'READ_ONLY_FIELD', field);
        expect(answer.body.msg).toBe(`${field}: is set by the server. Leave it out.`);
      }
    }
  });

  test('may repeat the id of the path, and no other id', async () => {
    expect((await patch(JSON.stringify({ id: policyId, description: 'first' }))).status).toBe(200);
    for (const id of ['x', null, 1, `${policyId} `, [policyId]]) {
      expectRestError(await patch(JSON.stringify({ id })), 'INVALID_INPUT', 'id');
    }
  });

  test('of a GET or a DELETE is not read', async () => {
    const path = `/ip_policies/${policyId}`;
    expect((await send(service.url, path, { headers: jsonHeaders, body: '{"x":' })).status).toBe(200);
    const { body } = await post('{}');
    const gone = await send(service.url, `/ip_policies/${body.id}`, {
      method: 'DELETE',
      headers: jsonHeaders,
      body: '{"x":',
    });
    expect([gone.status, gone.bytes.length]).toEqual([204, 0]);
  });
});

describe('the path', () => {
  test('may end in a slash or begin with two, without a redirect', async () => {
    const plain = await get('/ip_policies');
    for (const path of ['/ip_policies/', '//ip_policies', '///ip_policies/', '/ip_policies?']) {
      const { status, body } = await get(path);
      expect({ path, status, body }).toEqual({ path, status: 200, body: plain.body });
    }
    expect((await get(`//ip_policies/${policyId}/`)).body.id).toBe(policyId);
  });

  test('that does not exist is a 404 with or without a key, in exactly these cases of letters', async () => {
    for (const path of ['/nope', '/ip_policies/x/y', '/IP_POLICIES', '/ip_policies//x', '/%ff', '/..%2f', '/%00']) {
      for (const given of [headers, {}]) {
        const answer = await send(service.url, path, { headers: given });
        expect([path, answer.status]).toEqual([path, 404]);
        expectRestError(answer, 'UNKNOWN_ROUTE');
      }
    }
  });

  test('that cannot be decoded is a 404', async () => {
    for (const id of ['%ff', '%', '%zz', '%c0%af', '%ed%a0%80']) {
      const answer = await get(`/ip_policies/${id}`);
      expect([id, answer.status]).toEqual([id, 404]);
      expectRestError(answer, 'UNKNOWN_ROUTE');
    }
  });

  test('with an id that is none is a 404 like any other', async () => {
    const never = await get('/ip_policies/ipp_00000000000000000000000000');
    expectRestError(never, 'NOT_FOUND');
    for (const id of [
      'x',
      'ipp_',
      '%00',
      '%20',
      '..%2f..',
      'a'.repeat(4000),
      policyId.toUpperCase(),
      `${policyId}%0a`,
    ]) {
      const { status, body } = await get(`/ip_policies/${id}`);
      expect({ id, status, body: { ...body, details: {} } }).toEqual({
        id,
        status: 404,
        body: { ...never.body, details: {} },
      });
    }
  });
});

describe('the method', () => {
  test('HEAD answers as GET does, without a body', async () => {
    const head = await send(service.url, `/ip_policies/${policyId}`, { method: 'HEAD', headers });
    const got = await get(`/ip_policies/${policyId}`);
    const comparable = ({ headers: { 'x-request-id': _id, date: _date, ...rest } }: WireAnswer) => rest;
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(comparable(head)).toEqual(comparable(got));
    expect((await send(service.url, '/ip_policies', { method: 'HEAD' })).status).toBe(401);
  });

  const prepared = prepareRoutes(routes, schema);
  const paths = [...new Set(prepared.map(({ route }) => route.path))];

  test.each(paths)('that %s does not have is a 405 that lists those it has', async (path) => {
    const has = prepared.filter(({ route }) => route.path === path).map(({ route }) => route.method);
    const target = path.replace(/\{\w+\}/g, policyId);
    for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'TRACE', 'PROPFIND'] as const) {
      if (has.some((known) => known === method)) continue;
      const answer = await send(service.url, target, { method, headers });
      expect([method, answer.status]).toEqual([method, 405]);
      expectRestError(answer, 'METHOD_NOT_ALLOWED');
      expect(new Set(answer.headers.allow?.split(', '))).toEqual(
        new Set([...(has.includes('GET') ? ['HEAD'] : []), 'OPTIONS', ...has]),
      );
    }
  });

  test('OPTIONS lists the methods and needs no key', async () => {
    const answer = await send(service.url, '/ip_policies', { method: 'OPTIONS' });
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
    expect(answer.headers.allow).toBe('HEAD, POST, GET, OPTIONS');
  });
});

describe('the query', () => {
  test.each([
    ['limit=0', 'INVALID_INPUT', 'limit'],
    ['limit=101', 'INVALID_INPUT', 'limit'],
    ['limit=-1', 'INVALID_INPUT', 'limit'],
    ['limit=', 'INVALID_INPUT', 'limit'],
    ['limit=ten', 'INVALID_INPUT', 'limit'],
    ['limit=1.5', 'INVALID_INPUT', 'limit'],
    ['limit=1e1', 'INVALID_INPUT', 'limit'],
    ['limit=%201', 'INVALID_INPUT', 'limit'],
    ['limit=99999999999', 'INVALID_INPUT', 'limit'],
    ['limit=2147483648', 'INVALID_INPUT', 'limit'],
    ['limit=1&limit=1', 'INVALID_INPUT', 'limit'],
    ['before_id=', 'INVALID_INPUT', 'before_id'],
    ['before_id=junk', 'INVALID_INPUT', 'before_id'],
    ['beforeId=junk', 'INVALID_INPUT', 'before_id'],
    ['before_id=ipx_00000000000000000000000000', 'INVALID_INPUT', 'before_id'],
    ['before_id=ipp_00000000000000000000000000&beforeId=ipp_00000000000000000000000000', 'INVALID_INPUT', 'before_id'],
    ['Limit=1', 'UNKNOWN_FIELD', 'Limit'],
    ['limit%00=1', 'UNKNOWN_FIELD', '(unreadable name)'],
    ['filter=x', 'UNKNOWN_FIELD', 'filter'],
    ['__proto__=x', 'UNKNOWN_FIELD', '__proto__'],
    ['limit[]=1', 'UNKNOWN_FIELD', '(unreadable name)'],
  ])('?%s is refused as %s of %s', async (query, code, field) => {
    expectRestError(await get(`/ip_policies?${query}`), code, field);
  });

  test('takes limit from 1 to 100, and beforeId for before_id', async () => {
    for (const limit of ['1', '100', '007']) expect((await get(`/ip_policies?limit=${limit}`)).status).toBe(200);
    const oldest = policyId;
    expect((await get(`/ip_policies?beforeId=${oldest}`)).body).toEqual({
      ip_policies: [],
      uri: `${baseUrl}/ip_policies`,
      next_page_uri: null,
    });
  });

  test('is refused where a route takes none', async () => {
    expectRestError(await get(`/ip_policies/${policyId}?limit=1`), 'UNKNOWN_FIELD', 'limit');
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const path = method === 'POST' ? '/ip_policies' : `/ip_policies/${policyId}`;
      const answer = await send(service.url, `${path}?description=x`, { method, headers });
      expectRestError(answer, 'UNKNOWN_FIELD', 'description');
    }
  });
});

describe('If-Match', () => {
  test('takes ETags, or a star, and nothing else', async () => {
    const path = `/ip_policies/${policyId}`;
    const { headers: given } = await get(path);
    const send412 = (value: string) =>
      send(service.url, path, { method: 'PATCH', headers: { ...jsonHeaders, 'if-match': value }, body: '{}' });
    expect((await send412(given.etag ?? '')).status).toBe(200);
    expect((await send412('*')).status).toBe(200);
    const stale = await send412('"999"');
    expect(stale.status).toBe(412);
    expectRestError(stale, 'VERSION_CONFLICT');
    // One that a proxy has weakened on its way, and a list: the version that the object has by now is among them.
    expect((await send412(`W/${given.etag}`)).status).toBe(200);
    expect((await send412(`"999", ${given.etag}`)).status).toBe(200);
    const others = '"998", W/"999"';
    for (const other of [others, '"one"', '"-1"', '"1e3"', '"99999999999"']) {
      expectRestError(await send412(other), 'VERSION_CONFLICT');
    }
    const eleven = Array.from({ length: 11 }, (_, index) => `"${index + 900}"`).join();
    for (const wrong of ['', '1', 'w/"1"', eleven]) {
      expectRestError(await send412(wrong), 'INVALID_INPUT', 'If-Match');
    }
    const refused = { method: 'PATCH', headers: { ...jsonHeaders, 'if-none-match': '*' }, body: '{}' };
    expectRestError(await send(service.url, path, refused), 'INVALID_INPUT', 'If-None-Match');
  });
});

describe('If-Match where a route takes none', () => {
  const withoutVersion = prepareRoutes(routes, schema).filter(({ takesIfMatch }) => !takesIfMatch);

  test('is every GET and POST, the list of the rules of a policy, whose version is not that of its rules, and what is of many objects', () => {
    expect(new Set(withoutVersion.map(({ route }) => route.method))).toEqual(new Set(['GET', 'POST', 'PUT']));
    const others = routes.filter(({ method }) => method === 'GET' || method === 'POST').length;
    // Beside the rules: plans, imports, applications, and requests that are undone.
    expect(withoutVersion).toHaveLength(others + 5);
  });

  test.each(withoutVersion.map(({ route }) => [route.method, route.path]))(
    'is refused, not ignored: %s %s',
    async (method, path) => {
      for (const value of ['"1"', '*']) {
        const answer = await send(service.url, path.replace(/\{\w+\}/g, policyId), {
          method,
          headers: { ...jsonHeaders, 'if-match': value },
          ...(method === 'POST' ? { body: '{}' } : {}),
        });
        expect(answer.status).toBe(400);
        expectRestError(answer, 'INVALID_INPUT', 'If-Match');
        expect(answer.body.msg).toBe(
          `If-Match: is not accepted on ${method} ${path}. Send it with a PATCH, PUT or DELETE of one object.`,
        );
      }
    },
  );
});

describe('If-None-Match', () => {
  test('spares the body of what the client has already, and only of that', async () => {
    const path = `/ip_policies/${policyId}`;
    const { etag = '' } = (await get(path)).headers;
    const known = await get(path, { 'if-none-match': etag });
    expect([known.status, known.bytes.length, known.headers.etag]).toEqual([304, 0, etag]);
    expect((await get(path, { 'if-none-match': '"999"' })).status).toBe(200);
    await patch('{"description":"second"}');
    const changed = await get(path, { 'if-none-match': etag });
    expect([changed.status, changed.body.description]).toEqual([200, 'second']);
  });
});

describe('URLs in answers', () => {
  test('begin with BASE_URL, whatever the Host header says', async () => {
    for (const host of ['evil.example', 'a b', '<script>']) {
      expect((await get('/ip_policies', { host })).body.uri).toBe(`${baseUrl}/ip_policies`);
    }
  });

  test('begin with the host that the request was sent to, when there is no BASE_URL', async () => {
    const other = await startService({ baseUrl: null });
    const sent = { headers: restHeaders(other).headers };
    const uri = async (more: Record<string, string>) =>
      (await send(other.url, '/ip_policies', { headers: { ...sent.headers, ...more } })).body.uri;
    expect(await uri({})).toBe(`${other.url}/ip_policies`);
    for (const host of ['api.example.com', 'localhost:4000', '[::1]:4000', '10.0.0.1', 'UPPER.example.', 'a_b']) {
      expect(await uri({ host })).toBe(`http://${host}/ip_policies`);
    }
    // No proxy has been configured as trusted.
    expect(await uri({ host: 'a', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' })).toBe(
      'http://a/ip_policies',
    );
    await other.close();
  });

  test('never carry what is no host', async () => {
    const other = await startService({ baseUrl: null });
    const { headers: sent } = restHeaders(other);
    for (const host of ['a b', '<script>', 'a/b', 'a?b', 'user@a', 'a:b', 'a:123456', '[::1', '..', 'a"', "a'", 'ü']) {
      const answer = await send(other.url, '/ip_policies', { headers: { ...sent, host } });
      expect([host, answer.status]).toEqual([host, 400]);
      expectRestError(answer, 'BAD_REQUEST');
    }
    expect(other.failures).toEqual([]);
    await other.close();
  });

  test('begin with what a trusted proxy says', async () => {
    const other = await startService({ baseUrl: null, trustProxy: 1 });
    const { headers: sent } = restHeaders(other);
    const ask = (more: Record<string, string>) => send(other.url, '/ip_policies', { headers: { ...sent, ...more } });
    const forwarded = { 'x-forwarded-host': 'api.example.com', 'x-forwarded-proto': 'https' };
    expect((await ask(forwarded)).body.uri).toBe('https://api.example.com/ip_policies');
    expectRestError(await ask({ ...forwarded, 'x-forwarded-host': 'a/b' }), 'BAD_REQUEST');
    const odd = await ask({ ...forwarded, 'x-forwarded-proto': 'javascript' });
    expect(odd.body.uri).toBe('http://api.example.com/ip_policies');
    await other.close();
  });
});

describe('CORS', () => {
  const preflight = (url: string, origin: string) =>
    send(url, '/ip_policies', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,service-version',
      },
    });
  const corsHeaders = ({ headers: all }: WireAnswer) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith('access-control-')));

  test('is off unless origins are configured', async () => {
    expect(corsHeaders(await preflight(service.url, 'https://app.example'))).toEqual({});
    expect(corsHeaders(await get('/ip_policies', { origin: 'https://app.example' }))).toEqual({});
  });

  test('lets the configured origins in, and no other', async () => {
    const other = await startService({ corsOrigins: ['https://app.example', 'https://two.example'] });
    expect(corsHeaders(await preflight(other.url, 'https://app.example'))).toEqual({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-methods': 'GET,POST,PATCH,PUT,DELETE',
      'access-control-allow-headers':
        'Authorization,Content-Type,If-Match,Last-Event-ID,Idempotency-Key,Sallyport-Force,Service-Version,Ngrok-Version',
      'access-control-max-age': '600',
      'access-control-expose-headers':
        'ETag,X-Request-Id,Allow,Retry-After,Idempotency-Replayed,Sallyport-Would-Refuse,Sallyport-Key-Expires,RateLimit,RateLimit-Policy',
    });
    const { headers: sent } = restHeaders(other);
    const ask = (origin: string) => send(other.url, '/ip_policies', { headers: { ...sent, origin } });
    expect((await ask('https://two.example')).headers).toMatchObject({
      'access-control-allow-origin': 'https://two.example',
      vary: 'Origin',
    });
    for (const origin of ['https://evil.example', 'null', 'http://app.example', 'https://app.example.evil']) {
      const { headers: answered } = await ask(origin);
      expect(answered['access-control-allow-origin']).toBeUndefined();
      expect(answered['access-control-allow-credentials']).toBeUndefined();
    }
    // The page must be able to read an error, too.
    const refused = await send(other.url, '/ip_policies', { headers: { origin: 'https://app.example' } });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, 'https://app.example']);
    await other.close();
  });
});

describe('every answer', () => {
  test('has its own request id and says nothing of the program', async () => {
    const answers = await Promise.all([get('/ip_policies'), get('/nope'), get('/ip_policies/x'), get('/graphql')]);
    const ids = answers.map(({ headers: { 'x-request-id': id } }) => id);
    expect(new Set(ids).size).toBe(answers.length);
    for (const { headers: answered } of answers) {
      expect(answered['x-request-id']).toMatch(/^op_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      expect(answered).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'private, no-cache' });
      expect(answered).not.toHaveProperty('x-powered-by');
      expect(answered).not.toHaveProperty('server');
    }
  });

  test('of a server that fails shows nothing of the cause, and reports it', async () => {
    const other = await startService();
    const { headers: sent } = restHeaders(other);
    await execute(other.database, 'DROP TABLE "IpPolicyRule"', 'DROP TABLE "IpPolicy"');
    const answer = await send(other.url, '/ip_policies', { headers: sent });
    expect(answer.status).toBe(500);
    expectRestError(answer, 'INTERNAL');
    expect(answer.body.msg).toBe("Internal error. The server's log has the cause under this request ID.");
    expect(String(other.failures)).toContain('IpPolicy');
    expect(other.failures).toHaveLength(1);
    await other.close();
  });
});
