// The frame of the dashboard in Chromium: signing in and out, changes by others, a lost connection, and a read-only key.

import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clickOn, describeInBrowser } from '../support/browser.ts';
import { axeFindings, type Dashboard, fill, press, seeText, startDashboard, tabTo } from '../support/dashboard.ts';
import { startProxy } from '../support/proxy.ts';

describeInBrowser('the dashboard', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const liveState = (page: Page) => page.$eval('header [role=status]', (status) => status.textContent);
  const waitForState = (page: Page, state: string) =>
    page.waitForFunction((wanted) => document.querySelector('header [role=status]')?.textContent === wanted, {}, state);

  test('a wrong key does not open the door, the right one does; the door has no barrier', async () => {
    const { page } = await (await dashboard.newPerson()).open('/dashboard/');
    await page.waitForSelector('input[type=password]:focus');
    await page.keyboard.type('sallyport_wrong');
    await page.keyboard.press('Enter');
    await seeText(page, 'This is not a key of this server, or it was revoked or has expired.');
    expect(await axeFindings(page)).toEqual([]);
    await fill(page, 'API key', dashboard.key);
    await page.keyboard.press('Enter');
    await page.waitForSelector('nav[aria-label=Pages]');
    await page.close();
  });

  test('every page fits a phone of 360 pixels and a wall of 3840, leaves no connection behind when one goes on, and is reached by keyboard', async () => {
    const { page, problems } = await dashboard.open('/', { width: 360 });
    const links = await page.$$eval('nav[aria-label=Pages] a', (all) =>
      all.map((link) => link.getAttribute('href') ?? ''),
    );
    expect(links).toHaveLength(16);
    // A browser opens six connections to a server and keeps pages that were left: here more than six pages each had a stream.
    for (const href of links) {
      await page.goto(new URL(href, page.url()).href);
      await page.waitForSelector('main h1');
      const size = await page.evaluate(() => [location.pathname, innerWidth, document.documentElement.scrollWidth]);
      expect(size).toEqual([href, 360, 360]);
    }
    // iOS would zoom into a field with smaller text.
    await page.goto(new URL('/dashboard/ip-restrictions?try=203.0.113.9&seek=203.0.113.9', page.url()).href);
    await page.waitForSelector('[role=dialog] input');
    // Not with `$$eval`, which finds and reads in two steps: an element that is redrawn in between has no style.
    const sizes = await page.evaluate(() =>
      [...document.querySelectorAll('input, select, textarea')].map((one) => getComputedStyle(one).fontSize),
    );
    expect([...new Set(sizes)]).toEqual(['16px']);
    await page.setViewport({ width: 3840, height: 2160 });
    for (const href of links) {
      await page.evaluate((to) => history.pushState(null, '', to), href);
      await page.waitForSelector(`nav[aria-label=Pages] a[href="${href}"][aria-current=page]`);
      await page.waitForSelector('main h1');
      // The text grows with the window, and the centred column stays narrow enough to read.
      const [isWide, size, width] = await page.evaluate(() => [
        document.documentElement.scrollWidth > innerWidth,
        getComputedStyle(document.body).fontSize,
        document.querySelector('main > :last-child')?.clientWidth ?? 0,
      ]);
      expect({ href, isWide, size, isStretched: Number(width) > 1920 }).toEqual({
        href,
        isWide: false,
        size: '19.25px',
        isStretched: false,
      });
    }
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(new URL(links[0] ?? '', page.url()).href);
    await page.waitForSelector('main h1');
    await press(page, 'API keys');
    await page.waitForFunction(() => document.title === 'API keys · Sallyport');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('of two people who change one object, the second sees both changes before one is lost', async () => {
    const { id } = await dashboard.call('POST', '/ip_policies', { description: 'Offices', metadata: 'floor 1' });
    const { page, problems } = await dashboard.open(`/ip-policies/${id}?tab=settings`);
    await waitForState(page, 'Live');
    await tabTo(page, 'Description');
    await page.keyboard.type('All offices');
    await dashboard.call('PATCH', `/ip_policies/${id}`, { description: 'Offices in Berlin' });
    await seeText(page, 'has changed this since you began.');
    await seeText(page, 'Offices in Berlin');
    await press(page, 'Go on with mine');
    await press(page, 'Save');
    await seeText(page, 'Policy saved.');
    // There is nothing left to save, and the pressed button keeps the focus.
    await page.waitForSelector('main form button[aria-disabled=true]:focus');
    expect(await dashboard.call('GET', `/ip_policies/${id}`)).toMatchObject({
      description: 'All offices',
      metadata: 'floor 1',
    });
    // The toast offers to undo the change.
    await clickOn(page, '::-p-aria(Undo)');
    await seeText(page, 'Undone.');
    expect(await dashboard.call('GET', `/ip_policies/${id}`)).toMatchObject({ description: 'Offices in Berlin' });
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a connection that is lost comes back, with what was changed meanwhile', async () => {
    const proxy = await startProxy(dashboard.server.url);
    const { page } = await dashboard.person.open('/dashboard/ip-policies', { url: proxy.url });
    await waitForState(page, 'Live');
    proxy.cut();
    await waitForState(page, 'Connection lost, trying again');
    await dashboard.call('POST', '/ip_policies', { description: 'made meanwhile' });
    await proxy.restore();
    await waitForState(page, 'Live');
    await seeText(page, 'made meanwhile');
    await page.close();
  });

  test('a key that only reads gets a dashboard that says so, without a button that it cannot use', async () => {
    const { id } = await dashboard.call('POST', '/ip_policies', { description: 'Partners' });
    const { token } = await dashboard.call('POST', '/api_keys', { description: 'looks', scopes: ['read'] });
    const { page, problems } = await dashboard.openAs(String(token), `/ip-policies/${id}`);
    await seeText(page, 'This key can only read: nothing can be changed here.');
    expect(await liveState(page)).not.toBe('');
    const buttons = await page.$$eval('main button', (all) =>
      all.map((button) => button.textContent?.trim() || button.ariaLabel),
    );
    for (const forbidden of ['Save', 'Delete', 'Put back', 'Add rule']) expect(buttons).not.toContain(forbidden);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('it works below a path that only a proxy knows, deep links included', async () => {
    const proxy = await startProxy(dashboard.server.url, '/door');
    const { id } = await dashboard.call('POST', '/ip_policies', { description: 'Behind a proxy' });
    const { page } = await dashboard.person.open(`/door/dashboard/ip-policies/${id}`, { url: proxy.url });
    await seeText(page, 'Behind a proxy');
    await clickOn(page, '::-p-aria(IP restrictions)');
    await page.waitForFunction(() => document.title === 'IP restrictions · Sallyport');
    await expect.poll(() => page.evaluate(() => location.pathname)).toBe('/door/dashboard/ip-restrictions');
    await page.close();
  });
});
