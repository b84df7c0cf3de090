// People sign in to the dashboard by SAML with real parts: Chromium and SimpleSAMLphp.

import { expect, onTestFinished, test } from 'vitest';
import { chromium } from '../support/browser.ts';
import { ofOneServer, startService } from '../support/service.ts';
import { enterPassword, launchBrowser } from './login-browser.ts';
import { isInstalled, startSimpleSamlPhp } from './simplesamlphp.ts';

const runs = isInstalled && chromium !== undefined;
if (!runs) process.stderr.write('SimpleSAMLphp or Chromium is not installed: the test of whole sign-ins is skipped.\n');

const ours = 'http://sallyport.test';
const theirs = 'http://idp.test';

test.skipIf(!runs)('a person signs in to the dashboard with a browser, with and without encryption', async () => {
  const now = () => new Date();
  const service = ofOneServer(await startService({ now, baseUrl: ours }, { now }));
  onTestFinished(() => service.close());
  const idp = await startSimpleSamlPhp(theirs);
  const { status, body } = await service.rest('POST', '/sign_in_providers', {
    name: 'SimpleSAMLphp',
    role_mappings: [{ group: 'staff', role: 'operator' }],
    saml: { idp_metadata: idp.metadata },
  });
  expect(status).toBe(201);
  idp.register(await (await fetch(body.saml.metadata_url.replace(ours, service.url))).text());
  const browser = await launchBrowser({
    'sallyport.test': Number(new URL(service.url).port),
    'idp.test': idp.port,
  });
  for (const manner of [{}, { 'assertion.encryption': true, 'nameid.encryption': true }]) {
    idp.configure(manner);
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(`${body.sign_in_url}?to=ip-policies`);
    await enterPassword(page);
    await page.waitForFunction(`location.href === ${JSON.stringify(`${ours}/dashboard/ip-policies`)}`);
    const query = JSON.stringify({ query: '{ viewer { person { displayName groups } } }' });
    const headers = JSON.stringify({ 'Content-Type': 'application/json', 'Sallyport-Dashboard': '1' });
    const answer = await page.evaluate(
      `fetch('/graphql', { method: 'POST', headers: ${headers}, body: ${JSON.stringify(query)} }).then((answer) => answer.json())`,
    );
    expect(answer).toMatchObject({
      data: { viewer: { person: { displayName: 'amy@example.com', groups: ['staff', 'admins'] } } },
    });
    await context.close();
  }
  expect(service.failures).toEqual([]);
});
