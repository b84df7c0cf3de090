// A production install: small, with everything that the server and the command line need.

import { cpSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { byEngine, testDatabase } from '../support/database.ts';
import { root } from '../support/source-files.ts';
import { apiKey, endOf, npm, rest, run, temporaryDirectory, until } from './support.ts';

/** Returns the size of a directory on disk, in MiB. */
function mebibytes(directory: string): number {
  const blocks = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(directory, name)).blocks)
    .reduce((sum, count) => sum + count, 0);
  return (blocks * 512) / 1024 ** 2;
}

const registry = async () => (await endOf(npm('ping', '--fetch-retries=0', '--fetch-timeout=5000'))).code === 0;

test('a production install is under 220 MB, under 35 MB after npm run slim, boots, and serves both surfaces', async (context) => {
  if (!(await registry())) {
    process.stderr.write('npm cannot reach its registry: the test of the production install is skipped.\n');
    context.skip();
  }
  expect((await endOf(run(process.execPath, [join(root, 'build.js')]))).code).toBe(0);
  const tree = temporaryDirectory();
  const at = (path: string) => join(tree, path);
  for (const path of [
    'package.json',
    'package-lock.json',
    'build.js',
    'bundle.js',
    'dist',
    'deploy',
    'prisma/migrations',
  ]) {
    cpSync(join(root, path), at(path), { recursive: true });
  }
  // Without scripts, because they would compile SQLite: the existing binary is copied instead.
  const options = ['--omit=dev', '--omit=optional', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  const installed = await endOf(npm('ci', '--prefix', tree, ...options));
  expect([installed.code, installed.errors]).toEqual([0, expect.not.stringContaining('EBADENGINE')]);
  const binary = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
  mkdirSync(join(at(binary), '..'), { recursive: true });
  cpSync(join(root, binary), at(binary));
  expect(mebibytes(at('node_modules'))).toBeLessThan(220);
  expect((await endOf(run(process.execPath, [at('deploy/slim.js')]))).errors).toBe('');
  expect(mebibytes(at('node_modules'))).toBeLessThan(35);

  const environment = {
    PORT: '0',
    ...(await testDatabase({ migrated: false })).environment,
    BOOTSTRAP_API_KEY: apiKey,
    NODE_ENV: 'production',
  };
  const server = run(process.execPath, [at('dist/main.js')], environment);
  await until(() => server.printed.out.includes('\n') || server.child.exitCode !== null);
  const url = /^Sallyport is listening on (\S+)$/m.exec(server.printed.out)?.[1] ?? '';
  expect((await rest(url, 'POST', '/ip_policies', { description: 'office' })).status).toBe(201);
  const query = '{ ipPolicies { nodes { description } } }';
  const answer = await rest(url, 'POST', '/graphql', { query });
  expect(await answer.json()).toEqual({ data: { ipPolicies: { nodes: [{ description: 'office' }] } } });
  for (const [path, sign] of [
    ['/', 'Sallyport'],
    ['/dashboard/', '<div id="root"'],
    ['/docs', 'swagger'],
    ['/docs/swagger-ui-bundle.js', 'SwaggerUIBundle'],
    ['/graphql', 'GraphiQL'],
    ['/openapi.json', '"openapi"'],
    ['/schema.graphql', 'type Query'],
    ['/ssh/host.sh', '#!/bin/sh'],
    ['/ssh/client.sh', '#!/bin/sh'],
    ['/metrics', 'sallyport_ready 1'],
  ] as const) {
    const page = await fetch(url + path, { headers: { Accept: 'text/html,*/*' } });
    expect([path, page.status, await page.text()]).toEqual([path, 200, expect.stringContaining(sign)]);
  }
  const cli = (...args: string[]) => endOf(run(process.execPath, [at('dist/cli.js'), ...args], environment));
  if (inject('engine') === 'sqlite') {
    expect(await cli('backup', at('copy.db'))).toMatchObject({ code: 0, errors: '' });
  }
  const { code, out, errors } = await cli('doctor');
  const found = out.split('\n').filter((line) => !/^(ok {2}|$)/.test(line));
  // The PostgreSQL of the tests does not survive a crash of its machine.
  expect(found).toEqual(byEngine({ sqlite: [], postgresql: [expect.stringMatching(/^fail {2}durability: /)] }));
  expect([code, errors]).toEqual([found.length, '']);
  expect(await cli('ssh-authority', 'create', '--type', 'rsa')).toMatchObject({ code: 0, errors: '' });
  // The program is not built again, because the tools for that are gone.
  expect(await endOf(run('npm', ['run', 'cli', '--prefix', tree, '--', 'key', 'list'], environment))).toMatchObject({
    code: 0,
    out: expect.stringContaining('First key'),
  });
});
