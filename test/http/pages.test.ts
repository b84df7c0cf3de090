import { get, type IncomingMessage } from 'node:http';
import { buildClientSchema, buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restrictionTypes } from '../../src/domain/ip/restriction-types.ts';
import { schema } from '../../src/graphql/schema.ts';
import { html } from '../../src/surfaces/kit/html.ts';
import { startService, type TestService } from '../support/service.ts';
import { read } from '../support/source-files.ts';
import { startWholeServer } from '../support/whole-server.ts';
import { send } from './wire.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ baseUrl: null });
});
afterAll(() => service.close());

const pages = ['/', '/docs', '/graphql'];
const asBrowser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

describe('GET /', () => {
  test('tells programs what this is and where everything is', async () => {
    const response = await fetch(service.url);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: {
        name: 'Sallyport',
        about:
          'Self-hosted API for controlling network ingress: IP policies, SSH host certificates, and the login, TLS and backend settings of edges.',
        links: {
          graphql: `${service.url}/graphql`,
          docs: `${service.url}/docs`,
          openapi: `${service.url}/openapi.json`,
          schema: `${service.url}/schema.graphql`,
          configuration: `${service.url}/schema.json`,
        },
      },
    });
  });

  test('gives browsers a page whose links all lead somewhere', async () => {
    const server = await startWholeServer(service);
    const response = await fetch(server.url, asBrowser);
    const page = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const links = new Set([...page.matchAll(/href="(\/[^"]*)"/g)].map(([, link = '']) => link));
    const statusOf = async (link: string) => [link, (await fetch(server.url + link, asBrowser)).status];
    expect(Object.fromEntries(await Promise.all([...links].map(statusOf)))).toEqual({
      '/': 200,
      '/graphql': 200,
      '/docs': 200,
      '/openapi.json': 200,
      '/schema.graphql': 200,
      '/schema.json': 200,
      '/healthz': 200,
      '/readyz': 200,
    });
    server.cut();
  });

  test('says what is enforced and what is not, as the README does', async () => {
    const page = (await (await fetch(service.url, asBrowser)).text()).replace(/\s+/g, ' ').toLowerCase();
    const [, enforced = '', others = ''] = /what is enforced\.(.*?)not enforced:(.*?)<\/p>/.exec(page) ?? [];
    const rows = [...read('README.md').matchAll(/^\| \*\*(.*?)\*\* \| (.*) \|$/gm)];
    const partsThatAre = (state: RegExp) =>
      rows.flatMap(([, parts = '', today = '']) => (state.test(today) ? parts.toLowerCase().split(', ') : []));
    const [guarding, stored] = [partsThatAre(/^Enforced by/), partsThatAre(/^(Evaluated|Stored)/)];
    expect([guarding.length, guarding.filter((part) => !enforced.includes(part))]).toEqual([2, []]);
    expect([stored.length, stored.filter((part) => !others.includes(part))]).toEqual([2, []]);
    expect(read('README.md')).toContain('Enforced for all types: `api`');
    const named = (text: string) => [...text.matchAll(/<code>(\w+)<\/code>/g)].map(([, type]) => type);
    expect([named(enforced).sort(), named(others)]).toEqual([[...restrictionTypes].sort(), []]);
  });
});

describe('the parts of GraphiQL', () => {
  test('are those that the page names, and are not sent again to those who have them', async () => {
    const page = await (await fetch(`${service.url}/graphql`, asBrowser)).text();
    const named = [...page.matchAll(/(?:src|href)="(\/graphql\/[^"]*)"/g)].map(([, path = '']) => path);
    const workers = ['editor', 'graphql', 'json'].map((name) => `/graphql/${name}.worker.js`);
    for (const path of [...named, ...workers, '/graphql/introspection.json']) {
      const first = await send(service.url, path);
      const again = await send(service.url, path, { headers: { 'if-none-match': String(first.headers.etag) } });
      expect([path, first.status, again.status, again.bytes.length]).toEqual([path, 200, 304, 0]);
    }
    expect(named).toHaveLength(4);
  });

  test('have the schema, for which introspection would need a key', async () => {
    const { data } = await (await fetch(`${service.url}/graphql/introspection.json`)).json();
    expect(printSchema(buildClientSchema(data))).toBe(printSchema(lexicographicSortSchema(schema)));
    expect((await fetch(`${service.url}/graphql?query={__schema{queryType{name}}}`)).status).toBe(401);
  });
});

describe('the descriptions', () => {
  test('are the files that are checked in', async () => {
    const openApi = await fetch(`${service.url}/openapi.json`);
    expect(openApi.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await openApi.text()).toBe(read('openapi.json'));
    const documents = await fetch(`${service.url}/schema.json`);
    expect(documents.headers.get('content-type')).toBe('application/schema+json; charset=utf-8');
    expect(await documents.text()).toBe(read('configuration.schema.json'));
    const served = await (await fetch(`${service.url}/schema.graphql`)).text();
    expect(served.trim()).toBe(printSchema(lexicographicSortSchema(schema)));
    const checkedIn = lexicographicSortSchema(buildSchema(read('schema.graphql')));
    expect(printSchema(lexicographicSortSchema(buildSchema(served)))).toBe(printSchema(checkedIn));
  });

  test('name the version header that is configured', async () => {
    const other = await startService({ versionHeaders: ['Api-Version'] });
    const { components } = JSON.parse(await (await fetch(`${other.url}/openapi.json`)).text());
    await other.close();
    expect(components.securitySchemes.version.name).toBe('Api-Version');
  });

  test('are not sent again to those who have them', async () => {
    const ask = (headers: Record<string, string>) =>
      // With this header, `fetch` bypasses all caches.
      new Promise<IncomingMessage>((resolve) => get(`${service.url}/openapi.json`, { headers }, resolve));
    const plain = await ask({});
    const packed = await ask({ 'Accept-Encoding': 'gzip' });
    const smallest = await ask({ 'Accept-Encoding': 'gzip, deflate, br' });
    const all = [plain, packed, smallest];
    expect(all.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br']);
    expect(new Set(all.map(({ headers }) => headers.etag)).size).toBe(3);
    expect((await ask({ 'If-None-Match': plain.headers.etag ?? '' })).statusCode).toBe(304);
    expect((await ask({ 'If-None-Match': '"another"' })).statusCode).toBe(200);
  });

  test('answer other methods with those that they have', async () => {
    const answer = await service.rest('POST', '/openapi.json', {});
    expect([answer.status, answer.body.error_code, answer.headers.get('allow')]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      'HEAD, GET, OPTIONS',
    ]);
  });
});

describe('the protection of the pages', () => {
  test.each(pages)('%s may load nothing from elsewhere, and be put into no frame', async (path) => {
    const policy = (await fetch(service.url + path, asBrowser)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'none'");
    expect(policy.match(/script-src ([^;]*)/)?.[1]).toMatch(/^'(self|sha256-[\w+/]+=)'$/);
    const sources = policy.split(';').flatMap((directive) => directive.trim().split(' ').slice(1));
    expect(sources.filter((source) => !/^('.*'|data:)$/.test(source))).toEqual([]);
  });

  test.each(pages)('%s asks for HTTPS only where people come by HTTPS', async (path) => {
    const secure = await startService({ baseUrl: 'https://sallyport.test' });
    const plain = await fetch(service.url + path, asBrowser);
    const encrypted = await fetch(secure.url + path, asBrowser);
    await secure.close();
    expect(plain.headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests');
    expect(plain.headers.get('strict-transport-security')).toBeNull();
    expect(encrypted.headers.get('strict-transport-security')).toBe('max-age=15552000');
  });
});

test('what is put into a page cannot end the place that it is put in', () => {
  const { text } = html`<a href="${'"><script>'}">${"<b> & 'c'"}</a>${[html`<i>${'<'}</i>`]}`;
  expect(text).toBe('<a href="&#34;&#62;&#60;script&#62;">&#60;b&#62; &#38; &#39;c&#39;</a><i>&#60;</i>');
});
