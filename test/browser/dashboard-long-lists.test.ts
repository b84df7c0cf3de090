// A list with 10,000 rows: nothing moves in it, and what others change costs a few requests.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, engine } from '../support/browser.ts';
import { type Dashboard, press, seeText, startDashboard } from '../support/dashboard.ts';
import { execute } from '../support/database.ts';
import { hostKey } from '../support/host-key.ts';
import { watchShifts } from '../support/shifts.ts';

const rows = 10_000;

/** Returns the id of a row: all end at the same time, and are in the order of their ids. */
const idOf = (index: number) => `shcrt_0${String(index).padStart(25, '0')}`;

/** Returns the name of the operation that a request to GraphQL asks for. */
const operationOf = (request: HTTPRequest): string => JSON.parse(request.postData() ?? '{}').operationName;

describeInBrowser('a list with 10,000 rows', () => {
  let dashboard: Dashboard;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'saved-'));
    dashboard = await startDashboard({}, folder);
    const authority = await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Fleet' });
    await dashboard.call('POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id: authority.id,
      public_key: hostKey,
      principals: ['web.example.com'],
      description: 'The last',
    });
    const values = Array.from({ length: rows - 1 }, (_, index) => `('${idOf(index)}', ${index + 1}, 'Host ${index}')`);
    const same =
      '"accountId", "createdAt", "updatedAt", "sshCertificateAuthorityId", "publicKey", "keyType", "principals", ' +
      '"validAfter", "validUntil", "certificate", "fingerprint"';
    await execute(
      dashboard.server.database,
      `INSERT INTO "SshHostCertificate" ("id", "serial", "description", ${same}) SELECT column1, column2, column3, ${same}
        FROM "SshHostCertificate", (VALUES ${values.join()}) AS others`,
    );
  });
  afterAll(async () => {
    await dashboard?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Scrolls to the end of the list until all of it is loaded. */
  const loadAll = (page: Page) =>
    page.waitForFunction(
      () => {
        window.scrollTo(0, document.documentElement.scrollHeight);
        const isWhole = ![...document.querySelectorAll('main button')].some(
          ({ textContent }) => textContent === 'Show more',
        );
        return isWhole && document.querySelector('tr[aria-rowindex="10001"]') !== null;
      },
      { polling: 50 },
    );
  /** Scrolls to a place of the list, and waits until its rows are drawn. */
  const goTo = (page: Page, part: number) =>
    page.evaluate(async (to) => {
      window.scrollTo(0, to * document.documentElement.scrollHeight);
      for (let frames = 0; frames < 4; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    }, part);
  /** Returns the numbers of the rows that are drawn. */
  const drawn = (page: Page) =>
    page.$$eval('tbody tr[data-index]', (all) => all.map((row) => Number(row.getAttribute('data-index'))));

  test('moves nothing, however far somebody jumps, and is as the server has it wherever somebody looks', async () => {
    const { page, problems } = await dashboard.open('/backends');
    const shifts = await watchShifts(page);
    await page.goto(`${new URL(page.url()).origin}/dashboard/ssh?tab=certificates`);
    await seeText(page, 'Host 0');
    await seeText(page, '10,000 shown');
    const counts = () => page.$$eval('main fieldset label span', (all) => all.map(({ textContent }) => textContent));
    await expect.poll(counts).toEqual(['10,000', '0', '0', '0', '0']);
    // What a page moves until it is there is another promise (`dashboard-first-load.test.ts`).
    const before = await shifts();
    await loadAll(page);
    for (const part of [0, 1, 0.5, 0.1, 1, 0]) await goTo(page, part);
    if (engine === 'chromium') expect((await shifts()) - before).toBeLessThan(0.05);

    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) asked.push(operationOf(request));
    });
    const rename = (id: string, description: string) =>
      dashboard.call('PATCH', `/ssh_host_certificates/${id}`, { description });
    const askedForRows = () => asked.filter((name) => name === 'SshCertificates').length;
    await rename(idOf(0), 'The first of all');
    await seeText(page, 'The first of all');
    if (engine === 'chromium') expect(askedForRows()).toBeLessThanOrEqual(3);
    // Rows that nobody looked at meanwhile.
    await rename(idOf(5_000), 'In the middle');
    await goTo(page, 0.5);
    await seeText(page, 'In the middle');
    if (engine === 'chromium') expect(askedForRows()).toBeLessThanOrEqual(9);
    const numbers = await drawn(page);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    expect(problems).toEqual([]);
    await page.close();
  });

  test('is saved as a file in as few requests as go, and that can be stopped', async () => {
    const { page, problems } = await dashboard.open('/ssh?tab=certificates');
    let requests = 0;
    page.on('request', (request) => {
      // The page asks for other things by itself.
      if (request.url().endsWith('/graphql') && operationOf(request) === 'SshCertificates') requests += 1;
    });
    await press(page, 'Save Host certificates as CSV');
    await page.waitForSelector('button[aria-label^="Stop saving Host certificates"]');
    await page.keyboard.press('Enter');
    await seeText(page, 'Stopped. Nothing was saved.');
    requests = 0;
    await page.keyboard.press('Enter');
    const lines = async () =>
      (await readFile(join(folder, 'host-certificates.csv'), 'utf8').catch(() => '')).split('\r\n');
    // A heading, the rows, and the end of the last line.
    await expect.poll(async () => (await lines()).length).toBe(rows + 2);
    expect(requests).toBe(rows / 100);
    expect(problems).toEqual([]);
    await page.close();
  });
});
