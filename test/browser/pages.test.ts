// The pages as a person meets them: in Chromium, over plain HTTP, under a name of the local network, without internet.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromium, openBrowser } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';

const title = chromium === undefined ? 'pages in a browser: SKIPPED, no Chromium in /usr/bin' : 'pages in a browser';

describe.skipIf(chromium === undefined)(title, () => {
  let service: TestService;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    service = await startService({ baseUrl: null });
    browser = await openBrowser(service.url);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('/ shows what this is, in its own style', async () => {
    const { page, problems } = await browser.open('/');
    expect(await page.$eval('h1', (heading) => heading.textContent)).toBe('Sallyport');
    expect(await page.$eval('pre', (call) => call.textContent)).toContain(`curl ${browser.origin}/ip_policies`);
    expect(await page.$eval('body', (body) => getComputedStyle(body).maxWidth)).toBe('736px');
    expect(problems).toEqual([]);
  });

  test('/docs lists every route, and tries one out with a key', async () => {
    await service.rest('POST', '/ip_policies', { description: 'seen in the reference' });
    const { page, problems } = await browser.open('/docs');
    await page.waitForSelector('.opblock');
    const { paths } = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text());
    const operations = Object.values<object>(paths).flatMap((path) => Object.keys(path));
    expect((await page.$$('.opblock')).length).toBe(operations.length);

    await page.click('button.authorize');
    await page.type('.auth-container input', service.token);
    await page.click('.auth-container button[type=submit]');
    await page.click('.btn-done');
    await page.click('#operations-IP_policies-ListIpPolicies .opblock-summary-control');
    await (await page.waitForSelector('#operations-IP_policies-ListIpPolicies .execute'))?.click();
    const answer = await page.waitForSelector('#operations-IP_policies-ListIpPolicies .live-responses-table .response');
    expect(await answer?.$eval('.response-col_status', (cell) => cell.textContent)).toContain('200');
    expect(await answer?.$eval('.highlight-code', (cell) => cell.textContent)).toContain('seen in the reference');
    expect(problems).toEqual([]);
  });

  test('/graphql runs a query with a key', async () => {
    await service.rest('POST', '/ip_policies', { description: 'seen in the editor' });
    const { page, problems } = await browser.open('/graphql');
    const headers = await page.waitForSelector('.graphiql-editor-tool .graphiql-editor:not(.hidden) .monaco-editor');
    await headers?.click();
    // The editor holds the header already, and lacks only the key: { "Authorization": "Bearer " }
    await page.keyboard.press('End');
    for (const _ of '" }') await page.keyboard.press('ArrowLeft');
    await page.keyboard.sendCharacter(service.token);
    await page.click('.graphiql-execute-button');
    await page.waitForFunction(() => document.querySelector('.result-window')?.textContent?.includes('editor'));
    // Before it had the key, the page asked for the schema without one.
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
  });
});
