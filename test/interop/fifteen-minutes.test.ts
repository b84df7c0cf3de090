// Follows the page "A login in front of your app in fifteen minutes" as a reader does: every command, in order, in one shell,
// with a real nginx; the login in between uses Chromium and SimpleSAMLphp.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { proxyKinds } from '../process/gate-support.ts';
import { programFile, run, statusOf, temporaryDirectory, until } from '../process/support.ts';
import { chromium } from '../support/browser.ts';
import { testDatabase } from '../support/database.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryPaths } from '../support/nginx.ts';
import { read, root } from '../support/source-files.ts';
import { enterPassword, launchBrowser, textAt } from './login-browser.ts';
import { clientId, clientSecret, startOidcProvider } from './openid-provider.ts';
import { startShell } from './shell.ts';
import { isInstalled, startSimpleSamlPhp } from './simplesamlphp.ts';

const page = read('docs/login-in-fifteen-minutes.md');
/** The blocks of the page, with the last heading of a part for one protocol before each; empty outside of such a part. */
const blocks = [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language = '', 2: text = '' }) => {
  const [, level = '', title = ''] = [...page.slice(0, index).matchAll(/^(##+) (.*)$/gm)].at(-1) ?? [];
  return { language, text, protocol: level === '###' ? title : '' };
});
/** Returns what a reader pastes who uses a protocol. */
const textsFor = (protocol: 'OpenID Connect' | 'SAML') =>
  blocks.filter((block) => ['', protocol].includes(block.protocol)).map(({ text }) => text);

const hasNginx = proxyKinds.some(({ name, isInstalled: is }) => name === 'nginx' && is);
const hasTools = ['curl', 'openssl', 'bash'].every((name) => existsSync(`/usr/bin/${name}`));
const runs = hasNginx && hasTools && chromium !== undefined;
if (!runs || !isInstalled) {
  process.stderr.write(
    'SimpleSAMLphp, nginx, Chromium, curl or OpenSSL is not installed: the page on the first login is not tested.\n',
  );
}

test('every block of the page is one that a reader runs', () => {
  expect(blocks.length).toBeGreaterThan(10);
  expect(blocks.filter(({ language }) => language !== 'sh')).toEqual([]);
  expect(new Set(blocks.map(({ protocol }) => protocol))).toEqual(new Set(['', 'OpenID Connect', 'SAML']));
});

/**
 * What a machine has before its operator reads the page: the clone, nginx, and the metadata of the identity provider.
 *
 * @param settings environment variables besides
 */
async function startMachine(idpMetadata: string, settings: Record<string, string> = {}) {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory, name);
  symlinkSync(join(root, 'deploy'), at('deploy'));
  writeFileSync(at('idp-metadata.xml'), idpMetadata);
  for (const name of ['bin', 'nginx', 'nginx/conf.d', 'nginx/tmp']) mkdirSync(at(name));
  // The program is already installed and built, once for all tests.
  const npm = `#!/bin/sh\ncase $1 in ci) ;; start) exec node ${programFile('dist/main.js')} ;; *) exit 1 ;; esac\n`;
  writeFileSync(at('bin/npm'), npm, { mode: 0o755 });
  writeFileSync(
    at('nginx/nginx.conf'),
    `worker_processes 1; pid ${at('nginx/nginx.pid')}; error_log stderr;
    events {} http { access_log off; ${temporaryPaths(at('nginx/tmp'))} include ${at('nginx/conf.d')}/*.conf; }`,
  );
  const nginx = ['-e', 'stderr', '-c', at('nginx/nginx.conf')];
  run('nginx', [...nginx, '-g', 'daemon off;']);
  const [port, appPort, httpsPort] = [await freePort(), await freePort(), await freePort()];
  const environment = {
    PATH: `${at('bin')}:${process.env.PATH}`,
    HOME: directory,
    ...(await testDatabase({ migrated: false })).environment,
    NGINX_DIR: at('nginx'),
    RELOAD_NGINX: ['nginx', ...nginx, '-s', 'reload'].join(' '),
    HTTPS_PORT: String(httpsPort),
    PORT: String(port),
    APP_PORT: String(appPort),
    ...settings,
  };
  await until(() => existsSync(at('nginx/nginx.pid')));
  return { at, environment, url: `http://127.0.0.1:${port}`, httpsPort };
}

test.skipIf(!runs || !isInstalled)('the page leads to a login by SAML, to groups, and back', async () => {
  const idp = await startSimpleSamlPhp('http://idp.test');
  const machine = await startMachine(idp.metadata);
  const shell = startShell(machine.at('.'), machine.environment);
  const texts = textsFor('SAML');
  const place = texts.findIndex((text) => text.includes('in a browser'));
  const [groups = '', ...end] = texts.slice(place + 1);

  const said = await shell.paste(texts.slice(0, place + 1).join('\n'));
  expect(said.replace(/(edghts|edghtsrt)_\w{26}/g, '$1_...').replace(/state=\S+/, 'state=...')).toBe(
    [
      'Sallyport is ready',
      'edge edghts_...',
      '{"data":{"httpsEdgeRoute":{"saml":{"idpMetadataWarnings":[]}}}}',
      'a program gets 401 ',
      'a browser gets 302 https://login.example.com/saml/edghtsrt_.../login?state=...',
      'the metadata of https://login.example.com/saml/edghtsrt_... is in sallyport-metadata.xml',
      'Open https://app.example.com/ in a browser.',
      '',
    ].join('\n'),
  );
  // What the reader does at the identity provider.
  idp.register(readFileSync(machine.at('sallyport-metadata.xml'), 'utf8'));

  const ports = { 'app.example.com': machine.httpsPort, 'login.example.com': machine.httpsPort, 'idp.test': idp.port };
  const browser = await launchBrowser(ports);
  const tab = await browser.newPage();
  const app = 'https://app.example.com/';
  await tab.goto(app);
  await enterPassword(tab);
  expect(await textAt(tab, 'app.example.com', 'You')).toBe('You are amy, in the groups staff,admins.');
  await shell.paste(groups);
  expect((await tab.goto(app))?.status()).toBe(200);
  await shell.paste(groups.replace('staff', 'board'));
  expect((await tab.goto(app))?.status()).toBe(403);
  const reference = /op_\w{26}/.exec(await textAt(tab, 'app.example.com', 'Reference'))?.[0] ?? 'no reference';
  await until(async () => (await shell.paste(`grep ${reference} sallyport.log || true`)).includes('"reason":"groups"'));

  // The API and the gate are not public, and the key appears nowhere.
  for (const path of ['ip_policies', 'gate/forward-auth/x', 'metrics', 'graphql']) {
    expect((await tab.goto(`https://login.example.com/${path}`))?.status()).toBe(404);
  }
  const key = (await shell.paste('echo "$API_KEY"')).trim();
  expect(key).toMatch(/^[0-9a-f]{40}$/);
  expect(readFileSync(machine.at('sallyport.log'), 'utf8')).not.toContain(key);

  await shell.paste(end.join('\n'));
  expect(readdirSync(machine.at('nginx/conf.d'))).toEqual([]);
  await until(async () => (await statusOf(machine.url, '/readyz')) === 0);
});

test.skipIf(!runs)('the page leads to a login by OpenID Connect', async () => {
  const dns = await startDnsServer({ 'idp.test': ['127.0.0.1'] });
  onTestFinished(() => dns.close());
  // The addresses are known once the route is there.
  const ours: Record<string, string> = {};
  const idp = await startOidcProvider('idp.test', ours);
  const machine = await startMachine('', {
    OIDC_ISSUER: idp.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OUTGOING_NETWORKS: '127.0.0.0/8',
    OUTGOING_DNS: dns.address,
    // The provider's certificate is its own.
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  });
  ours['https://login.example.com'] = `https://127.0.0.1:${machine.httpsPort}`;
  const shell = startShell(machine.at('.'), machine.environment);
  const texts = textsFor('OpenID Connect');
  const known = texts.findIndex((text) => text.includes('redirect URI'));
  const place = texts.findIndex((text) => text.includes('in a browser'));

  const redirectUrl = /redirect URI: (\S+)/.exec(await shell.paste(texts.slice(0, known + 1).join('\n')))?.[1] ?? '';
  await idp.start({ redirectUrl, backchannelLogoutUrl: redirectUrl.replace('callback', 'backchannel-logout') });
  const said = await shell.paste(texts.slice(known + 1, place + 1).join('\n'));
  expect(said.replace(/edghtsrt_\w{26}/g, 'edghtsrt_...').replace(/state=\S+/, 'state=...')).toBe(
    [
      `the provider is ${idp.issuer}`,
      'a program gets 401 ',
      'a browser gets 302 https://login.example.com/oidc/edghtsrt_.../login?state=...',
      'back-channel logout: https://login.example.com/oidc/edghtsrt_.../backchannel-logout',
      'Open https://app.example.com/ in a browser.',
      '',
    ].join('\n'),
  );

  const ports = { 'app.example.com': machine.httpsPort, 'login.example.com': machine.httpsPort, 'idp.test': idp.port };
  const browser = await launchBrowser(ports);
  const tab = await browser.newPage();
  await tab.goto('https://app.example.com/');
  await enterPassword(tab);
  expect(await textAt(tab, 'app.example.com', 'You')).toBe('You are amy-at-the-provider, in the groups staff,admins.');
  await shell.paste(texts[place + 1] ?? '');
  expect((await tab.goto('https://app.example.com/'))?.status()).toBe(200);

  // The provider ends the session, through the same public address.
  await tab.goto(`${idp.issuer}/session/end`);
  await tab.waitForSelector('#out');
  await Promise.all([tab.waitForNavigation(), tab.click('#out')]);
  await tab.goto('https://app.example.com/');
  await tab.waitForSelector('#password');
  expect(readFileSync(machine.at('sallyport.log'), 'utf8')).not.toContain(clientSecret);
  await shell.paste(texts.slice(place + 2).join('\n'));
});
