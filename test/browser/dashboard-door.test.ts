// The sign-in page of the dashboard ("the door") in Chromium: after a session ends, unsaved input is kept for the user who signs in
// again, and for nobody else.

import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clickOn, describeInBrowser } from '../support/browser.ts';
import { axeFindings, type Dashboard, fill, press, seeText, startDashboard } from '../support/dashboard.ts';

describeInBrowser('the door of the dashboard', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const refused = 'come from an address that is allowed, and try again.';
  const ended = 'Your session has ended. Sign in to go on where you were.';
  /** Returns the focused element and its content. */
  const focusOf = (page: Page) =>
    page.evaluate(() => {
      const { activeElement: element } = document;
      return element instanceof HTMLInputElement ? [element.labels?.[0]?.textContent, element.value] : null;
    });
  const isShut = (page: Page) => page.$eval('#root[inert]', (root) => !root.checkVisibility());
  /** Returns how much of the dashboard is still in the page. */
  const keptOf = (page: Page) => page.$eval('#root', ({ childElementCount }) => childElementCount);
  const waitForLive = (page: Page) =>
    page.waitForFunction(() => document.querySelector('header [role=status]')?.textContent === 'Live');
  const endSession = async (page: Page) => {
    await dashboard.endSession(page);
    await seeText(page, ended);
  };
  const signIn = async (page: Page, token: string) => {
    await page.waitForSelector('#door input[type=password]:focus');
    await page.keyboard.type(token);
    await page.keyboard.press('Enter');
  };

  test('who is let in no more sees nothing, and finds what he has entered when he is let in again', async () => {
    const { id } = await dashboard.call('POST', '/ip_policies', { description: 'Elsewhere' });
    const restriction = await dashboard.call('POST', '/ip_restrictions', {
      type: 'dashboard',
      enforced: false,
      ip_policy_ids: [id],
    });
    const { page } = await dashboard.open(`/ip-policies/${id}?tab=settings`);
    await waitForLive(page);
    await fill(page, 'Description', 'Not saved yet');
    await dashboard.call('PATCH', `/ip_restrictions/${restriction.id}`, { enforced: true });
    await seeText(page, refused);
    await expect.poll(() => page.title()).toBe('Sign in · Sallyport');
    expect(await isShut(page)).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    // The dashboard's keyboard shortcuts do nothing here.
    await page.keyboard.press('/');
    expect(await page.$('[role=dialog]')).toBe(null);
    await press(page, 'Try again');
    await page.waitForSelector('#door button:focus:not([aria-busy=true])');
    await dashboard.call('PATCH', `/ip_policies/${id}`, { metadata: 'by somebody else' });
    await dashboard.call('PATCH', `/ip_restrictions/${restriction.id}`, { enforced: false });
    await press(page, 'Try again');
    await page.waitForFunction(() => document.title.endsWith('Elsewhere · Sallyport'));
    expect([await page.$('#root[inert]'), await focusOf(page)]).toEqual([null, ['Description', 'Not saved yet']]);
    // Changes by others in the meantime are read, and shown next to the input.
    await seeText(page, 'has changed this since you began.');
    await seeText(page, 'Decide above first');
    await press(page, 'Go on with mine');
    // The pressed button is gone, so the focus is on the next one to press.
    await page.waitForFunction(() => document.activeElement?.textContent === 'Save');
    await page.keyboard.press('Enter');
    await seeText(page, 'Policy saved.');
    const saved = { description: 'Not saved yet', metadata: 'by somebody else' };
    expect(await dashboard.call('GET', `/ip_policies/${id}`)).toMatchObject(saved);
    await waitForLive(page);
    await page.close();
  });

  test('a dialog outlives the end of a session for the same key, and is gone for another', async () => {
    const mine = String((await dashboard.call('POST', '/api_keys', { scopes: ['write'] })).token);
    const other = String((await dashboard.call('POST', '/api_keys', { scopes: ['read'] })).token);
    const { page } = await dashboard.openAs(mine, '/ip-policies?new=1');
    await waitForLive(page);
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('Half done');
    await endSession(page);
    expect(await isShut(page)).toBe(true);
    await signIn(page, mine);
    await page.waitForSelector('[role=dialog] input:focus');
    expect([await page.$('#root[inert]'), await focusOf(page)]).toEqual([null, ['Description', 'Half done']]);
    await waitForLive(page);
    await endSession(page);
    await signIn(page, other);
    await seeText(page, 'This key can only read: nothing can be changed here.');
    expect(await page.$('[role=dialog]')).toBe(null);
    await page.close();
  });

  test('who signs out leaves nothing behind, in no tab, also of what he has entered', async () => {
    const person = await dashboard.newPerson();
    const { page } = await person.open('/dashboard/ip-policies');
    await signIn(page, dashboard.key);
    await waitForLive(page);
    const other = await person.open('/dashboard/ip-policies?new=1');
    await other.page.waitForSelector('[role=dialog] input:focus');
    await other.page.keyboard.type('Half done');
    await page.bringToFront();
    await clickOn(page, 'button[aria-haspopup=menu]');
    await clickOn(page, '::-p-aria([name="Sign out"][role="menuitem"])');
    await page.waitForSelector('#door input[type=password]:focus');
    expect(await keptOf(page)).toBe(0);
    await other.page.waitForSelector('#door input[type=password]');
    expect(await keptOf(other.page)).toBe(0);
    await page.close();
    await other.page.close();
  });

  test('whoever is put out and has entered nothing leaves nothing behind', async () => {
    const { page } = await dashboard.openAs(dashboard.key, '/ip-policies');
    await waitForLive(page);
    await endSession(page);
    expect(await keptOf(page)).toBe(0);
    await signIn(page, dashboard.key);
    await page.waitForFunction(() => document.title.endsWith('IP policies · Sallyport'));
    await page.close();
  });

  test('what was entered is gone after ten minutes', async () => {
    const { page } = await dashboard.openAs(dashboard.key, '/ip-policies?new=1');
    await waitForLive(page);
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('Half done');
    await page.evaluate(() => {
      const { setTimeout: later } = window;
      const passed = (run: () => void, ms?: number) => later(run, ms === 600_000 ? 0 : ms);
      // The page always passes a function.
      window.setTimeout = passed as typeof setTimeout;
    });
    await endSession(page);
    await page.waitForFunction(() => document.querySelector('#root')?.childElementCount === 0);
    await signIn(page, dashboard.key);
    await page.waitForSelector('[role=dialog] input:focus');
    await expect.poll(() => focusOf(page)).toEqual(['Description', '']);
    await page.close();
  });

  test('"back" at the door asks nothing and loses nothing; who comes back is where he was, or at the heading', async () => {
    const policy = await dashboard.call('POST', '/ip_policies', { description: 'Far below' });
    const { page } = await dashboard.openAs(dashboard.key, '/ip-policies');
    const asked: string[] = [];
    page.on('dialog', (question) => {
      asked.push(question.message());
      void question.accept();
    });
    await press(page, 'Far below');
    await page.waitForFunction(() => document.title.endsWith('Far below · Sallyport'));
    await clickOn(page, '::-p-aria([name="Settings"][role="tab"])');
    await waitForLive(page);
    await fill(page, 'Description', 'Not saved yet');
    await page.setViewport({ width: 1280, height: 300 });
    const scrolled = await page.evaluate(() => {
      window.scrollTo(0, 120);
      return window.scrollY;
    });
    expect(scrolled).toBe(120);
    await endSession(page);
    await page.evaluate(async () => {
      // TypeScript 5.9 has no type for it yet.
      const { navigation } = window as unknown as { navigation: EventTarget };
      const gone = new Promise((resolve) => navigation.addEventListener('currententrychange', resolve, { once: true }));
      history.back();
      await gone;
    });
    await page.waitForFunction((id) => location.pathname.endsWith(id), {}, policy.id);
    await expect.poll(() => page.title()).toBe('Sign in · Sallyport');
    await signIn(page, dashboard.key);
    await page.waitForFunction(() => document.title.endsWith('Far below · Sallyport'));
    expect([await focusOf(page), await page.evaluate(() => window.scrollY), asked]).toEqual([
      ['Description', 'Not saved yet'],
      120,
      [],
    ]);
    expect(new URL(page.url()).pathname).toBe(`/dashboard/ip-policies/${policy.id}`);
    // The element that had the focus may be gone by then.
    await waitForLive(page);
    await page.evaluate(() => {
      const passing = document.querySelector('main')?.appendChild(document.createElement('button'));
      passing?.focus();
    });
    await endSession(page);
    await page.evaluate(() => document.querySelector('main > button:last-child')?.remove());
    await signIn(page, dashboard.key);
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Far below');
    await page.close();
  });
});
