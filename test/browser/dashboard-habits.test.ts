// Behaviour shared by all pages of the dashboard in Chromium: the user is asked before input is lost, lost connections are resumed,
// and what two people do at the same time is shown to both.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { trustMs } from '../../src/storage/objects/freshness.ts';
import { command } from '../process/one-process.ts';
import { clickOn, describeInBrowser } from '../support/browser.ts';
import {
  axeFindings,
  type Dashboard,
  enter,
  fill,
  press,
  seeText,
  startDashboard,
  tabTo,
} from '../support/dashboard.ts';
import { execute } from '../support/database.ts';
import { idpEntityId, idpMetadata, makeIdpKey } from '../support/identity-provider.ts';
import { type Fate, holdOperations, intercept } from '../support/intercepted.ts';
import { startProxy } from '../support/proxy.ts';
import { watchShifts } from '../support/shifts.ts';

describeInBrowser('habits of the dashboard', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const waitForState = (page: Page, state: string) =>
    page.waitForFunction((wanted) => document.querySelector('header [role=status]')?.textContent === wanted, {}, state);
  const pathOf = (page: Page) => page.evaluate(() => location.pathname.replace('/dashboard', '') + location.search);
  const waitForPath = (page: Page, path: string) =>
    page.waitForFunction((wanted) => location.pathname + location.search === `/dashboard${wanted}`, {}, path);
  const makePolicy = async (description: string, ...allowed: string[]) => {
    const { id } = await dashboard.call('POST', '/ip_policies', { description });
    for (const cidr of allowed)
      await dashboard.call('POST', '/ip_policy_rules', { ip_policy_id: id, cidr, action: 'allow' });
    return id;
  };
  /** Is asked whether unsaved changes may be lost, and refuses. */
  const stay = async (page: Page) => {
    await seeText(page, 'What you have entered here is not saved.');
    await page.waitForSelector('[role=dialog] button:focus');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelector('[role=dialog]') === null);
  };

  test('the code of the page arrives while the server says what the key may, and nothing moves when the data come', async () => {
    const { page } = await dashboard.person.open('/dashboard/api-keys');
    await page.waitForSelector('main h1');
    const requests: HTTPRequest[] = [];
    page.on('request', (request) => requests.push(request));
    await page.setRequestInterception(true);
    // Neither waits for the other: the key's rights are not answered until the page's code has been requested.
    const pair: HTTPRequest[] = [];
    page.on('request', (request) => {
      const isRights = request.url().endsWith('/graphql') && request.postData()?.includes('query Viewer');
      const isCode = /assets\/app-.*js$/.test(request.url());
      if (!isRights && !isCode) return void request.continue();
      pair.push(request);
      if (pair.length > 1) for (const each of pair.splice(0)) void each.continue();
    });
    const shifts = await watchShifts(page);
    await page.goto(new URL('/dashboard/', page.url()).href);
    await seeText(page, 'Certificates, keys, restrictions and logins are as they should be.');
    await waitForState(page, 'Live');
    expect(await shifts()).toBeLessThan(0.01);
    // 8 for the page and its files, the session, 6 for rights, data and the stream, and one for the names of objects in the data.
    expect(requests.length).toBeLessThanOrEqual(18);
    await page.close();
  });

  test('a page that cannot be loaded says so, and does not take the others with it', async () => {
    const { page } = await dashboard.open('/ip-policies');
    await page.setRequestInterception(true);
    let isCut = true;
    page.on(
      'request',
      (request) => void (isCut && /assets\//.test(request.url()) ? request.abort() : request.continue()),
    );
    await press(page, 'Backends');
    await seeText(page, 'This part of the dashboard could not be loaded');
    await press(page, 'IP policies');
    await page.waitForSelector('main h1');
    isCut = false;
    await press(page, 'Backends');
    await page.waitForFunction(() => document.querySelector('main :is(h1, [role=alert])') !== null);
    if ((await page.$('main [role=alert]')) !== null) await press(page, 'Load the page anew');
    await page.waitForFunction(() => document.querySelector('main h1')?.textContent === 'Backends');
    await page.close();
  });

  test('a dialog that cannot be loaded says so, and is over: it stays neither open nor in the address', async () => {
    const { page } = await dashboard.open('/ssh');
    await page.setRequestInterception(true);
    page.on('request', (request) => void (/assets\//.test(request.url()) ? request.abort() : request.continue()));
    await press(page, 'New authority');
    await seeText(page, 'could not be loaded: the server cannot be reached');
    await waitForPath(page, '/ssh');
    await press(page, 'Dismiss');
    await page.evaluate(() => history.pushState(null, '', `${location.pathname}?seek=all`));
    await seeText(page, 'could not be loaded: the server cannot be reached');
    await waitForPath(page, '/ssh');
    await tabTo(page, 'Authorities');
    await page.keyboard.press('End');
    await waitForPath(page, '/ssh?tab=revocations');
    await page.close();
  });

  test('an answer comes to a place where screen readers listen already', async () => {
    const policy = await makePolicy('Listened to', '192.0.2.0/24');
    for (const [path, answer] of [
      [`/ip-policies/${policy}`, 'Allowed.'],
      ['/ip-restrictions', 'everybody is let in'],
    ] as const) {
      const { page, problems } = await dashboard.open(path);
      const place = await page.waitForSelector('section[aria-label="Try an address"] [aria-live=polite]:empty');
      await fill(page, 'Address', '192.0.2.1');
      await page.keyboard.press('Enter');
      await page.waitForFunction(
        (region, text) => region?.isConnected && region.textContent?.includes(text),
        {},
        place,
        answer,
      );
      expect(problems).toEqual([]);
      await page.close();
    }
  });

  /** Waits until the lines of the trail call their objects by these names. */
  const seeNames = (page: Page, names: string) =>
    page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('main ol > li a[href*="/ip-policies/"]')]
          .map(({ textContent }) => textContent)
          .join() === wanted,
      {},
      names,
    );
  /** Opens the trail of an object without reloading the page. */
  const openTrail = (page: Page, id: string) =>
    page.evaluate((object) => history.pushState(null, '', `/dashboard/audit-trail?object=${object}`), id);

  for (const [lines, isLate] of [
    ['by lines that are there', false],
    ['by lines that come after it', true],
  ] as const) {
    test(`a name that changes while it is being read is read again: ${lines}`, async () => {
      const id = await makePolicy('Called so');
      const { page, problems } = await dashboard.open('/ip-policies');
      await waitForState(page, 'Live');
      const stream = await page.createCDPSession();
      await stream.send('Network.enable');
      const names = 'answer of ObjectNames';
      const events = 'request of AuditEvents';
      let isChanged = false;
      const { held, pass } = await holdOperations(page, (what) => {
        // Only the first reads, from before the change, are held. Later reads pass.
        if (what === names) return !isChanged && !held().includes(names);
        return isLate && what === events && !isChanged;
      });
      await openTrail(page, id);
      await expect.poll(held).toEqual(expect.arrayContaining(isLate ? [names, events] : [names]));
      if (!isLate) await page.waitForSelector('main ol > li');
      const heard = new Promise((resolve) => stream.once('Network.dataReceived', resolve));
      isChanged = true;
      await dashboard.call('PATCH', `/ip_policies/${id}`, { description: 'Called otherwise' });
      await heard;
      await pass(events);
      await page.waitForFunction(() => document.querySelectorAll('main ol > li').length === 2);
      await pass();
      await seeNames(page, 'Called otherwise,Called otherwise');
      expect(problems).toEqual([]);
      await page.close();
    });
  }

  test('an object that changes while it is being read is read again', async () => {
    const id = await makePolicy('Called so');
    const { page, problems } = await dashboard.open('/ip-policies');
    await waitForState(page, 'Live');
    const stream = await page.createCDPSession();
    await stream.send('Network.enable');
    let isFirst = true;
    const { held, pass } = await holdOperations(page, (what) => {
      const isHeld = what === 'answer of IpPolicy' && isFirst;
      if (isHeld) isFirst = false;
      return isHeld;
    });
    await page.evaluate((to) => history.pushState(null, '', to), `/dashboard/ip-policies/${id}`);
    await expect.poll(held).toEqual(['answer of IpPolicy']);
    const heard = new Promise((resolve) => stream.once('Network.dataReceived', resolve));
    await dashboard.call('PATCH', `/ip_policies/${id}`, { description: 'Called otherwise' });
    await heard;
    // The page gathers changes for a while before it reads again.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)));
    await pass();
    await page.waitForFunction(() => document.querySelector('main h1')?.textContent === 'Called otherwise');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a name that changes while it is not shown is the new one when it is', async () => {
    const id = await makePolicy('Once called so');
    const { page, problems } = await dashboard.open(`/audit-trail?object=${id}`);
    await waitForState(page, 'Live');
    await seeNames(page, 'Once called so');
    await press(page, 'Show everything');
    await waitForPath(page, '/audit-trail');
    await dashboard.call('PATCH', `/ip_policies/${id}`, { description: 'Called anew' });
    await seeText(page, 'IP policy Called anew');
    await openTrail(page, id);
    await seeText(page, 'Object\nCalled anew');
    await seeNames(page, 'Called anew,Called anew');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a name that could not be read is read again when something happens to what it is of', async () => {
    const id = await makePolicy('Hard to read');
    const { page } = await dashboard.open('/ip-policies');
    await waitForState(page, 'Live');
    let fate: Fate = 'fail';
    const { ended } = await intercept(page, (name) => (name === 'ObjectNames' ? fate : 'pass'));
    await page.evaluate(() => history.pushState(null, '', '/dashboard/audit-trail'));
    await expect.poll(() => ended).toContain('ObjectNames');
    fate = 'pass';
    await dashboard.call('PATCH', `/ip_policies/${id}`, { description: 'Easy to read' });
    await seeText(page, 'IP policy Easy to read');
    await page.close();
  });

  test('the first Tab leads past the navigation, on a deep page with parameters too', async () => {
    const id = await makePolicy('Deep', '192.0.2.0/24');
    const { page, problems } = await dashboard.open(`/ip-policies/${id}?tab=settings`);
    await seeText(page, 'Deep');
    await page.evaluate(() => document.querySelector<HTMLElement>(':focus')?.blur());
    await tabTo(page, 'Skip to content');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'main');
    await expect.poll(() => pathOf(page)).toBe(`/ip-policies/${id}?tab=settings`);
    await page.keyboard.press('Tab');
    const next = await page.evaluate(() => document.activeElement?.closest('main') !== null);
    expect(next).toBe(true);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a connection that stays lost is said where one looks, keeps what was entered, and comes back by itself', async () => {
    const id = await makePolicy('Cut off');
    const proxy = await startProxy(dashboard.server.url);
    const { page } = await dashboard.person.open(`/dashboard/ip-policies/${id}?tab=settings`, {
      url: proxy.url,
      width: 360,
    });
    await page.waitForFunction(() => document.querySelector('header [role=status]')?.textContent === 'Live');
    proxy.cut();
    await seeText(page, 'The connection to the server is lost.');
    await fill(page, 'Description', 'Entered meanwhile');
    await press(page, 'Save');
    await seeText(page, 'Check the connection. What you have entered is still here. UNREACHABLE');
    await proxy.restore();
    await page.waitForFunction(() => !document.body.textContent?.includes('The connection to the server is lost.'));
    await press(page, 'Save');
    await seeText(page, 'Policy saved.');
    expect(await dashboard.call('GET', `/ip_policies/${id}`)).toMatchObject({ description: 'Entered meanwhile' });
    await page.close();
  });

  test('what people write about an object is shown before the server has it, and taken back where that refuses', async () => {
    const id = await makePolicy('Before');
    const { page } = await dashboard.open(`/ip-policies/${id}?tab=settings`);
    const requests = await intercept(page, (name) => (name === 'UpdateIpPolicy' ? 'hold' : 'pass'));
    const called = (name: string) =>
      page.waitForFunction((text) => document.querySelector('main h1')?.textContent === text, {}, name);
    const changes = () => requests.asked.filter((name) => name === 'UpdateIpPolicy').length;
    const save = async (fate: 'fail' | 'pass') => {
      const before = changes();
      requests.holdAgain();
      await press(page, 'Save');
      await called('After');
      expect(await dashboard.call('GET', `/ip_policies/${id}`)).toMatchObject({ description: 'Before' });
      await expect.poll(changes).toBe(before + 1);
      await requests.release(fate);
    };
    await fill(page, 'Description', 'After');
    await save('fail');
    await called('Before');
    await seeText(page, 'UNREACHABLE');
    await expect.poll(() => page.$eval('main form input', ({ value }) => value)).toBe('After');
    await save('pass');
    await seeText(page, 'Policy saved.');
    await called('After');
    await page.close();
  });

  test('what somebody else has changed while it is saved is shown beside what was entered, which is not taken for saved', async () => {
    const id = await makePolicy('Before');
    const { page } = await dashboard.open(`/ip-policies/${id}?tab=settings`);
    await waitForState(page, 'Live');
    const held = new Set(['IpPolicy', 'UpdateIpPolicy']);
    const requests = await intercept(page, (name) => (held.delete(name) ? 'hold' : 'pass'));
    await dashboard.call('PATCH', `/ip_policies/${id}`, { description: 'Theirs' });
    await expect.poll(() => requests.asked).toContain('IpPolicy');
    await fill(page, 'Description', 'Mine');
    await press(page, 'Save');
    await expect.poll(() => requests.asked).toContain('UpdateIpPolicy');
    // The data read before the change was sent arrives before the change is refused.
    const read = page.waitForResponse(
      (response) => response.request().postData()?.includes('query IpPolicy(') === true,
    );
    await requests.release('pass', 'IpPolicy');
    await (await read).text();
    await requests.release();
    await seeText(page, 'has changed this since you began.');
    const shown = await page.$eval('main', (main) => [
      main.querySelector('h1')?.textContent,
      main.querySelector('form input')?.getAttribute('value'),
      [...main.querySelectorAll('form dl')].map(({ textContent }) => textContent).join(),
    ]);
    expect(shown).toEqual(['Theirs', 'Mine', 'DescriptionnowTheirsyoursMine']);
    await press(page, 'Go on with mine');
    await press(page, 'Save');
    await seeText(page, 'Policy saved.');
    expect(await dashboard.call('GET', `/ip_policies/${id}`)).toMatchObject({ description: 'Mine' });
    await page.close();
  });

  test('a form that is left and come back to while it is saved shows what the object is, where that is refused', async () => {
    const id = await makePolicy('Before');
    const { page } = await dashboard.open(`/ip-policies/${id}?tab=settings`);
    const requests = await intercept(page, (name) => (name === 'UpdateIpPolicy' ? 'hold' : 'pass'));
    const entered = (text: string) =>
      page.waitForFunction(
        (wanted) => document.querySelector<HTMLInputElement>('main form input')?.value === wanted,
        {},
        text,
      );
    await fill(page, 'Description', 'After');
    await press(page, 'Save');
    await expect.poll(() => requests.asked).toContain('UpdateIpPolicy');
    await tabTo(page, 'Settings');
    await page.keyboard.press('Home');
    await press(page, 'Leave');
    await waitForPath(page, `/ip-policies/${id}`);
    await tabTo(page, 'Rules');
    await page.keyboard.press('End');
    await waitForPath(page, `/ip-policies/${id}?tab=settings`);
    await entered('After');
    await requests.release('fail');
    await entered('Before');
    await page.close();
  });

  test('nothing moves where that is not wanted', async () => {
    const id = await makePolicy('At rest');
    const { page } = await dashboard.open(`/ip-policies/${id}?tab=settings`);
    await page.evaluate(() => {
      const moved: string[] = [];
      Object.assign(window, { moved });
      for (const type of ['animationstart', 'transitionrun'])
        document.addEventListener(type, () => moved.push(type), { capture: true });
    });
    const moved = () =>
      page.evaluate(() => {
        const running = document.getAnimations().length;
        return [running, ...(window as unknown as { moved: string[] }).moved.splice(0)];
      });
    const requests = await intercept(page, (name) => (name === 'IpPolicies' ? 'hold' : 'pass'));
    await clickOn(page, '::-p-aria([name="Delete"][role="button"])');
    await seeText(page, 'Policy deleted.');
    await page.waitForSelector('main [aria-label=Loading]');
    await clickOn(page, '::-p-aria([name="New policy"][role="button"])');
    await page.waitForSelector('[role=dialog] input:focus');
    expect(await moved()).toEqual([0]);
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'no-preference' }]);
    await page.hover('[role=dialog] button[type=submit]');
    await expect.poll(moved).toContain('animationstart');
    await requests.release();
    await page.close();
  });

  test('what was entered is not left without a question: by a link, by the palette, by "back"', async () => {
    const id = await makePolicy('Half done');
    const { page, problems } = await dashboard.open('/ip-policies');
    await press(page, 'Half done');
    await waitForPath(page, `/ip-policies/${id}`);
    await tabTo(page, 'Rules');
    await page.keyboard.press('End');
    await waitForPath(page, `/ip-policies/${id}?tab=settings`);
    await fill(page, 'Description', 'Not saved');
    await press(page, 'Backends');
    await stay(page);
    await page.evaluate(() => document.querySelector<HTMLElement>(':focus')?.blur());
    await page.keyboard.press('/');
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('backends');
    await page.waitForSelector('[role=menuitem]');
    await page.keyboard.press('Enter');
    await stay(page);
    await page.evaluate(() => history.back());
    await stay(page);
    const { value } = await page.$eval('main input', (field) => ({ value: field.value }));
    expect([await pathOf(page), value]).toEqual([`/ip-policies/${id}?tab=settings`, 'Not saved']);
    await page.evaluate(() => history.back());
    await press(page, 'Leave');
    await waitForPath(page, '/ip-policies');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('the focus stays where somebody is: after "Discard", and after a dialog that an address had opened', async () => {
    const id = await makePolicy('Thought better of');
    const { page } = await dashboard.open(`/ip-policies/${id}?tab=settings`);
    await fill(page, 'Description', 'Not this');
    await press(page, 'Discard');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Save');
    await expect.poll(() => page.$eval('main input', ({ value }) => value)).toBe('Thought better of');
    await page.goto(new URL('/dashboard/ip-policies?new=1', page.url()).href);
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.press('Escape');
    await page.waitForSelector('main h1:focus');
    await expect.poll(() => pathOf(page)).toBe('/ip-policies');
    await page.close();
  });

  test('a page begins at its top on a phone, with tabs further down, and warns of a variable that there is not', async () => {
    const { id } = await dashboard.call('POST', '/edges/tls', { hostports: ['misspelt.example.com:5432'] });
    const rule = { expressions: ["conn.server_name == 'a'"], actions: [{ type: 'deny' }] };
    await dashboard.call('PUT', `/edges/tls/${id}/policy`, { inbound: [rule] });
    const { page } = await dashboard.open(`/tls-edges/${id}`, { width: 360 });
    await page.waitForSelector('[role=tab]');
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await press(page, 'Rule 1');
    await fill(page, 'If all of these expressions are true', "true && conn.server_nam == 'a'");
    const unknown = 'cannot be evaluated. Unknown variable: conn.server_nam, at position 8.';
    await seeText(page, `Line 1: ${unknown}`);
    expect(await axeFindings(page)).toEqual([]);
    // The JSON view shows the same warning, with its place in the text.
    await clickOn(page, '::-p-aria([name="JSON"][role="tab"])');
    await seeText(page, `inbound[0].expressions[0]: ${unknown} It can be saved all the same.`);
    await clickOn(page, '::-p-aria([name="Rules"][role="tab"])');
    await tabTo(page, 'If all of these expressions are true');
    await page.keyboard.press('Tab');
    await press(page, 'Save');
    await seeText(page, 'Traffic policy saved.');
    // The saved policy is still warned of, also to who comes later.
    await page.reload();
    await seeText(page, `Line 1: ${unknown}`);
    await page.close();
  });

  test('of two people at one traffic policy, the second sees both before one is lost; its JSON is the same policy', async () => {
    const { id } = await dashboard.call('POST', '/edges/tls', {
      description: 'Db',
      hostports: ['db.example.com:5432'],
    });
    const first = await dashboard.open(`/tls-edges/${id}`);
    const second = await dashboard.open(`/tls-edges/${id}?policy=json`);
    await waitForState(second.page, 'Live');
    const rule = (name: string) =>
      JSON.stringify({ inbound: [{ name, actions: [{ type: 'deny' }] }], outbound: [] }, null, 2);
    await tabTo(second.page, 'Policy as JSON');
    await enter(second.page, '{"inbound": [');
    await seeText(second.page, 'This is not JSON');
    await enter(second.page, rule('Second'));
    // The cards show what was typed as JSON, without a question, because looking loses nothing.
    await press(second.page, 'JSON');
    await second.page.keyboard.press('ArrowLeft');
    await seeText(second.page, 'Rule 1: Second');

    await first.page.bringToFront();
    await press(first.page, 'Add inbound rule');
    await first.page.waitForSelector('[data-rule] input:focus');
    await first.page.keyboard.type('First');
    await press(first.page, 'Save');
    await seeText(first.page, 'Traffic policy saved.');

    await second.page.bringToFront();
    await seeText(second.page, 'has changed this since you began.');
    await seeText(second.page, '"name":"First"');
    await seeText(second.page, '"name":"Second"');
    await press(second.page, 'Go on with mine');
    await second.page.waitForFunction(() => document.activeElement?.textContent === 'Save');
    await second.page.keyboard.press('Enter');
    await seeText(second.page, 'Traffic policy saved.');
    const { inbound } = await dashboard.call('GET', `/edges/tls/${id}/policy`);
    expect(inbound).toMatchObject([{ name: 'Second' }]);
    await first.page.bringToFront();
    await first.page.waitForFunction(() => document.querySelector('[data-rule] h4')?.textContent === 'Rule 1: Second');
    expect([...first.problems, ...second.problems]).toEqual([]);
    for (const { page } of [first, second]) await page.close();
  });

  test('an event leads back to before it, and the palette to whether an address may come in', async () => {
    const id = await makePolicy('As it was');
    await dashboard.call('PATCH', `/ip_policies/${id}`, { description: 'As it should not be' });
    const query = 'query ($id: ID!) { auditEvents(objectId: $id, first: 1) { nodes { id } } }';
    // The form of this query's answer.
    const { auditEvents } = (await dashboard.graphql(query, { id })) as { auditEvents: { nodes: { id: string }[] } };
    const { page, problems } = await dashboard.open(`/audit-trail/${auditEvents.nodes[0]?.id}`);
    await seeText(page, 'Undo this change');
    await press(page, 'Undo this change');
    await seeText(page, 'These fields become again what they were.');
    await press(page, 'Put back');
    await seeText(page, 'Put back. The trail has it as a change of its own.');
    expect(await dashboard.call('GET', `/ip_policies/${id}`)).toMatchObject({ description: 'As it was' });
    await page.evaluate(() => document.querySelector<HTMLElement>(':focus')?.blur());
    await page.keyboard.press('/');
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('198.18.0.7');
    await seeText(page, 'May 198.18.0.7 come in?');
    await page.keyboard.press('Enter');
    await waitForPath(page, '/ip-restrictions?try=198.18.0.7');
    await page.waitForSelector('section[aria-label="Try an address"] [role=note]');
    // Going back leads to the page, not to the search in the palette.
    await page.goBack();
    await waitForPath(page, `/audit-trail/${auditEvents.nodes[0]?.id}`);
    expect(await page.$('[role=dialog]')).toBe(null);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a whole request is undone at one of its events, after its dialog has said what that does, or what is in the way', async () => {
    const document = {
      document: 'undone',
      ipPolicies: { door: { description: 'The door' }, gate: { description: 'The gate' } },
    };
    const apply = async () => {
      const mutation = `mutation ($input: ApplyConfigurationInput!) { applyConfiguration(input: $input) { applied { requestId } } }`;
      await dashboard.graphql(mutation, { input: { document } });
      // The form of this query's answer.
      const { auditEvents } = (await dashboard.graphql(
        '{ auditEvents(kind: "IpPolicy", action: create, first: 2) { nodes { id objectId } } }',
      )) as { auditEvents: { nodes: { id: string; objectId: string }[] } };
      return auditEvents.nodes;
    };
    const [event] = await apply();
    const { page, problems } = await dashboard.open(`/audit-trail/${event?.id}`);
    await seeText(page, 'Undo its request');
    await press(page, 'Undo its request');
    await seeText(page, 'IP policy "The door" is deleted');
    await seeText(page, 'IP policy "The gate" is deleted');
    await press(page, 'Undo the request');
    await seeText(page, 'Undone. The trail has it as a request of its own');
    await press(page, 'Undo its request');
    await seeText(page, 'has changed since the request. Nothing was undone.');
    expect(problems).toEqual([]);
    await page.close();

    const [other] = await apply();
    const { token } = await dashboard.call('POST', '/api_keys', { description: 'looks on', scopes: ['read'] });
    const reader = await dashboard.openAs(String(token), `/audit-trail/${other?.id}`);
    await seeText(reader.page, 'What changed');
    expect(await reader.page.$('::-p-aria(Undo its request)')).toBe(null);
    expect(reader.problems).toEqual([]);
    await reader.page.close();
  });

  test('"back" leads from what was made to where that was begun, not to a form that makes another', async () => {
    await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Fleet' });
    const edge = await dashboard.call('POST', '/edges/https', { hostports: ['back.example.com:443'] });
    const { page } = await dashboard.open(`/https-edges/${edge.id}?new=route`);
    await page.waitForSelector('[role=dialog]');
    await press(page, 'Create');
    await seeText(page, 'This route is open');
    await page.goBack();
    await waitForPath(page, `/https-edges/${edge.id}`);
    await page.goto(new URL('/dashboard/ssh?tab=tokens&new=1', page.url()).href);
    await fill(page, 'Names that hosts may ask for', 'a.example.com');
    await press(page, 'Create');
    await press(page, 'I have kept it');
    await waitForPath(page, '/ssh?tab=tokens');
    await page.close();
  });

  test('what a page or dialog could not read is told, and read by itself once it can be', async () => {
    const id = await makePolicy('Unread');
    const places = [
      [`/ip-policies/${id}?tab=used-by`, 'EdgesWithPolicies', 'No traffic policy of a TLS edge names it'],
      ['/ip-restrictions?new=1', 'PolicyChoices', 'Enforce it'],
      ['/ssh?tab=tokens&new=1', 'SshAuthorityNames', 'Names that hosts may ask for'],
    ] as const;
    await dashboard.call('POST', '/ssh_certificate_authorities', { description: 'Fleet' });
    for (const [path, operation, shown] of places) {
      const { page } = await dashboard.open('/');
      let isCut = true;
      await intercept(page, (name) => (isCut && name === operation ? 'fail' : 'pass'));
      await page.goto(new URL(`/dashboard${path}`, page.url()).href);
      await seeText(page, 'The server cannot be reached.');
      isCut = false;
      await page.waitForSelector('[role=alert]', { hidden: true });
      await seeText(page, shown);
      await page.close();
    }
  });

  test('metadata is dropped onto the page, as a file or as text, and what is none is named', async () => {
    const edge = await dashboard.call('POST', '/edges/https', { hostports: ['app.example.com:443'] });
    const route = await dashboard.call('POST', `/edges/https/${edge.id}/routes`, {
      match_type: 'path_prefix',
      match: '/',
    });
    const { page, problems } = await dashboard.open(`/https-edges/routes/${route.id}`);
    await press(page, 'Require a login by SAML');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Choose a file');
    const zone = await page.waitForSelector('main fieldset ::-p-text(Drop or paste the metadata)');
    const place = await zone?.boundingBox();
    const mouse = await page.createCDPSession();
    const directory = mkdtempSync(join(tmpdir(), 'sallyport-habits-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    /** Drops a file, or plain text if the name is empty. */
    const drop = async (name: string, text: string) => {
      const file = join(directory, name);
      if (name !== '') writeFileSync(file, text);
      const data =
        name === ''
          ? { items: [{ mimeType: 'text/plain', data: text }], dragOperationsMask: 1 }
          : { items: [], files: [file], dragOperationsMask: 1 };
      const at = { x: (place?.x ?? 0) + 5, y: (place?.y ?? 0) + 5, data };
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await mouse.send('Input.dispatchDragEvent', { type, ...at });
    };
    await drop('picture.xml', 'not at all');
    await seeText(page, 'This is not metadata that can be used.');
    await drop('metadata.xml', idpMetadata([makeIdpKey()]));
    await seeText(page, idpEntityId);
    await seeText(page, 'metadata.xml');
    await drop('export.xml', ' '.repeat(262_145));
    await seeText(page, 'export.xml has 262,145 bytes: metadata has at most 262,144.');
    await drop('', idpMetadata([makeIdpKey()]));
    await page.waitForFunction(() => document.querySelector('main [aria-invalid=true]') === null);
    await seeText(page, idpEntityId);
    expect(problems).toEqual([]);
    await page.close({ runBeforeUnload: false });
  });

  test('axe finds nothing on the dialogs, in the light and in the dark', async () => {
    const { id: key } = await dashboard.call('POST', '/api_keys', { description: 'to be revoked', scopes: ['read'] });
    const dialogs = [
      ['/ip-policies', 'New policy'],
      [`/api-keys/${key}`, 'Revoke'],
      ['/ssh?tab=tokens', 'New token'],
      ['/tls-edges', 'New edge'],
      ['/backends', 'New backend'],
      ['/', 'Search/'],
    ] as const;
    for (const [path, button] of dialogs) {
      const { page, problems } = await dashboard.open(path);
      await press(page, button);
      await page.waitForSelector('[role=dialog], [role=alertdialog]');
      expect([path, await axeFindings(page), problems]).toEqual([path, [], []]);
      await page.close();
    }
  });

  test('a key that only reads has nothing to press on the pages of TLS edges and API keys that it may not use', async () => {
    const { id: edge } = await dashboard.call('POST', '/edges/tls', { hostports: ['smtp.example.com:465'] });
    const rules = { inbound: [{ name: 'Nobody', actions: [{ type: 'deny' }] }] };
    await dashboard.call('PUT', `/edges/tls/${edge}/policy`, rules);
    const { id: key, token } = await dashboard.call('POST', '/api_keys', { description: 'reads', scopes: ['read'] });
    const { page, problems } = await dashboard.openAs(String(token), `/tls-edges/${edge}`);
    const operable = () =>
      page.$$eval('main :is(button, input, textarea, select)', (all) =>
        all
          .filter((one) => !one.matches(':disabled, [aria-disabled=true], [readonly]'))
          .map((one) => one.textContent || one.ariaLabel || ('labels' in one && one.labels?.[0]?.textContent)),
      );
    await seeText(page, 'All connections: deny');
    await expect
      .poll(operable)
      .toEqual(['Rule 1: Nobody', 'Show the call', 'Client address', 'Server name (SNI)', 'Try', 'Variables as JSON']);
    // It is not invited to create objects that it may not create.
    await seeText(page, 'There are no backends yet.');
    expect(await page.$eval('main', ({ textContent }) => textContent)).not.toContain('Make one');
    // A list can be searched and sorted.
    const others = [
      [`/api-keys/${key}`, 'read everything', ['Copy identifier']],
      ['/api-keys', 'reads', ['Search API keys', 'Order', 'CSV', 'Created']],
      // The user's own sign-in.
      ['/api-keys?tab=sign-ins', 'Sign out', ['CSV', 'Signed in', 'Last used', 'Sign out']],
      ['/tls-edges', 'smtp.example.com:465', ['Search TLS edges', 'Order', 'CSV', 'Created']],
    ] as const;
    for (const [path, text, expected] of others) {
      await page.goto(new URL(`/dashboard${path}`, page.url()).href);
      await seeText(page, text);
      await expect.poll(operable, { message: path }).toEqual(expected);
    }
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a session that has come to its end is told to who comes back, and signing in leads on from there', async () => {
    const { id, token } = await dashboard.call('POST', '/api_keys', {
      description: 'goes for lunch',
      scopes: ['write'],
    });
    const { page } = await dashboard.openAs(String(token), '/ip-restrictions');
    await waitForState(page, 'Live');
    await tabTo(page, 'Backends');
    const past = new Date(Date.now() - 3_600_000).toISOString();
    const update = `UPDATE "DashboardSession" SET "endsAt" = '${past}' WHERE "apiKeyId" = '${id}' RETURNING "apiKeyId"`;
    expect(await execute(dashboard.server.database, update)).toEqual([[id]]);
    // Pressed before the stream ends, which happens within a second and tells the page as well.
    await page.keyboard.press('Enter');
    await seeText(page, 'Your session has ended. Sign in to go on where you were.');
    await page.waitForSelector('input[type=password]:focus');
    await page.keyboard.type(String(token));
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('main h1')?.textContent === 'Backends');
    await expect.poll(() => pathOf(page)).toBe('/backends');
    await page.close();
  });

  test('who locks himself out is asked, has it his way when he types it, and is told what it did', async () => {
    const policy = await makePolicy('Elsewhere', '192.0.2.0/24');
    const { id } = await dashboard.call('POST', '/ip_restrictions', {
      type: 'dashboard',
      enforced: false,
      description: 'Who signs in',
      ip_policy_ids: [policy],
    });
    const { page } = await dashboard.open(`/ip-restrictions/${id}`);
    await tabTo(page, 'Enforce it You see whom it keeps out before it does.');
    await page.keyboard.press(' ');
    await seeText(page, 'This locks you out.');
    // Cancelling puts the focus back on the switch.
    await page.keyboard.press('Escape');
    await page.waitForSelector('main [role=switch]:focus');
    await page.keyboard.press(' ');
    await seeText(page, 'This locks you out.');
    await fill(page, 'Type “lock me out” if you mean it', 'lock me in');
    expect(await page.$('[role=dialog] button[type=submit]:enabled')).toBe(null);
    await enter(page, 'lock me out');
    await page.keyboard.press('Enter');
    await seeText(page, 'refuse requests from 127.0.0.1');
    await seeText(page, 'come from an address that is allowed, and try again.');
    // The refusal first appears where the call was made; then nothing of the account remains visible.
    await page.waitForSelector('nav[aria-label=Pages]', { hidden: true });
    expect(await axeFindings(page)).toEqual([]);
    expect(await dashboard.call('GET', `/ip_restrictions/${id}`)).toMatchObject({ enforced: true });
    await press(page, 'Try again');
    // Wait for the answer: until then, the button does nothing.
    await page.waitForSelector('button:focus:not([aria-busy])');
    await seeText(page, 'refuse requests from 127.0.0.1');
    await seeText(page, '"Who signs in"');
    const shown = await page.$eval('figure[aria-label=Command]', ({ textContent }) => textContent ?? '');
    await command(dashboard.server.database, shown.split(' ').slice(1));
    // A server knows what another process has stored a second later.
    await pause(trustMs);
    await press(page, 'Try again');
    await page.waitForSelector('nav[aria-label=Pages]', { visible: true });
    await page.close();
  });
});
