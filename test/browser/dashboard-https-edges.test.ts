// The pages of HTTPS edges in Chromium, by keyboard: a route gets a login, a request is tried out, sessions end.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { clickOn, describeInBrowser } from '../support/browser.ts';
import { axeFindings, type Dashboard, fill, press, seeText, startDashboard, tabTo } from '../support/dashboard.ts';
import { idpEntityId, idpMetadata, makeIdpKey } from '../support/identity-provider.ts';
import { type Fate, intercept, testIntercepting } from '../support/intercepted.ts';
import { serveMetadata, severalMetadata } from '../support/metadata-server.ts';
import { logIn as logInAt } from '../support/route-login.ts';

describeInBrowser('pages of HTTPS edges', () => {
  const idpKey = makeIdpKey();
  const metadata = idpMetadata([idpKey]);
  const baseUrl = 'http://login.example.com';
  const host = 'app.example.com';
  let dashboard: Dashboard;
  let edgeId: string;
  let routeId: string;
  beforeAll(async () => {
    dashboard = await startDashboard({
      BASE_URL: baseUrl,
      GATE_PROXIES: '127.0.0.1',
      OUTGOING_NETWORKS: '127.0.0.0/8',
      // The certificate of the server of metadata is signed by itself.
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    });
    edgeId = (await dashboard.call('POST', '/edges/https', { description: 'Intranet', hostports: [`${host}:443`] })).id;
    routeId = (await dashboard.call('POST', `/edges/https/${edgeId}/routes`, { match_type: 'path_prefix', match: '/' }))
      .id;
    await dashboard.call('PUT', saml(), { idp_metadata: metadata, authorized_groups: ['staff'] });
  });
  afterAll(() => dashboard?.close());

  const saml = () => `/edges/https/${edgeId}/routes/${routeId}/saml`;
  const logIn = (user: string) => logInAt({ url: dashboard.server.url, baseUrl, edgeId, routeId, host, idpKey }, user);

  test('an edge is made, and its route gets a login, by keyboard alone; wrong input is named', async () => {
    const { page, problems } = await dashboard.open('/https-edges');
    await seeText(page, 'Intranet');
    await press(page, 'New edge');
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('Wiki');
    await fill(page, 'Hosts', 'https://wiki.example.com/start\nWiki_2.example.com:99999');
    await press(page, 'Create');
    await seeText(page, 'Line 2, Wiki_2.example.com:99999: must');
    await fill(page, 'Hosts', 'https://wiki.example.com/start\n*.wiki.example.com');
    await press(page, 'Create');
    await seeText(page, 'wiki.example.com:443, *.wiki.example.com:443');
    await seeText(page, 'Everything is refused');

    await press(page, 'New route');
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('reports');
    await seeText(page, 'This also covers /reportss');
    await page.keyboard.press('Enter');
    await seeText(page, 'This route is open');

    await press(page, 'Require a login by SAML');
    // Many identity providers ask for this side's metadata before they offer their own.
    await press(page, 'If it asks for this side first');
    const routeOf = () => new URL(page.url()).pathname.split('/').at(-1);
    await seeText(page, `${baseUrl}/saml/${routeOf()}/acs`);
    expect(await axeFindings(page)).toEqual([]);
    await fill(page, 'Or paste it', '<html></html>');
    await seeText(page, 'This is not metadata that can be used.');
    await fill(page, 'Or paste it', metadata);
    await seeText(page, idpEntityId);
    await fill(page, 'Groups', ' staff \n\nadmins');
    await tabTo(page, 'Longest session');
    await page.keyboard.type('8 h');
    await press(page, 'Require a login');
    await seeText(page, 'Metadata URL');
    const made = new URL(page.url());
    const id = routeOf();
    expect([made.searchParams.get('tab'), await page.$eval('h1', (heading) => heading.textContent)]).toEqual([
      'provider',
      '/reports',
    ]);
    await seeText(page, `${baseUrl}/saml/${id}/acs`);
    const { edge, ...route } = await page.evaluate(async (node) => {
      const query = `query ($id: ID!) { node(id: $id) { ... on HttpsEdgeRoute { matchType edge { description }
        saml { enabled authorizedGroups maximumDuration inactivityTimeout } } } }`;
      const headers = { 'Sallyport-Dashboard': '1', 'Content-Type': 'application/json' };
      const body = JSON.stringify({ query, variables: { id: node } });
      return (await (await fetch('/graphql', { method: 'POST', headers, body })).json()).data.node;
    }, id);
    expect([edge, route]).toEqual([
      { description: 'Wiki' },
      {
        matchType: 'path_prefix',
        saml: { enabled: true, authorizedGroups: ['staff', 'admins'], maximumDuration: 28_800, inactivityTimeout: 0 },
      },
    ]);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('metadata is read at an address, of which one entity is chosen, and our keys are replaced by the next step', async () => {
    const server = await serveMetadata();
    onTestFinished(server.close);
    server.say(severalMetadata(metadata, ['https://one.example', 'https://two.example']));
    const edge = await dashboard.call('POST', '/edges/https', { hostports: ['by-address.example.com:443'] });
    const match = { match_type: 'path_prefix', match: '/' };
    const route = await dashboard.call('POST', `/edges/https/${edge.id}/routes`, match);
    const path = `/edges/https/${edge.id}/routes/${route.id}/saml`;
    const { page, problems } = await dashboard.open(`/https-edges/routes/${route.id}`);
    await press(page, 'Require a login by SAML');
    await fill(page, 'Address of the metadata', server.url);
    await press(page, 'Require a login');
    await seeText(page, 'must be given: the metadata at the address has 2 identity providers');
    await fill(page, 'Entity of the metadata', 'https://two.example');
    expect(await axeFindings(page)).toEqual([]);
    await press(page, 'Require a login');
    await seeText(page, 'Our keys');
    expect(await dashboard.call('GET', path)).toMatchObject({
      idp_metadata_url: server.url,
      idp_entity_id: 'https://two.example',
    });

    await press(page, 'Announce new keys');
    await seeText(page, 'The present key goes on signing, and both decrypt.');
    await clickOn(page, '[role=dialog] button[type=submit]');
    await seeText(page, 'New keys announced.');
    await seeText(page, 'Next: Sign with the new key');
    await seeText(page, 'Certificate that will sign');
    expect(await axeFindings(page)).toEqual([]);
    expect(await dashboard.call('GET', `${path}/keys`)).toMatchObject({ state: 'announced', next_step: 'take_over' });
    await page.goto(page.url().replace(/\?.*/, '?tab=login'));
    await seeText(page, `From ${server.url}, read`);
    await dashboard.call('DELETE', `/edges/https/${edge.id}`);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a route gets a login by OpenID Connect, which keeps its secret without showing it, and is taken away', async () => {
    const edge = await dashboard.call('POST', '/edges/https', { hostports: ['app.example.com:443'] });
    const match = { match_type: 'path_prefix', match: '/' };
    const route = await dashboard.call('POST', `/edges/https/${edge.id}/routes`, match);
    const path = `/edges/https/${edge.id}/routes/${route.id}/oidc`;
    const { page, problems } = await dashboard.open(`/https-edges/routes/${route.id}`);
    await press(page, 'Require a login by SAML');
    await press(page, 'Use OpenID Connect instead');
    await seeText(page, `${baseUrl}/oidc/${route.id}/callback`);
    await fill(page, 'Issuer', 'http://idp.example.com');
    await fill(page, 'Client', 'sallyport');
    await fill(page, 'Client secret', 'a secret of the client');
    await press(page, 'Require a login');
    await seeText(page, 'must be the https URL of the provider');
    await fill(page, 'Issuer', 'https://idp.example.com');
    await press(page, 'Require a login');
    // Before that, what was entered is unsaved, and the browser asks whoever leaves.
    await seeText(page, 'A login is required now.');
    await seeText(page, `${baseUrl}/oidc/${route.id}/backchannel-logout`);
    expect(await axeFindings(page)).toEqual([]);

    await page.goto(page.url().replace(/\?.*/, '?tab=login'));
    await seeText(page, 'Never shown. Empty: the stored one is kept');
    expect(await page.content()).not.toContain('a secret of the client');
    await fill(page, 'Groups', 'staff');
    await press(page, 'Save');
    await seeText(page, 'Login saved.');
    expect(await dashboard.call('GET', path)).toMatchObject({ authorized_groups: ['staff'], client_secret: '' });

    // Without the message, which has an "Undo" of its own.
    await page.reload();
    await press(page, 'Remove the login');
    await seeText(page, 'nobody can log in until it is entered again');
    await press(page, 'Remove it and open the route');
    await seeText(page, 'The login was removed.');
    await press(page, 'Undo');
    await seeText(page, 'Nobody can log in: the client secret is missing.');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('who may come in at a route is chosen, compared with what stands, refused where it is wrong, and taken away', async () => {
    const makePolicy = async (description: string, cidr: string) => {
      const { id } = await dashboard.call('POST', '/ip_policies', { description });
      await dashboard.call('POST', '/ip_policy_rules', { ip_policy_id: id, cidr, action: 'allow' });
      return id;
    };
    const office = await makePolicy('The office', '198.51.100.0/24');
    const branch = await makePolicy('The branch', '203.0.113.0/24');
    const route = `/edges/https/${edgeId}/routes`;
    const { id } = await dashboard.call('POST', route, { match_type: 'path_prefix', match: '/doors' });
    const { page } = await dashboard.open(`/https-edges/routes/${id}?tab=addresses`);
    const add = async (typed: string, name: string) => {
      await tabTo(page, 'Add a policy');
      await page.keyboard.press('Enter');
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
    };
    await add('the off', 'The office');
    // Nothing stands yet, so all others are kept out.
    await seeText(page, 'Keeps out');
    await press(page, 'Save');
    await seeText(page, 'Who may come in is saved.');
    const saved = await dashboard.call('GET', `${route}/${id}/ip_restriction`);
    expect(saved).toMatchObject({ enabled: true, mode: 'require', ip_policies: [{ id: office }] });

    // Compared with the office, a second policy keeps nobody out.
    await add('the br', 'The branch');
    await seeText(page, '203.0.113.0/24');
    await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Keeps out'));
    expect(await axeFindings(page)).toEqual([]);
    await dashboard.call('DELETE', `/ip_policies/${branch}`);
    await press(page, 'Save');
    await seeText(page, 'There is no IP policy');
    await dashboard.call('PUT', `${route}/${id}/ip_restriction`, { ip_policy_ids: [office] });

    // A policy tells which door a change closes.
    const policy = await dashboard.open(`/ip-policies/${office}`);
    await seeText(policy.page, '1 rule');
    await press(policy.page, 'Delete 198.51.100.0/24');
    await seeText(policy.page, '/doors');
    await seeText(policy.page, 'Keeps out');
    expect(await axeFindings(policy.page)).toEqual([]);
    await policy.page.keyboard.press('Escape');
    await policy.page.close();

    const again = await dashboard.open(`/https-edges/routes/${id}?tab=addresses`);
    await press(again.page, 'Remove');
    await again.page.waitForSelector('[role=dialog] button[type=submit]');
    await clickOn(again.page, '[role=dialog] button[type=submit]');
    await seeText(again.page, 'The route is open to all addresses.');
    expect(Object(await dashboard.call('GET', `${route}/${id}`)).ip_restriction).toBeNull();
    expect([...policy.problems, ...again.problems]).toEqual([]);
    await page.close();
    await again.page.close();
  });

  test('the backend of a route is chosen and taken away, and the configuration of the proxy leads there', async () => {
    const backend = await dashboard.call('POST', '/backends/tunnel_group', {
      description: 'Web servers',
      targets: ['10.0.0.5:8080'],
      tls: 'none',
    });
    const edge = await dashboard.call('POST', '/edges/https', { hostports: ['shop.example.com:443'] });
    const routes = `/edges/https/${edge.id}/routes`;
    const { id } = await dashboard.call('POST', routes, { match_type: 'path_prefix', match: '/' });
    const { page, problems } = await dashboard.open(`/https-edges/routes/${id}?tab=backend`);
    await press(page, 'Choose a backend');
    await page.waitForSelector('[role=dialog] input[aria-label=Backend]:focus');
    await page.waitForSelector('[role=menuitem]');
    await clickOn(page, '[role=menuitem]');
    await press(page, 'Save');
    await seeText(page, 'Backend of the route saved.');
    expect(await axeFindings(page)).toEqual([]);
    expect(await dashboard.call('GET', `${routes}/${id}/backend`)).toMatchObject({
      enabled: true,
      backend: { id: backend.id },
    });
    const proxy = await dashboard.open(`/https-edges/${edge.id}?tab=proxy`);
    await seeText(proxy.page, 'proxy_pass http://10.0.0.5:8080;');
    await proxy.page.close();
    await press(page, 'Remove');
    await seeText(page, 'Backend removed from the route.');
    expect(Object(await dashboard.call('GET', `${routes}/${id}`)).backend).toBeNull();
    expect([...problems, ...proxy.problems]).toEqual([]);
    await page.close();
  });

  test('the decision about a request is shown step by step, follows the rules, and can be linked', async () => {
    const { page, problems } = await dashboard.open(`/https-edges/${edgeId}?tab=try`);
    await fill(page, 'Address of the client', 'nowhere');
    await page.keyboard.press('Enter');
    await seeText(page, 'must be an IPv4 or IPv6 address');
    await fill(page, 'Address of the client', '203.0.113.7');
    await page.keyboard.press('Enter');
    await seeText(page, 'The request would be refused.');
    await seeText(page, 'The route requires a login, and there is no session.');
    await seeText(page, 'Not asked any more.');
    const { page: linked, problems: others } = await dashboard.open(
      `/https-edges/${edgeId}?tab=try&url=https%3A%2F%2F${host}%2Fa&address=203.0.113.7&login=yes&group=staff`,
    );
    await seeText(linked, 'The request would pass.');
    await page.bringToFront();
    await dashboard.call('PUT', saml(), { idp_metadata: metadata, enabled: false });
    await seeText(page, 'The request would pass.');
    await dashboard.call('PUT', saml(), { idp_metadata: metadata, authorized_groups: ['staff'] });
    await seeText(page, 'The request would be refused.');
    expect([...problems, ...others]).toEqual([]);
    for (const each of [page, linked]) await each.close();
  });

  test('a login uses the registration of another route; its edge signs identities, and a program is tried there', async () => {
    const edge = await dashboard.call('POST', '/edges/https', { hostports: ['api.example.com:443'] });
    const match = { match_type: 'path_prefix', match: '/' };
    const route = await dashboard.call('POST', `/edges/https/${edge.id}/routes`, match);
    const { page, problems } = await dashboard.open(`/https-edges/routes/${route.id}`);
    await press(page, 'Require a login by SAML');
    await tabTo(page, 'Registration');
    await page.keyboard.type(host);
    await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Or paste it'));
    expect(await axeFindings(page)).toEqual([]);
    await press(page, 'Require a login');
    await seeText(page, 'the login uses the registration of another route');
    const path = `/edges/https/${edge.id}/routes/${route.id}/saml`;
    expect(await dashboard.call('GET', path)).toMatchObject({ login_route_id: routeId });

    await page.goto(page.url().replace(/routes.*/, `${edge.id}?tab=settings`));
    const hints = {
      'Sign who sends a request': 'in the header Sallyport-Identity, for applications that check it by themselves',
      'Pass API keys on to the application':
        'which then can do whatever they may; with Caddy, its configuration has to say so, too',
    };
    for (const names of Object.entries(hints)) {
      await tabTo(page, names.join(' '));
      await page.keyboard.press(' ');
    }
    await press(page, 'Save');
    await seeText(page, 'Edge saved.');
    const signing = { signs_identity: true, forwards_keys: true };
    expect(await dashboard.call('GET', `/edges/https/${edge.id}`)).toMatchObject(signing);

    const { id } = await dashboard.call('POST', '/api_keys', { scopes: ['gate:pass'] });
    const asked = `url=https%3A%2F%2Fapi.example.com%2Fa&address=203.0.113.7&key=${id}`;
    await page.goto(page.url().replace(/tab=.*/, `tab=try&${asked}`));
    await seeText(page, 'The API key passes here.');
    await seeText(page, 'The request would pass.');
    expect(await axeFindings(page)).toEqual([]);
    await dashboard.call('DELETE', `/edges/https/${edge.id}`);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('sessions appear as users log in, and end: one, those of a user, or all', async () => {
    const { page, problems } = await dashboard.open('/');
    await page.keyboard.press('/');
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('session of');
    await seeText(page, 'End the session of a user');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.pathname.endsWith('/logins'));
    // The newest edge also has a login and comes first: the address names its route, and keeps it if newer ones follow.
    await page.waitForFunction(() => location.search.startsWith('?route='));
    await tabTo(page, 'Route');
    await page.keyboard.type(host);
    await page.waitForFunction((id) => location.search === `?route=${id}`, {}, routeId);
    await seeText(page, 'Nobody is logged in');
    for (const user of ['amy', 'bob', 'cleo']) await logIn(user);
    await seeText(page, 'cleo');
    await seeText(page, 'amy');
    await press(page, 'End the session of bob');
    await seeText(page, 'bob has to log in again');
    await press(page, 'End session');
    await seeText(page, 'A session of bob has ended.');
    await fill(page, 'Search sessions', 'AMY');
    await seeText(page, 'End all of amy');
    await press(page, 'Search sessions');
    await page.keyboard.down('Shift');
    await page.keyboard.press('Tab');
    await page.keyboard.up('Shift');
    await page.keyboard.press('Enter');
    await seeText(page, 'End all sessions of amy?');
    await press(page, 'End sessions');
    await seeText(page, 'has “AMY” in its user');
    await press(page, 'Show all');
    await seeText(page, 'cleo');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('where not all sessions were searched, that is said, and those of one user can be had and ended whole', async () => {
    for (const user of ['eve', 'fay']) await logIn(user);
    const { page, problems } = await dashboard.open('/');
    // Pretend that there are more sessions than are searched.
    await page.evaluateOnNewDocument(() => {
      const { text } = Response.prototype;
      Response.prototype.text = async function () {
        const isSearch = location.search.includes('search=');
        const answer = await text.call(this);
        return isSearch ? answer.replace('"searchedInPart":false', '"searchedInPart":true') : answer;
      };
    });
    await page.goto(`${page.url()}logins?route=${routeId}&search=gus`);
    await seeText(page, 'None of the latest sessions at this route has “gus” in its user');
    await seeText(page, 'The oldest were not searched.');
    await press(page, 'All of the user “gus”');
    await seeText(page, 'There is no session of the user “gus” at this route.');
    await logIn('gus');
    await seeText(page, 'End all of gus');
    await press(page, 'End all of gus');
    await seeText(page, 'End all sessions of gus?');
    await press(page, 'End sessions');
    await seeText(page, 'There is no session of the user “gus” at this route.');
    await press(page, 'Of all users');
    await seeText(page, 'fay');
    expect(new URL(page.url()).search).toBe(`?route=${routeId}`);
    // Several in one move.
    for (const user of ['eve', 'fay']) {
      await tabTo(page, `Choose the session of ${user}`);
      await page.keyboard.press(' ');
    }
    await press(page, 'End');
    await seeText(page, 'End 2 sessions?');
    await press(page, 'End them');
    await seeText(page, '2 sessions ended.');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('an edge whose routes were changed here is not shown as it was before, and can be deleted at once', async () => {
    const { id } = await dashboard.call('POST', '/edges/https', { description: 'Much changed' });
    const { page, problems } = await dashboard.open(`/https-edges/${id}`);
    const titled = (title: string) =>
      page.waitForFunction((text) => document.querySelector('main h1')?.textContent === text, {}, title);
    const backToEdge = async () => {
      await press(page, 'Much changed');
      await titled('Much changed');
    };
    const openRoute = async (match: string) => {
      await press(page, match);
      await titled(match);
    };
    await press(page, 'New route');
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.press('Enter');
    await titled('/');
    await backToEdge();

    await openRoute('/');
    await tabTo(page, 'Login');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await fill(page, 'Path', '/wiki');
    await press(page, 'Save');
    await seeText(page, 'Route saved.');
    await backToEdge();

    await openRoute('/wiki');
    await clickOn(page, '::-p-aria([name="History"][role="tab"])');
    await press(page, 'Put back');
    await seeText(page, 'Put this route back?');
    await press(page, 'Put back');
    await seeText(page, 'Put back. The trail has it');
    await titled('/');
    await backToEdge();

    await openRoute('/');
    await press(page, 'Require a login by SAML');
    await fill(page, 'Or paste it', metadata);
    await seeText(page, idpEntityId);
    await press(page, 'Require a login');
    await seeText(page, 'Metadata URL');
    await backToEdge();

    await openRoute('/');
    await press(page, 'Remove the login');
    await press(page, 'Remove it and open the route');
    await seeText(page, 'The login was removed.');
    await backToEdge();

    await openRoute('/');
    await tabTo(page, 'Login');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await clickOn(page, '::-p-aria([name="Delete"][role="button"])');
    await seeText(page, 'Route deleted.');
    await seeText(page, 'Everything is refused');
    await clickOn(page, '::-p-aria([name="Settings"][role="tab"])');
    await clickOn(page, '::-p-aria([name="Delete"][role="button"])');
    await seeText(page, 'Edge deleted.');
    expect(problems).toEqual([]);
    await page.close();
  });

  testIntercepting('a route that comes back with its edge is not shown as it was before', async () => {
    const { id } = await dashboard.call('POST', '/edges/https', { description: 'Comes back' });
    const routes = `/edges/https/${id}/routes`;
    const route = await dashboard.call('POST', routes, { match_type: 'path_prefix', match: '/' });
    const { page, problems } = await dashboard.open(`/https-edges/routes/${route.id}`);
    await press(page, 'Comes back');
    await clickOn(page, '::-p-aria([name="Settings"][role="tab"])');
    await clickOn(page, '::-p-aria([name="Delete"][role="button"])');
    await seeText(page, 'Edge deleted.');
    await press(page, 'Undo');
    await seeText(page, 'Undone.');
    await clickOn(page, `main a[href$="/https-edges/${id}"]`);
    await page.waitForFunction(() => document.querySelector('main h1')?.textContent === 'Comes back');
    const { asked, release } = await intercept(page, (name) => (name === 'HttpsEdgeRoute' ? 'hold' : 'pass'));
    await press(page, '/');
    await expect.poll(() => asked).toContain('HttpsEdgeRoute');
    await page.waitForSelector('main > [role=status]');
    await release();
    await seeText(page, 'This route is open');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a key that can only read sees everything, and nothing to change it with', async () => {
    const { token } = await dashboard.call('POST', '/api_keys', { description: 'reads', scopes: ['read'] });
    const { page, problems } = await dashboard.openAs(String(token), `/https-edges/routes/${routeId}`);
    await seeText(page, idpEntityId);
    const operable = await page.$$eval('main :is(button, input, textarea, select)', (all) =>
      all.filter((one) => !one.matches(':disabled, [aria-disabled=true]')).map((one) => one.textContent),
    );
    expect(operable).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('axe finds nothing, and every page fits a phone', async () => {
    await logIn('dora');
    const request = `url=https%3A%2F%2F${host}%2F&address=203.0.113.7&login=yes&group=guests`;
    const places = [
      ['/https-edges', 'ntranet'],
      [`/https-edges/${edgeId}?new=route`, 'New route'],
      [`/https-edges/${edgeId}?tab=try&${request}`, 'The user is in none of the authorized groups.'],
      [`/https-edges/${edgeId}?tab=proxy&proxy=haproxy`, edgeId],
      [`/https-edges/${edgeId}?tab=settings`, 'Changed'],
      [`/https-edges/${edgeId}?tab=history`, 'What it began with'],
      [`/https-edges/routes/${routeId}`, idpEntityId],
      [`/https-edges/routes/${routeId}?tab=provider`, '/slo'],
      [`/https-edges/routes/${routeId}?tab=sessions`, 'dora'],
      [`/logins?route=${routeId}`, 'dora'],
    ] as const;
    for (const [path, text] of places) {
      const { page, problems } = await dashboard.open(path);
      await seeText(page, text);
      const findings = await axeFindings(page);
      await page.setViewport({ width: 360, height: 740 });
      const isWide = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect({ path, findings, isWide, problems }).toEqual({ path, findings: [], isWide: false, problems: [] });
      await page.close();
    }
  });

  testIntercepting(
    'the sessions of a route are never those of another: not while it is looked for, and not where it is gone',
    async () => {
      for (let made = 0; made < 100; made += 1)
        await dashboard.call('POST', '/edges/https', { hostports: [`app-${made}.example.com:443`] });
      const { id } = await dashboard.call('POST', '/edges/https', { hostports: ['newest.example.com:443'] });
      const routes = `/edges/https/${id}/routes`;
      const newest = await dashboard.call('POST', routes, { match_type: 'path_prefix', match: '/' });
      await dashboard.call('PUT', `${routes}/${newest.id}/saml`, { idp_metadata: metadata });
      const { page, problems } = await dashboard.open('/');
      const fates: Fate[] = ['pass', 'hold'];
      const { asked, release } = await intercept(page, (name) =>
        name === 'RoutesWithLogin' ? (fates.shift() ?? 'pass') : 'pass',
      );
      await page.goto(`${page.url()}logins?route=${routeId}`);
      await expect.poll(() => asked.filter((name) => name === 'RoutesWithLogin').length).toBe(2);
      await page.waitForSelector('main [aria-label=Loading]');
      expect(await page.$('main select')).toBe(null);
      await release('fail');
      await seeText(page, 'UNREACHABLE');
      // It is read again by itself.
      await page.waitForSelector('main select');
      expect(asked.filter((name) => name === 'LoginSessions').length).toBe(1);
      await seeText(page, 'Who has logged in at this route.');
      await expect.poll(() => page.$eval('main select', ({ value }) => value)).toBe(routeId);
      await dashboard.call('DELETE', `${routes}/${newest.id}/saml`);
      await page.goto(page.url().replace(routeId, newest.id));
      await seeText(page, 'This route requires no login');
      await press(page, 'Show the others');
      await seeText(page, 'Who has logged in at this route.');
      expect(problems.filter((problem) => !problem.includes('ERR_FAILED'))).toEqual([]);
      await page.close();
    },
  );
});
