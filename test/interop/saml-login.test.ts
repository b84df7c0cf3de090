// Logins with real parts: Chromium, the proxies with the configurations from `deploy`, and SimpleSAMLphp.

import { expect, onTestFinished, test } from 'vitest';
import type { SessionEvent } from '../../src/surfaces/gate/session-events.ts';
import { proxyKinds, untilListening } from '../process/gate-support.ts';
import { chromium } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { ofOneServer, startService } from '../support/service.ts';
import { shown, startApplication } from './login-application.ts';
import { enterPassword, launchBrowser, textAt } from './login-browser.ts';
import { isInstalled, startSimpleSamlPhp } from './simplesamlphp.ts';

const proxies = proxyKinds.filter((kind) => kind.isInstalled);
const runs = isInstalled && proxies.length > 0 && chromium !== undefined;
if (!runs) {
  process.stderr.write('SimpleSAMLphp, Chromium or a proxy is not installed: the test of whole logins is skipped.\n');
}

const ours = 'http://sallyport.test';
const theirs = 'http://idp.test';

test.skipIf(!runs)(
  `a person logs in and out with a browser, behind ${proxies.map(({ name }) => name).join(', ')}`,
  async () => {
    const now = () => new Date();
    const events: SessionEvent[] = [];
    const sessionHappened = (event: SessionEvent) => events.push(event);
    const service = ofOneServer(await startService({ now, baseUrl: ours, sessionHappened }, { now }));
    onTestFinished(() => service.close());
    const gatePort = Number(new URL(service.url).port);
    const hosts = proxies.map(({ name }) => `${name.toLowerCase()}.example.com`);
    const edge = await service.rest('POST', '/edges/https', { hostports: hosts.map((host) => `${host}:443`) });
    const edgeId = edge.body.id;
    const route = async (match: string) => {
      const body = { match_type: 'path_prefix', match };
      return (await service.rest('POST', `/edges/https/${edgeId}/routes`, body)).body.id;
    };
    await route('/open');
    const path = `/edges/https/${edgeId}/routes/${await route('/staff')}/saml`;
    const idp = await startSimpleSamlPhp(theirs);
    const configure = async (authorizedGroups: string[]) => {
      const settings = { idp_metadata: idp.metadata, authorized_groups: authorizedGroups };
      return (await service.rest('PUT', path, settings)).body;
    };
    const module = await configure(['staff']);
    const readOwnMetadata = async () => (await fetch(module.metadata_url.replace(ours, service.url))).text();
    idp.register(await readOwnMetadata());

    const appPort = await startApplication();
    const ports: Record<string, number> = { 'sallyport.test': gatePort, 'idp.test': idp.port };
    for (const [index, proxy] of proxies.entries()) {
      const host = hosts[index] ?? '';
      const port = await freePort();
      proxy.start({ port, gatePort, appPort, edge: edgeId, host, tls: true });
      await untilListening(port);
      ports[host] = port;
    }
    const browser = await launchBrowser(ports);
    const nobody = { name: '', groups: '', mail: '' };
    const told = { name: 'amy', groups: 'staff,admins', mail: 'amy@example.com' };

    for (const host of hosts) {
      // A new context for each, without the session that the previous one has at the identity provider.
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      const app = `https://${host}`;
      await page.goto(`${app}/open`);
      expect(await shown(page, host)).toEqual({ url: '/open', ...nobody });
      await page.goto(`${app}/staff/reports?page=2`);
      await enterPassword(page);
      expect(await shown(page, host)).toEqual({ url: '/staff/reports?page=2', ...told });
      expect(page.url()).toBe(`${app}/staff/reports?page=2`);
      await page.goto(`${app}/staff/other`);
      expect(await shown(page, host)).toEqual({ url: '/staff/other', ...told });

      await configure(['board']);
      expect((await page.goto(`${app}/staff/other`))?.status()).toBe(403);
      expect(await textAt(page, host, 'Reference')).toMatch(
        /^Access denied\s+You do not have [^<]*Reference: op_\w{26}$/,
      );
      await page.goto(`${app}/open`);
      expect(await shown(page, host)).toEqual({ url: '/open', ...nobody });

      await configure(['staff']);
      // The rest is the same behind all proxies.
      if (host !== hosts[0]) continue;

      // Without our session, but with one at the identity provider, which begins the login and asks for nothing.
      await context.deleteCookie(...(await context.cookies()).filter(({ domain }) => domain === host));
      const begin = new URL('/saml2/idp/SSOService.php', theirs);
      begin.searchParams.set('spentityid', module.entity_id);
      begin.searchParams.set('RelayState', `${app}/staff/from-there`);
      // The page submits a form by itself, which ends the first navigation early.
      await page.goto(begin.href).catch(() => null);
      expect(await shown(page, host)).toEqual({ url: '/staff/from-there', ...told });

      // The user logs out, here and there: the next login asks for credentials.
      await page.goto(`${app}/.sallyport/logout`);
      await textAt(page, new URL(ours).host, 'You are logged out.');
      expect(page.url()).toMatch(new RegExp(`^${ours}/saml/[^/]+/slo\\?SAMLResponse=`));
      await page.goto(`${app}/staff/again`);
      await enterPassword(page);
      expect(await shown(page, host)).toEqual({ url: '/staff/again', ...told });

      // The identity provider logs the user out: the next request here asks for credentials again.
      await page.goto(`${theirs}/saml2/idp/SingleLogoutService.php?ReturnTo=${encodeURIComponent(`${app}/open`)}`);
      expect(await shown(page, host)).toEqual({ url: '/open', ...nobody });
      await page.goto(`${app}/staff/once-more`);
      await enterPassword(page);
      expect(await shown(page, host)).toEqual({ url: '/staff/once-more', ...told });
      expect(events.splice(0).map(({ event, reason, sessions }) => [event, reason, sessions])).toEqual([
        ['login', 'requested', 1],
        ['login', 'unsolicited', 1],
        // Both sessions of the browser, also that of which it has no cookie any more.
        ['logout', 'user', 2],
        ['login', 'requested', 1],
        ['logout', 'identity_provider', 1],
        ['login', 'requested', 1],
      ]);

      // Encryption with AES-128-CBC, and signatures of one part alone, for which our metadata must not ask for both. Meanwhile our keys are
      // replaced, step by step, and the identity provider reads them late.
      const registerAgain = async () =>
        idp.register((await readOwnMetadata()).replace(' WantAssertionsSigned="true"', ''));
      const rotate = async (step: string) =>
        expect((await service.rest('PUT', `${path}/keys`, { step })).body).toMatchObject({ state: expect.any(String) });
      await registerAgain();
      for (const [prepare, manner, seen] of [
        [null, { 'assertion.encryption': true, 'nameid.encryption': true }, 'Signature EncryptedAssertion'],
        // It still encrypts for the former key, then for the next one, and then checks requests that this one signs.
        [
          () => rotate('announce'),
          { 'assertion.encryption': true, 'saml20.sign.response': false },
          'EncryptedAssertion',
        ],
        [
          registerAgain,
          { 'assertion.encryption': true, 'saml20.sign.assertion': false },
          'Signature EncryptedAssertion',
        ],
        [
          () => rotate('take_over'),
          { 'nameid.encryption': true, 'saml20.sign.assertion': false },
          'Signature EncryptedID',
        ],
        [() => rotate('drop_former'), { 'assertion.encryption': true }, 'Signature EncryptedAssertion'],
        [registerAgain, { 'saml20.sign.assertion': false }, 'Signature'],
      ] as const) {
        await prepare?.();
        idp.configure(manner);
        // Who has logged in before stays so.
        await page.goto(`${app}/staff/once-more`);
        expect(await shown(page, host)).toEqual({ url: '/staff/once-more', ...told });
        const another = await browser.createBrowserContext();
        const first = await another.newPage();
        const sent: string[] = [];
        first.on('request', (request) => {
          const form = new URLSearchParams(request.postData() ?? '').get('SAMLResponse');
          if (form !== null) sent.push(Buffer.from(form, 'base64').toString());
        });
        await first.goto(`${app}/staff/manner`);
        await enterPassword(first);
        expect(await shown(first, host)).toEqual({ url: '/staff/manner', ...told });
        const parts = [...(sent[0] ?? '').matchAll(/<\w+:(Signature|EncryptedAssertion|EncryptedID)[ >]/g)];
        expect(parts.map(([, name]) => name).join(' ')).toBe(seen);
        if ('nameid.encryption' in manner) {
          // A request to log out, with the name encrypted, too.
          await first.goto(`${theirs}/saml2/idp/SingleLogoutService.php?ReturnTo=${encodeURIComponent(`${app}/open`)}`);
          expect(await shown(first, host)).toEqual({ url: '/open', ...nobody });
          await first.goto(`${app}/staff/manner`);
          await enterPassword(first);
        }
        await another.close();
      }
      await context.close();
    }
    expect(service.failures).toEqual([]);
  },
);
