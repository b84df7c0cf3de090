// Entering the dashboard in Chromium when something is slow, fails, is pressed twice, or arrives late or never.

import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clickOn, describeInBrowser } from '../support/browser.ts';
import { type Dashboard, fill, press, seeText, startDashboard, tabTo } from '../support/dashboard.ts';
import { type Fate, intercept } from '../support/intercepted.ts';

describeInBrowser('the way into the dashboard', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  /** Reloads a page and decides the fate of its requests; `fates` may change in the meantime. */
  const reload = async (page: Page, fates: Record<string, Fate>) => {
    const requests = await intercept(page, (name) => fates[name] ?? 'pass');
    const loaded = page.reload();
    return { ...requests, loaded, count: (name: string) => requests.asked.filter((each) => each === name).length };
  };

  test('whoever has given the right key is told until the dashboard is there, and begins one session with two Enters', async () => {
    const { page } = await (await dashboard.newPerson()).open('/dashboard/');
    const { count, loaded, release } = await reload(page, { 'app.js': 'hold' });
    await page.waitForSelector('input[type=password]:focus');
    const before = count('session');
    await page.keyboard.type(dashboard.key);
    await page.keyboard.press('Enter');
    await page.waitForSelector('form button[aria-busy=true]');
    await expect.poll(() => count('Viewer')).toBe(1);
    await page.keyboard.press('Enter');
    await seeText(page, 'Signing in');
    await expect.poll(() => page.$eval('form [role=status]', ({ textContent }) => textContent)).toBe('Signing in');
    await release();
    await loaded;
    await page.waitForSelector('nav[aria-label=Pages]');
    expect(count('session') - before).toBe(1);
    await page.close();
  });

  test('a wrong key leaves the door as it was, for another', async () => {
    const { page } = await (await dashboard.newPerson()).open('/dashboard/');
    await page.waitForSelector('input[type=password]:focus');
    await page.keyboard.type('sallyport_wrong');
    await page.keyboard.press('Enter');
    await seeText(page, 'This is not a key of this server');
    await expect
      .poll(() => page.$eval('form', (form) => [form.querySelector('[aria-busy]'), form.textContent]))
      .toEqual([null, expect.not.stringContaining('Signing in')]);
    await page.close();
  });

  test('what was begun for a session that cannot be told is ended; who tries again stays at the button, and asks once', async () => {
    const { page } = await dashboard.open('/');
    const fates: Record<string, Fate> = { session: 'hold', healthz: 'fail' };
    const { count, ended, loaded, release, holdAgain } = await reload(page, fates);
    // Until the session is known, the page says that it is loading.
    await page.waitForSelector('#door > [role=status][aria-label=Loading]');
    await expect.poll(() => count('Changes')).toBe(1);
    await release('fail');
    await loaded;
    const again = await page.waitForSelector('[role=alert]');
    expect(await again?.evaluate(({ textContent }) => textContent)).toContain('The server cannot be reached.');
    await expect.poll(() => ended.includes('Changes')).toBe(true);

    fates.session = 'fail';
    await press(page, 'Try again');
    await page.waitForSelector('button:focus:not([aria-busy=true])');
    fates.session = 'hold';
    holdAgain();
    const before = count('session');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.waitForSelector('button:focus[aria-busy=true]');
    await release();
    await page.waitForSelector('nav[aria-label=Pages]');
    expect(count('session') - before).toBe(1);
    await page.close();
  });

  test('who finds no server is let in by itself once there is one', async () => {
    const { page } = await dashboard.open('/');
    const fates: Record<string, Fate> = { session: 'fail', healthz: 'fail' };
    const { count, loaded } = await reload(page, fates);
    await loaded;
    await seeText(page, 'The server cannot be reached.');
    await expect.poll(() => count('healthz')).toBe(1);
    Object.assign(fates, { session: 'pass', healthz: 'pass' });
    await page.waitForSelector('nav[aria-label=Pages]');
    await page.close();
  });

  test('a page that cannot be loaded says so in its frame, from which others can be reached', async () => {
    const { page } = await dashboard.open('/ip-policies');
    const { loaded } = await reload(page, { 'list.js': 'fail' });
    await loaded;
    await seeText(page, 'This part of the dashboard could not be loaded');
    await press(page, 'Overview');
    await seeText(page, 'Latest changes');
    await page.close();
  });

  test('keys with a modifier are the browser’s, also on a tab', async () => {
    const { page } = await dashboard.open('/ssh');
    await tabTo(page, 'Authorities');
    await page.evaluate(() => {
      const taken: string[] = [];
      Object.assign(window, { taken });
      addEventListener('keydown', (event) => event.key === 'ArrowRight' && taken.push(String(event.defaultPrevented)));
    });
    for (const modifier of ['Alt', 'Control', 'Meta', 'Shift', null] as const) {
      if (modifier) await page.keyboard.down(modifier);
      await page.keyboard.press('ArrowRight');
      if (modifier) await page.keyboard.up(modifier);
    }
    await expect.poll(() => page.evaluate('taken')).toEqual(['false', 'false', 'false', 'false', 'true']);
    await page.waitForFunction(() => document.activeElement?.textContent === 'Certificates');
    await page.close();
  });

  test('headings stand over their cells', async () => {
    await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Fleet' });
    const { page } = await dashboard.open('/ssh');
    await page.waitForSelector('tbody tr');
    const aligned = await page.$$eval('table tr', (rows) =>
      rows.map((row) => [...row.children].map((cell) => getComputedStyle(cell).textAlign)),
    );
    expect(aligned[0]).toContain('end');
    expect(aligned[1]).toEqual(aligned[0]);
    await page.close();
  });

  test('a dialog asks for what it is made of beside its own code', async () => {
    const { page } = await dashboard.open('/ssh');
    const { loaded, asked, release } = await reload(page, { 'new-authority.js': 'hold' });
    await loaded;
    await page.waitForSelector('main h1');
    await press(page, 'New authority');
    await expect.poll(() => asked).toEqual(expect.arrayContaining(['new-authority.js', 'modal.js']));
    await release();
    await page.waitForSelector('[role=dialog]');
    await page.close();
  });

  test('a refusal is told once: not as an alert where answers are told', async () => {
    const { id } = await dashboard.call('POST', '/edges/https', { hostports: ['app.example.com:443'] });
    const { page } = await dashboard.open(`/https-edges/${id}?tab=try`);
    const { loaded } = await reload(page, { EvaluateGate: 'fail' });
    await loaded;
    await page.waitForSelector('main form');
    await fill(page, 'URL', 'https://app.example.com/');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() =>
      document.querySelector('[aria-live=polite]')?.textContent?.includes('UNREACHABLE'),
    );
    expect(await page.$$eval('[aria-live] [role=alert]', ({ length }) => length)).toBe(0);
    await page.close();
  });

  test('a long list is whole until what draws it sparingly is loaded, and where that cannot be', async () => {
    for (let made = 0; made < 61; made += 1) {
      await dashboard.call('POST', '/ip_policies', { description: `Policy ${made}` });
    }
    for (const fate of ['hold', 'fail'] as const) {
      const { page } = await dashboard.open('/ip-policies');
      const { loaded, count } = await reload(page, { 'many-rows.js': fate });
      await loaded;
      await clickOn(page, '::-p-aria([name="Show more"][role="button"])');
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 61);
      expect(count('many-rows.js')).toBeGreaterThan(0);
      expect(await page.$$('[role=alert]')).toEqual([]);
      await page.close();
    }
  });
});
