// The pages of TLS edges, backends and API keys in Chromium, by keyboard: a traffic policy is written and tried out, a backend in
// use cannot be deleted, and a key gets minimal rights.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashOf } from '../../src/domain/values/hash.ts';
import { clickOn, describeInBrowser } from '../support/browser.ts';
import {
  axeFindings,
  type Dashboard,
  fill,
  press,
  seeText,
  startDashboard,
  tabTo,
  testAxe,
} from '../support/dashboard.ts';
import { openClient } from '../support/database.ts';
import { intercept, testIntercepting } from '../support/intercepted.ts';
import { startListServer } from '../support/list-server.ts';

describeInBrowser('pages of TLS edges, backends and API keys', () => {
  let dashboard: Dashboard;
  let edgeId: string;
  let backendId: string;
  beforeAll(async () => {
    dashboard = await startDashboard({ OUTGOING_NETWORKS: '127.0.0.0/8' });
    edgeId = (
      await dashboard.call('POST', '/edges/tls', { description: 'Postgres', hostports: ['db.example.com:5432'] })
    ).id;
    const labels = { role: 'db' };
    backendId = (await dashboard.call('POST', '/backends/tunnel_group', { description: 'Databases', labels })).id;
  });
  afterAll(() => dashboard?.close());

  test('a traffic policy is written, tried before it is saved, put into order and saved, by keyboard alone', async () => {
    const { page, problems } = await dashboard.open(`/tls-edges/${edgeId}`);
    await seeText(page, 'No rules: everything passes.');
    await press(page, 'Add inbound rule');
    await page.waitForSelector('[data-rule] input:focus');
    await page.keyboard.type('Not from there');
    // Examples show which expressions there are; each is valid as it stands.
    const examples = await page.$$eval('main details dt code', (all) => all.map(({ textContent }) => textContent));
    expect(examples).toHaveLength(6);
    await fill(page, 'If all of these expressions are true', [...examples, "conn.client_iq == ''"].join('\n'));
    await seeText(page, 'Line 7: ');
    expect(await page.$eval('main', ({ textContent }) => textContent)).not.toMatch(/Line [1-6]:/);
    await fill(page, 'If all of these expressions are true', 'conn.client_ip.startsWith(');
    await seeText(page, 'Line 1: must be a CEL expression. Unexpected token: EOF, at position 26.');
    await page.keyboard.type("'10.')");
    await seeText(page, 'If its expression is true: deny');
    await press(page, 'Add inbound rule');
    await page.waitForSelector('[data-rule]:nth-child(2) input:focus');
    await page.keyboard.type('Nobody');

    await fill(page, 'Client address', '192.0.2.1');
    await page.keyboard.press('Enter');
    await seeText(page, 'Inbound rule 2 decides.');
    // The question is about the policy as edited.
    await press(page, 'Move Rule 1 down');
    await seeText(page, 'Inbound rule 1 decides.');
    await press(page, 'Save');
    await seeText(page, 'Traffic policy saved.');
    const { inbound } = await dashboard.call('GET', `/edges/tls/${edgeId}/policy`);
    expect(inbound).toEqual([
      { name: 'Nobody', expressions: null, actions: [{ type: 'deny', config: null }] },
      {
        name: 'Not from there',
        expressions: ["conn.client_ip.startsWith('10.')"],
        actions: [{ type: 'deny', config: null }],
      },
    ]);
    // The user's own change is not reported as somebody else's.
    await seeText(page, 'Against the rules that are set.');
    expect(await page.$eval('main', ({ textContent }) => textContent)).not.toContain('since you began');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a backend that an edge uses is not deleted, and the page leads to the edge', async () => {
    await dashboard.call('PUT', `/edges/tls/${edgeId}/backend`, { backend_id: backendId });
    const { page, problems } = await dashboard.open(`/backends/${backendId}`);
    await seeText(page, 'db.example.com:5432');
    await press(page, 'Delete');
    await seeText(page, 'It is in use (IN_USE).');
    await press(page, 'Postgres');
    await page.waitForFunction((id) => location.pathname.endsWith(`/tls-edges/${id}`), {}, edgeId);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a key is made with the rights that were chosen and no others, and is shown once', async () => {
    const { page, problems } = await dashboard.open('/api-keys');
    await press(page, 'New key');
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('Backup');
    await page.keyboard.press('Enter');
    await seeText(page, 'Choose what the key may do');
    await tabTo(page, 'Backends: None');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('[aria-label="Backends: Read"]:checked');
    await press(page, 'Create');
    await seeText(page, 'It is shown this once.');
    const token = await page.$eval('figure[aria-label="API key"]', ({ textContent }) => textContent ?? '');
    await press(page, 'I have kept it');
    await seeText(page, 'Backup');
    expect(await page.content()).not.toContain(token);

    const other = await dashboard.openAs(token, '/backends');
    await seeText(other.page, 'Databases');
    // The list can be ordered, and that is all.
    await expect
      .poll(() => other.page.$$eval('main button', (buttons) => buttons.map((each) => each.textContent)))
      .toEqual(['Order', 'CSV', 'Created']);
    const { keys } = await dashboard.call('GET', '/api_keys');
    expect(keys).toMatchObject([{ description: 'Backup', scopes: ['backends:read'] }, {}]);

    const signIns = await dashboard.open('/api-keys?tab=sign-ins');
    await press(signIns.page, 'End the sign-in by Backup');
    await seeText(signIns.page, 'This browser is signed out at once');
    await press(signIns.page, 'End sign-in');
    await seeText(signIns.page, 'Sign-in ended.');
    await press(signIns.page, 'Audit trail');
    await seeText(signIns.page, 'First key ended a sign-in');
    // The event offers no undo, because it could not work.
    await clickOn(signIns.page, 'main ol a[href*="/audit-trail/"]');
    await seeText(signIns.page, 'Sign-in ended');
    // Only the stream stays open.
    await signIns.page.waitForNetworkIdle({ concurrency: 1 });
    expect(await signIns.page.$$eval('main header button', ({ length }) => length)).toBe(0);
    expect([...problems, ...signIns.problems]).toEqual([]);
    await page.close();
    await signIns.page.close();
  });

  testIntercepting('Enter in a form that has been sent does not send it again', async () => {
    const { page, problems } = await dashboard.open('/api-keys?new=1');
    await tabTo(page, 'Backends: None');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('[aria-label="Backends: Read"]:checked');
    await fill(page, 'Description', 'Once');
    const { asked, release } = await intercept(page, (name) => (name === 'CreateApiKey' ? 'hold' : 'pass'));
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=dialog] button[aria-busy=true]');
    await page.keyboard.press('Enter');
    await release();
    await seeText(page, 'It is shown this once.');
    expect(asked.filter((name) => name === 'CreateApiKey')).toHaveLength(1);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('what can be put back is deleted at once, and comes back', async () => {
    const { id } = await dashboard.call('POST', '/edges/tls', {
      description: 'Redis',
      hostports: ['r.example.com:6379'],
    });
    await dashboard.call('PUT', `/edges/tls/${id}/backend`, { backend_id: backendId });
    const { page, problems } = await dashboard.open(`/tls-edges/${id}`);
    await clickOn(page, 'section[aria-label=Backend] button[aria-label="Show the call"]');
    await seeText(page, `/edges/tls/${id}/backend'`);
    await seeText(page, '-H \'If-Match: "2"\'');
    await press(page, 'Delete');
    await seeText(page, 'Edge deleted.');
    await page.waitForFunction(() => location.pathname.endsWith('/tls-edges'));
    // A user who goes back to the page is told that the edge is gone, and sees it come back.
    await page.goBack();
    await seeText(page, 'There is nothing at this address');
    await press(page, 'Undo');
    await seeText(page, 'Undone.');
    await page.waitForFunction(() => document.querySelector('main h1')?.textContent === 'Redis');
    expect(await dashboard.call('GET', `/edges/tls/${id}`)).toMatchObject({
      description: 'Redis',
      backend: { enabled: true, backend: { id: backendId } },
    });
    expect(problems).toEqual([]);
    await page.close();
  });

  testIntercepting('who takes a deletion back before the next page has come keeps the focus', async () => {
    const { id } = await dashboard.call('POST', '/edges/tls', { description: 'Late', hostports: ['l.example.com:1'] });
    const { page, problems } = await dashboard.open(`/tls-edges/${id}`);
    const requests = await intercept(page, (name) => (name.endsWith('.js') ? 'hold' : 'pass'));
    await press(page, 'Delete');
    await seeText(page, 'Edge deleted.');
    await tabTo(page, 'Undo');
    expect(await page.$('main h1')).toBeNull();
    await requests.release();
    await page.waitForSelector('main h1');
    await page.keyboard.press('Enter');
    await seeText(page, 'Undone.');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('what somebody else has changed is seen before it is deleted', async () => {
    const { id } = await dashboard.call('POST', '/api_keys', { description: 'Reports', scopes: ['read'] });
    const { page, problems } = await dashboard.open(`/api-keys/${id}`);
    await press(page, 'Revoke');
    await seeText(page, 'Revoke this key?');
    await dashboard.call('PATCH', `/api_keys/${id}`, { description: 'Reports of Berlin' });
    await seeText(page, 'This was changed since you looked at it.');
    await page.waitForFunction(
      () => document.querySelector('[role=dialog] tbody')?.textContent === 'descriptionReportsReports of Berlin',
    );
    await page.waitForSelector('[role=dialog] button[type=submit]:disabled');
    expect(await axeFindings(page)).toEqual([]);
    await press(page, 'Go on');
    await page.waitForSelector('[role=dialog] button[type=submit]:enabled');
    await press(page, 'Revoke key');
    await seeText(page, 'Key revoked.');

    // This key receives no changes and cannot undo: the server's refusal shows the change, and the page asks for confirmation.
    const edge = await dashboard.call('POST', '/edges/tls', { description: 'Old', hostports: ['old.example.com:1'] });
    const { token } = await dashboard.call('POST', '/api_keys', { description: 'tls', scopes: ['tls-edges:write'] });
    const other = await dashboard.openAs(String(token), `/tls-edges/${edge.id}`);
    await seeText(other.page, 'Delete this edge');
    await dashboard.call('PATCH', `/edges/tls/${edge.id}`, { description: 'Needed again' });
    await press(other.page, 'Delete');
    await press(other.page, 'Delete edge');
    await seeText(other.page, 'The page shows it as it is now.');
    await seeText(other.page, 'Needed again');
    expect(await dashboard.call('GET', `/edges/tls/${edge.id}`)).toMatchObject({ description: 'Needed again' });
    await press(other.page, 'Go on');
    await press(other.page, 'Delete edge');
    await seeText(other.page, 'Edge deleted.');
    expect([...problems, ...other.problems]).toEqual([]);
    await page.close();
    await other.page.close();
  });

  testAxe('axe finds nothing on any of the pages', async () => {
    const paths = [
      '/tls-edges',
      `/tls-edges/${edgeId}`,
      `/tls-edges/${edgeId}?policy=json`,
      '/backends',
      `/backends/${backendId}`,
      '/api-keys',
      '/api-keys?new=1',
      '/api-keys?tab=sign-ins',
    ];
    for (const path of paths) {
      const { page, problems } = await dashboard.open(path);
      await page.waitForFunction(() => document.querySelector('main [aria-label=Loading]') === null);
      expect([path, await axeFindings(page), problems]).toEqual([path, [], []]);
      await page.close();
    }
  });

  test('an expectation asks an edge that is chosen by its name, which its page shows', async () => {
    const { page, problems } = await dashboard.open('/expectations?new=1');
    await fill(page, 'Name', 'Nobody from there');
    await tabTo(page, 'About');
    await page.keyboard.type('A connection');
    await press(page, 'Choose an edge');
    await page.waitForSelector('[role=dialog] input[aria-label="TLS edge"]:focus');
    await page.waitForSelector('[role=menuitem]');
    await page.keyboard.type('Postgres');
    // It is chosen as the first one, whether or not it has the focus already.
    await page.waitForFunction(() => {
      const [first, ...others] = document.querySelectorAll('[role=menuitem]');
      return first?.textContent === 'Postgres' && others.length === 0;
    });
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Postgres');
    await fill(page, 'Address', '198.51.100.2');
    await press(page, 'Create');
    await page.waitForFunction(() => document.querySelector('main h1')?.textContent === 'Nobody from there');
    await seeText(page, 'Postgres');
    expect((await dashboard.call('GET', '/expectations')).expectations).toMatchObject([
      { name: 'Nobody from there', kind: 'tls', tls_edge_id: edgeId, address: '198.51.100.2' },
    ]);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a webhook is made with a secret that is shown once, tried, sent again, given another secret, and deleted', async () => {
    const received: { readonly path: string; readonly signature: string }[] = [];
    const receiver = await startListServer((request, answer) => {
      received.push({ path: request.url ?? '', signature: String(request.headers['webhook-signature']) });
      answer.end('thank you');
    });
    const { page, problems } = await dashboard.open('/webhooks?new=1');
    await fill(page, 'Description', 'Chat of operations');
    await fill(page, 'URL', `${receiver.url}/hook`);
    await press(page, 'Create');
    await seeText(page, 'It is shown this once.');
    const secret = await page.$eval('figure[aria-label="Secret"]', ({ textContent }) => textContent ?? '');
    expect(secret).toMatch(/^whsec_/);
    await press(page, 'I have kept it');
    await seeText(page, 'Chat of operations');
    const { webhooks } = Object(await dashboard.graphql('{ webhooks(first: 1) { nodes { id } } }'));
    await page.evaluate((to) => history.pushState(null, '', to), `/dashboard/webhooks/${webhooks.nodes[0].id}`);
    await press(page, 'Send a ping');
    // What becomes of it is shown without a reload.
    await seeText(page, 'thank you');
    expect(await page.content()).not.toContain(secret);
    const label = await page.$eval('button[aria-label^="Send again: "]', (button) => button.ariaLabel ?? '');
    await press(page, label);
    await expect.poll(() => received.length).toBe(2);
    await press(page, 'Make a new secret');
    await seeText(page, 'It is shown this once.');
    await press(page, 'I have kept it');
    await seeText(page, 'Both secrets sign.');
    await press(page, 'Send a ping');
    await expect.poll(() => received.map(({ signature }) => signature.split(' ').length)).toEqual([1, 1, 2]);
    await press(page, 'Delete');
    await press(page, 'Delete webhook');
    await seeText(page, 'Webhook deleted.');
    expect((await dashboard.call('GET', '/webhooks')).webhooks).toEqual([]);
    expect(problems).toEqual([]);
    receiver.close();
    await page.close();
  });

  test('axe finds nothing on the pages of who may do what and who is told, and they fit a phone', async () => {
    const make = async (path: string, body: object) => (await dashboard.call('POST', path, body)).id;
    const role = await make('/roles', { name: 'readers', scopes: ['read', 'ip-policies:write'] });
    const mappings = [{ group: '/readers', role: 'readers' }];
    const client = { issuer: 'https://idp.example.com', client_id: 'sallyport', client_secret: 'of the client' };
    // Disabled: otherwise the provider would be asked.
    const provider = { ...client, name: 'Keycloak', enabled: false, role_mappings: mappings };
    const providerId = await make('/sign_in_providers', provider);
    const webhook = await make('/webhooks', { url: 'https://127.0.0.1:9/hook', events: ['ip_policy.*'] });
    const asked = { name: 'Everybody', kind: 'ip', expected: 'allowed', address: '0.0.0.0/0', traffic_type: 'agent' };
    const expectation = await make('/expectations', asked);
    const policy = await make('/ip_policies', {});
    const restriction = await make('/ip_restrictions', { type: 'agent', enforced: false, ip_policy_ids: [policy] });
    const { page, problems } = await dashboard.open('/people');
    const findings: string[] = [];
    for (const [path, text] of [
      ['/people', 'Nobody has signed in yet'],
      ['/roles', 'readers'],
      ['/roles?new=1', 'Scopes'],
      [`/roles/${role}`, 'Delete'],
      ['/sign-in-providers', 'Keycloak'],
      ['/sign-in-providers?new=1', 'Protocol'],
      [`/sign-in-providers/${providerId}`, 'Settings'],
      ['/approvals', 'Nothing waits'],
      ['/webhooks', '127.0.0.1:9'],
      ['/webhooks?new=1', 'Messages'],
      [`/webhooks/${webhook}`, 'Make a new secret'],
      ['/expectations', 'Everybody'],
      ['/expectations?new=1', 'About'],
      [`/expectations/${expectation}`, 'Delete'],
      [`/ip-restrictions/${restriction}?tab=expectations`, '0.0.0.0/0 at agent'],
      ['/personal-api-keys', 'Only people have keys of their own'],
    ] as const) {
      await page.setViewport({ width: 1280, height: 900 });
      await page.evaluate((to) => history.pushState(null, '', `/dashboard${to}`), path);
      await seeText(page, text);
      await page.waitForFunction(
        () =>
          document.querySelector('main h1') !== null && document.querySelector('main [aria-label=Loading]') === null,
      );
      findings.push(...(await axeFindings(page)).map((finding) => `${path} ${finding}`));
      await page.setViewport({ width: 360, height: 740 });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 360) findings.push(`${path} is ${width} wide`);
    }
    expect(findings).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  testIntercepting('metadata to log with a name twice, or with none, is named and not saved', async () => {
    const edge = await dashboard.call('POST', '/edges/tls', { hostports: ['log.example.com:443'] });
    const rule = { actions: [{ type: 'log', config: { metadata: { team: 'a', place: 'b' } } }] };
    await dashboard.call('PUT', `/edges/tls/${edge.id}/policy`, { inbound: [rule] });
    const { page, problems } = await dashboard.open(`/tls-edges/${edge.id}`);
    const { asked } = await intercept(page, () => 'pass');
    await press(page, 'Rule 1');
    await fill(page, 'Name of entry 2', 'team');
    await seeText(page, '“team” is there twice.');
    await press(page, 'Save');
    await fill(page, 'Name of entry 2', ' ');
    await seeText(page, 'A row has a value and no name.');
    await press(page, 'Save');
    await fill(page, 'Name of entry 2', 'site');
    await press(page, 'Save');
    await seeText(page, 'Traffic policy saved.');
    expect(asked.filter((name) => name === 'ReplaceTlsEdgePolicy')).toHaveLength(1);
    const { inbound } = await dashboard.call('GET', `/edges/tls/${edge.id}/policy`);
    expect(inbound).toMatchObject([{ actions: [{ config: { metadata: { team: 'a', site: 'b' } } }] }]);
    expect(problems).toEqual([]);
    await page.close();
  });

  testIntercepting('a backend that could not be read keeps neither its field nor "Save" from sight', async () => {
    const edge = await dashboard.call('POST', '/edges/tls', { hostports: ['unread.example.com:443'] });
    await dashboard.call('PUT', `/edges/tls/${edge.id}/backend`, { backend_id: backendId });
    const { page } = await dashboard.open('/');
    await intercept(page, (name) => (name === 'BackendChoice' ? 'fail' : 'pass'));
    await page.goto(new URL(`/dashboard/tls-edges/${edge.id}`, page.url()).href);
    const panel = 'section[aria-label=Backend]';
    await page.waitForSelector(`${panel} [role=alert]`);
    await page.waitForSelector(`${panel} button[type=submit]`);
    await page.close();
  });

  testIntercepting(
    'IP policies and backends are found among any number of them, and called by their names',
    async () => {
      const oldest = (await dashboard.call('POST', '/ip_policies', { description: 'Head office' })).id;
      for (let number = 1; number <= 100; number += 1) {
        const description = `Further ${number}`;
        const labels = { number: String(number) };
        await dashboard.call('POST', '/ip_policies', { description });
        await dashboard.call('POST', '/backends/tunnel_group', { description, labels });
      }
      const edge = await dashboard.call('POST', '/edges/tls', { hostports: ['many.example.com:443'] });
      const rule = { actions: [{ type: 'restrict-ips', config: { allow: ['192.0.2.0/24'] } }] };
      await dashboard.call('PUT', `/edges/tls/${edge.id}/policy`, { inbound: [rule] });
      const { page, problems } = await dashboard.open(`/tls-edges/${edge.id}`);
      await press(page, 'Choose a backend');
      await page.waitForSelector('[role=dialog] input[aria-label=Backend]:focus');
      await page.waitForFunction(() => document.querySelectorAll('[role=menuitem]').length > 1);
      const { release } = await intercept(page, (name) => (name === 'FindBackends' ? 'hold' : 'pass'));
      await page.keyboard.type('Databases');
      // Before the answer, nothing that was there is chosen by mistake.
      await page.waitForFunction(() => document.querySelector('[role=menuitem] span') === null);
      await page.keyboard.press('Enter');
      await page.waitForSelector('[role=dialog] input[aria-label=Backend]');
      await release();
      await page.waitForFunction(
        () => document.querySelector('[role=menuitem][data-focused]')?.textContent === 'Databases',
      );
      // The list may still change once, when the server has searched.
      await expect.poll(() => axeFindings(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.activeElement?.textContent === 'Databases');
      await press(page, 'Save');
      await seeText(page, 'Backend of the edge saved.');
      expect(await dashboard.call('GET', `/edges/tls/${edge.id}/backend`)).toMatchObject({
        backend: { id: backendId },
      });

      await press(page, 'Rule 1');
      await press(page, 'Add a policy');
      await page.waitForFunction(() => document.activeElement?.matches('[role=combobox]:placeholder-shown'));
      await page.keyboard.type('head off');
      // The note that the list is empty is an option, too.
      await page.waitForFunction(() => document.querySelector('[role=option]')?.textContent?.startsWith('Head office'));
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForSelector(`[aria-label="IP policies of this action"] a[href$="${oldest}"]`);
      await seeText(page, 'Head office');
      await page.focus('form:has([data-rule]) button[type=submit]');
      await page.keyboard.press('Enter');
      await seeText(page, 'Traffic policy saved.');
      // Until the saved policy is there, the browser would ask before it leaves the page.
      await page.waitForSelector('form:has([data-rule]) button[aria-busy=false]');
      await page.reload();
      await press(page, 'Rule 1');
      await page.waitForFunction(
        () => document.querySelector('[aria-label="IP policies of this action"] a')?.textContent === 'Head office',
      );
      await seeText(page, 'Tunnels with role=db.');
      expect(problems).toEqual([]);
      await page.close();
    },
  );

  test('a new role waits until a second person approves it, on a page that shows it by itself', async () => {
    const client = await openClient(dashboard.server.database);
    const { accountId } = await client.apiKey.findFirstOrThrow();
    const at = new Date();
    const times = { createdAt: at, updatedAt: at };
    const owners = [{ group: 'owners', email: null, everybody: false, role: 'owner' }];
    const provider = { issuer: 'https://idp.example.com', clientId: 'x', groupsClaim: 'groups' };
    const own = { accountId, ...times };
    const providerId = 'sip_01m7zyw6zafqcr4sdy2ts2hezy';
    // As if both had signed in at a provider.
    await client.signInProvider.create({
      data: {
        ...own,
        ...provider,
        id: providerId,
        name: 'Ours',
        emailVerification: 'trusted',
        roleMappings: owners,
        acceptsFrom: at,
      },
    });
    const tokenOf = (name: string) => name.padEnd(43, 'a');
    const signIn = async (name: string, digit: number) => {
      const person = {
        ...own,
        id: `person_01m7zyw6zafqcr4sdy2ts2he${digit}y`,
        providerId,
        subject: name,
        subjectHash: name,
      };
      const seen = { name, email: '', groups: ['owners'], signedInAt: at, lastSeenAt: at };
      await client.person.create({ data: { ...person, ...seen } });
      const session = { id: `dses_01m7zyw6zafqcr4sdy2ts2he${digit}y`, accountId, personId: person.id, ...times };
      const ends = {
        lastUsedAt: at,
        endsAt: new Date(at.getTime() + 3_600_000),
        userAgent: '',
        tokenHash: hashOf(tokenOf(name)),
      };
      await client.dashboardSession.create({ data: { ...session, ...ends } });
      const browser = await dashboard.newPerson();
      await browser.setCookie(`sallyport_session=${tokenOf(name)}`);
      return async (path: string) => {
        const opened = await browser.open(`/dashboard${path}`);
        await opened.page.waitForSelector('main h1');
        return opened;
      };
    };
    const [openAsAmy, openAsBob] = [await signIn('Amy', 1), await signIn('Bob', 2)];
    const bob = await openAsBob('/approvals');
    await press(bob.page, 'Ask for a second person');
    await bob.page.waitForSelector('[role=dialog]');
    await press(bob.page, 'Ask for a second person');
    await seeText(bob.page, 'Saved.');
    const amy = await openAsAmy('/roles?new=1');
    await fill(amy.page, 'Name', 'network');
    await fill(amy.page, 'Scopes', 'ip-policies:read');
    await press(amy.page, 'Create');
    await seeText(amy.page, 'This waits for a second person.');
    // A page that nobody sees does not read anew.
    await bob.page.bringToFront();
    await press(bob.page, 'Approve: Create role "network".');
    await seeText(bob.page, 'can make exactly this change once');
    expect(await axeFindings(bob.page)).toEqual([]);
    await press(bob.page, 'Approve');
    await seeText(bob.page, 'Approved.');
    await amy.page.bringToFront();
    await press(amy.page, 'Create');
    await amy.page.waitForFunction(() => /\/roles\/role_/.test(location.pathname));
    await bob.page.bringToFront();
    await seeText(bob.page, 'made');
    // The pages that only people have, or that show them.
    for (const [path, text] of [
      ['/people', 'Amy'],
      ['/personal-api-keys', 'Your API keys'],
    ] as const) {
      await bob.page.evaluate((to) => history.pushState(null, '', `/dashboard${to}`), path);
      await seeText(bob.page, text);
      await bob.page.waitForFunction(() => document.querySelector('main [aria-label=Loading]') === null);
      expect([path, await axeFindings(bob.page)]).toEqual([path, []]);
    }
    expect([...amy.problems, ...bob.problems]).toEqual([]);
  });
});
