// How the dashboard reaches a browser: one page for all of its paths, and files that browsers may cache forever.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDashboard } from '../../src/surfaces/dashboard/files.ts';
import { startService, type TestService } from '../support/service.ts';
import { send } from './wire.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<base href="./" />
<meta name="session" content="none" />
<script type="module" src="assets/index-B2xk.js"></script>
</head>
</html>
`;
const script = 'export const answer = 42;\n'.repeat(20);

let directory: string;
let service: TestService;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'dashboard-'));
  await mkdir(join(directory, 'dashboard/assets'), { recursive: true });
  await writeFile(join(directory, 'secret.txt'), 'outside');
  const write = (name: string, content: string | Buffer) => writeFile(join(directory, 'dashboard', name), content);
  await write('index.html', page);
  await write('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await write('assets/index-B2xk.js', script);
  await write('assets/index-B2xk.js.br', brotliCompressSync(script));
  await write('assets/index-B2xk.js.gz', gzipSync(script));
  await write('assets/plain-9sQw.css', 'body { margin: 0 }');
  service = await startService({ baseUrl: null, dashboard: readDashboard(join(directory, 'dashboard')) });
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
  await rm(directory, { recursive: true });
});

const asBrowser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = (path: string, headers: Record<string, string> = {}) => send(service.url, path, { headers });
const baseOf = (text: string) => /<base href="([^"]*)" \/>/.exec(text)?.[1] ?? null;

describe('the page', () => {
  test('is the same for every path below the dashboard, and finds its files from there', async () => {
    const paths = {
      '/dashboard/': './',
      '/dashboard/ssh': './',
      '/dashboard/ssh/': '../',
      '/dashboard/ssh/sshca_1': '../',
      '/dashboard/a/b/c?tab=1': '../../',
      '/dashboard//a': '../',
      '/dashboard/a%2Fb': './',
    };
    for (const [path, base] of Object.entries(paths)) {
      const { status, headers, bytes } = await get(path, asBrowser);
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect([path, baseOf(bytes.toString())]).toEqual([path, base]);
      // Below any prefix that a proxy strips.
      for (const prefix of ['', '/door', '/a/b']) {
        const file = new URL('assets/index-B2xk.js', new URL(base, `https://proxy.test${prefix}${path}`));
        expect(file.pathname).toBe(`${prefix}/dashboard/assets/index-B2xk.js`);
      }
      expect(bytes.toString().replace(`"${base}"`, '"./"')).toBe(page);
    }
  });

  test('may load nothing but its own files, and runs no script of its text', async () => {
    const { headers } = await get('/dashboard/ssh', asBrowser);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';connect-src 'self';" +
        "base-uri 'self';form-action 'self';frame-ancestors 'none'",
    );
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cache-control': 'private, no-cache',
    });
    // On plain HTTP, browsers must not be told to use HTTPS.
    expect(headers['strict-transport-security']).toBeUndefined();
  });

  test('says of a session only that a cookie of one has come, which may be of none', async () => {
    const tagOf = async (cookie: string | null) => {
      const { headers, bytes } = await get(
        '/dashboard/ssh',
        cookie === null ? asBrowser : { ...asBrowser, Cookie: cookie },
      );
      return [/<meta name="session" content="(\w+)" \/>/.exec(bytes.toString())?.[1], headers.etag];
    };
    const [none, tagOfNone] = await tagOf(null);
    const [maybe, tagOfMaybe] = await tagOf(`sallyport_session=${'x'.repeat(43)}`);
    expect([none, maybe]).toEqual(['none', 'maybe']);
    // A browser that has one of the pages does not have the other.
    expect(tagOfMaybe).not.toBe(tagOfNone);
    for (const cookie of ['other=1', 'sallyport_session=', 'sallyport_session="><script>']) {
      expect([cookie, ...(await tagOf(cookie))]).toEqual([cookie, none, tagOfNone]);
    }
  });

  test('is not sent again to those who have it', async () => {
    const first = await get('/dashboard/ssh', asBrowser);
    const etag = String(first.headers.etag);
    const again = await get('/dashboard/ssh', { ...asBrowser, 'If-None-Match': etag });
    expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
    // At another depth, the page differs.
    expect((await get('/dashboard/ssh/x', { ...asBrowser, 'If-None-Match': etag })).status).toBe(200);
  });

  test('answers HEAD without a body, and other methods with those that it has', async () => {
    const head = await send(service.url, '/dashboard/ssh', { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, String(page.length), 0]);
    const post = await send(service.url, '/dashboard/ssh', { method: 'POST' });
    expect([post.status, post.body.error_code, post.headers.allow]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      'HEAD, GET, OPTIONS',
    ]);
  });
});

describe('a file', () => {
  const path = '/dashboard/assets/index-B2xk.js';

  test.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, br;q=0', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
    ['deflate', undefined, (bytes: Buffer) => bytes],
    [undefined, undefined, (bytes: Buffer) => bytes],
  ])('is sent to those who take "%s" as %s', async (accepted, encoding, unpack) => {
    const { status, headers, bytes } = await get(path, accepted === undefined ? {} : { 'Accept-Encoding': accepted });
    expect([status, headers['content-encoding'], unpack(bytes).toString()]).toEqual([200, encoding, script]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
      'content-length': String(bytes.length),
    });
  });

  test('has a tag for each form of it', async () => {
    const plain = await get(path);
    const packed = await get(path, { 'Accept-Encoding': 'br' });
    expect(plain.headers.etag).not.toBe(packed.headers.etag);
    const known = { 'If-None-Match': String(packed.headers.etag) };
    expect((await get(path, { 'Accept-Encoding': 'br', ...known })).status).toBe(304);
    expect((await get(path, known)).status).toBe(200);
  });

  test('that the build did not compress is sent as it is', async () => {
    const { headers, bytes } = await get('/dashboard/assets/plain-9sQw.css', { 'Accept-Encoding': 'gzip, br' });
    expect([headers['content-encoding'], bytes.toString()]).toEqual([undefined, 'body { margin: 0 }']);
  });

  test('without a hash in its name is asked for again', async () => {
    const { headers } = await get('/dashboard/icon.svg');
    expect([headers['content-type'], headers['cache-control']]).toEqual(['image/svg+xml', 'private, no-cache']);
  });

  test('that is none is a 404, and no way leads out of the directory', async () => {
    for (const unknown of ['assets/index-old.js', 'assets/', 'assets/index-B2xk.js.br', 'assets/../../secret.txt']) {
      const { status, body } = await get(`/dashboard/${unknown}`);
      expect([unknown, status, body.error_code]).toEqual([unknown, 404, 'UNKNOWN_ROUTE']);
    }
    for (const outside of ['../secret.txt', '..%2fsecret.txt', '%2e%2e/secret.txt', '..\\secret.txt']) {
      const { bytes } = await get(`/dashboard/${outside}`);
      expect(bytes.toString()).not.toContain('outside');
    }
    expect((await get('/dashboard/%ff')).status).toBe(404);
  });
});

describe('the way to the dashboard', () => {
  /** Resolves the redirect of a path as a browser does that sees the service below a prefix. */
  const seenAt = async (path: string, prefix: string) => {
    const { status, headers } = await get(path, asBrowser);
    const target = new URL(String(headers.location), `https://proxy.test${prefix}${path}`);
    return [status, headers.location, target.pathname + target.search];
  };

  test.each(['', '/door'])('leads browsers there below "%s"', async (prefix) => {
    expect(await seenAt('/', prefix)).toEqual([302, 'dashboard/', `${prefix}/dashboard/`]);
    expect(await seenAt('/dashboard', prefix)).toEqual([302, 'dashboard/', `${prefix}/dashboard/`]);
    expect(await seenAt('/dashboard?a=1', prefix)).toEqual([302, 'dashboard/?a=1', `${prefix}/dashboard/?a=1`]);
  });

  test('leaves programs what they had, and the start page at its own address', async () => {
    const { status, body, headers } = await get('/', { Accept: '*/*' });
    expect([status, body.name, headers.vary]).toEqual([200, 'Sallyport', 'Accept']);
    const start = await get('/start', asBrowser);
    expect([start.status, start.bytes.toString()]).toEqual([200, expect.stringContaining('Your first calls')]);
  });
});

describe('a server without a built dashboard', () => {
  test('starts, says what to do, and has its start page where it was', async () => {
    expect(readDashboard(join(directory, 'missing'))).toBeNull();
    const other = await startService();
    const { status, body } = await send(other.url, '/dashboard/', { headers: asBrowser });
    expect([status, body.error_code, body.msg]).toEqual([
      503,
      'UNAVAILABLE',
      'The dashboard has not been built. Run "npm run build", then start the server again.',
    ]);
    const start = await send(other.url, '/', { headers: asBrowser });
    expect([start.status, start.bytes.toString()]).toEqual([200, expect.stringContaining('Your first calls')]);
    await other.close();
  });
});
