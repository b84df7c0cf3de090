// The first hour with the dashboard in Chromium, by mouse: from an empty server through the ten most common tasks, each building on
// the one before. The other files test wrong input and the keyboard.

import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clickOn, describeInBrowser } from '../support/browser.ts';
import { type Dashboard, enter, seeText, startDashboard } from '../support/dashboard.ts';
import { hostKey } from '../support/host-key.ts';
import { idpEntityId, idpMetadata, makeIdpKey } from '../support/identity-provider.ts';
import { logIn } from '../support/route-login.ts';

describeInBrowser('the first hour', () => {
  const baseUrl = 'http://login.example.com';
  const idpKey = makeIdpKey();
  let dashboard: Dashboard;
  let page: Page;
  let problems: readonly string[];
  beforeAll(async () => {
    dashboard = await startDashboard({ BASE_URL: baseUrl, GATE_PROXIES: '127.0.0.1' });
    ({ page, problems } = await (await dashboard.newPerson()).open('/'));
  });
  afterAll(async () => {
    expect(problems).toEqual([]);
    await dashboard?.close();
  });

  /** Clicks the element with a name, or a name and a role; in the dialog if one is open, because it covers the page. */
  const click = (name: string) => clickOn(page, `:is([role=dialog], body:not(:has([role=dialog]))) ::-p-aria(${name})`);
  /** Goes to a page by its name in the navigation. */
  const goTo = (name: string) => clickOn(page, `nav[aria-label=Pages] ::-p-aria([name="${name}"])`);
  const dialog = () => page.waitForSelector('[role=dialog] :is(input, textarea, select)');
  const closed = () => page.waitForFunction(() => document.querySelector('[role=dialog]') === null);
  /** Submits the open dialog. */
  const send = () => clickOn(page, '[role=dialog] button[type=submit]:not([disabled], [aria-disabled=true])');
  const put = async (field: string, text: string) => {
    await click(field);
    await enter(page, text);
  };
  /** Chooses an option of a native select. */
  const choose = async (field: string, value: string) => {
    const list = await page.waitForSelector(`::-p-aria([name="${field}"][role="combobox"])`);
    await list?.evaluate((element, to) => {
      if (!(element instanceof HTMLSelectElement)) throw new Error('This is not a list of the browser.');
      element.value = to;
      element.dispatchEvent(new Event('change', { bubbles: true }));
    }, value);
  };

  const stepsLeft = () =>
    page.$$eval('section[aria-label="First steps"] h3', (titles) => titles.map(({ textContent }) => textContent));

  test('sign in with the key that the server has printed', async () => {
    await page.waitForSelector('input[type=password]:focus');
    await page.keyboard.type(dashboard.key);
    await click('Sign in');
    await seeText(page, 'Needs attention');
    await seeText(page, 'Nothing. Certificates, keys, restrictions and logins are as they should be.');
    expect(await stepsLeft()).toEqual(['Restrict who may come in', 'Certify your hosts', 'Have people log in']);
  });

  test('make a policy of a pasted list', async () => {
    await goTo('IP policies');
    await click('New policy');
    await dialog();
    await page.keyboard.type('Offices');
    await send();
    await seeText(page, 'No rules yet');
    await click('Paste a list');
    await dialog();
    await enter(page, '203.0.113.0/24 # Berlin\n198.51.100.7 # amy\n10.0.0.1/8');
    await seeText(page, 'Mend it: 10.0.0.0/8');
    await send();
    await seeText(page, '2 rules added.');
  });

  test('restrict the API to it: first a warning, an address that is tried, then enforced without being locked out', async () => {
    await goTo('IP restrictions');
    await click('New restriction');
    await dialog();
    await choose('Type', 'api');
    await click('[name="Add a policy"][role="combobox"]');
    await clickOn(page, '[role=option]');
    await put('Description', 'Programs');
    await send();
    await seeText(page, 'Nobody is refused.');
    await put('Address', '192.0.2.9');
    await click('Try');
    await seeText(page, 'Let in, with a warning.');
    await clickOn(page, '::-p-text(Enforce it)');
    await seeText(page, 'This locks you out.');
    await click('Allow 127.0.0.1 in “Offices”');
    await seeText(page, '127.0.0.1 is allowed by “Offices”.');
    await send();
    await seeText(page, 'The restriction is enforced.');
    await seeText(page, 'Kept out.');
    await click('Offices');
    await click('Delete 203.0.113.0/24');
    await seeText(page, 'Keeps out');
    await click('Cancel');
    await closed();
  });

  test('sign the key of a host', async () => {
    await goTo('SSH');
    await click('New authority');
    await dialog();
    await page.keyboard.type('Production');
    await send();
    await seeText(page, '@cert-authority * ssh-ed25519');
    await click('Issue certificate');
    await dialog();
    await enter(page, `${hostKey} root@web-1`);
    await put('Names and addresses', 'web-1.example.com');
    await send();
    await seeText(page, 'HostCertificate /etc/ssh/ssh_host_ed25519_key-cert.pub');
  });

  test('renew and revoke it, and let hosts enroll by themselves', async () => {
    const before = page.url();
    await click('Renew');
    await send();
    // Until the new certificate's page is shown, the old one's page mentions the new certificate, too.
    await page.waitForFunction((url) => location.href !== url, {}, before);
    await seeText(page, '1 other certificate of this key has not ended');
    for (const left of ['Replaced', 'No host certificates yet']) {
      await click('Revoke');
      await send();
      await seeText(page, left);
      if (left === 'Replaced') await clickOn(page, 'main tbody a');
    }
    await click('Enrollment tokens');
    await click('New token');
    await dialog();
    await enter(page, '*.example.com');
    await send();
    await seeText(page, 'sallyport-ssh-host enroll --url');
    await click('I have kept it');
    await closed();
  });

  test('require a login, by the metadata of the identity provider', async () => {
    await goTo('HTTPS edges');
    await click('New edge');
    await dialog();
    await page.keyboard.type('Wiki');
    await put('Hosts', 'wiki.example.com');
    await send();
    await seeText(page, 'Everything is refused');
    await click('New route');
    await dialog();
    await send();
    await seeText(page, 'This route is open');
    await click('[name="Require a login by SAML"][role="button"]');
    await put('Or paste it', idpMetadata([idpKey]));
    await seeText(page, idpEntityId);
    await click('[name="Require a login"][role="button"]');
    await seeText(page, 'Metadata URL');
  });

  test('end the session of a user', async () => {
    const routeId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await click('[name="Wiki"][role="link"]');
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Wiki');
    const edgeId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const { url } = dashboard.server;
    await logIn({ url, baseUrl, edgeId, routeId, host: 'wiki.example.com', idpKey }, 'amy');
    await goTo('Logins');
    await click('End the session of amy');
    await send();
    await seeText(page, 'A session of amy has ended.');
    await seeText(page, 'Nobody is logged in');
  });

  test('write a rule for connections, and try it before it is saved', async () => {
    await goTo('TLS edges');
    await click('New edge');
    await dialog();
    await page.keyboard.type('Postgres');
    await put('Hosts and ports', 'db.example.com:5432');
    await send();
    await closed();
    await click('Add inbound rule');
    await put('If all of these expressions are true', "inCidrRange(conn.client_ip, '10.0.0.0/8'");
    await seeText(page, 'must be a CEL expression');
    await page.keyboard.type(')');
    await put('Client address', '10.1.2.3');
    await click('Try');
    await seeText(page, 'It is refused.');
    await clickOn(page, 'main form:has([data-rule]) button[type=submit]');
    await seeText(page, 'Traffic policy saved.');
  });

  test('make a key with the least rights, and revoke it', async () => {
    await goTo('API keys');
    await click('New key');
    await dialog();
    await page.keyboard.type('Backup');
    await clickOn(page, '[role=dialog] ::-p-aria(IP policies: Read)');
    await send();
    await seeText(page, 'It is shown this once.');
    await click('I have kept it');
    await closed();
    await click('Backup');
    await click('Revoke');
    await click('Revoke key');
    await seeText(page, 'Key revoked.');
  });

  test('find out who has changed what, and put it back', async () => {
    await goTo('Audit trail');
    await seeText(page, 'First key changed TLS edge Postgres');
    await click('What was done');
    await clickOn(page, '[role=menu] ::-p-text(Changed)');
    await click('Kind');
    await clickOn(page, '[role=menu] ::-p-text(TLS edges)');
    await page.waitForFunction(() => document.querySelectorAll('main ol > li').length === 1);
    await clickOn(page, 'main ol li a[href*="/audit-trail/"]');
    await seeText(page, 'policy.inbound');
    await click('Undo this change');
    await send();
    await seeText(page, 'Put back. The trail has it as a change of its own.');
    await clickOn(page, 'main ::-p-text(Postgres)');
    await seeText(page, 'No rules: everything passes.');
  });

  test('are past the first steps when they are done, or not wanted', async () => {
    await goTo('Overview');
    // The certificate was revoked.
    await expect.poll(stepsLeft).toEqual(['Certify your hosts']);
    await click('Hide');
    await page.reload();
    await seeText(page, 'Latest changes');
    expect(await stepsLeft()).toEqual([]);
  });
});
