// The main flows of the dashboard by keyboard, in another engine than that of all other tests.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browsers } from '../support/browser.ts';
import { type Dashboard, fill, press, seeText, startDashboard, tabTo } from '../support/dashboard.ts';

const subject = 'the dashboard in Firefox';
const title = browsers.firefox === undefined ? `${subject}: SKIPPED, no Firefox in /usr/bin` : subject;

describe.skipIf(browsers.firefox === undefined)(title, () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({}, 'firefox');
  });
  afterAll(() => dashboard?.close());

  test('lets one in with a key, make a policy and a key that is kept first, and follows the changes of others', async () => {
    const { page } = await (await dashboard.newPerson()).open('/dashboard/ip-policies?new=1');
    await page.waitForSelector('#door input[type=password]:focus');
    await page.keyboard.type(dashboard.key);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('Offices');
    await page.keyboard.press('Enter');
    await seeText(page, 'No rules yet');
    const [policy] = Object(await dashboard.graphql('{ ipPolicies { nodes { id description } } }')).ipPolicies.nodes;
    expect(policy.description).toBe('Offices');
    await dashboard.call('POST', '/ip_policy_rules', {
      ip_policy_id: policy.id,
      cidr: '192.0.2.0/24',
      action: 'allow',
    });
    await seeText(page, '192.0.2.0/24');

    await page.goto(new URL('/dashboard/api-keys?new=1', page.url()).href);
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('Backup');
    await tabTo(page, 'Backends: None');
    await page.keyboard.press('ArrowRight');
    await press(page, 'Create');
    await seeText(page, 'It is shown this once.');
    await page.keyboard.press('Escape');
    await press(page, 'I have kept it');
    await page.waitForSelector('[role=dialog]', { hidden: true });

    await page.goto(new URL(`/dashboard/ip-policies/${policy.id}?tab=settings`, page.url()).href);
    await fill(page, 'Description', 'All offices');
    await press(page, 'Save');
    await seeText(page, 'Policy saved.');
    await page.close();
  });
});
