// What somebody waits for who opens the dashboard for the first time: how much is loaded, and what waits for what. Nothing is timed.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programFile } from '../process/support.ts';
import { chromium } from '../support/browser.ts';
import { type Dashboard, fill, seeText, startDashboard } from '../support/dashboard.ts';
import { hostKey } from '../support/host-key.ts';
import { intercept } from '../support/intercepted.ts';

const title = chromium === undefined ? 'the first load: SKIPPED, no Chromium in /usr/bin' : 'the first load';

/**
 * Bytes that a page may weigh with all that it loads by itself, as Brotli leaves them. Browsers take that by https alone; by plain HTTP they
 * get a tenth more.
 */
const bytesMax = 150_000;
/** The same for a page with the field of policies, which arrives after the rest of it. */
const bytesMaxWithField = 175_000;
/** Files that it may load: a browser has six connections to a server on plain HTTP. */
const filesMax = 30;

/** What a page has loaded; without what the server was asked. */
async function filesOf(page: Page) {
  const names = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname.replace(/.*\//, '')),
  );
  const assets = programFile('dist/dashboard/assets');
  const sizes = new Map(readdirSync(assets).map((name) => [name, statSync(join(assets, name)).size]));
  return names.flatMap((name) => {
    const bytes = sizes.get(`${name}.br`);
    return bytes === undefined ? [] : [{ name, bytes }];
  });
}

/**
 * Loads a page anew, without what was kept, and holds some of its requests.
 *
 * @param names as `intercept` gives them
 */
async function reloadHolding(page: Page, names: readonly string[]) {
  let isHolding = true;
  const { asked, release } = await intercept(page, (name) => (isHolding && names.includes(name) ? 'hold' : 'pass'));
  const loaded = page.reload();
  return {
    asked,
    async release() {
      isHolding = false;
      await release();
      await loaded;
    },
  };
}

describe.skipIf(chromium === undefined)(title, () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  test('of every page weighs less than 150 KB, in few files, from this server alone', async () => {
    const make = async (path: string, body: object) => (await dashboard.call('POST', path, body)).id;
    const policy = await make('/ip_policies', { description: 'Offices' });
    const restriction = { type: 'endpoints', enforced: false, ip_policy_ids: [policy] };
    const authority = await make('/ssh_certificate_authorities', { description: 'Fleet' });
    const ofAuthority = { ssh_certificate_authority_id: authority, principals: ['a.example.com'] };
    const edge = await make('/edges/https', { hostports: ['app.example.com:443'] });
    const route = await make(`/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/' });
    const { auditEvents } = Object(await dashboard.graphql('{ auditEvents(first: 1) { nodes { id } } }'));
    const paths = [
      '/',
      '/ip-policies',
      `/ip-policies/${policy}`,
      '/ip-restrictions',
      `/ip-restrictions/${await make('/ip_restrictions', restriction)}`,
      '/tls-edges',
      `/tls-edges/${await make('/edges/tls', { hostports: ['db.example.com:5432'] })}`,
      '/backends',
      `/backends/${await make('/backends/tunnel_group', { labels: { app: 'db' } })}`,
      '/api-keys',
      `/api-keys/${await make('/api_keys', { scopes: ['read'] })}`,
      '/ssh',
      '/ssh?tab=certificates',
      `/ssh/authorities/${authority}`,
      `/ssh/certificates/${await make('/ssh_host_certificates', { ...ofAuthority, public_key: hostKey })}`,
      `/ssh/tokens/${await make('/ssh_enrollment_tokens', ofAuthority)}`,
      '/https-edges',
      `/https-edges/${edge}`,
      `/https-edges/routes/${route}`,
      '/audit-trail',
      `/audit-trail/${auditEvents.nodes[0].id}`,
    ];
    const { page, problems } = await dashboard.open('/');
    const heavy: unknown[] = [];
    for (const path of paths) {
      await page.goto(new URL(`/dashboard${path}`, page.url()).href);
      await page.waitForSelector('main h1');
      await page.waitForFunction(
        () =>
          document.querySelector('header [role=status]')?.textContent === 'Live' &&
          document.querySelector('[aria-label=Loading]') === null,
      );
      const files = await filesOf(page);
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      expect([path, files.length > 5]).toEqual([path, true]);
      const max = path.startsWith('/ip-restrictions/') ? bytesMaxWithField : bytesMax;
      if (bytes >= max || files.length > filesMax) heavy.push({ path, bytes, files });
    }
    expect(heavy).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('waits for nothing that it need not: rights beside the session, and what the overview shows before what draws it', async () => {
    const { page, problems } = await dashboard.open('/');
    const { asked, release } = await reloadHolding(page, ['session', 'app.js']);
    const operations = () => asked.filter((name) => /^[A-Z]/.test(name));
    const first = ['Viewer', 'Changes', 'Attention', 'Activity', 'Counts', 'AuditEvents'];
    await expect.poll(operations).toEqual(first);
    await release();
    await page.waitForFunction(() => document.querySelector('header [role=status]')?.textContent === 'Live');
    await seeText(page, 'Latest changes');
    // The page takes what was asked ahead, and asks none of it again.
    expect(operations().filter((name) => first.includes(name))).toEqual(first);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('of the door needs nothing of the dashboard', async () => {
    const { page, problems } = await (await dashboard.newPerson()).open('/dashboard/ip-policies');
    const { asked, release } = await reloadHolding(page, ['app.js', 'begin.js', 'rolldown-runtime.js']);
    await page.waitForSelector('input[type=password]:focus');
    await page.keyboard.type('typed before the rest is there');
    expect(await page.$eval('input', ({ value }) => value)).toBe('typed before the rest is there');
    await release();
    expect(asked.filter((name) => /^[A-Z]/.test(name))).toEqual([]);
    await fill(page, 'API key', dashboard.key);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.title === 'IP policies · Sallyport');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('with the cookie of a session that is none leads to the door, and in from there', async () => {
    const person = await dashboard.newPerson();
    await person.setCookie(`sallyport_session=${'x'.repeat(43)}`);
    const { page } = await person.open('/dashboard/ip-policies');
    await page.waitForSelector('input[type=password]:focus');
    await seeText(page, 'It is exchanged for a session of this browser');
    await page.keyboard.type(dashboard.key);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.title === 'IP policies · Sallyport');
    await page.close();
  });
});
