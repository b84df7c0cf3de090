// What the first visit to the dashboard waits for: how much is loaded, and which requests wait for others. Nothing is timed.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programFile } from '../process/support.ts';
import { describeInBrowser } from '../support/browser.ts';
import { type Dashboard, fill, seeText, startDashboard } from '../support/dashboard.ts';
import { hostKey } from '../support/host-key.ts';
import { intercept } from '../support/intercepted.ts';
import { watchShifts } from '../support/shifts.ts';

// Imported by a path that the compiler does not follow: it would check the whole dashboard again, as code for Node.
const { areas }: { areas: readonly { readonly pages: readonly { readonly path: string }[] }[] } = await import(
  join(import.meta.dirname, '../../dashboard/src/areas/areas.ts')
);

/** The limit for every page, in KB, whatever its own limit below. */
const kbMax = 150;

/** How many files a page may load: a browser opens six connections to a server on plain HTTP. */
const filesMax = 30;

/** Returns the files that a page has loaded, with their sizes in bytes as gzip and as Brotli. API requests are left out. */
async function filesOf(page: Page) {
  const urls = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  const folder = programFile('dist/dashboard/assets');
  const sizes = new Map(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]));
  const { origin } = new URL(page.url());
  expect(urls.filter((url) => new URL(url).origin !== origin)).toEqual([]);
  return urls.flatMap((url) => {
    const name = new URL(url).pathname.replace(/.*\//, '');
    const [gzip, brotli] = [sizes.get(`${name}.gz`), sizes.get(`${name}.br`)];
    return gzip === undefined || brotli === undefined ? [] : [{ name, gzip, brotli }];
  });
}

/**
 * Reloads a page without its cache, and holds some of its requests.
 *
 * @param names of the requests to hold, as `intercept` reports them
 */
async function reloadHolding(page: Page, names: readonly string[]) {
  const { asked, release } = await intercept(page, (name) => (names.includes(name) ? 'hold' : 'pass'));
  const loaded = page.reload();
  return {
    asked,
    async release() {
      await release();
      await loaded;
    },
  };
}

/** Runs in a page: returns whether everything is there, and nothing more was loaded since it ran last. */
function isSettled(): boolean {
  const isWhole =
    document.querySelector('header [role=status]')?.textContent === 'Live' &&
    document.querySelector('[aria-label=Loading]') === null;
  const { length } = performance.getEntriesByType('resource');
  const isSame = Object(window).loadedBefore === length;
  Object.assign(window, { loadedBefore: length });
  return isWhole && isSame;
}

describeInBrowser('the first load', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  /** Adds rules to a policy. */
  const addRules = (ipPolicyId: string, first: number, count: number) => {
    const rules = Array.from({ length: count }, (_, index) => first + index).map((number) => ({
      cidr: `2001:db8:1234:${number.toString(16)}::/64`,
      action: 'allow',
    }));
    return dashboard.graphql(
      'mutation ($input: CreateIpPolicyRulesInput!) { createIpPolicyRules(input: $input) { ipPolicyRules { id } } }',
      { input: { ipPolicyId, rules } },
    );
  };

  test('of every page weighs no more than it may, in few files, from this server alone, and fits a phone', async () => {
    const make = async (path: string, body: object) => (await dashboard.call('POST', path, body)).id;
    const policy = await make('/ip_policies', { description: 'Offices' });
    await addRules(policy, 65_000, 2);
    const restriction = { type: 'endpoints', enforced: false, ip_policy_ids: [policy] };
    const authority = await make('/ssh_certificate_authorities', { description: 'Fleet' });
    const ofAuthority = { ssh_certificate_authority_id: authority, principals: ['a.example.com'] };
    const edge = await make('/edges/https', { hostports: ['app.example.com:443'] });
    const route = await make(`/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/' });
    // Disabled: otherwise the provider would be asked.
    const client = { issuer: 'https://idp.example.com', client_id: 'sallyport', client_secret: 'of the client' };
    const provider = { ...client, name: 'Keycloak', enabled: false, role_mappings: [] };
    const expectation = {
      name: 'Agents',
      kind: 'ip',
      expected: 'allowed',
      address: '0.0.0.0/0',
      traffic_type: 'agent',
    };
    const { auditEvents } = Object(await dashboard.graphql('{ auditEvents(first: 1) { nodes { id } } }'));
    /**
     * The size limit of each page with everything that it loads by itself, in KB: as gzip, which browsers accept on plain HTTP, and
     * as Brotli, which they accept only over HTTPS.
     */
    const pages: readonly (readonly [path: string, gzip: number, brotli: number])[] = [
      ['/', 128, 113],
      ['/ip-policies', 136, 120],
      [`/ip-policies/${policy}`, 148, 130],
      ['/ip-restrictions', 138, 122],
      [`/ip-restrictions/${await make('/ip_restrictions', restriction)}`, 145, 128],
      ['/tls-edges', 137, 121],
      [`/tls-edges/${await make('/edges/tls', { hostports: ['db.example.com:5432'] })}`, 149, 131],
      ['/backends', 137, 121],
      [`/backends/${await make('/backends/tunnel_group', { labels: { app: 'db' } })}`, 138, 122],
      ['/api-keys', 142, 125],
      [`/api-keys/${await make('/api_keys', { scopes: ['read'] })}`, 138, 122],
      ['/ssh', 139, 123],
      ['/ssh?tab=certificates', 145, 128],
      [`/ssh/authorities/${authority}`, 142, 125],
      [`/ssh/certificates/${await make('/ssh_host_certificates', { ...ofAuthority, public_key: hostKey })}`, 141, 124],
      [`/ssh/tokens/${await make('/ssh_enrollment_tokens', ofAuthority)}`, 141, 124],
      ['/https-edges', 137, 121],
      [`/https-edges/${edge}`, 146, 128],
      [`/https-edges/routes/${route}`, 145, 127],
      ['/logins', 141, 124],
      ['/audit-trail', 137, 121],
      [`/audit-trail/${auditEvents.nodes[0].id}`, 135, 120],
      ['/personal-api-keys', 140, 123],
      ['/people', 136, 120],
      ['/roles', 136, 120],
      [`/roles/${await make('/roles', { name: 'readers', scopes: ['read'] })}`, 137, 120],
      ['/sign-in-providers', 136, 120],
      [`/sign-in-providers/${await make('/sign_in_providers', provider)}`, 137, 121],
      ['/approvals', 136, 120],
      ['/webhooks', 136, 120],
      [`/webhooks/${await make('/webhooks', { url: 'https://127.0.0.1:9/hook', events: ['ip_policy.*'] })}`, 139, 122],
      ['/expectations', 138, 122],
      [`/expectations/${await make('/expectations', expectation)}`, 138, 122],
    ];
    expect(pages.filter(([, gzip]) => gzip > kbMax)).toEqual([]);
    const patterns = areas.flatMap((area) => area.pages.map(({ path }) => path));
    const weighed = new Set(pages.map(([path]) => path.replace(/\?.*/, '').replace(/[a-z]+_\w{26}$/, ':id')));
    expect(patterns.filter((path) => !weighed.has(path))).toEqual([]);
    const { page, problems } = await dashboard.open('/');
    const [heavy, wide]: [unknown[], unknown[]] = [[], []];
    for (const [path, gzipMax, brotliMax] of pages) {
      await page.goto(new URL(`/dashboard${path}`, page.url()).href);
      await page.waitForSelector('main h1');
      await page.waitForFunction(
        () =>
          document.querySelector('header [role=status]')?.textContent === 'Live' &&
          document.querySelector('[aria-label=Loading]') === null,
      );
      const files = await filesOf(page);
      expect([path, files.length > 5]).toEqual([path, true]);
      await page.setViewport({ width: 360, height: 800 });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 360) wide.push({ path, width });
      await page.setViewport({ width: 1280, height: 900 });
      const kbOf = (encoding: 'gzip' | 'brotli') => files.reduce((sum, file) => sum + file[encoding], 0) / 1000;
      const [gzip, brotli] = [kbOf('gzip'), kbOf('brotli')];
      if (gzip > gzipMax || brotli > brotliMax || files.length > filesMax) heavy.push({ path, gzip, brotli, files });
    }
    expect({ heavy, wide }).toEqual({ heavy: [], wide: [] });
    expect(problems).toEqual([]);
    await page.close();
  });

  test('moves nothing once it is there, with 14 things that need attention and 1,000 rules, scrolled through or not', async () => {
    const soon = new Date(Date.now() + 5 * 86_400_000).toISOString();
    for (let made = 0; made < 14; made += 1)
      await dashboard.call('POST', '/api_keys', { description: `Key ${made}`, scopes: ['read'], expires_at: soon });
    const { id } = await dashboard.call('POST', '/ip_policies', { description: 'Stores' });
    await Promise.all([addRules(id, 0, 500), addRules(id, 500, 500)]);
    const { page, problems } = await dashboard.open('/backends');
    const shiftsOf = await watchShifts(page);
    const shifts: Record<string, number> = {};
    for (const [path, text] of [
      ['/', '14 API keys expire'],
      [`/ip-policies/${id}`, '2001:db8:1234:3e7::/64'],
      ['/ip-policies', 'Stores'],
      ['/api-keys', 'Key 13'],
    ] as const) {
      await page.goto(new URL(`/dashboard${path}`, page.url()).href);
      await seeText(page, text);
      await page.waitForFunction(isSettled, { polling: 500 });
      for (let times = 0; times < 5; times += 1) await page.evaluate(() => window.scrollBy(0, 700));
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      shifts[path] = await shiftsOf();
    }
    expect(Object.entries(shifts).filter(([, shift]) => shift >= 0.05)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('waits for nothing that it need not: rights beside the session, and what the overview shows before what draws it', async () => {
    const { page, problems } = await dashboard.open('/');
    const { asked, release } = await reloadHolding(page, ['session', 'app.js']);
    const first = ['Viewer', 'Changes', 'Attention', 'FirstSteps', 'Activity', 'Counts', 'AuditEvents'];
    // The previous page may have sent requests at that moment.
    const operations = () => asked.slice(asked.indexOf('Viewer')).filter((name) => /^[A-Z]/.test(name));
    await expect.poll(operations).toEqual(first);
    await release();
    await page.waitForFunction(() => document.querySelector('header [role=status]')?.textContent === 'Live');
    await seeText(page, 'Latest changes');
    // The page uses the data requested ahead and does not request it again.
    expect(operations().filter((name) => first.includes(name))).toEqual(first);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('of the door needs nothing of the dashboard', async () => {
    const { page, problems } = await (await dashboard.newPerson()).open('/dashboard/ip-policies');
    const { asked, release } = await reloadHolding(page, ['app.js', 'begin.js', 'rolldown-runtime.js']);
    await page.waitForSelector('input[type=password]:focus');
    await page.keyboard.type('typed before the rest is there');
    await expect.poll(() => page.$eval('input', ({ value }) => value)).toBe('typed before the rest is there');
    await release();
    expect(asked.filter((name) => /^[A-Z]/.test(name))).toEqual([]);
    await fill(page, 'API key', dashboard.key);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.title.endsWith('IP policies · Sallyport'));
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
    await page.waitForFunction(() => document.title.endsWith('IP policies · Sallyport'));
    await page.close();
  });
});
