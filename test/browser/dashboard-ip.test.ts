// The pages of IP policies and IP restrictions in Chromium, by keyboard alone.

import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clickOn, describeInBrowser } from '../support/browser.ts';
import {
  axeFindings,
  choose,
  type Dashboard,
  enter,
  fill,
  press,
  seeText,
  startDashboard,
  tabTo,
} from '../support/dashboard.ts';
import { intercept, testIntercepting } from '../support/intercepted.ts';

describeInBrowser('policies and restrictions', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  /** Creates a policy with rules such as `allow 203.0.113.0/24`. */
  async function makePolicy(description: string, ...rules: string[]): Promise<string> {
    const { id } = await dashboard.call('POST', '/ip_policies', { description });
    for (const rule of rules) {
      const [action, cidr] = rule.split(' ');
      await dashboard.call('POST', '/ip_policy_rules', { ip_policy_id: id, cidr, action });
    }
    return id;
  }
  /** Returns the rules of a policy. */
  async function rulesOf(id: string) {
    const query = 'query ($id: ID!) { ipPolicy(id: $id) { rules { nodes { id cidr description } } } }';
    // The form of the query's answer.
    const answer = (await dashboard.graphql(query, { id })) as {
      ipPolicy: { rules: { nodes: { id: string; cidr: string; description: string }[] } };
    };
    return answer.ipPolicy.rules.nodes;
  }
  const ruleOf = async (id: string, cidr: string) => (await rulesOf(id)).find((rule) => rule.cidr === cidr)?.id;
  const restrict = (type: string, enforced: boolean, description: string, ...ids: string[]) =>
    dashboard.call('POST', '/ip_restrictions', { type, enforced, description, ip_policy_ids: ids });

  test('who restricts before there is a policy is led to make one', async () => {
    const { page, problems } = await dashboard.open('/ip-restrictions?new=1');
    await seeText(page, 'There are no policies yet.');
    expect(await axeFindings(page)).toEqual([]);
    await press(page, 'Make one');
    await page.waitForFunction(() => `${location.pathname}${location.search}`.endsWith('/ip-policies?new=1'));
    await page.waitForSelector('[role=dialog] input:focus');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a source is added, refreshed, changed and deleted on the page of its policy', async () => {
    const id = await makePolicy('from a name');
    const { page, problems } = await dashboard.open(`/ip-policies/${id}`);
    await clickOn(page, '::-p-aria([name="Sources"][role="tab"])');
    await seeText(page, 'This policy has no sources.');
    await fill(page, 'Name', 'nowhere.invalid:80');
    await press(page, 'Add source');
    await seeText(page, 'must be a DNS name such as office.example.com');
    await fill(page, 'Name', 'localhost');
    await press(page, 'Add source');
    await seeText(page, '2 ranges');
    expect(await axeFindings(page)).toEqual([]);
    await press(page, 'Refresh now: localhost');
    await press(page, 'What would change: localhost');
    await seeText(page, 'Nothing would change: it has the same ranges.');
    await press(page, 'Change localhost');
    await fill(page, 'Read again after', '59');
    await press(page, 'Save');
    await seeText(page, 'must be from 60 to 86400');
    await fill(page, 'Read again after', '600');
    await fill(page, 'Description', 'Our own');
    expect(await axeFindings(page)).toEqual([]);
    await press(page, 'Save');
    await seeText(page, 'Source saved.');
    const { ip_policy_sources: sources } = Object(await dashboard.call('GET', '/ip_policy_sources'));
    expect(sources).toMatchObject([{ description: 'Our own', interval_seconds: 600, address: 'localhost' }]);
    // What cannot be read is saved only by who means it.
    await fill(page, 'DNS name', 'nowhere.invalid');
    await press(page, 'Save');
    await press(page, 'Save all the same');
    await seeText(page, 'It cannot be read.');
    await press(page, 'Delete the source nowhere.invalid');
    await seeText(page, 'It has no ranges in force.');
    expect(await axeFindings(page)).toEqual([]);
    await press(page, 'Delete source');
    await seeText(page, 'This policy has no sources.');
    await seeText(page, 'Source nowhere.invalid deleted.');
    // That of the change may still be there, above it.
    const undo = await page.$$('::-p-aria([name="Undo"][role="button"])');
    await undo.at(-1)?.click();
    await seeText(page, 'Our own');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('who comes in by a source alone is told before a change or deletion of it locks them out', async () => {
    const id = await makePolicy('Here by name');
    const byName = { ip_policy_id: id, kind: 'dns', address: 'localhost', action: 'allow' };
    const source = await dashboard.call('POST', '/ip_policy_sources', byName);
    const restriction = await restrict('dashboard', true, 'Who signs in', id);
    const { page, problems } = await dashboard.open(`/ip-policies/${id}?tab=sources`);
    await press(page, 'Change localhost');
    // Not that of the form that adds one.
    await tabTo(page, 'DNS name');
    await tabTo(page, 'Action');
    await page.keyboard.type('D');
    await press(page, 'Save');
    await seeText(page, 'Change the source localhost?');
    await seeText(page, 'This locks you out.');
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await press(page, 'Discard');
    await press(page, 'Delete the source localhost');
    await seeText(page, '2 ranges of it no longer count.');
    await press(page, 'Delete source');
    await seeText(page, 'Type “lock me out” if you mean it');
    await page.keyboard.press('Escape');
    const left = await dashboard.call('GET', `/ip_policy_sources/${source.id}`);
    expect(left).toMatchObject({ action: 'allow', range_count: 2 });
    await dashboard.call('DELETE', `/ip_restrictions/${restriction.id}`);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a policy is made, gets a rule and a pasted list, and says what is wrong with each before it is sent', async () => {
    const { page, problems } = await dashboard.open('/ip-policies');
    await press(page, 'New policy');
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('Branch office');
    await page.keyboard.press('Enter');
    await seeText(page, 'No rules yet');

    await tabTo(page, 'Range or address');
    await page.keyboard.type('198.51.100.9/24');
    await seeText(page, 'write 198.51.100.0/24');
    for (let times = 0; times < 4; times += 1) await page.keyboard.press('Backspace');
    await page.keyboard.type('0/24');
    await seeText(page, 'Nothing refers to this policy yet.');
    await page.keyboard.press('Enter');
    await seeText(page, '1 rule');
    await press(page, 'Undo');
    await seeText(page, 'No rules yet');
    await tabTo(page, 'Ends');
    await page.keyboard.type('Until');
    await fill(page, 'Range or address', '198.51.100.0/24');
    // Without the end that is still to be entered, it would be a rule for ever.
    await page.keyboard.press('Enter');
    await tabTo(page, 'Ends');
    await page.keyboard.type('In a d');
    await tabTo(page, 'Range or address');
    await page.keyboard.press('Enter');
    await seeText(page, '1 rule');
    await seeText(page, 'in 23 hours');
    // The controls in a rule's row are forms as well.
    await press(page, 'Show the call');
    await seeText(page, 'curl -X DELETE');
    await fill(page, 'Description of 198.51.100.0/24', 'Berlin');
    await seeText(page, '-d \'{"description":"Berlin"}\'');
    await page.keyboard.press('Enter');
    await seeText(page, 'Description of 198.51.100.0/24 saved.');

    await press(page, 'Paste a list');
    await page.waitForSelector('[role=dialog] textarea:focus');
    await enter(page, '# ours\n192.0.2.7 # VPN\nnonsense, 192.0.2.300\n10.1.2.3 255.255.0.0\n198.51.100.0/24');
    await seeText(page, '3 entries left out.');
    await seeText(page, '192.0.2.300 It is not an address or a range.');
    await seeText(page, 'The policy already has a rule that allows this range');
    expect(await axeFindings(page)).toEqual([]);
    await press(page, 'Line 3');
    await expect.poll(() => page.evaluate(() => String(window.getSelection()))).toBe('192.0.2.300');
    await press(page, 'Mend it: 10.1.0.0/16');
    await seeText(page, '2 entries left out.');
    await page.waitForSelector('[role=dialog] button[type=submit]:enabled');
    await press(page, 'Add 2 rules');
    await seeText(page, '2 rules added. 2 entries left out.');
    await seeText(page, '3 rules');
    await seeText(page, '192.0.2.7/32');

    // All addresses there are: never by a slip.
    await press(page, 'Paste a list');
    await page.waitForSelector('[role=dialog] textarea:focus');
    await enter(page, '0.0.0.0 0.0.0.0');
    await page.waitForSelector('[role=dialog] button[type=submit]:enabled');
    await press(page, 'Add 1 rule');
    await seeText(page, 'This allows everybody.');
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelectorAll('[role=dialog]').length === 1);
    await expect.poll(() => page.$eval('[role=dialog] textarea', (area) => area.value)).toBe('0.0.0.0 0.0.0.0');
    expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a pasted list is taken back but for what somebody else has changed, and its call does the same in a shell', async () => {
    const id = await makePolicy('Partners');
    const { page, problems } = await dashboard.open(`/ip-policies/${id}?open=paste`);
    await page.waitForSelector('[role=dialog] textarea:focus');
    await page.keyboard.type(`192.0.2.0/24 # O'Neill's "lab" \\ $HOME\n2001:db8::/32`);
    await page.waitForSelector('[role=dialog] button[type=submit]:enabled');
    await clickOn(page, '[role=dialog] [aria-label="Show the call"]');
    const call = await page.$eval('[role=dialog] [aria-label=curl]', ({ textContent }) => textContent ?? '');
    await press(page, 'Add 2 rules');
    await seeText(page, '2 rules added.');
    const [changed] = await rulesOf(id);
    await dashboard.call('PATCH', `/ip_policy_rules/${changed?.id}`, { description: 'mine' });
    await press(page, 'Undo');
    await seeText(page, '1 rule of 2 not undone.');
    expect(await rulesOf(id)).toMatchObject([{ id: changed?.id, description: 'mine' }]);
    await dashboard.call('DELETE', `/ip_policy_rules/${changed?.id}`);

    const environment = { PATH: process.env.PATH, SALLYPORT_API_KEY: dashboard.key };
    // Only the browser can resolve the server's name.
    const script = call.replace(new URL(page.url()).origin, dashboard.server.url);
    execFileSync('sh', ['-c', script], { env: environment, stdio: 'ignore' });
    expect((await rulesOf(id)).map(({ cidr, description }) => [cidr, description]).sort()).toEqual([
      ['192.0.2.0/24', `O'Neill's "lab" \\ $HOME`],
      ['2001:db8::/32', ''],
    ]);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('what keeps somebody out is shown before it is done, and can be undone', async () => {
    const id = await makePolicy('Offices', 'allow 203.0.113.0/24', 'deny 203.0.113.66/32');
    await restrict('endpoints', true, 'Public endpoints', id);
    const { page, problems } = await dashboard.open(`/ip-policies/${id}`);
    await press(page, 'Delete 203.0.113.0/24');
    await seeText(page, 'Delete the rule for 203.0.113.0/24?');
    await seeText(page, 'Keeps out');
    await seeText(page, '203.0.113.0-203.0.113.65');
    expect(await axeFindings(page)).toEqual([]);
    // A change that somebody else makes to the rule meanwhile is shown before it is overwritten.
    await dashboard.call('PATCH', `/ip_policy_rules/${await ruleOf(id, '203.0.113.0/24')}`, { description: 'Berlin' });
    await seeText(page, 'This was changed since you looked at it.');
    await press(page, 'Go on');
    await page.waitForSelector('[role=dialog] button[type=submit]:enabled');
    await press(page, 'Delete rule');
    await seeText(page, 'Rule for 203.0.113.0/24 deleted.');
    await seeText(page, '1 rule');
    await press(page, 'Undo');
    await seeText(page, '2 rules');

    // A change that keeps nobody out is made at once.
    await choose(page, 'Action for 203.0.113.66/32: Deny', 'A');
    await seeText(page, '203.0.113.66/32 changed to allow.');
    await tabTo(page, 'Address');
    await page.keyboard.type('203.0.113.66');
    await page.keyboard.press('Enter');
    await seeText(page, 'The rule for 203.0.113.66/32 allows it.');
    expect(await axeFindings(page)).toEqual([]);
    await page.goto(`${page.url().split('?')[0]}?tab=used-by`);
    await seeText(page, 'Public endpoints');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a restriction that locks its maker out is made only by who types it; one that warns tells what it would do', async () => {
    const id = await makePolicy('Elsewhere', 'allow 192.0.2.0/24');
    const { page, problems } = await dashboard.open('/ip-restrictions');
    await press(page, 'New restriction');
    await page.waitForSelector('[role=dialog] select');
    await tabTo(page, 'Type');
    await page.keyboard.type('Dash');
    // Clicking on the field shows all options.
    await clickOn(page, '[role=dialog] [role=combobox]');
    await page.waitForSelector('[role=option]');
    await page.keyboard.type('elsew');
    await page.waitForSelector('[role=option]');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await seeText(page, 'What this does');
    await tabTo(page, 'Description');
    await page.keyboard.type('Who signs in');
    await page.keyboard.press('Tab');
    await page.keyboard.press(' ');
    await seeText(page, 'This locks you out.');
    expect(await axeFindings(page)).toEqual([]);
    await press(page, 'Create');
    await seeText(page, 'Type “lock me out” if you mean it');
    await page.waitForSelector('[role=dialog] button[type=submit]:disabled');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelectorAll('[role=dialog]').length === 1);
    await page.waitForSelector('[role=dialog] button[type=submit]:focus');
    await page.keyboard.down('Shift');
    for (let times = 0; times < 2; times += 1) await page.keyboard.press('Tab');
    await page.keyboard.up('Shift');
    await page.keyboard.press(' ');
    await press(page, 'Create');
    await seeText(page, 'Nobody is refused.');
    await tabTo(page, 'Address');
    await page.keyboard.type('198.51.100.1');
    await page.keyboard.press('Enter');
    await seeText(page, 'Let in, with a warning.');
    await seeText(page, 'No rule covers it');
    expect(await axeFindings(page)).toEqual([]);

    // The reference to a deleted policy remains and is shown.
    await dashboard.call('DELETE', `/ip_policies/${id}`);
    await seeText(page, '1 policy was deleted.');
    await seeText(page, 'Deleted');
    expect(problems).toEqual([]);
    await page.close();
  });

  testIntercepting(
    'who would be locked out allows the own address in a policy of their choice first; where another rule denies it, that is said',
    async () => {
      const [here, switchName] = ['Elsewhere, with here', 'Enforce it You see whom it keeps out before it does.'];
      const [first, second, third] = [
        await makePolicy('Elsewhere alone', 'allow 192.0.2.0/24'),
        await makePolicy(here, 'allow 198.51.100.0/24'),
        await makePolicy('Not from here', 'deny 127.0.0.0/8'),
      ];
      const { id } = await restrict('dashboard', false, 'Who signs in', first, second);
      const denying = await restrict('dashboard', false, 'Who never signs in', first, third);
      const { page, problems } = await dashboard.open(`/ip-restrictions/${denying.id}`);
      await tabTo(page, switchName);
      await page.keyboard.press(' ');
      await page.waitForSelector('[role=dialog] input:focus');
      await press(page, 'Allow 127.0.0.1 in “Elsewhere alone”');
      await seeText(page, '127.0.0.1 is allowed now, and still refused: a rule of one of its policies denies it.');
      await page.waitForSelector('[role=dialog] [type=submit]:disabled');
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.textContent))
        .toContain('127.0.0.1 is allowed now');
      // Trying again reports that the address is still refused, not only that the rule exists already.
      await press(page, 'Cancel');
      await tabTo(page, switchName);
      await page.keyboard.press(' ');
      await page.waitForSelector('[role=dialog] input:focus');
      await press(page, 'Allow 127.0.0.1 in “Elsewhere alone”');
      await seeText(page, '“Elsewhere alone” has a rule for 127.0.0.1 already, which is still refused:');
      await expect.poll(() => page.$$eval('[role=dialog] [role=alert]', ({ length }) => length)).toBe(1);
      const added = (await rulesOf(first)).find(({ cidr }) => cidr === '127.0.0.1/32');
      await dashboard.call('DELETE', `/ip_policy_rules/${added?.id}`);

      await page.goto(page.url().replace(denying.id, id));
      await tabTo(page, switchName);
      await page.keyboard.press(' ');
      await page.waitForSelector('[role=dialog] input:focus');
      await tabTo(page, 'Policy that allows you');
      await page.keyboard.type(here);
      expect(await axeFindings(page)).toEqual([]);
      const { asked, release } = await intercept(page, (name) => (name === 'RestrictionChange' ? 'hold' : 'pass'));
      await press(page, `Allow 127.0.0.1 in “${here}”`);
      await expect.poll(() => asked).toContain('RestrictionChange');
      // While the effect is being read, there is nothing more to press.
      await page.keyboard.press('Enter');
      await page.waitForSelector('[role=dialog] button[aria-busy=true]:focus');
      await release();
      await page.waitForFunction(() => document.activeElement?.textContent === 'Cancel');
      expect(asked.filter((name) => name === 'AllowYou')).toEqual(['AllowYou']);
      // The toast appears beside the dialog and never covers its footer.
      await page.setViewport({ width: 700, height: 300 });
      await seeText(page, `127.0.0.1 is allowed by “${here}”.`);
      const [foot, toast] = await page.evaluate(() => {
        const dialog = document.querySelector('[role=dialog]');
        dialog?.scrollIntoView({ block: 'end' });
        const said = document.querySelector('#toasts li');
        return [dialog?.getBoundingClientRect().bottom ?? 0, said?.getBoundingClientRect().top ?? 0];
      });
      expect(foot).toBeLessThanOrEqual(Number(toast));
      await page.setViewport({ width: 1280, height: 900 });
      await page.focus('[role=dialog] form button');
      await press(page, 'Enforce it');
      await seeText(page, 'The restriction is enforced.');
      expect((await rulesOf(second)).map(({ cidr }) => cidr).sort()).toEqual(['127.0.0.1/32', '198.51.100.0/24']);
      await dashboard.call('DELETE', `/ip_restrictions/${id}`);
      expect(problems).toEqual([]);
      await page.close();
    },
  );

  testIntercepting(
    'what adds a policy to a restriction comes when it is asked for, with the focus in it, and adds one after the other',
    async () => {
      const [first, second, third] = [
        await makePolicy('Added first', 'allow 192.0.2.0/24'),
        await makePolicy('Added second', 'allow 198.51.100.0/24'),
        await makePolicy('Added third', 'allow 203.0.113.0/24'),
      ];
      const { id } = await dashboard.call('POST', '/ip_restrictions', {
        type: 'agent',
        enforced: false,
        ip_policy_ids: [first],
      });
      const { page, problems } = await dashboard.open(`/ip-restrictions/${id}`);
      await tabTo(page, 'Add a policy');
      await page.keyboard.press('Enter');
      for (const [typed, name] of [
        ['added sec', 'Added second'],
        ['added th', 'Added third'],
      ] as const) {
        await page.waitForFunction(() => document.activeElement?.matches('[role=combobox]:placeholder-shown'));
        await page.keyboard.type(typed);
        await page.waitForSelector('[role=option]');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.waitForFunction(
          (wanted) => document.querySelector('ol li:last-child a')?.textContent === wanted,
          {},
          name,
        );
      }
      expect(await axeFindings(page)).toEqual([]);
      // The form shows the saved values before they are read again.
      const { release } = await intercept(page, (name) => (name === 'IpRestriction' ? 'hold' : 'pass'));
      await press(page, 'Save');
      await seeText(page, 'Restriction saved.');
      await page.waitForSelector('form button[aria-busy=false]');
      await expect
        .poll(() => page.$$eval('form ol > li a', (links) => links.map(({ textContent }) => textContent)))
        .toEqual(['Added first', 'Added second', 'Added third']);
      await release();
      const { ip_policies: saved } = await dashboard.call('GET', `/ip_restrictions/${id}`);
      expect(Object(saved).map((policy: { readonly id: string }) => policy.id)).toEqual([first, second, third]);
      expect(problems).toEqual([]);
      await page.close();
    },
  );

  test('a description that is typed and restored follows what somebody else makes of it', async () => {
    const id = await makePolicy('Restored');
    const rule = await dashboard.call('POST', '/ip_policy_rules', {
      ip_policy_id: id,
      cidr: '203.0.113.0/24',
      action: 'allow',
    });
    const { page, problems } = await dashboard.open(`/ip-policies/${id}`);
    await tabTo(page, 'Description of 203.0.113.0/24');
    await page.keyboard.type('x');
    await page.keyboard.press('Backspace');
    await dashboard.call('PATCH', `/ip_policy_rules/${rule.id}`, { description: 'Theirs' });
    await page.waitForFunction(
      () =>
        document.querySelector<HTMLInputElement>('[aria-label="Description of 203.0.113.0/24"]')?.value === 'Theirs',
    );
    // From here on, typing replaces their text, which the user has seen.
    await page.keyboard.press('End');
    await page.keyboard.type(', and mine');
    await page.keyboard.press('Enter');
    await seeText(page, 'Description of 203.0.113.0/24 saved.');
    expect(await dashboard.call('GET', `/ip_policy_rules/${rule.id}`)).toMatchObject({
      description: 'Theirs, and mine',
    });
    expect(problems).toEqual([]);
    await page.close();
  });

  test('Undo takes back no change that somebody else has made since', async () => {
    const id = await makePolicy('Shared', 'allow 203.0.113.0/24');
    const { page, problems } = await dashboard.open(`/ip-policies/${id}?tab=settings`);
    await tabTo(page, 'Description');
    await page.keyboard.type('Mine');
    await clickOn(page, 'section[aria-label=Notes] button[aria-label="Show the call"]');
    await seeText(page, 'If-Match: "');
    await tabTo(page, 'Save');
    await page.keyboard.press('Enter');
    await seeText(page, 'Policy saved.');
    await dashboard.call('PATCH', `/ip_policies/${id}`, { description: 'Theirs' });
    await tabTo(page, 'Undo');
    await page.keyboard.press('Enter');
    await seeText(page, 'somebody else has changed it since');
    expect(await dashboard.call('GET', `/ip_policies/${id}`)).toMatchObject({ description: 'Theirs' });
    expect(problems).toEqual([]);
  });

  testIntercepting('rules that come back with their policy are not shown as they were before', async () => {
    const id = await makePolicy('Comes back', 'allow 203.0.113.0/24');
    const { page, problems } = await dashboard.open(`/ip-policies/${id}`);
    await seeText(page, '203.0.113.0/24');
    await tabTo(page, 'Rules');
    await page.keyboard.press('End');
    await clickOn(page, '::-p-aria([name="Delete"][role="button"])');
    await seeText(page, 'Policy deleted.');
    await press(page, 'Undo');
    await seeText(page, 'Undone.');
    const { asked, release } = await intercept(page, (name) => (name === 'PolicyRules' ? 'hold' : 'pass'));
    await press(page, 'Comes back');
    await expect.poll(() => asked).toContain('PolicyRules');
    await page.waitForSelector('main [aria-label=Loading]');
    await release();
    await seeText(page, '203.0.113.0/24');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a restriction that refuses is deleted only after a question', async () => {
    const policy = await makePolicy('Guests', 'allow 203.0.113.0/24');
    const { id } = await restrict('endpoints', true, 'Guests only', policy);
    const { page, problems } = await dashboard.open(`/ip-restrictions/${id}`);
    await tabTo(page, 'Delete');
    await page.keyboard.press('Enter');
    await seeText(page, 'Delete this restriction?');
    await seeText(page, 'Lets in');
    await seeText(page, '203.0.114.0-255.255.255.255');
    expect(await dashboard.call('GET', `/ip_restrictions/${id}`)).toMatchObject({ enforced: true });
    await tabTo(page, 'Delete restriction');
    await page.keyboard.press('Enter');
    await seeText(page, 'Restriction deleted.');
    expect(problems).toEqual([]);
  });

  test('a key that may only read sees rules and restrictions, and nothing to press that it may not do', async () => {
    const id = await makePolicy('Read by all', 'allow 10.0.0.0/8');
    const { token } = await dashboard.call('POST', '/api_keys', { scopes: ['read'] });
    const { page, problems } = await dashboard.openAs(String(token), `/ip-policies/${id}`);
    await seeText(page, '10.0.0.0/8');
    const buttons = await page.$$eval('main button', (all) => all.map((button) => button.textContent));
    // The list can be narrowed and ordered; no row has anything to press.
    expect(buttons).toEqual(['Action', 'Order', 'CSV', 'Created', 'Try']);
    expect(await page.$$eval('main td :is(select, input, button)', (all) => all.length)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });
});
