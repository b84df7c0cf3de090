// People in the dashboard: a provider is made, and who has signed in by it keeps somebody out and has keys of one's own.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clickOn, describeInBrowser } from '../support/browser.ts';
import { type Dashboard, fill, press, seeText, startDashboard, tabTo } from '../support/dashboard.ts';
import { DashboardBrowser } from '../support/dashboard-browser.ts';
import { execute } from '../support/database.ts';
import { idpMetadata, wellKnownIdpKey } from '../support/identity-provider.ts';

describeInBrowser('people', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  /** Puts a person on record who has just signed in, and returns the token of the session. Other tests sign in by the provider. */
  const signedIn = async (name: string, providerId: string) => {
    const id = createHash('sha256').update(name).digest('hex').slice(0, 25).padStart(26, '0');
    const token = createHash('sha256').update(name).digest('base64url');
    const now = new Date().toISOString().replace('Z', '+00:00');
    const later = now.replace(/^\d+/, (year) => String(Number(year) + 1));
    await execute(
      dashboard.server.database,
      `INSERT INTO "Person" ("id", "accountId", "providerId", "subjectHash", "subject", "name", "email", "createdAt", "updatedAt",
          "signedInAt", "lastSeenAt")
        SELECT 'person_${id}', "accountId", '${providerId}', '${name}', '${name}', '${name}', '', '${now}', '${now}', '${now}', '${now}'
        FROM "SignInProvider" WHERE "id" = '${providerId}'`,
      `INSERT INTO "DashboardSession" ("id", "accountId", "tokenHash", "personId", "userAgent", "createdAt", "updatedAt", "endsAt",
          "lastUsedAt")
        SELECT 'dses_${id}', "accountId", '${createHash('sha256').update(token).digest('hex')}', 'person_${id}', 'test', '${now}',
          '${now}', '${later}', '${now}'
        FROM "SignInProvider" WHERE "id" = '${providerId}'`,
    );
    return token;
  };

  test('sign in by a provider that was made here, keep others out, and have keys of their own', async () => {
    const { page: making, problems } = await dashboard.open('/sign-in-providers');
    await press(making, 'New sign-in provider');
    await seeText(making, 'Client secret');
    await making.select('[role=dialog] select', 'saml');
    await fill(making, 'Name', 'Keycloak');
    await fill(making, 'Metadata', idpMetadata([wellKnownIdpKey()]));
    await fill(making, 'Roles', 'owner = everybody');
    await clickOn(making, '[role=dialog] label:has([role=switch])');
    await press(making, 'Create');
    await seeText(making, 'Instead of API keys');
    const providerId = new URL(making.url()).pathname.replace(/.*\//, '');

    const session = await signedIn('Amy', providerId);
    await signedIn('Bob', providerId);
    const amy = await dashboard.newPerson();
    const { cookie } = await new DashboardBrowser(dashboard.server).signIn(dashboard.key);
    await amy.setCookie(`${cookie?.split('=')[0]}=${session}`);
    const { page } = await amy.open('/dashboard/people');
    await press(page, 'Keep out: Bob');
    await seeText(page, 'Keep Bob out?');
    await press(page, 'Keep out');
    await seeText(page, 'kept out');
    await press(page, 'Let in: Bob');
    await press(page, 'Let in');
    await page.waitForSelector('[aria-label="Keep out: Bob"]');

    const { page: keys, problems: others } = await amy.open('/dashboard/personal-api-keys');
    await press(keys, 'New key of yours');
    await fill(keys, 'Description', 'Scripts');
    await tabTo(keys, 'Backends: None');
    await keys.keyboard.press('ArrowRight');
    await press(keys, 'Create');
    await seeText(keys, 'It is shown this once.');
    const token = await keys.$eval('figure[aria-label="API key"]', ({ textContent }) => textContent ?? '');
    await press(keys, 'I have kept it');
    const ask = async () => {
      const headers = { Authorization: `Bearer ${token}`, 'Service-Version': '2' };
      return (await fetch(`${dashboard.server.url}/backends/tunnel_group`, { headers })).status;
    };
    expect(await ask()).toBe(200);
    await press(keys, 'Revoke: Scripts');
    await press(keys, 'Revoke');
    await seeText(keys, 'You have none');
    expect(await ask()).toBe(401);
    expect([problems, others]).toEqual([[], []]);
  });
});
