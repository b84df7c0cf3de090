// The proxy configuration that users copy.

import { beforeAll, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { startService, type TestService } from '../../support/service.ts';
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
      .replace('EDGE_ID', id),
  ]);
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
