// The proxy configuration that users copy.

import { beforeAll, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { type Client, createClient, startService, type TestService } from '../../support/service.ts';
import { read } from '../../support/source-files.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

const edgeOf = async (...hostports: string[]): Promise<string> =>
  (await service.rest('POST', '/edges/https', { hostports })).body.id;
const ask = (id: string, args: string) =>
  service.graphql(`query ($id: ID!) { httpsEdge(id: $id) { proxyConfiguration(${args}) { name text } } }`, { id });
const filesOf = async (id: string, args: string) => dataOf(await ask(id, args)).httpsEdge.proxyConfiguration;

test('is the file of deploy, filled in for the first host, this service and the usual application', async () => {
  const id = await edgeOf('shop.example.org:443', 'b.example.org:8443');
  const [{ name, text }] = await filesOf(id, 'proxy: caddy');
  const edge = `# For shop.example.org:443 of the HTTPS edge ${id}. Change the certificate, if one is named, and the addresses where they are others.`;
  expect([name, text]).toEqual([
    'Caddyfile',
    read('deploy/caddy/Caddyfile')
      .replace(/^# Change .*$/m, edge)
      .replace('app.example.com {', 'shop.example.org {')
      .replace('EDGE_ID', id)
      .replace('. For an edge with forwards_keys, leave out the last two lines', ''),
  ]);
});

test('lets Caddy pass on API keys for an edge that forwards them, as the others do by the answer of the gate', async () => {
  const id = await edgeOf('shop.example.org:443');
  const authorization = async () => {
    const [{ text }] = await filesOf(id, 'proxy: caddy');
    return text.split('\n').filter((line: string) => /Authorization|The application/.test(line));
  };
  expect(await authorization()).toEqual([
    '\t\t# The application gets neither the cookies of the gate nor an API key.',
    '\t\t@program header_regexp Authorization "(?i)^Bearer +sallyport_"',
    '\t\trequest_header @program -Authorization',
  ]);
  await service.rest('PATCH', `/edges/https/${id}`, { forwards_keys: true });
  expect(await authorization()).toEqual(['\t\t# The application does not get the cookies of the gate.']);
});

test('is null for an edge without hosts', async () => {
  expect(await filesOf(await edgeOf(), 'proxy: envoy')).toBeNull();
});

test.each([
  ['hostport: "other.example.org:443"', 'hostport', 'must be one of the `hostports` of the edge.'],
  ...['8080', 'a b:80', 'a:0', 'a:99999', 'a;b:80', 'a:80\\n', '[::g]:80', `${'a'.repeat(300)}:80`].map((place) => [
    `application: "${place}"`,
    'application',
    'must be a host and a port, such as 10.0.0.5:8080 or [2001:db8::1]:8080.',
  ]),
  ['service: "http://a:80"', 'service', 'must be a host and a port, such as 10.0.0.5:8080 or [2001:db8::1]:8080.'],
])('is refused with %s', async (args, field, message) => {
  const answer = errorOf(await ask(await edgeOf('shop.example.org:443'), `proxy: haproxy, ${args}`));
  expect(answer).toEqual({ code: 'INVALID_INPUT', field, message: `${field}: ${message}` });
});

describe('without an application', () => {
  const backendOf = async (input: object) => (await service.rest('POST', '/backends/tunnel_group', input)).body.id;
  const addRoute = async (edge: string, match: string, backend?: object) => {
    const route = { match_type: 'path_prefix', match, ...(backend && { backend }) };
    expect((await service.rest('POST', `/edges/https/${edge}/routes`, route)).status).toBe(201);
  };
  const linesOf = async (edge: string, client: Client = service) => {
    const document = 'query ($id: ID!) { httpsEdge(id: $id) { proxyConfiguration(proxy: caddy) { text } } }';
    const [{ text }] = dataOf(await client.graphql(document, { id: edge })).httpsEdge.proxyConfiguration;
    const lines: string[] = text.split('\n');
    return {
      notes: lines.slice(2, lines.indexOf('')),
      leads: lines.filter((line) => /path_regexp|reverse_proxy/.test(line)).map((line) => line.trim()),
    };
  };

  test('everything leads to the targets of the only backend', async () => {
    const edge = await edgeOf('shop.example.org:443');
    const backend_id = await backendOf({ targets: ['10.0.0.5:80', 'b.internal:80'], tls: 'none' });
    await addRoute(edge, '/', { backend_id });
    await addRoute(edge, '/caf\u00e9', { backend_id });
    expect(await linesOf(edge)).toEqual({ notes: [], leads: ['reverse_proxy 10.0.0.5:80 b.internal:80'] });
  });

  test('paths lead to the targets of their backends, and the file says what is missing', async () => {
    const edge = await edgeOf('shop.example.org:443');
    await addRoute(edge, '/', { backend_id: await backendOf({ targets: ['10.0.0.5:80'], tls: 'none' }) });
    await addRoute(edge, '/a', {
      backend_id: await backendOf({ targets: ['10.0.0.6:443'], description: 'shop\nfront' }),
    });
    await addRoute(edge, '/b', { backend_id: await backendOf({ tls: 'none', description: 'mail' }) });
    await addRoute(edge, '/c', {
      enabled: false,
      backend_id: await backendOf({ targets: ['10.0.0.7:80'], tls: 'none' }),
    });
    await addRoute(edge, '/d');
    const here = '127.0.0.1:8080';
    expect(await linesOf(edge)).toEqual({
      notes: [
        '# The targets of the backend "shop\\nfront" expect TLS (`tls`: passthrough), which the proxy has decrypted. So the route "/a" leads to 127.0.0.1:8080.',
        '# The backend "mail" has no targets. So the route "/b" leads to 127.0.0.1:8080.',
      ],
      leads: [
        ...['a', 'b', 'c', 'd'].flatMap((path, index) => [
          `@path${index + 1} path_regexp ^/${path}`,
          `reverse_proxy @path${index + 1} ${here}`,
        ]),
        'reverse_proxy 10.0.0.5:80',
      ],
    });
    // Who names the application does not depend on the backends.
    const [{ text }] = await filesOf(edge, 'proxy: caddy, application: "10.9.9.9:80"');
    expect(text).not.toMatch(/path_regexp|has no targets/);
  });

  test('is refused where proxies would compare a path differently', async () => {
    const edge = await edgeOf('shop.example.org:443');
    await addRoute(edge, '/', { backend_id: await backendOf({ targets: ['10.0.0.5:80'], tls: 'none' }) });
    await addRoute(edge, '/a b');
    expect(errorOf(await ask(edge, 'proxy: caddy'))).toEqual({
      code: 'INVALID_INPUT',
      field: 'application',
      message:
        'application: must be given: the routes lead to different servers, and not all proxies compare the path "/a b" as the gate does.',
    });
  });

  test('a key that may not read backends learns nothing of them', async () => {
    const edge = await edgeOf('shop.example.org:443');
    await addRoute(edge, '/', { backend_id: await backendOf({ targets: ['10.0.0.5:80'], tls: 'none' }) });
    const { body: key } = await service.rest('POST', '/api_keys', { scopes: ['https-edges:read'] });
    expect(await linesOf(edge, createClient(service.url, key.token))).toEqual({
      notes: ['# Everything leads to 127.0.0.1:8080: the key that asked lacks "backends:read".'],
      leads: ['reverse_proxy 127.0.0.1:8080'],
    });
  });
});
