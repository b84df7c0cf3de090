// The lists of the dashboard in Chromium: each can be searched, narrowed and sorted by keyboard and by its URL, and opens its form.

import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import {
  axeFindings,
  choose,
  type Dashboard,
  enter,
  press,
  seeText,
  startDashboard,
  tabTo,
} from '../support/dashboard.ts';

/** Returns the text of the first cell of each row of the first table, after the box that chooses the row. */
const rowsOf = (page: Page) =>
  page.$$eval('main table', ([table]) =>
    [...(table?.querySelectorAll<HTMLTableRowElement>('tbody tr[data-index]') ?? [])].map((row) =>
      [...row.cells].find((cell) => !cell.querySelector('[type=checkbox]'))?.textContent?.trim(),
    ),
  );

/** Waits until the first table of a page has exactly these rows. */
const listed = (page: Page, ...rows: string[]) => expect.poll(() => rowsOf(page)).toEqual(rows);

/** Returns the query string of the page's URL. */
const askedIn = (page: Page) => new URL(page.url()).search;

/** Returns the sort direction of each sortable column. */
const sortingOf = (page: Page) =>
  page.$$eval('main table th:has(button)', (heads) =>
    Object.fromEntries(heads.map((head) => [head.textContent, head.getAttribute('aria-sort')])),
  );

describeInBrowser('lists of the dashboard', () => {
  let dashboard: Dashboard;
  let offices: { readonly id: string };
  beforeAll(async () => {
    dashboard = await startDashboard();
    const policy = (description: string) => dashboard.call('POST', '/ip_policies', { description });
    offices = await policy('Offices');
    await policy('Home offices');
    await policy('Monitoring');
    const restrict = (description: string, type: string, enforced: boolean) =>
      dashboard.call('POST', '/ip_restrictions', { description, type, enforced, ip_policy_ids: [offices.id] });
    await dashboard.call('POST', '/ip_policy_rules', {
      ip_policy_id: offices.id,
      cidr: '203.0.113.0/24',
      action: 'allow',
      description: 'Head office',
    });
    await dashboard.call('POST', '/ip_policy_rules', {
      ip_policy_id: offices.id,
      cidr: '203.0.113.66/32',
      action: 'deny',
      description: 'Guest network',
    });
    await dashboard.call('POST', '/ip_policy_rules', {
      ip_policy_id: offices.id,
      cidr: '198.51.100.0/25',
      action: 'allow',
    });
    await restrict('Applications', 'endpoints', true);
    await restrict('Agents', 'agent', false);
    await restrict('Programs', 'endpoints', false);
  });
  afterAll(() => dashboard?.close());

  test('a list is sorted by its headings, by keyboard, and its address keeps the order', async () => {
    const { page, problems } = await dashboard.open('/ip-policies');
    await listed(page, 'Monitoring', 'Home offices', 'Offices');
    await expect.poll(() => sortingOf(page)).toEqual({ Created: 'descending' });
    await press(page, 'Created');
    await listed(page, 'Offices', 'Home offices', 'Monitoring');
    expect(askedIn(page)).toBe('?order=created_at_asc');
    // The heading keeps the focus, so that it can be pressed again.
    await page.keyboard.press('Enter');
    await listed(page, 'Monitoring', 'Home offices', 'Offices');
    expect(askedIn(page)).toBe('');

    // The column shows the time by which the list is ordered.
    await choose(page, 'Order', 'Changed, l');
    await page.waitForFunction(() => document.querySelector('th[aria-sort=descending]')?.textContent === 'Changed');
    await expect.poll(() => sortingOf(page)).toEqual({ Changed: 'descending' });
    // An object that others change moves to its new place.
    await dashboard.call('PATCH', `/ip_policies/${offices.id}`, { description: 'All offices' });
    await listed(page, 'All offices', 'Monitoring', 'Home offices');
    await dashboard.call('PATCH', `/ip_policies/${offices.id}`, { description: 'Offices' });

    await page.reload();
    await listed(page, 'Offices', 'Monitoring', 'Home offices');
    await expect.poll(() => sortingOf(page)).toEqual({ Changed: 'descending' });
    // An unknown order falls back to the default order.
    const unknown = await dashboard.open('/ip-policies?order=by_colour');
    await listed(unknown.page, 'Monitoring', 'Home offices', 'Offices');
    expect([...problems, ...unknown.problems]).toEqual([]);
    await unknown.page.close();
    await page.close();
  });

  test('a list is searched as somebody types; what finds nothing says what was looked into, and leads back to all', async () => {
    const { page, problems } = await dashboard.open('/ip-policies');
    await tabTo(page, 'Search IP policies');
    await page.keyboard.type('OFFICE');
    await listed(page, 'Home offices', 'Offices');
    expect(askedIn(page)).toBe('?search=OFFICE');
    await page.waitForFunction(() => document.querySelector('main [role=status]')?.textContent === '2 found');
    await dashboard.call('POST', '/ip_policies', { description: 'Old offices' });
    await listed(page, 'Old offices', 'Home offices', 'Offices');

    await enter(page, '50% of _nothing');
    await seeText(page, 'Nothing has “50% of _nothing” in its description, metadata or id.');
    await press(page, 'Show all');
    await listed(page, 'Old offices', 'Monitoring', 'Home offices', 'Offices');
    expect(askedIn(page)).toBe('');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
    // In the field, a slash is a character; outside of it, the slash opens the palette.
    await page.keyboard.type('/');
    await page.waitForFunction(() => location.search === '?search=%2F');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await page.keyboard.press('/');
    await page.waitForSelector('[role=dialog][aria-label=Search]');

    const tooLong = await dashboard.open(`/ip-policies?search=${'x'.repeat(256)}`);
    await seeText(tooLong.page, 'INVALID_INPUT');
    await tooLong.page.close();
    expect(problems).toEqual([]);
    await page.close();
  });

  test('restrictions are narrowed by their type and mode, with a search and an order, by one address', async () => {
    const { page, problems } = await dashboard.open('/ip-restrictions');
    await listed(page, 'Programs', 'Agents', 'Applications');
    await choose(page, 'Mode', 'Only');
    await listed(page, 'Programs', 'Agents');
    await tabTo(page, 'Created');
    await page.keyboard.press('Enter');
    await listed(page, 'Agents', 'Programs');
    expect(askedIn(page)).toBe('?mode=warning&order=created_at_asc');

    await page.goto(`${page.url()}&type=endpoints&search=program`);
    await listed(page, 'Programs');
    await page.goto(page.url().replace('program', 'agent'));
    await seeText(page, 'Nothing that passes the filters has “agent” in its description, metadata or id.');
    await press(page, 'Show all');
    await listed(page, 'Applications', 'Agents', 'Programs');
    expect(askedIn(page)).toBe('?order=created_at_asc');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('Enter tells at once what is sought, and what was typed but not told yet does not outlive "Show all"', async () => {
    const { page, problems } = await dashboard.open('/ip-restrictions?type=agent&mode=enforced');
    await seeText(page, 'Nothing passes the filters that are set.');
    await tabTo(page, 'Search IP restrictions');
    await page.keyboard.type('z');
    await page.evaluate(() => {
      const buttons = [...document.querySelectorAll<HTMLButtonElement>('main button')];
      buttons.find(({ textContent }) => textContent === 'Show all')?.click();
    });
    await listed(page, 'Programs', 'Agents', 'Applications');
    // Longer than the field waits after the last key.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 400)));
    const left = await page.$eval('main input[type=search]', ({ value }) => value);
    expect([askedIn(page), left]).toEqual(['', '']);
    // The page's timers never fire, so only Enter can submit the search.
    await page.evaluate(() => Object.assign(window, { setTimeout: () => 0 }));
    await page.keyboard.type('program');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => location.search)).toBe('?search=program');
    await listed(page, 'Programs');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('rules of a policy are found by an address in them, by their action, and by their description', async () => {
    const { page, problems } = await dashboard.open(`/ip-policies/${offices.id}`);
    await listed(page, '198.51.100.0/25', '203.0.113.66/32', '203.0.113.0/24');
    await tabTo(page, 'Search Rules');
    await page.keyboard.type('203.0.113.66');
    await listed(page, '203.0.113.66/32', '203.0.113.0/24');
    await page.goto(`${page.url()}&action=allow`);
    await listed(page, '203.0.113.0/24');
    await page.goto(page.url().replace('203.0.113.66', 'guest'));
    await seeText(page, 'Nothing that passes the filters has “guest” in its address, range or description.');
    await page.goto(page.url().replace('allow', 'deny'));
    await listed(page, '203.0.113.66/32');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('every page of a list is in its order, and no object is in two', async () => {
    for (let number = 1; number <= 52; number += 1)
      await dashboard.call('POST', '/backends/tunnel_group', {
        description: `Backend ${number}`,
        labels: { number: String(number) },
      });
    const inOrder = Array.from({ length: 52 }, (_, index) => `Backend ${index + 1}`);
    const { page, problems } = await dashboard.open('/backends?order=updated_at_asc');
    await listed(page, ...inOrder.slice(0, 50));
    await press(page, 'Show more');
    await listed(page, ...inOrder);
    await tabTo(page, 'Search Backends');
    await page.keyboard.type('backend 5');
    await listed(page, 'Backend 5', 'Backend 50', 'Backend 51', 'Backend 52');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('`?new=1` opens the form of every list, where its button leads as well, and nothing for a key that may not', async () => {
    const { token } = await dashboard.call('POST', '/api_keys', { description: 'reader', scopes: ['read'] });
    const reader = await dashboard.openAs(String(token), '/ip-policies?new=1');
    const { page, problems } = await dashboard.open('/');
    const [readerPage, ownPage] = [reader.page, page];
    const goTo = (there: Page, path: string) =>
      there.evaluate((to) => history.pushState(null, '', `/dashboard${to}`), path);
    for (const [path, button, name] of [
      ['/ip-policies?new=1', 'New policy', 'New IP policy'],
      ['/ip-restrictions?new=1', 'New restriction', 'New IP restriction'],
      ['/ssh?new=1', 'New authority', 'New authority'],
      ['/ssh?tab=certificates&new=1', 'Issue certificate', 'Issue a host certificate'],
      ['/ssh?tab=tokens&new=1', 'New token', 'New enrollment token'],
      ['/https-edges?new=1', 'New edge', 'New HTTPS edge'],
      ['/tls-edges?new=1', 'New edge', 'New TLS edge'],
      ['/backends?new=1', 'New backend', 'New backend'],
      ['/api-keys?new=1', 'New key', 'New API key'],
    ] as const) {
      await goTo(ownPage, path);
      await ownPage.waitForSelector('[role=dialog] h2');
      expect([path, await ownPage.$eval('[role=dialog] h2', ({ textContent }) => textContent)]).toEqual([path, name]);
      await ownPage.keyboard.press('Escape');
      await ownPage.waitForFunction(() => document.querySelector('[role=dialog]') === null);
      expect([path, askedIn(ownPage)]).toEqual([path, path.replace(/^[^?]*/, '').replace(/[?&]new=1/, '')]);
      await goTo(readerPage, path);
      await readerPage.waitForFunction(() => document.querySelector('main h1 ~ *, main section') !== null);
      const buttons = await readerPage.$$eval('button', (all) => all.map(({ textContent }) => textContent));
      expect([path, buttons.includes(button), await readerPage.$('[role=dialog]')]).toEqual([path, false, null]);
    }
    // The palette opens the form as well.
    await ownPage.keyboard.press('/');
    await ownPage.waitForSelector('[role=dialog] input:focus');
    await ownPage.keyboard.type('New API key');
    await ownPage.waitForFunction(() => document.querySelectorAll('[role=menuitem]').length === 1);
    await ownPage.keyboard.press('Enter');
    await ownPage.waitForFunction(() => document.querySelector('[role=dialog] h2')?.textContent === 'New API key');
    await ownPage.keyboard.press('Escape');
    await ownPage.waitForFunction(() => document.querySelector('[role=dialog]') === null);
    // Going back does not open the form again.
    await goTo(ownPage, '/backends?new=1');
    await ownPage.waitForSelector('[role=dialog] input:focus');
    await ownPage.keyboard.type('Made once');
    await ownPage.keyboard.press('Enter');
    await ownPage.waitForFunction(() => document.querySelector('main h1')?.textContent === 'Made once');
    await ownPage.goBack();
    await ownPage.waitForFunction(() => document.querySelector('main h1')?.textContent === 'Backends');
    expect([askedIn(ownPage), await ownPage.$('[role=dialog]')]).toEqual(['', null]);
    expect([...problems, ...reader.problems]).toEqual([]);
    await readerPage.close();
    await ownPage.close();
  });

  test('axe finds nothing on lists that were asked for something, and a phone shows them without a place to scroll to', async () => {
    await dashboard.call('POST', '/edges/https', { description: 'Intranet', hostports: ['intranet.example.com:443'] });
    await dashboard.call('POST', '/edges/tls', { description: 'Postgres', hostports: ['db.example.com:5432'] });
    const { id } = await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Production' });
    await dashboard.call('POST', '/ssh_enrollment_tokens', {
      ssh_certificate_authority_id: id,
      principals: ['*.example.com'],
    });
    const { page, problems } = await dashboard.open('/', { width: 360 });
    const findings: unknown[] = [];
    for (const path of [
      '/ip-policies?search=office&order=updated_at_asc',
      '/ip-policies?search=nothing',
      '/ip-restrictions?mode=warning&order=updated_at_desc',
      '/https-edges?order=created_at_asc',
      '/tls-edges?search=db',
      '/backends?search=backend',
      '/api-keys',
      '/ssh',
      '/ssh?tab=certificates&search=nothing',
      '/ssh?tab=tokens',
    ]) {
      await page.evaluate((to) => history.pushState(null, '', `/dashboard${to}`), path);
      await page.waitForFunction(
        () =>
          document.querySelector('main h1') !== null &&
          document.querySelector('main [aria-label=Loading], main [aria-busy=true]') === null,
      );
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      findings.push(...(await axeFindings(page)), ...(width > 360 ? [`${path} is ${width} wide`] : []));
    }
    expect(findings).toEqual([]);
    // A phone shows no headings of times, by which to sort.
    for (const description of ['Depot north', 'Depot south'])
      await dashboard.call('POST', '/ip_policies', { description });
    await page.evaluate(() => history.pushState(null, '', '/dashboard/ip-policies?search=depot'));
    await listed(page, 'Depot south', 'Depot north');
    await choose(page, 'Order', 'Created, e');
    await listed(page, 'Depot north', 'Depot south');
    expect(askedIn(page)).toBe('?search=depot&order=created_at_asc');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('what has just been done is not said to come, however long ago the page was drawn', async () => {
    const { id } = await dashboard.call('POST', '/ip_policies', { description: 'Clocks' });
    const { page, problems } = await dashboard.open('/');
    await page.evaluateOnNewDocument(() => {
      const { now } = Date;
      Date.now = () => now() - Number(document.documentElement?.dataset.behindMs ?? 90_000);
    });
    await page.goto(`${new URL(page.url()).origin}/dashboard/ip-policies?search=clocks`);
    await page.waitForFunction(() => document.querySelector('header [role=status]')?.textContent === 'Live');
    const changed = () => page.$eval('main tbody tr[data-index] td:last-child', (cell) => cell.textContent);
    await expect.poll(changed).toBe('in 1 minute');
    await page.evaluate(() => {
      document.documentElement.dataset.behindMs = '0';
    });
    await dashboard.call('PATCH', `/ip_policies/${id}`, { description: 'Clocks of the office' });
    await seeText(page, 'Clocks of the office');
    await expect.poll(changed).toBe('just now');
    expect(problems).toEqual([]);
    await page.close();
  });
});
