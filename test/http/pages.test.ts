import { get, type IncomingMessage } from 'node:http';
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { html } from '../../src/http/pages/html.ts';
import { startService, type TestService } from '../support/service.ts';
import { read } from '../support/source-files.ts';

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
        about: 'Management API for the entrances of a network: IP policies, SSH host certificates and edge modules.',
        links: {
          graphql: `${service.url}/graphql`,
          docs: `${service.url}/docs`,
          openapi: `${service.url}/openapi.json`,
          schema: `${service.url}/schema.graphql`,
        },
      },
    });
  });

  test('gives browsers a page whose links all lead somewhere', async () => {
    const response = await fetch(service.url, asBrowser);
    const page = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const links = [...page.matchAll(/href="(\/[^"]*)"/g)].map(([, link = '']) => link);
    const statuses = await Promise.all(links.map(async (link) => (await fetch(service.url + link, asBrowser)).status));
    expect(Object.fromEntries(links.map((link, index) => [link, statuses[index]]))).toEqual({
      '/graphql': 200,
      '/docs': 200,
      '/openapi.json': 200,
      '/schema.graphql': 200,
    });
  });
});

describe('the descriptions', () => {
  test('are the files that are checked in', async () => {
    const openApi = await fetch(`${service.url}/openapi.json`);
    expect(openApi.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await openApi.text()).toBe(read('openapi.json'));
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
      // `fetch` asks past all caches when it is given this header.
      new Promise<IncomingMessage>((resolve) => get(`${service.url}/openapi.json`, { headers }, resolve));
    const plain = await ask({});
    const packed = await ask({ 'Accept-Encoding': 'gzip' });
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(plain.headers.etag).not.toBe(packed.headers.etag);
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
    expect(policy.match(/default-src '(none|self)'/)).not.toBeNull();
    const sources = policy.split(';').flatMap((directive) => directive.trim().split(' ').slice(1));
    expect(sources.filter((source) => !/^('.*'|data:|blob:)$/.test(source))).toEqual([]);
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
