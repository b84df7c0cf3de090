// The pages of SSH in Chromium: authorities and their succession, certificates from a pasted key, enrollment tokens.

import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clickOn, describeInBrowser, engine } from '../support/browser.ts';
import {
  axeFindings,
  type Dashboard,
  enter,
  press,
  seeText,
  startDashboard,
  tabTo,
  testAxe,
} from '../support/dashboard.ts';
import { hostKey } from '../support/host-key.ts';
import { holdOperations, testIntercepting } from '../support/intercepted.ts';

/** Waits until a field has the focus, as in a dialog that has just opened. */
const atField = (page: Page) => page.waitForSelector('[role=dialog] :is(input, textarea):focus');

describeInBrowser('SSH on the dashboard', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  test('from nothing to a certificate on its host, and to its end, by keyboard; a private key is never sent', async () => {
    const { page, problems } = await dashboard.open('/ssh');
    await seeText(page, 'No authority yet');
    await press(page, 'New authority');
    await atField(page);
    await page.keyboard.type('Production hosts');
    await page.keyboard.press('Enter');
    await seeText(page, '@cert-authority * ssh-ed25519');

    const sent: string[] = [];
    // Firefox does not tell what is in requests.
    if (engine === 'chromium') page.on('request', (request) => sent.push(request.postData() ?? ''));
    await press(page, 'Issue certificate');
    await atField(page);
    await enter(page, '-----BEGIN OPENSSH PRIVATE KEY----- c2VjcmV0');
    await seeText(page, 'This is a private key. It has not been sent');
    await enter(page, 'ssh-ed25519 AAAA');
    await seeText(page, 'The key must name the algorithm that the key itself names.');
    expect(sent.filter((body) => body.includes('c2VjcmV0'))).toEqual([]);
    await enter(page, `${hostKey} root@web-1`);
    await seeText(page, 'Ed25519, 256 bits');
    await seeText(page, 'Without names, it is good for all hosts.');
    await tabTo(page, 'Names and addresses');
    await page.keyboard.type('Web-1.example.com');
    await press(page, 'Issue certificate');
    await seeText(page, 'lower case');
    await page.keyboard.down('Shift');
    await tabTo(page, 'Names and addresses');
    await page.keyboard.up('Shift');
    await enter(page, 'web-1.example.com');
    await press(page, 'Issue certificate');
    await seeText(page, 'HostCertificate /etc/ssh/ssh_host_ed25519_key-cert.pub');
    await seeText(page, 'ssh-ed25519-cert-v01@openssh.com');

    await press(page, 'Revoke');
    await seeText(page, 'This cannot be undone.');
    await press(page, 'Revoke certificate');
    await seeText(page, 'No host certificates yet');
    await page.goto(`${new URL(page.url()).origin}/dashboard/ssh?tab=revocations`);
    await seeText(page, 'Production hosts');
    await tabTo(page, 'Serial number or identifier');
    await page.keyboard.type('7');
    await seeText(page, 'Not revoked');
    await press(page, 'Show all');
    await seeText(page, 'Production hosts');
    await press(page, 'Would have ended');
    await expect.poll(() => page.url()).toContain('revocationOrder=valid_until_asc');
    await seeText(page, 'Production hosts');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('who revokes a renewed certificate is told what else clients accept of its key, and is led there', async () => {
    const authority = await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Renewing' });
    const { id } = await dashboard.call('POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id: authority.id,
      public_key: hostKey,
      principals: ['twice.example.com'],
    });
    const { page, problems } = await dashboard.open(`/ssh/certificates/${id}`);
    await press(page, 'Renew');
    await page.waitForSelector('[role=dialog]');
    await press(page, 'Renew');
    await seeText(page, 'Certificate renewed.');
    // Until the new certificate's page is shown, the old one's page mentions the new certificate, too.
    await page.waitForFunction((old) => !location.pathname.endsWith(old), {}, id);
    await seeText(page, '1 other certificate of this key has not ended');
    await press(page, 'Revoke');
    await seeText(page, 'This does not keep the host out.');
    expect(await axeFindings(page)).toEqual([]);
    await press(page, 'Revoke certificate');
    await seeText(page, 'Certificate revoked.');
    await page.waitForFunction(() => location.search.startsWith('?tab=certificates&replaced=too&search=SHA256'));
    // The renewal has changed the old certificate as well, so it is read again: shown as it was before, it would be out of date for
    // the revocation.
    await press(page, 'twice.example.com');
    await seeText(page, 'the new one was revoked');
    expect(await page.$eval('main', ({ textContent }) => textContent)).not.toContain('Show the latest');

    await page.goto(`${new URL(page.url()).origin}/dashboard/ssh?tab=certificates`);
    await seeText(page, 'Only earlier certificates are left');
    await press(page, 'Show them');
    await press(page, 'twice.example.com');
    await press(page, 'Revoke');
    await seeText(page, 'This cannot be undone.');
    expect(await page.$eval('[role=dialog]', ({ textContent }) => textContent)).not.toContain('keep the host out');
    await press(page, 'Revoke certificate');
    await seeText(page, 'No host certificates yet');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('an authority is replaced in three steps by keyboard, and deleted only by its name', async () => {
    const { id } = await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Lab' });
    const { page, problems } = await dashboard.open(`/ssh/authorities/${id}`);
    await press(page, 'Announce a successor');
    await atField(page);
    await enter(page, 'Lab 2027');
    await page.keyboard.press('Enter');
    await seeText(page, 'Lab 2027 is announced.');
    await seeText(page, 'Safe once every client has both lines.');
    await press(page, 'Hand over');
    await seeText(page, 'Hand over to Lab 2027?');
    await press(page, 'Hand over');
    await seeText(page, 'Safe now: all that it has signed has ended.');
    await press(page, 'Retire');
    await atField(page);
    await page.keyboard.type('Lab');
    await page.keyboard.press('Enter');
    await seeText(page, 'Its private key was erased');

    await press(page, 'Delete');
    await atField(page);
    await page.keyboard.type('Lap');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.$eval('[role=dialog] button[type=submit]', (button) => button.hasAttribute('disabled')))
      .toBe(true);
    await enter(page, 'Lab');
    await page.keyboard.press('Enter');
    await seeText(page, 'Authority deleted.');
    expect(problems).toEqual([]);
    await page.close();
  });

  testIntercepting('an answer from before a change takes nothing back that the change has shown', async () => {
    const { id } = await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Slow' });
    const announce = `mutation ($id: ID!) {
      announceSshCertificateAuthoritySuccessor(input: { id: $id, description: "Slow 2027" }) { sshCertificateAuthority { id } }
    }`;
    await dashboard.graphql(announce, { id });
    const { page, problems } = await dashboard.open(`/ssh/authorities/${id}`);
    await press(page, 'Hand over');
    await seeText(page, 'Hand over to Slow 2027?');
    const handingOver = 'request of HandOverSshAuthority';
    const before = 'answer of SshAuthority';
    const operations = await holdOperations(page, (what) => what === handingOver || what === before);
    const isHeld = (what: string[]) => expect.poll(operations.held, { timeout: 10_000 }).toEqual(what);
    await press(page, 'Hand over');
    await isHeld([handingOver]);
    // Two changes by others cause two reads while the change is in flight.
    await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Another' });
    await isHeld([handingOver, before]);
    await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'One more' });
    await isHeld([handingOver, before, before]);
    await operations.pass(handingOver);
    await seeText(page, 'Safe now: all that it has signed has ended.');
    await operations.pass(before);
    // The read that follows the change.
    await expect.poll(operations.held).toContain(before);
    await seeText(page, 'Safe now: all that it has signed has ended.');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('an enrollment token is made, shown once and ended by keyboard', async () => {
    const { page, problems } = await dashboard.open('/ssh?tab=tokens&new=1');
    await atField(page);
    await page.keyboard.type('not a name');
    await press(page, 'Create');
    await seeText(page, 'principals[0]');
    await page.keyboard.down('Shift');
    await tabTo(page, 'Names that hosts may ask for');
    await page.keyboard.up('Shift');
    await enter(page, '*.example.com');
    await tabTo(page, 'Description');
    await page.keyboard.type('Rollout');
    await page.keyboard.press('Enter');
    await seeText(page, 'sshet_');
    await seeText(page, 'sallyport-ssh-host enroll --url');
    // Neither Escape nor a click outside closes it: the token is shown this once.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await page.$('[role=dialog] button[aria-label=Close]')).toBe(null);
    await press(page, 'I have kept it');
    await press(page, 'Rollout');
    await seeText(page, '0 of 1');
    expect(await page.$eval('body', (body) => body.textContent?.includes('sshet_'))).toBe(false);
    await press(page, 'End token');
    await seeText(page, 'No host can be enrolled with it any more.');
    // Every use changes the token, which must not prevent ending it.
    await dashboard.call('PATCH', `/ssh_enrollment_tokens/${page.url().split('/').at(-1)}`, { description: 'In use' });
    await seeText(page, 'End In use?');
    await press(page, 'End token');
    await seeText(page, 'Token ended.');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('the list finds by name, fingerprint and end; what others issue appears; a read-only key sees no dead buttons', async () => {
    const { id } = await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Fleet' });
    const issue = (description: string, days: number, principals: string[]) =>
      dashboard.call('POST', '/ssh_host_certificates', {
        ssh_certificate_authority_id: id,
        public_key: hostKey,
        principals,
        description,
        valid_until: new Date(Date.now() + days * 86_400_000).toISOString(),
      });
    await issue('soon', 3, ['soon.example.com']);
    await issue('later', 300, []);
    const { token } = await dashboard.call('POST', '/api_keys', { description: 'reader', scopes: ['read'] });
    const { page, problems } = await dashboard.openAs(String(token), '/ssh?tab=certificates');
    await seeText(page, 'all hosts');
    const listed = (...names: string[]) =>
      page.waitForFunction(
        (wanted) =>
          [...document.querySelectorAll('tbody tr a')].map(({ textContent }) => textContent?.trim()).join() === wanted,
        {},
        names.join(),
      );
    await listed('soon', 'later all hosts');
    expect(await page.$$eval('button', (buttons) => buttons.map(({ textContent }) => textContent))).not.toContain(
      'Issue certificate',
    );
    await issue('new', 100, ['new.example.com']);
    await listed('soon', 'new', 'later all hosts');
    await tabTo(page, 'Search Host certificates');
    await page.keyboard.type('new.example.com');
    await listed('new');
    expect(page.url()).toContain('search=new.example.com');
    await enter(page, 'nothing.example.com');
    await seeText(page, 'Nothing found');
    await page.goto(page.url().replace('search=nothing.example.com', 'ends=7d'));
    await listed('soon');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a certificate that needs attention is a link in the sentence that says so', async () => {
    const authority = await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Of the old rack' });
    const daysFromNow = (days: number) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19)}Z`;
    const certify = (days: number) =>
      dashboard.call('POST', '/ssh_host_certificates', {
        ssh_certificate_authority_id: authority.id,
        public_key: hostKey,
        principals: ['rack-1.example.com'],
        valid_after: daysFromNow(-90),
        valid_until: daysFromNow(days),
      });
    const [ended, ending] = [await certify(-2), await certify(2)];
    const { page, problems } = await dashboard.open('/');
    for (const { id } of [ended, ending]) {
      const link = await page.waitForSelector(`main ul[aria-label] p a[href="/dashboard/ssh/certificates/${id}"]`);
      expect(await link?.evaluate(({ textContent }) => textContent)).toBe('"rack-1.example.com"');
    }
    await clickOn(page, `main ul[aria-label] p a[href="/dashboard/ssh/certificates/${ending.id}"]`);
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'rack-1.example.com');
    expect(problems).toEqual([]);
    await page.close();
  });

  testAxe('axe finds nothing on any of the pages', async () => {
    const { id } = await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Looked at' });
    const certificate = await dashboard.call('POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id: id,
      public_key: hostKey,
      principals: [],
    });
    const token = await dashboard.call('POST', '/ssh_enrollment_tokens', {
      ssh_certificate_authority_id: id,
      principals: ['*.example.com'],
    });
    const { page, problems } = await dashboard.open('/ssh');
    const findings: string[] = [];
    for (const [path, text] of [
      ['/ssh', 'For clients'],
      ['/ssh?tab=certificates', 'Host certificates'],
      ['/ssh?tab=tokens', '0 of 1'],
      ['/ssh?tab=revocations', 'Certificates that were deleted before their end.'],
      ['/ssh?tab=certificates&new=1', 'Names and addresses'],
      ['/ssh?tab=tokens&new=1', 'Names that hosts may ask for'],
      [`/ssh/authorities/${id}`, 'Replace this authority'],
      [`/ssh/certificates/${certificate.id}`, 'Good for all hosts.'],
      [`/ssh/tokens/${token.id}`, 'Names allowed'],
    ] as const) {
      await page.evaluate((to) => history.pushState(null, '', `/dashboard${to}`), path);
      await seeText(page, text);
      findings.push(...(await axeFindings(page)).map((finding) => `${path} ${finding}`));
    }
    expect(findings).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });
});
