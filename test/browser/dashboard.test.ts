// The frame of the dashboard in Chromium: signing in, themes, a lost connection, two people at one object, what a read-only key sees.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromium } from '../support/browser.ts';
import { axeFindings, type Dashboard, seeText, startDashboard, tabTo } from '../support/dashboard.ts';

const title = chromium === undefined ? 'the dashboard: SKIPPED, no Chromium in /usr/bin' : 'the dashboard';

describe.skipIf(chromium === undefined)(title, () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  test('somebody with a wrong key is told so, and axe finds nothing at the door', async () => {
    await dashboard.call('POST', '/ip_policies', { description: 'Offices' });
    const { page, problems } = await dashboard.open('/ip-policies');
    await seeText(page, 'Offices');
    expect(await axeFindings(page)).toEqual([]);
    await tabTo(page, 'Skip to content');
    expect(problems).toEqual([]);
  });
});
