// The overview, the audit trail and the palette, in Chromium.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { rest } from '../process/support.ts';
import { clickOn, describeInBrowser } from '../support/browser.ts';
import { axeFindings, choose, type Dashboard, enter, press, seeText, startDashboard } from '../support/dashboard.ts';
import { hostKey } from '../support/host-key.ts';
import { type Fate, intercept } from '../support/intercepted.ts';

const tomorrow = () => `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)}Z`;

describeInBrowser('the overview', () => {
  let dashboard: Dashboard;
  let policyId: string;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const { call } = dashboard;
    policyId = (await call('POST', '/ip_policies', { description: 'Offices' })).id;
    await call('POST', '/ip_policy_rules', { ip_policy_id: policyId, cidr: '203.0.113.0/24', action: 'allow' });
    const empty = await call('POST', '/ip_policies', { description: 'Old data centre' });
    await call('POST', '/ip_restrictions', {
      type: 'endpoints',
      enforced: false,
      description: 'Public endpoints',
      ip_policy_ids: [policyId, empty.id],
    });
  });
  afterAll(() => dashboard?.close());

  test('what needs attention comes first, and a link leads to it; changes of others appear by themselves', async () => {
    const { page, problems } = await dashboard.open('/');
    await seeText(page, 'has no rules, or all have ended, and an IP restriction refers to it');
    await seeText(page, 'IP policies\n2');
    await seeText(page, 'Healthy');
    await seeText(page, 'created IP policy rule 203.0.113.0/24');
    await seeText(page, 'signed in from 127.0.0.1');

    await dashboard.call('POST', '/ip_policies', { description: 'Made meanwhile' });
    await seeText(page, 'created IP policy Made meanwhile');
    await seeText(page, 'IP policies\n3');

    await page.evaluate(() => document.querySelector<HTMLElement>('main h1')?.focus());
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Old data centre');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('the palette acts, finds a range by a part of it, and does not offer what could not be done', async () => {
    const { page, problems } = await dashboard.openAs(dashboard.key, '/');
    const entries = () => page.$$eval('[role=menuitem]', (items) => items.map((item) => item.textContent));
    const seek = async (text: string, entry: string) => {
      await page.keyboard.down('Control');
      await page.keyboard.press('a');
      await page.keyboard.up('Control');
      await page.keyboard.type(text);
      await page.waitForFunction(
        (wanted) => document.querySelector('[role=menuitem][data-focused]')?.textContent?.includes(wanted),
        {},
        entry,
      );
    };
    await page.keyboard.press('/');
    await page.waitForSelector('[role=dialog] input:focus');
    // There is no authority in this account.
    await seek('new', 'New IP policy');
    expect(await entries()).not.toContain('New host certificate');
    await seek('203.0.1', '203.0.113.0/24');
    await enter(page, '203.0.113.400');
    await seeText(page, 'Nothing has “203.0.113.400”');
    // A pasted text puts the focus on no entry: Enter chooses the first.
    await enter(page, 'dark');
    await page.waitForFunction(() => document.querySelector('[role=menuitem]')?.textContent?.includes('Look: dark'));
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    await page.keyboard.press('/');
    await page.waitForSelector('[role=dialog] input:focus');
    await seek('sign out', 'Sign out');
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await seeText(page, 'Sign in');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('what has the same reason is one line that opens by keyboard; the navigation and the title count the lines', async () => {
    for (const description of ['Robot', 'Backup', 'Deployment']) {
      await dashboard.call('POST', '/api_keys', { description, expires_at: tomorrow(), scopes: ['read'] });
    }
    const { page, problems } = await dashboard.open('/audit-trail');
    await page.waitForFunction(() => document.title === '(2) Audit trail · Sallyport');
    await expect
      .poll(() => page.$eval('nav a[href="/dashboard/"]', ({ textContent }) => textContent))
      .toBe(' Overview2 need attention');
    await clickOn(page, 'nav a[href="/dashboard/"]');
    await seeText(page, '3 API keys expire within 14 days');
    await page.focus('main summary');
    await page.keyboard.press('Enter');
    await seeText(page, 'Make a new one, and give it to whoever uses this one.');
    expect(await axeFindings(page)).toEqual([]);
    // Within, the name comes first, and then the one action.
    for (const _ of ['name', 'action']) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.title === '(2) Robot · Sallyport');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('the trail is filtered by its address and by keyboard, and puts an object back after it has shown what that changes', async () => {
    await dashboard.call('PATCH', `/ip_policies/${policyId}`, { description: 'Bureaus' });
    const { page, problems } = await dashboard.open(`/audit-trail?object=${policyId}&action=create`);
    await seeText(page, 'created IP policy Bureaus');
    await page.waitForFunction(() => document.querySelectorAll('main ol > li').length === 1);
    const created = await page.$eval('main ol > li a:has(time)', ({ href }) => href);
    // A later event of that kind appears at once.
    await choose(page, 'What was done: Created', 'Everything');
    await seeText(page, 'changed IP policy Bureaus');
    await page.waitForFunction(() => !location.search.includes('action='));

    await page.goto(page.url().replace(/object=\w+/, 'actor=nobody'));
    await seeText(page, 'Nothing fits');
    await press(page, 'Show everything');
    await seeText(page, 'created IP policy Bureaus');

    await page.goto(created);
    await seeText(page, 'IP policy created');
    await press(page, 'Put back');
    await seeText(page, 'These fields become again what they were.');
    await page.waitForFunction(() => {
      const words = document.querySelector('[role=dialog] tbody tr')?.textContent;
      return words === 'descriptionBureausOffices';
    });
    await press(page, 'Put back');
    await seeText(page, 'Put back. The trail has it as a change of its own.');
    const policy = await dashboard.call('GET', `/ip_policies/${policyId}`);
    expect(policy.description).toBe('Offices');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('the trail is narrowed by what a key and an object are called, by keyboard, and widened again', async () => {
    const key = await dashboard.call('POST', '/api_keys', { description: 'Deployment', scopes: ['write'] });
    const branch = await dashboard.call('POST', '/ip_policies', { description: 'Branch' });
    await rest(dashboard.server.url, 'PATCH', `/ip_policies/${branch.id}`, { metadata: 'moved' }, String(key.token));
    const { page, problems } = await dashboard.open('/audit-trail');
    const lines = (expected: string[]) =>
      page.waitForFunction(
        (wanted) => {
          const shown = [...document.querySelectorAll('main ol > li > p')].map(({ textContent }) => textContent);
          return shown.length === wanted.length && wanted.every((line, at) => shown[at]?.startsWith(line));
        },
        {},
        expected,
      );
    const pick = async (field: string, text: string, found: string) => {
      await page.waitForSelector(`[role=dialog] input[aria-label="${field}"]:focus`);
      await page.keyboard.type(text);
      await page.waitForFunction(
        (wanted) => document.querySelector('[role=menuitem][data-focused]')?.textContent === wanted,
        {},
        found,
      );
      expect(await axeFindings(page)).toEqual([]);
      await page.keyboard.press('Enter');
      // The control that opened it has the focus again and shows the choice.
      await page.waitForFunction((wanted) => document.activeElement?.textContent === wanted, {}, text);
    };
    await press(page, 'Anybody');
    await pick('By', 'Deployment', 'Deployment');
    await lines(['Deployment changed IP policy Branch']);
    await press(page, 'By: Anybody');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Anybody');
    await press(page, 'Every object');
    await pick('Object', 'Branch', 'BranchIP policy');
    await lines(['Deployment changed IP policy Branch', 'First key created IP policy Branch']);
    expect(new URL(page.url()).search).toBe(`?object=${branch.id}`);
    // A link means the same in every zone: instants are in UTC, and shown in the reader's zone.
    await page.emulateTimezone('Asia/Kathmandu');
    await page.goto(`${page.url()}&to=2020-01-01T00:00Z`);
    await seeText(page, 'Nothing fits');
    await seeText(page, 'To UTC+5:45');
    const dates = () => page.$$eval('input[type=datetime-local]', (inputs) => inputs.map(({ value }) => value));
    await expect.poll(dates).toEqual(['', '2020-01-01T05:45']);
    // As the control of the browser does it, whose keys differ by language.
    await page.$eval('input[type=datetime-local]', (input) => {
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {};
      set?.call(input, '2019-12-25T05:45');
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await page.waitForFunction(() => location.search.endsWith('&from=2019-12-25T00%3A00Z'));
    // "Last hour" ends now, whatever time range was set before, and whenever its link is opened.
    await press(page, 'Last hour');
    await page.waitForFunction(() => location.search.includes('&from='));
    expect(new URL(page.url()).search).toBe(`?object=${branch.id}&from=1h`);
    const [from = ''] = await dates();
    const agoMs = await page.evaluate((text) => Date.now() - new Date(text).getTime(), from);
    expect([agoMs >= 3_600_000, agoMs < 3_720_000]).toEqual([true, true]);
    await lines(['Deployment changed IP policy Branch', 'First key created IP policy Branch']);
    // A deleted object is found by its identifier.
    await dashboard.call('DELETE', `/ip_policies/${branch.id}`);
    await press(page, 'Show everything');
    await press(page, 'Every object');
    await pick('Object', branch.id, branch.id);
    await lines(['', '', '']);
    await seeText(page, 'deleted IP policy “Branch”');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('the page of a refused request reads no history: there is nothing to revert', async () => {
    const { token } = await dashboard.call('POST', '/api_keys', { scopes: ['ip-policies:read'] });
    const headers = { Authorization: `Bearer ${token}`, 'Service-Version': '2', 'Content-Type': 'application/json' };
    const refused = await fetch(`${dashboard.server.url}/ip_policies`, { method: 'POST', headers, body: '{}' });
    expect(refused.status).toBe(403);
    const newest = async () => Object(await dashboard.graphql('{ auditEvents(first: 1) { nodes { id kind } } }'));
    await expect.poll(async () => (await newest()).auditEvents.nodes[0].kind).toBe('Request');
    const { page, problems } = await dashboard.open('/audit-trail');
    const { asked } = await intercept(page, () => 'pass');
    const { id } = (await newest()).auditEvents.nodes[0];
    await page.goto(new URL(`/dashboard/audit-trail/${id}`, page.url()).href);
    await seeText(page, 'State, without secrets');
    // Requests come in order: what the page has asked for by now is there before this one.
    await page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      await fetch('/openapi.json');
    });
    expect(asked).toEqual(expect.arrayContaining(['AuditEvent', 'openapi.json']));
    expect(asked).not.toContain('AuditEvents');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('what is gone is called what it was: a rule by its range, a host by its name', async () => {
    const { id } = await dashboard.call('POST', '/ip_policies', { description: 'Partners' });
    const rule = { ip_policy_id: id, cidr: '198.51.100.0/24', action: 'allow', description: 'Their lab' };
    const authority = await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Racks' });
    const certificate = { public_key: hostKey, principals: ['rack-7.example.com', 'rack-7'] };
    const edge = { hostports: ['gone.example.com:443'] };
    for (const [path, body] of [
      ['/ip_policy_rules', rule],
      ['/ssh_host_certificates', { ...certificate, ssh_certificate_authority_id: authority.id }],
      ['/edges/https', edge],
    ] as const) {
      const made = await dashboard.call('POST', path, body);
      await dashboard.call('DELETE', `${path}/${made.id}`);
    }
    const { page, problems } = await dashboard.open('/audit-trail?action=delete');
    await seeText(page, 'deleted HTTPS edge “gone.example.com:443” from');
    await seeText(page, 'deleted host certificate “rack-7.example.com” from');
    await seeText(page, 'deleted IP policy rule “198.51.100.0/24” from');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('the palette says how much it has found only once it knows', async () => {
    const { page, problems } = await dashboard.open('/');
    await page.keyboard.press('/');
    const status = await page.waitForSelector('[role=dialog] [role=status]');
    const said = await page.evaluateHandle((element) => {
      const texts: (string | null)[] = [];
      const options = { childList: true, characterData: true, subtree: true };
      new MutationObserver(() => texts.push(element?.textContent ?? null)).observe(element ?? document, options);
      return texts;
    }, status);
    await enter(page, '203.0.113.9');
    await page.waitForFunction((texts) => texts.includes('2 found'), {}, said);
    await enter(page, 'audit '.repeat(50));
    await seeText(page, 'at most 255 bytes can be sought');
    await enter(page, 'Offices');
    await page.waitForFunction((texts) => texts.includes('1 found'), {}, said);
    expect(await said.jsonValue()).toEqual(['2 found', '', '1 found']);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('the palette finds an object by an address that it holds, goes to pages, and says when nothing fits', async () => {
    const { page, problems } = await dashboard.open('/');
    const focused = () =>
      page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Search everything');
    const isAt = (text: string) =>
      page.waitForFunction(
        (wanted) => document.querySelector('[role=menuitem][data-focused]')?.textContent?.includes(wanted),
        {},
        text,
      );
    await page.keyboard.press('/');
    await focused();
    await page.keyboard.type('203.0.113.9');
    // Until then, the palette shows the results for the part already typed.
    await seeText(page, 'May 203.0.113.9 come in?');
    await isAt('203.0.113.0/24');
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    // That page shows the rule whose range contains the address.
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Offices');
    expect(new URL(page.url()).search).toBe('?search=203.0.113.9');
    await page.waitForFunction(() => document.querySelectorAll('tbody tr code').length === 1);
    await expect.poll(() => page.$eval('tbody tr code', ({ textContent }) => textContent)).toBe('203.0.113.0/24');

    await page.keyboard.down('Control');
    await page.keyboard.press('k');
    await page.keyboard.up('Control');
    await focused();
    await page.keyboard.type('zebra');
    await seeText(page, 'Nothing has “zebra” in its name, id, address or fingerprint.');
    // The search is part of the URL, like everything that is shown.
    expect(new URL(page.url()).search).toBe('?search=203.0.113.9&seek=zebra');
    await page.keyboard.press('Escape');
    await page.waitForFunction(
      () => document.querySelector('[role=dialog]') === null && !location.search.includes('seek'),
    );

    await page.keyboard.press('/');
    await focused();
    await page.keyboard.type('audit');
    await isAt('Audit trail');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Audit trail');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a key that can only read begins nothing, and is told that it may not read the trail', async () => {
    const { api_key: _, ...key } = await dashboard.call('POST', '/api_keys', {
      description: 'Reads policies',
      scopes: ['ip-policies:read'],
    });
    const { page, problems } = await dashboard.openAs(String(key.token), '/audit-trail');
    await seeText(page, 'it lacks audit-events:read');
    await page.keyboard.press('/');
    await page.waitForSelector('[role=menuitem]');
    const entries = await page.$$eval('[role=menuitem]', (items) => items.map((item) => item.textContent));
    const own = ['Look: light', 'Look: dark', 'GraphiQL', 'REST reference', 'Version', 'Sign out'];
    expect(entries).toEqual(['Overview', 'IP policies', ...own]);
    // It does not even request the stream of changes, which this key may not read.
    await seeText(page, 'Looks every 30 seconds');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('axe finds nothing on the overview and the trail, which fits a phone', async () => {
    const { page, problems } = await dashboard.open('/');
    // `textContent`, whether in view or below: text out of view is not rendered (`content-visibility`).
    const listed = () =>
      page.waitForFunction(
        () => document.querySelector('main ol')?.textContent?.includes('created IP policy Offices') === true,
      );
    await seeText(page, 'Latest changes');
    await seeText(page, 'As a table');
    expect(await axeFindings(page)).toEqual([]);
    await page.goto(`${page.url()}audit-trail`);
    await listed();
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewport({ width: 360, height: 900, isMobile: true, hasTouch: true });
    await listed();
    expect(await axeFindings(page)).toEqual([]);
    const [width, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    expect(width).toBeLessThanOrEqual(Number(room));
    expect(problems).toEqual([]);
    await page.close();
  });

  test('the trail names more objects than one document may ask for, and follows their names', async () => {
    const branches = Array.from({ length: 120 }, (_, index) => `Branch ${index + 1}`);
    const ids: string[] = [];
    for (const description of branches) ids.push((await dashboard.call('POST', '/ip_policies', { description })).id);
    const { page, problems } = await dashboard.open('/audit-trail?kind=IpPolicy&action=create');
    for (const count of [100, 120]) {
      const shown = page.waitForFunction(
        (wanted) => document.querySelectorAll('main ol > li').length >= wanted,
        {},
        count,
      );
      // The end of the list is also read once it is in sight, and its button is gone then.
      await Promise.any([shown, clickOn(page, '::-p-aria(Show older ones)')]);
      await shown;
    }
    const named = await page.waitForFunction(
      (wanted) => {
        const links = [...document.querySelectorAll('main ol > li p a')].map(({ textContent }) => textContent);
        return wanted.every((name) => links.includes(name)) && links.length;
      },
      {},
      branches,
    );
    expect(await named.jsonValue()).toBeGreaterThanOrEqual(120);
    await dashboard.call('PATCH', `/ip_policies/${ids[0]}`, { description: 'Head office' });
    await seeText(page, 'created IP policy Head office');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('older events are read also while the list is read again because of others', async () => {
    for (let made = 0; made < 60; made += 1)
      await dashboard.call('POST', '/ip_policies', { description: `Site ${made}` });
    const { page, problems } = await dashboard.open('/audit-trail?kind=IpPolicy&action=create');
    await page.waitForFunction(() => document.querySelectorAll('main ol > li').length === 50);
    const { asked, release } = await intercept(page, (name) => (name === 'AuditEvents' ? 'hold' : 'pass'));
    await dashboard.call('POST', '/ip_policies', { description: 'Made by others' });
    await expect.poll(() => asked).toContain('AuditEvents');
    await clickOn(page, '::-p-aria(Show older ones)');
    await release();
    await page.waitForFunction(() => document.querySelectorAll('main ol > li').length > 60);
    await page.waitForFunction(() => document.querySelector('main ol > li b + a')?.textContent === 'Made by others');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('what others did meanwhile is read also where the page that was asked for cannot be', async () => {
    for (let made = 0; made < 51; made += 1)
      await dashboard.call('POST', '/backends/tunnel_group', { labels: { place: String(made) } });
    const { page, problems } = await dashboard.open('/audit-trail?kind=TunnelGroupBackend');
    await page.waitForFunction(() => document.querySelectorAll('main ol > li').length === 50);
    const fates: Fate[] = ['hold', 'fail'];
    const { asked, release } = await intercept(page, (name) =>
      name === 'AuditEvents' ? (fates.shift() ?? 'pass') : 'pass',
    );
    await dashboard.call('POST', '/backends/tunnel_group', { description: 'By others', labels: { place: 'there' } });
    await expect.poll(() => asked).toContain('AuditEvents');
    await clickOn(page, '::-p-aria(Show older ones)');
    await expect.poll(() => asked.filter((name) => name === 'AuditEvents').length).toBeGreaterThan(1);
    await release();
    await page.waitForFunction(() => document.querySelector('main ol > li b + a')?.textContent === 'By others');
    await clickOn(page, '::-p-aria(Show older ones)');
    await page.waitForFunction(() => document.querySelectorAll('main ol > li').length === 52);
    expect(problems.filter((problem) => !problem.includes('ERR_FAILED'))).toEqual([]);
    await page.close();
  });

  test('the first keys are offered to choose from with a sign that there are more', async () => {
    for (let made = 0; made < 50; made += 1) {
      await dashboard.call('POST', '/api_keys', { description: `Robot ${made}`, scopes: ['read'] });
    }
    const { page, problems } = await dashboard.open('/audit-trail');
    await press(page, 'Anybody');
    await seeText(page, 'There are more keys. Type more to narrow them.');
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.type('Robot 49');
    await page.waitForFunction(() => document.querySelector('[role=dialog] [role=status]')?.textContent === '1 found');
    expect(problems).toEqual([]);
    await page.close();
  });
});
