// A login with real parts: Chromium, nginx with the configuration of `deploy`, and SimpleSAMLphp.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import puppeteer, { type Page } from 'puppeteer-core';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionEvent } from '../../src/gate/session-events.ts';
import { freePort, run, temporaryDirectory, until } from '../process/support.ts';
import { chromium } from '../support/browser.ts';
import { makeIdpKey } from '../support/identity-provider.ts';
import { startService } from '../support/service.ts';
import { root } from '../support/source-files.ts';
import { isInstalled, startSimpleSamlPhp, user } from './simplesamlphp.ts';

const hasNginx = spawnSync('nginx', ['-v']).status === 0;
const runs = isInstalled && hasNginx && chromium !== undefined;
if (!runs)
  process.stderr.write('SimpleSAMLphp, nginx or Chromium is not installed: the test of whole logins is skipped.\n');

const ours = 'http://sallyport.test';
const theirs = 'http://idp.test';
const app = 'https://app.example.com';

/** An application that says who it was told is there. */
async function startApplication(): Promise<number> {
  const port = await freePort();
  const server = createServer(({ headers, url }, reply) => {
    const { 'remote-user': name, 'remote-groups': groups, 'remote-email': mail } = headers;
    reply.setHeader('Content-Type', 'application/json');
    reply.end(JSON.stringify({ url, name, groups, mail }));
  }).listen(port, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return port;
}

/** Starts nginx for the application, with certificates that nobody trusts. */
async function startNginx(gatePort: number, appPort: number, edgeId: string): Promise<number> {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory, name);
  const port = await freePort();
  const { privateKey, certificatePem } = makeIdpKey();
  writeFileSync(at('key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(at('certificate.pem'), certificatePem);
  const configuration = ['gate.conf', 'app.example.com.conf']
    .map((name) => readFileSync(join(root, 'deploy/nginx', name), 'utf8'))
    .join('\n')
    .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${gatePort}`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${appPort}`)
    .replaceAll('/etc/nginx/app.example.com.pem', at('certificate.pem'))
    .replaceAll('/etc/nginx/app.example.com.key', at('key.pem'))
    .replaceAll('EDGE_ID', edgeId);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    mkdirSync(at(name));
    return `${name}_temp_path ${at(name)};`;
  });
  writeFileSync(
    at('nginx.conf'),
    `worker_processes 1; daemon off; pid ${at('nginx.pid')}; error_log stderr;
    events {} http { access_log off; ${paths.join(' ')} ${configuration} }`,
  );
  run('nginx', ['-e', 'stderr', '-p', directory, '-c', at('nginx.conf')]);
  await until(() =>
    fetch(`https://127.0.0.1:${port}`).then(
      () => true,
      (error: Error) => !/ECONNREFUSED/.test(String(error.cause)),
    ),
  );
  return port;
}

/** Tells in the browser whether it shows the application. */
const isShown = `location.host === 'app.example.com' && !!document.body?.innerText.startsWith('{')`;
const shown = async (page: Page): Promise<unknown> =>
  JSON.parse((await page.evaluate('document.body.innerText')) as string);

test.skipIf(!runs)('a person logs in and out with a browser, begun here or at the identity provider', async () => {
  const now = () => new Date();
  const events: SessionEvent[] = [];
  const sessionHappened = (event: SessionEvent) => events.push(event);
  const service = await startService({ now, baseUrl: ours, sessionHappened }, { now });
  onTestFinished(() => service.close());
  const { id: edgeId } = (await service.rest('POST', '/edges/https', { hostports: ['app.example.com:443'] })).body;
  const route = async (match: string, settings: object | null) => {
    const body = { match_type: 'path_prefix', match };
    const { id } = (await service.rest('POST', `/edges/https/${edgeId}/routes`, body)).body;
    const path = `/edges/https/${edgeId}/routes/${id}/saml`;
    const put = async (more: object) => (await service.rest('PUT', path, { ...settings, ...more })).body;
    return { id, put };
  };
  const placeholder = '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp"/>';
  const staff = await route('/staff', { authorized_groups: ['staff'] });
  await route('/open', null);
  const module = await staff.put({ idp_metadata: placeholder });
  const idp = await startSimpleSamlPhp(theirs, {
    entityId: module.entity_id,
    acs: module.assertion_consumer_service_url,
    slo: module.single_logout_url,
    certificatePem: module.request_signing_certificate_pem,
  });
  await staff.put({ idp_metadata: idp.metadata });
  const nginxPort = await startNginx(Number(new URL(service.url).port), await startApplication(), edgeId);

  const rules = [
    `MAP sallyport.test 127.0.0.1:${new URL(service.url).port}`,
    `MAP idp.test 127.0.0.1:${idp.port}`,
    `MAP app.example.com 127.0.0.1:${nginxPort}`,
    'MAP * ~NOTFOUND',
  ];
  const browser = await puppeteer.launch({
    executablePath: chromium ?? '',
    acceptInsecureCerts: true,
    args: ['--no-sandbox', '--disable-dev-shm-usage', `--host-resolver-rules=${rules.join(', ')}`],
  });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();

  await page.goto(`${app}/open`);
  expect(await shown(page)).toEqual({ url: '/open' });
  /** Goes to a page of the application, and logs in on the way. */
  const logIn = async (url: string) => {
    await page.goto(url);
    // It goes from page to page by itself.
    await page.waitForFunction(
      `location.host === 'idp.test' && document.readyState === 'complete' && !!document.querySelector('#password')`,
    );
    await page.type('#username', user.name);
    await page.type('#password', user.password);
    await page.keyboard.press('Enter');
    await page.waitForFunction(isShown);
  };
  await logIn(`${app}/staff/reports?page=2`);
  expect(page.url()).toBe(`${app}/staff/reports?page=2`);
  const told = { name: 'amy', groups: 'staff,admins', mail: 'amy@example.com' };
  expect(await shown(page)).toEqual({ url: '/staff/reports?page=2', ...told });
  await page.goto(`${app}/staff/other`);
  expect(await shown(page)).toEqual({ url: '/staff/other', ...told });

  await staff.put({ idp_metadata: idp.metadata, authorized_groups: ['board'] });
  expect((await page.goto(`${app}/staff/other`))?.status()).toBe(403);

  // Without our session, and with the one at the identity provider: it begins the login, and asks for nothing.
  await staff.put({ idp_metadata: idp.metadata });
  const cookies = await browser.cookies();
  await browser.deleteCookie(...cookies.filter(({ domain }) => domain === 'app.example.com'));
  const begin = new URL('/saml2/idp/SSOService.php', theirs);
  begin.searchParams.set('spentityid', module.entity_id);
  begin.searchParams.set('RelayState', `${app}/staff/from-there`);
  // The page posts by itself, which ends the first navigation early.
  await page.goto(begin.href).catch(() => null);
  await page.waitForFunction(isShown);
  expect(await shown(page)).toEqual({ url: '/staff/from-there', ...told });

  // The user logs out, here and there: the next login asks for credentials.
  await page.goto(`${app}/.sallyport/logout`);
  await page.waitForFunction(`document.body?.innerText.includes('You are logged out.')`);
  expect(page.url()).toMatch(new RegExp(`^${ours}/saml/[^/]+/slo\\?SAMLResponse=`));
  await logIn(`${app}/staff/again`);

  // The identity provider logs him out: the next request here is not his any more.
  await page.goto(`${theirs}/saml2/idp/SingleLogoutService.php?ReturnTo=${encodeURIComponent(`${app}/open`)}`);
  await page.waitForFunction(isShown);
  expect(await shown(page)).toEqual({ url: '/open' });
  await logIn(`${app}/staff/once-more`);
  expect(events.map(({ event, reason, sessions }) => [event, reason, sessions])).toEqual([
    ['login', 'requested', 1],
    ['login', 'unsolicited', 1],
    ['logout', 'user', 1],
    ['login', 'requested', 1],
    ['logout', 'identity_provider', 1],
    ['login', 'requested', 1],
  ]);
});
