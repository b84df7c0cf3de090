// Several rows of a list at once, and lists as files.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { axeFindings, type Dashboard, press, seeText, startDashboard, tabTo } from '../support/dashboard.ts';
import { hostKey } from '../support/host-key.ts';

describeInBrowser('several rows at once', () => {
  let dashboard: Dashboard;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'saved-'));
    dashboard = await startDashboard({}, folder);
  });
  afterAll(async () => {
    await dashboard?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Waits until a page has saved a file, and returns its lines. */
  async function saved(name: string) {
    let lines: string[] = [];
    await expect
      .poll(async () => {
        lines = (await readFile(join(folder, name), 'utf8').catch(() => '')).split('\r\n');
        return lines.length;
      })
      .toBeGreaterThan(1);
    return lines;
  }
  /** Chooses or unchooses a row by keyboard. */
  async function tick(page: Page, name: string) {
    await tabTo(page, `Choose ${name}`);
    await page.keyboard.press(' ');
  }
  /** Returns the names of the rows that are chosen. */
  const chosen = (page: Page) =>
    page.$$eval('tbody input[type=checkbox]:checked', (boxes) => boxes.map(({ ariaLabel }) => ariaLabel));

  test('rules are chosen by keyboard, saved as a file, deleted with one question about who is kept out, and put back', async () => {
    const { id } = await dashboard.call('POST', '/ip_policies', { description: 'Sites' });
    for (const [cidr, description] of [
      ['203.0.113.0/24', 'Office, "the big one"'],
      ['198.51.100.7/32', '=1+1'],
      ['192.0.2.0/28', ''],
    ])
      await dashboard.call('POST', '/ip_policy_rules', { ip_policy_id: id, cidr, action: 'allow', description });
    await dashboard.call('POST', '/ip_restrictions', { type: 'endpoints', ip_policy_ids: [id], enforced: false });
    const { page, problems } = await dashboard.open(`/ip-policies/${id}`);
    await tick(page, 'allow 203.0.113.0/24');
    await tick(page, 'allow 198.51.100.7/32');
    await seeText(page, '2 rows chosen');
    expect(await axeFindings(page)).toEqual([]);

    await press(page, 'Save chosen Rules as CSV');
    const [head, ...rows] = await saved('chosen-rules.csv');
    expect(head).toMatch(/^\uFEFFid,cidr,action,expiresAt,description,version,createdAt,/);
    expect(rows.map((row) => row.split(',').slice(1, 6).join())).toEqual([
      "198.51.100.7/32,allow,,'=1+1,1",
      '203.0.113.0/24,allow,,"Office, ""the big one"""',
      '',
    ]);
    await press(page, 'Save Rules as CSV');
    expect(await saved('rules.csv')).toHaveLength(5);

    await press(page, 'Delete');
    await seeText(page, 'Delete 2 rules?');
    await seeText(page, '198.51.100.7/32, 203.0.113.0/24');
    await press(page, 'Delete them');
    await seeText(page, '2 rules deleted.');
    await seeText(page, '1 rule');
    expect(await chosen(page)).toEqual([]);
    const query = 'query ($id: ID!) { ipPolicy(id: $id) { rules { nodes { cidr } } } }';
    const left = async () => await dashboard.graphql(query, { id });
    expect(await left()).toEqual({ ipPolicy: { rules: { nodes: [{ cidr: '192.0.2.0/28' }] } } });
    await press(page, 'Undo');
    await seeText(page, 'Undone.');
    await seeText(page, '3 rules');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('all that can be is chosen at once: not the own key, which is revoked on its own page', async () => {
    for (const description of ['One', 'Two', 'Three'])
      await dashboard.call('POST', '/api_keys', { description, scopes: ['read'] });
    const { page, problems } = await dashboard.open('/api-keys');
    await tick(page, 'all API keys');
    await expect.poll(() => chosen(page)).toEqual(['Choose Three', 'Choose Two', 'Choose One']);
    // With Shift, all rows since the one before.
    await tick(page, 'all API keys');
    await page.click('[aria-label="Choose Three"]');
    await page.keyboard.down('Shift');
    await page.click('[aria-label="Choose One"]');
    await page.keyboard.up('Shift');
    await expect.poll(() => chosen(page)).toEqual(['Choose Three', 'Choose Two', 'Choose One']);
    await tick(page, 'Two');
    await press(page, 'Revoke');
    await seeText(page, 'Revoke 2 keys?');
    await press(page, 'Revoke them');
    await seeText(page, '2 keys revoked.');
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 2);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('certificates are revoked, and sign-ins ended, several in one move', async () => {
    const authority = await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Hosts' });
    for (const name of ['a.example.com', 'b.example.com'])
      await dashboard.call('POST', '/ssh_host_certificates', {
        ssh_certificate_authority_id: authority.id,
        public_key: hostKey,
        principals: [name],
        description: name,
      });
    const { page, problems } = await dashboard.open('/ssh?tab=certificates');
    await tick(page, 'all Host certificates');
    await press(page, 'Revoke');
    await seeText(page, 'Revoke 2 certificates?');
    await press(page, 'Revoke them');
    await seeText(page, '2 certificates revoked.');
    await seeText(page, 'No host certificates yet');

    await dashboard.openAs(dashboard.key, '/').then((other) => other.page.close());
    await page.goto(`${new URL(page.url()).origin}/dashboard/api-keys?tab=sign-ins`);
    await press(page, 'Save Sign-ins as CSV');
    // A heading, two sign-ins, and the end of the last line.
    expect(await saved('sign-ins.csv')).toHaveLength(4);
    await tick(page, 'all Sign-ins');
    await press(page, 'End');
    await seeText(page, 'End 1 sign-in?');
    await press(page, 'End them');
    await seeText(page, '1 sign-in ended.');
    expect(problems).toEqual([]);
    await page.close();
  });
});
