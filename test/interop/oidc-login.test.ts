// Logins by OpenID Connect with real parts: Chromium, nginx with the configuration from `deploy`, and the certified oidc-provider.

import { expect, onTestFinished, test } from 'vitest';
import { parseRange } from '../../src/domain/ip/cidr.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import type { LoginFailure, SessionEvent } from '../../src/surfaces/gate/session-events.ts';
import { proxyKinds, untilListening } from '../process/gate-support.ts';
import { chromium } from '../support/browser.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { freePort } from '../support/free-port.ts';
import { ofOneServer, startService } from '../support/service.ts';
import { shown, startApplication } from './login-application.ts';
import { enterPassword, launchBrowser } from './login-browser.ts';
import { clientId, clientSecret, startOidcProvider } from './openid-provider.ts';

const nginx = proxyKinds.find(({ name, isInstalled }) => name === 'nginx' && isInstalled);
const runs = nginx !== undefined && chromium !== undefined;
if (!runs)
  process.stderr.write('nginx or Chromium is not installed: the test of logins at oidc-provider is skipped.\n');

const ours = 'http://sallyport.test';
const host = 'app.example.com';
const app = `https://${host}`;

test.skipIf(!runs)('a person logs in and out at oidc-provider, behind nginx', async () => {
  // The provider's certificate is its own.
  const strict = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  onTestFinished(() => {
    if (strict === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = strict;
  });
  const dns = await startDnsServer({ 'idp.test': ['127.0.0.1'] });
  onTestFinished(() => dns.close());
  const [events, refusals]: [SessionEvent[], LoginFailure[]] = [[], []];
  const now = () => new Date();
  const overrides = {
    now,
    baseUrl: ours,
    sessionHappened: (event: SessionEvent) => events.push(event),
    loginFailed: (failure: LoginFailure) => refusals.push(failure),
    outgoing: createOutgoing({
      outgoingNetworks: [parseRange('networks', '127.0.0.0/8')],
      outgoingDns: [dns.address],
    }),
  };
  const service = ofOneServer(await startService(overrides, { now }));
  onTestFinished(() => service.close());
  const { id: edge } = (await service.rest('POST', '/edges/https', { hostports: [`${host}:443`] })).body;
  const match = { match_type: 'path_prefix', match: '/' };
  const { id: route } = (await service.rest('POST', `/edges/https/${edge}/routes`, match)).body;
  const idp = await startOidcProvider('idp.test', { [ours]: service.url });
  const configure = (settings: object) => {
    const client = {
      issuer: idp.issuer,
      client_id: clientId,
      client_secret: clientSecret,
    };
    return service.rest('PUT', `/edges/https/${edge}/routes/${route}/oidc`, { ...client, ...settings });
  };
  const { body: module } = await configure({ authorized_groups: ['staff'] });
  const { redirect_url: redirectUrl, backchannel_logout_url: backchannelLogoutUrl } = module;
  const roll = await idp.start({ redirectUrl, backchannelLogoutUrl });

  const [port, appPort, gatePort] = [await freePort(), await startApplication(), Number(new URL(service.url).port)];
  nginx?.start({ port, gatePort, appPort, edge, host, tls: true });
  await untilListening(port);
  const browser = await launchBrowser({ [host]: port, 'sallyport.test': gatePort, 'idp.test': idp.port });
  const newTab = async () => (await browser.createBrowserContext()).newPage();
  const told = { name: 'amy-at-the-provider', groups: 'staff,admins', mail: 'amy@example.com' };

  // With groups and address in the user information.
  const tab = await newTab();
  await tab.goto(`${app}/reports?page=2`);
  await enterPassword(tab);
  expect(await shown(tab, host)).toEqual({ url: '/reports?page=2', ...told });
  await configure({ authorized_groups: ['board'] });
  expect((await tab.goto(`${app}/other`))?.status()).toBe(403);
  await configure({});

  const second = await newTab();
  await second.goto(`${app}/second`);
  await enterPassword(second);
  expect(await shown(second, host)).toEqual({ url: '/second', ...told });

  const logOutThere = async (page: typeof tab) => {
    await page.waitForSelector('#out');
    await Promise.all([page.waitForNavigation(), page.click('#out')]);
  };
  // The person leaves the application in one browser: the provider knows who it is, and asks for the password the next time.
  await tab.goto(`${app}/.sallyport/logout`);
  await logOutThere(tab);
  expect(new URL(tab.url()).origin).toBe(idp.issuer);
  await tab.goto(`${app}/again`);
  await enterPassword(tab);
  expect(await shown(tab, host)).toEqual({ url: '/again', ...told });

  // The person leaves the provider in the other one, which tells us from server to server.
  await second.goto(`${idp.issuer}/session/end`);
  await logOutThere(second);
  await second.goto(`${app}/once-more`);
  await enterPassword(second);
  expect(await shown(second, host)).toEqual({ url: '/once-more', ...told });
  await tab.goto(`${app}/still-in`);
  expect(await shown(tab, host)).toEqual({ url: '/still-in', ...told });

  // With both in the ID token, signed by a key that is new: the login begins anew by itself, and the provider asks only once.
  expect(refusals).toEqual([]);
  await roll();
  const third = await newTab();
  await third.goto(`${app}/third`);
  await enterPassword(third);
  expect(await shown(third, host)).toEqual({ url: '/third', ...told });
  expect(refusals.map(({ reason, ledOn }) => [reason, ledOn])).toEqual([['signature', true]]);

  expect(events.map(({ event, reason, sessions }) => [event, reason, sessions])).toEqual([
    ['login', 'requested', 1],
    ['login', 'requested', 1],
    ['logout', 'user', 1],
    // The provider tells everybody, also who began it.
    ['logout', 'identity_provider', 0],
    ['login', 'requested', 1],
    ['logout', 'identity_provider', 1],
    ['login', 'requested', 1],
    ['login', 'requested', 1],
  ]);
  expect(service.failures).toEqual([]);
});
