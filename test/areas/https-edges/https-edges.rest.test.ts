// HTTPS edges and their routes on the REST surface.

import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, type RestAnswer, startService, type TestService } from '../../support/service.ts';

let service: TestService;
let stranger: Client;
beforeAll(async () => {
  service = await startService();
  stranger = await service.otherAccount('stranger');
});

const created = async (path: string, body: unknown) => {
  const answer = await service.rest('POST', path, body);
  expect(answer.status).toBe(201);
  return answer.body;
};
const newEdge = (body: unknown = {}) => created('/edges/https', body);
const newRoute = (edgeId: string, match: string) =>
  created(`/edges/https/${edgeId}/routes`, { match_type: 'path_prefix', match });
const unknownEdge = 'edghts_00000000000000000000000000';
const unknownRoute = 'edghtsrt_00000000000000000000000000';

/** Returns the parts of an answer that a client sees, without those that differ between any two requests. */
function seen({ status, body }: RestAnswer) {
  const { operation_id: _, ...details } = body?.details ?? {};
  return { status, body: body && { ...body, ...(body.details && { details }) } };
}

const notFound = {
  status: 404,
  body: { error_code: 'NOT_FOUND', status_code: 404, msg: 'No such object in this account.', details: {} },
};
const refusal = (error_code: string, field: string, message: string) => ({
  status: 400,
  body: { error_code, status_code: 400, msg: `${field}: ${message}`, details: { field } },
});

describe('POST /edges/https', () => {
  test('answers with every field of the new edge', async () => {
    const hostports = ['b.example.com:443', 'a.example.com:443'];
    const answer = await service.rest('POST', '/edges/https', { hostports, description: 'shop', metadata: '{"a":1}' });
    const { id } = answer.body;
    expect(answer.headers.get('etag')).toBe('"1"');
    expect(seen(answer)).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^edghts_[0-9a-z]{26}$/),
        uri: `https://sallyport.test/edges/https/${id}`,
        created_at: '2026-11-20T21:00:00Z',
        description: 'shop',
        metadata: '{"a":1}',
        hostports,
        signs_identity: false,
        forwards_keys: false,
        routes: [],
      },
    });
  });

  test.each([
    ['hosts that are no list', { hostports: 'a:1' }, 'INVALID_INPUT', 'hostports', 'must be a list or null.'],
    ['a host that is no text', { hostports: [1] }, 'INVALID_INPUT', 'hostports[0]', 'must be a string.'],
    ['routes', { routes: [{}] }, 'READ_ONLY_FIELD', 'routes', 'is set by the server. Leave it out.'],
    ['a typing error', { hostport: ['a:1'] }, 'UNKNOWN_FIELD', 'hostport', expect.stringMatching(/hostports/)],
  ])('refuses %s', async (_, body, code, field, message) => {
    const answer = seen(await service.rest('POST', '/edges/https', body));
    expect(answer.body.error_code).toBe(code);
    expect(answer.body.details.field).toBe(field);
    expect(answer.body.msg.slice(field.length + 2)).toEqual(message);
  });
});

describe('GET /edges/https', () => {
  test('costs as many statements for many edges as for one', async () => {
    const own = await service.otherAccount('count');
    const countStatements = async () => {
      service.statements.length = 0;
      await own.rest('GET', '/edges/https');
      return service.statements.filter((sql) => /Https|Saml/.test(sql)).length;
    };
    const add = async () => {
      const { id } = (await own.rest('POST', '/edges/https', {})).body;
      for (const match of ['/a', '/b']) {
        await own.rest('POST', `/edges/https/${id}/routes`, { match_type: 'exact_path', match });
      }
    };
    await add();
    const forOne = await countStatements();
    for (let count = 0; count < 4; count++) await add();
    // The page, the ids of the routes, and the routes, none of which has ever had a module.
    expect([forOne, await countStatements()]).toEqual([3, 3]);
  });
});

describe('PATCH /edges/https/{id}', () => {
  test('keeps what it leaves out, and what existing clients send for it', async () => {
    const edge = await newEdge({ hostports: ['a.example.com:443'], description: 'd', metadata: 'm' });
    for (const body of [{}, { hostports: [] }, { hostports: null }, { id: edge.id }, { tls_termination: null }]) {
      expect(seen(await service.rest('PATCH', `/edges/https/${edge.id}`, body))).toEqual({ status: 200, body: edge });
    }
  });

  test('changes what it names, and clears the notes with empty text and with null', async () => {
    const edge = await newEdge({ hostports: ['a.example.com:443'], description: 'd', metadata: 'm' });
    const body = { hostports: ['b.example.com:443'], description: '', metadata: null };
    const answer = await service.rest('PATCH', `/edges/https/${edge.id}`, body);
    expect(answer.headers.get('etag')).toBe('"2"');
    expect(seen(answer)).toEqual({
      status: 200,
      body: { ...edge, hostports: ['b.example.com:443'], description: '', metadata: '' },
    });
    expect((await service.rest('GET', `/edges/https/${edge.id}`)).body).toEqual(answer.body);
  });
});

describe('DELETE /edges/https/{id}', () => {
  test('takes the routes with it', async () => {
    const edge = await newEdge();
    const route = await newRoute(edge.id, '/');
    expect(seen(await service.rest('DELETE', `/edges/https/${edge.id}`))).toEqual({ status: 204, body: undefined });
    expect(seen(await service.rest('GET', `/edges/https/${edge.id}/routes/${route.id}`))).toEqual(notFound);
    expect((await service.graphql(`{ node(id: "${route.id}") { id } }`)).data).toEqual({ node: null });
    expect(seen(await service.rest('DELETE', `/edges/https/${edge.id}`))).toEqual(notFound);
  });

  test('refuses an edge that has got a route since it was seen', async () => {
    const edge = await newEdge();
    await newRoute(edge.id, '/');
    const answer = await service.rest('DELETE', `/edges/https/${edge.id}`, undefined, { 'If-Match': '"1"' });
    expect(answer.status).toBe(412);
    expect((await service.rest('GET', `/edges/https/${edge.id}`)).body.routes).toHaveLength(1);
  });
});

describe('POST /edges/https/{edge_id}/routes', () => {
  test('answers with every field of the new route, which the edge shows as well', async () => {
    const edge = await newEdge();
    const answer = await service.rest('POST', `/edges/https/${edge.id}/routes`, {
      edge_id: edge.id,
      match_type: 'exact_path',
      match: '/app',
      description: 'd',
      metadata: 'm',
    });
    const { id } = answer.body;
    expect(answer.headers.get('etag')).toBe('"1"');
    expect(seen(answer)).toEqual({
      status: 201,
      body: {
        edge_id: edge.id,
        id: expect.stringMatching(/^edghtsrt_[0-9a-z]{26}$/),
        uri: `https://sallyport.test/edges/https/${edge.id}/routes/${id}`,
        created_at: '2026-11-20T21:00:00Z',
        match_type: 'exact_path',
        match: '/app',
        description: 'd',
        metadata: 'm',
        saml: null,
        oidc: null,
        ip_restriction: null,
        backend: null,
      },
    });
    expect((await service.rest('GET', `/edges/https/${edge.id}/routes/${id}`)).body).toEqual(answer.body);
    const second = await newRoute(edge.id, '/');
    expect((await service.rest('GET', `/edges/https/${edge.id}`)).body).toEqual({
      ...edge,
      routes: [second, answer.body],
    });
  });

  test.each([['/'], ['/a//b/../%2e'], ['/ä/日本'], [`/${'a'.repeat(1023)}`]])(
    'keeps the path %s as it is',
    async (match) => {
      const { id } = await newEdge();
      expect((await newRoute(id, match)).match).toBe(match);
    },
  );

  const start = 'must be a path that starts with "/".';
  const alone = 'must be a path alone, without a query (?) or a fragment (#).';
  test.each([
    ['an empty path', '', start],
    ['a path without a slash', 'a', start],
    ['a URL', 'https://a/', start],
    ['a query', '/a?b', alone],
    ['a fragment', '/a#b', alone],
    ['a line break', '/a\nb', 'must not contain control characters.'],
    ['DEL', '/\u007f', 'must not contain control characters.'],
    ['NUL', '/\u0000', 'must not contain the NUL character (U+0000).'],
    ['1,025 bytes', `/${'ü'.repeat(512)}`, 'must be at most 1024 bytes of UTF-8; it has 1025.'],
    ['a number', 1, 'must be a string.'],
    ['null', null, 'must be a string.'],
  ])('refuses %s', async (_, match, message) => {
    const { id } = await newEdge();
    const answer = await service.rest('POST', `/edges/https/${id}/routes`, { match_type: 'exact_path', match });
    expect(seen(answer)).toEqual(refusal('INVALID_INPUT', 'match', message));
  });

  test('refuses a path that the edge has, whatever the match type, and takes it on another edge', async () => {
    const [one, other] = [await newEdge(), await newEdge()];
    await newRoute(one.id, '/a');
    const answer = await service.rest('POST', `/edges/https/${one.id}/routes`, {
      match_type: 'exact_path',
      match: '/a',
    });
    const message = 'The edge already has a route for this path. Update or delete that one.';
    expect(seen(answer)).toEqual(refusal('DUPLICATE', 'match', message));
    expect((await service.rest('GET', `/edges/https/${one.id}`)).headers.get('etag')).toBe('"2"');
    await newRoute(other.id, '/a');
    await newRoute(one.id, '/A');
  });
});

describe('PATCH /edges/https/{edge_id}/routes/{id}', () => {
  test('keeps what it leaves out, and what existing clients send for it', async () => {
    const edge = await newEdge();
    const route = await newRoute(edge.id, '/');
    const path = `/edges/https/${edge.id}/routes/${route.id}`;
    const bodies = [
      {},
      { match: '', match_type: '' },
      { match: null, match_type: null },
      { saml: null },
      { ip_restriction: null, backend: null },
    ];
    for (const body of [...bodies, { id: route.id, edge_id: edge.id }]) {
      const answer = await service.rest('PATCH', path, body);
      expect(answer.headers.get('etag')).toBe('"1"');
      expect(seen(answer)).toEqual({ status: 200, body: route });
    }
  });

  test('changes what it names, and counts up the version of the route and of the edge', async () => {
    const edge = await newEdge();
    const route = await newRoute(edge.id, '/');
    const path = `/edges/https/${edge.id}/routes/${route.id}`;
    const body = { match_type: 'exact_path', match: '/b', description: 'd', metadata: 'm' };
    const answer = await service.rest('PATCH', path, body, { 'If-Match': '"1"' });
    expect(answer.headers.get('etag')).toBe('"2"');
    expect(seen(answer)).toEqual({ status: 200, body: { ...route, ...body } });
    expect((await service.rest('PATCH', path, body, { 'If-Match': '"1"' })).status).toBe(412);
    const read = await service.rest('GET', `/edges/https/${edge.id}`, undefined, { 'If-None-Match': '"2"' });
    expect([read.status, read.headers.get('etag'), read.body.routes]).toEqual([200, '"3"', [answer.body]]);
    const again = await service.rest('GET', `/edges/https/${edge.id}`, undefined, { 'If-None-Match': '"3"' });
    expect(seen(again)).toEqual({ status: 304, body: undefined });
  });

  test('refuses the path of another route of the edge', async () => {
    const edge = await newEdge();
    await newRoute(edge.id, '/a');
    const { id } = await newRoute(edge.id, '/b');
    const answer = await service.rest('PATCH', `/edges/https/${edge.id}/routes/${id}`, { match: '/a' });
    const message = 'The edge already has a route for this path. Update or delete that one.';
    expect(seen(answer)).toEqual(refusal('DUPLICATE', 'match', message));
  });
});

describe('DELETE /edges/https/{edge_id}/routes/{id}', () => {
  test('takes the route from its edge, and is 404 the second time', async () => {
    const edge = await newEdge();
    const { id } = await newRoute(edge.id, '/');
    const path = `/edges/https/${edge.id}/routes/${id}`;
    expect((await service.rest('DELETE', path, undefined, { 'If-Match': '"7"' })).status).toBe(412);
    expect(seen(await service.rest('DELETE', path))).toEqual({ status: 204, body: undefined });
    const read = await service.rest('GET', `/edges/https/${edge.id}`);
    expect([read.headers.get('etag'), read.body]).toEqual(['"3"', edge]);
    expect(seen(await service.rest('DELETE', path))).toEqual(notFound);
  });
});

describe('a route or module of an edge that is unknown, of another account or not its own', () => {
  const requests: [method: string, suffix: string, body?: unknown][] = [
    ['GET', ''],
    ['PATCH', '', { description: 'x' }],
    ['PATCH', '', {}],
    ['DELETE', ''],
    ['GET', '/saml'],
    ['PUT', '/saml', { idp_metadata: '<EntityDescriptor entityID="a"/>' }],
    ['DELETE', '/saml'],
  ];

  test.each(requests)('is not found by %s %s', async (method, suffix, body) => {
    const [one, other] = [await newEdge(), await newEdge()];
    const route = await newRoute(one.id, '/');
    const foreignEdge = (await stranger.rest('POST', '/edges/https', {})).body.id;
    const foreignRoute = (
      await stranger.rest('POST', `/edges/https/${foreignEdge}/routes`, { match_type: 'exact_path', match: '/' })
    ).body.id;
    const places = [
      [one.id, unknownRoute],
      [unknownEdge, route.id],
      [other.id, route.id],
      [foreignEdge, foreignRoute],
      [one.id, foreignRoute],
      [foreignEdge, route.id],
      [route.id, one.id],
      [one.id, 'x'],
    ];
    for (const [edgeId, routeId] of places) {
      const answer = await service.rest(method, `/edges/https/${edgeId}/routes/${routeId}${suffix}`, body);
      expect(seen(answer)).toEqual(notFound);
    }
    expect((await service.rest('GET', `/edges/https/${one.id}/routes/${route.id}`)).body).toEqual(route);
  });
});
