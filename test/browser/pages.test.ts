// The pages as a person sees them: in Chromium, over plain HTTP, under a local network name, without internet access.

import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clickOn, describeInBrowser, openBrowser, type View, type WatchedPage } from '../support/browser.ts';
import { host, makePlace } from '../support/login.ts';
import { startService, type TestService } from '../support/service.ts';
import { startWholeServer, type WholeServer } from '../support/whole-server.ts';

describeInBrowser('pages in a browser', () => {
  let service: TestService;
  let server: WholeServer;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    service = await startService({ baseUrl: null });
    server = await startWholeServer(service);
    browser = await openBrowser(server.url);
  });
  afterAll(async () => {
    await browser?.close();
    server?.cut();
    await service?.close();
  });

  /** The element that each page shows once it is complete. */
  const complete = { '/': '.status.ready', '/docs': '.opblock', '/graphql': '.graphiql-query-editor .view-line' };
  const paths = ['/', '/docs', '/graphql'] as const;
  /** Opens a page and waits until it is complete. */
  const openWhole = async (path: (typeof paths)[number], view?: View) => {
    const opened = await browser.open(path, view);
    await opened.page.waitForSelector(complete[path]);
    return opened;
  };
  const statusOf = (page: Page) => page.$eval('[role=status]', (status) => status.textContent);
  /** Waits until an element contains a text. */
  const waitForText = (page: Page, selector: string, text: string) =>
    // Editors write spaces as non-breaking spaces.
    page.waitForFunction(
      (at, wanted) => document.querySelector(at)?.textContent?.replaceAll('\u00a0', ' ').includes(wanted),
      {},
      selector,
      text,
    );
  /** Pages that tests only look at, opened once each, because the large ones take seconds. */
  const looks = new Map<string, Promise<WatchedPage>>();
  const lookAt = (path: (typeof paths)[number], view: View) => {
    const name = `${path} ${view.width} ${view.scheme}`;
    const look = looks.get(name) ?? openWhole(path, view);
    looks.set(name, look);
    return look;
  };
  const views = { light: { width: 1280, scheme: 'light' }, dark: { width: 390, scheme: 'dark' } } as const;

  test.each(paths)('%s has its landmarks, and names everything that can be operated', async (path) => {
    const { page, problems } = await lookAt(path, views.light);
    await page.bringToFront();
    for (const landmark of ['header.bar', 'main', 'nav[aria-label]']) {
      expect([landmark, (await page.$$(landmark)).length]).toEqual([landmark, 1]);
    }
    const nameless = await page.$$eval(
      '.bar :is(a, button, input), main pre[tabindex], main .call button',
      (elements) =>
        elements.filter((element) => {
          const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : element.textContent;
          return !label && !element.ariaLabel;
        }),
    );
    expect(nameless).toHaveLength(0);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement: element } = document;
      return (
        element && [
          element.textContent,
          element.getBoundingClientRect().left > 0,
          getComputedStyle(element).outlineStyle,
        ]
      );
    });
    expect(focused).toEqual(['Skip to content', true, 'solid']);
    expect(problems).toEqual([]);
  });

  test.each(paths)('%s fits a phone', async (path) => {
    const { page, problems } = await lookAt(path, views.dark);
    await page.bringToFront();
    if (path === '/docs') {
      await page.click('#operations-IP_policies-UpdateIpPolicy .opblock-summary-control');
      await page.waitForSelector('#operations-IP_policies-UpdateIpPolicy .responses-table');
    }
    expect(await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth])).toEqual([390, 390]);
    expect(problems).toEqual([]);
  });

  test.each(paths)('%s is light or dark, as the person prefers, with text that can be read', async (path) => {
    const grounds: string[] = [];
    for (const scheme of ['light', 'dark'] as const) {
      const { page, problems } = await lookAt(path, views[scheme]);
      grounds.push(await page.$eval('body', (body) => getComputedStyle(body).backgroundColor));
      const own = path === '/' ? 'body *' : '.bar, .bar *';
      expect(await page.$$eval(own, findFaintText)).toEqual([]);
      expect(problems).toEqual([]);
      if (path === '/docs') {
        const [reference] = await page.$$eval('.swagger-ui', (all) => all.map((one) => getComputedStyle(one).color));
        expect(reference).toBe(scheme === 'dark' ? 'rgb(228, 230, 230)' : 'rgb(59, 65, 81)');
      }
    }
    expect(grounds).toEqual(['rgb(255, 255, 255)', 'rgb(14, 15, 17)']);
  });

  describe('a refusal', () => {
    let place: { edgeId: string; routeId: string };
    beforeAll(async () => {
      place = await makePlace(service);
    });

    test.each([
      ['of the gate', 403, 'There is nothing at this address', '/other'],
      ['of a ticket', 403, 'Your login has taken too long', '/.sallyport/session?ticket=x'],
      ['of a login', 403, 'Your login has taken too long', 'login'],
      ['of a login that is gone', 404, 'There is no login here', 'gone'],
    ])('%s is a page that can be read, on a phone and on a desk, and runs nothing', async (_, status, text, target) => {
      const routeId = target === 'gone' ? 'edghtsrt_01h455vb4pex5vsknk084sn02q' : place.routeId;
      const isAsked = target.startsWith('/');
      const path = isAsked ? `/gate/forward-auth/${place.edgeId}` : `/saml/${routeId}/login?state=x`;
      const asked = {
        'X-Forwarded-Method': 'GET',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': host,
        'X-Forwarded-Uri': target,
        'X-Forwarded-For': '203.0.113.7',
      };
      for (const view of [views.light, views.dark]) {
        const { page, problems } = await browser.open(path, { ...view, headers: asked });
        expect(problems).toEqual([expect.stringContaining(`status of ${status}`)]);
        const shown = await page.evaluate(() => [
          document.documentElement.lang,
          document.title,
          [...document.querySelectorAll('h1')].map(({ textContent }) => textContent).join(),
          document.documentElement.scrollWidth <= innerWidth,
          getComputedStyle(document.body).backgroundColor,
        ]);
        const ground = view.scheme === 'dark' ? 'rgb(14, 15, 17)' : 'rgb(255, 255, 255)';
        expect(shown).toEqual(['en', 'Access denied', 'Access denied', true, ground]);
        expect(await page.$$eval('body *', findFaintText)).toEqual([]);
        expect((await page.$$('script, [onclick], link, img, form')).length).toBe(0);
        // The way on, where there is one: to the application that was asked for.
        const links = await page.$$eval('a', (all) => all.map(({ href }) => new URL(href).host));
        expect(links.filter((to) => to !== host && to !== new URL(browser.origin).host)).toEqual([]);
        const all = (await page.$eval('main', ({ textContent }) => textContent.trim())).replace(/op_\w{26}/, '...');
        expect(all).toMatch(new RegExp(`^Access denied\\s+${text}[^<>{}]*Reference: \\.\\.\\.$`));
        const shownOnly = (await page.content()).replace(/href="[^"]*"/g, '');
        expect(shownOnly).not.toMatch(/edghts|acct_|sallyport|example\.com/i);
        await page.close();
      }
    });
  });

  test('/ shows two calls, and copies them', async () => {
    const { page, problems } = await browser.open('/');
    const calls = await page.$$eval('.call code', (all) => all.map((one) => one.textContent ?? ''));
    expect(calls).toEqual([
      expect.stringContaining(`curl ${browser.origin}/ip_policies`),
      expect.stringContaining(`curl ${browser.origin}/graphql`),
    ]);
    await page.click('button[aria-label="Copy the GraphQL call"]');
    await waitForText(page, 'button[aria-label="Copy the GraphQL call"]', 'Copied');
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(calls[1]);
    expect(problems).toEqual([]);
  });

  test('/ shows whether the server is ready, while it is open', async () => {
    const closing = await startWholeServer(service);
    const { page } = await browser.open('/', { url: closing.url });
    await page.waitForSelector('.status.ready');
    closing.probes.close();
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.waitForSelector('.status.failing');
    expect(await statusOf(page)).toBe('Not ready');
    closing.cut();
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await waitForText(page, '.status', 'Unreachable');
  });

  test('/docs lists every route, and tries one out with a key', async () => {
    await service.rest('POST', '/ip_policies', { description: 'seen in the reference' });
    const { page, problems } = await openWhole('/docs');
    const versions: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/ip_policies')) versions.push(request.headers()['service-version']);
    });
    const { paths: described } = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text());
    const operations = Object.values<object>(described).flatMap((path) => Object.keys(path));
    expect((await page.$$('.opblock')).length).toBe(operations.length);

    await page.click('button.authorize');
    await page.type('.auth-container input', service.token);
    await page.click('.auth-container button[type=submit]');
    await page.click('.btn-done');
    await page.click('#operations-IP_policies-ListIpPolicies .opblock-summary-control');
    await clickOn(page, '#operations-IP_policies-ListIpPolicies .execute');
    const answer = await page.waitForSelector('#operations-IP_policies-ListIpPolicies .live-responses-table .response');
    expect(await answer?.$eval('.response-col_status', (cell) => cell.textContent)).toContain('200');
    expect(await answer?.$eval('.highlight-code', (cell) => cell.textContent)).toContain('seen in the reference');
    expect(versions).toEqual(['2']);
    expect(problems).toEqual([]);
  });

  test('/graphql shows the schema without a key, and a result once it has one, which the tab keeps', async () => {
    await service.rest('POST', '/ip_policies', { description: 'seen in the editor' });
    const { page, problems } = await openWhole('/graphql');
    await waitForText(page, '.graphiql-doc-explorer-content', 'IpPolicyConnection');
    expect(await statusOf(page)).toContain('first start of the server prints a key');
    await page.click('.graphiql-execute-button');
    await waitForText(page, '.result-window', 'Enter an API key above');

    await page.type('#key', service.token);
    await page.keyboard.press('Enter');
    await waitForText(page, '.result-window', 'editor');
    expect(await statusOf(page)).toContain('Account default.');

    await page.reload();
    await waitForText(page, '[role=status]', 'Account default.');
    await waitForText(page, '.graphiql-doc-explorer-content', 'IpPolicyConnection');
    await page.click('.graphiql-execute-button');
    await waitForText(page, '.result-window', 'editor');

    const other = await openWhole('/graphql');
    expect(await other.page.$eval('#key', (input) => (input as HTMLInputElement).value)).toBe('');
    expect(await other.page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(service.token);
    expect(page.url()).toBe(`${browser.origin}/graphql`);

    await other.page.close();
    await page.bringToFront();
    await page.click('#key-forget');
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect([...problems, ...other.problems]).toEqual([]);
  });

  test('/graphql shows the results of a subscription as they come', async () => {
    const { page, problems } = await openWhole('/graphql');
    await page.type('#key', service.token);
    await page.click('#key-use');
    await waitForText(page, '[role=status]', 'Account default.');
    // As an earlier visit would have left it; the page that is open may overwrite the storage at any time.
    await page.evaluateOnNewDocument(() => {
      const query = 'subscription { changes { kind changes { after } } }';
      localStorage.setItem('graphiql:tabState', JSON.stringify({ tabs: [{ id: 'a', query }], activeTabIndex: 0 }));
    });
    await page.reload();
    await waitForText(page, '[role=status]', 'Account default.');
    await waitForText(page, '.graphiql-query-editor', 'subscription');
    await page.click('.graphiql-execute-button');
    for (const description of ['first of the stream', 'second of the stream']) {
      // The stream may not have started yet.
      await expect
        .poll(async () => {
          await service.rest('POST', '/ip_policies', { description });
          return page.$eval('.result-window', ({ textContent }) => textContent);
        })
        .toContain(description.split(' ')[0]);
    }
    await page.evaluate(() => localStorage.clear());
    expect(problems).toEqual([]);
  });

  test('/graphql tells that a key is refused, and keeps an edited query out of its address', async () => {
    const { page } = await openWhole('/graphql');
    await page.click('.graphiql-query-editor .monaco-editor');
    await page.keyboard.type('# mine');
    await waitForText(page, '.graphiql-query-editor', '# mine');
    await page.type('#key', `${service.token}x`);
    await page.click('#key-use');
    await waitForText(page, '[role=status]', 'unknown, has expired or has been revoked');
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(page.url()).toBe(`${browser.origin}/graphql`);
  });
});

/** Returns texts with a contrast below 4.5 to 1 (WCAG 2.2, 1.4.3). Runs in the browser. */
function findFaintText(elements: Element[]): string[] {
  const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
      const value = channel / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element: Element | null): string => {
    if (element === null) return 'rgb(255, 255, 255)';
    const { backgroundColor } = getComputedStyle(element);
    return channels(backgroundColor)[3] === 0 ? groundOf(element.parentElement) : backgroundColor;
  };
  return elements.flatMap((element) => {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    if (!hasText || ['SCRIPT', 'STYLE'].includes(element.tagName)) return [];
    const [darker = 0, lighter = 0] = [luminance(getComputedStyle(element).color), luminance(groundOf(element))].sort();
    const contrast = (lighter + 0.05) / (darker + 0.05);
    return contrast < 4.5 ? [`${element.textContent}: ${contrast}`] : [];
  });
}
