// People sign in to the dashboard by OpenID Connect: whole sign-ins, what they may do, when that ends, and answers that are forged,
// replayed, or brought by another browser.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSignIns } from '../../../src/areas/people/sign-in-store.ts';
import { parseRange } from '../../../src/domain/ip/cidr.ts';
import { LoginRefusal } from '../../../src/domain/saml/refusal.ts';
import { createOutgoing } from '../../../src/outgoing/outgoing.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { dataOf } from '../../support/answers.ts';
import { DashboardBrowser } from '../../support/dashboard-browser.ts';
import { openStream } from '../../support/event-stream.ts';
import {
  clientId,
  clientSecret,
  type Lie,
  type OpenIdProvider,
  startOpenIdProvider,
} from '../../support/openid-provider.ts';
import {
  baseUrl,
  createClient,
  ofOneServer,
  type RestAnswer,
  startService,
  startTime,
  type TestService,
} from '../../support/service.ts';

let shared: TestService;
let service: TestService;
let provider: OpenIdProvider;
const strict = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
beforeAll(async () => {
  // The provider's certificate is its own.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  provider = await startOpenIdProvider(() => startTime);
  shared = await startService({
    outgoing: createOutgoing({ outgoingNetworks: [parseRange('networks', '127.0.0.0/8')], outgoingDns: [] }),
  });
});
afterAll(async () => {
  if (strict === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = strict;
  expect(shared.failures).toEqual([]);
  await shared.close();
  await provider.close();
});
beforeEach(async () => {
  provider.lie({});
  service = ofOneServer(await shared.asNewAccount());
});

const client = () => ({ issuer: provider.issuer, client_id: clientId, client_secret: clientSecret });
const staffOperate = { role_mappings: [{ group: 'staff', role: 'operator' }] };
async function makeProvider(settings: object = staffOperate): Promise<string> {
  const { status, body } = await service.rest('POST', '/sign_in_providers', { ...client(), name: 'Ours', ...settings });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body.id;
}

/** A browser on its way to a provider and back: its cookies are those that a navigation carries. */
class Visitor {
  readonly cookies = new Map<string, string>();

  async visit(url: string): Promise<RestAnswer> {
    const { pathname, search } = new URL(url, baseUrl);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(`${service.url}${pathname}${search}`, {
      redirect: 'manual',
      headers: cookie === '' ? {} : { cookie },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  }

  /** Leaves for the provider, and returns the authorization request that arrives there. */
  async leave(id: string, to = ''): Promise<URL> {
    const { status, headers } = await this.visit(`/dashboard/sign-in/${id}${to}`);
    expect(status).toBe(303);
    return new URL(headers.get('location') ?? '');
  }

  /** Signs in, and returns the last page. */
  async signIn(id: string, to = ''): Promise<RestAnswer> {
    return this.visit(provider.answer(await this.leave(id, to)).href);
  }

  /** Returns the dashboard as this browser shows it. */
  dashboard(): DashboardBrowser {
    const browser = new DashboardBrowser(service);
    // The service of the tests is asked over plain HTTP, where both names count.
    browser.cookie = `__Host-sallyport_session=${this.cookies.get('__Host-sallyport_session') ?? ''}`;
    return browser;
  }
}

const signedIn = async (id: string): Promise<DashboardBrowser> => {
  const visitor = new Visitor();
  expect((await visitor.signIn(id)).status).toBe(200);
  return visitor.dashboard();
};
const viewer =
  '{ viewer { scopes apiKey { id } person { id displayName subject groups roles blocked firstSeenAt lastSeenAt } dashboardSession { endsAt } } }';
const ended = {
  status: 401,
  errors: [expect.objectContaining({ message: 'The session of the dashboard has ended. Sign in again.' })],
};
const peopleOf = async () =>
  dataOf(await service.graphql('{ people { nodes { id displayName blocked roles version } } }')).people.nodes;
const refusals = async () => {
  await service.storage.refusals.settled();
  const query =
    '{ auditEvents(action: refuse) { nodes { actor { type description } refusal { code asked reason } } } }';
  return dataOf(await service.graphql(query)).auditEvents.nodes;
};

describe('signing in', () => {
  test('leads to the provider and back to the page, and the trail has the person', async () => {
    const id = await makeProvider();
    const visitor = new Visitor();
    const request = await visitor.leave(id, '?to=ip-policies%3Fsearch%3Dx');
    expect([request.origin + request.pathname, Object.fromEntries(request.searchParams)]).toEqual([
      `${provider.issuer}/auth`,
      {
        client_id: clientId,
        redirect_uri: `${baseUrl}/dashboard/sign-in/${id}/callback`,
        response_type: 'code',
        scope: 'openid email profile',
        state: expect.stringMatching(/^[\w-]+$/),
        nonce: expect.stringMatching(/^[0-9a-f]{64}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      },
    ]);
    const { status, headers, body } = await visitor.visit(provider.answer(request).href);
    expect([status, headers.getSetCookie()]).toEqual([
      200,
      [expect.stringMatching(/^__Host-sallyport_session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/)],
    ]);
    expect(body).toContain('<meta http-equiv="refresh" content="0; url=../../ip-policies?search=x">');

    const browser = visitor.dashboard();
    const { data } = await browser.graphql(viewer);
    expect(data.viewer).toMatchObject({
      apiKey: null,
      person: {
        displayName: 'Amy <amy@example.com>',
        subject: 'amy-1',
        groups: ['staff', 'admins'],
        roles: ['operator'],
        blocked: false,
        firstSeenAt: '2026-11-20T21:00:00Z',
        lastSeenAt: '2026-11-20T21:00:00Z',
      },
    });
    expect(data.viewer.scopes).toContain('ip-policies:write');
    expect(data.viewer.scopes).not.toContain('people:write');
    const create = 'mutation { createIpPolicy(input: {}) { ipPolicy { id updatedBy { type id description } } } }';
    expect(dataOf(await browser.graphql(create)).createIpPolicy.ipPolicy.updatedBy).toEqual({
      type: 'person',
      id: data.viewer.person.id,
      description: 'Amy <amy@example.com>',
    });
    const forbidden = await browser.graphql(
      'mutation { createRole(input: { name: "x", scopes: ["read"] }) { role { id } } }',
    );
    expect(forbidden.errors?.[0]?.message).toMatch(/^Your roles lack "people:write"; they have "read", /);
  });

  test('ends after twelve hours, however it is used', async () => {
    const browser = await signedIn(await makeProvider());
    for (let hours = 0.4; hours < 12; hours += 0.4) {
      service.setTime(new Date(startTime.getTime() + hours * 3_600_000));
      expect((await browser.graphql(viewer)).status).toBe(200);
    }
    service.setTime(new Date(startTime.getTime() + 12 * 3_600_000));
    expect(await browser.graphql(viewer)).toMatchObject(ended);
  });

  test('is offered where people sign in, and only to the account that is asked for', async () => {
    const { name } = dataOf(await service.graphql('{ viewer { account { name } } }')).viewer.account;
    const ask = async (account: string) =>
      (await fetch(`${service.url}/dashboard/sign-in?account=${encodeURIComponent(account)}`)).json();
    expect(await ask(name)).toEqual({ providers: [], keys: true });
    const id = await makeProvider();
    await makeProvider({ name: 'Other', enabled: false });
    expect(await ask(name)).toEqual({ providers: [{ id, name: 'Ours' }], keys: true });
    expect(await ask('nobody')).toEqual({ providers: [], keys: true });
  });

  test.each([
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    'x/../../../evil',
    'javascript:alert(1)',
    'x"onload=',
    'x\r\ny',
    'a'.repeat(1_001),
  ])('never leads to %j', async (to) => {
    const { status, body } = await new Visitor().signIn(await makeProvider(), `?to=${encodeURIComponent(to)}`);
    expect([status, /url=([^"]*)"/.exec(body)?.[1]]).toEqual([200, '../../']);
  });
});

describe('somebody is not let in', () => {
  test('without a role, and is told the groups that came, which is on record', async () => {
    const id = await makeProvider({ role_mappings: [{ group: 'board', role: 'owner' }] });
    const { status, body, headers } = await new Visitor().signIn(id);
    expect([status, headers.getSetCookie()]).toEqual([403, []]);
    expect(body).toContain('It named these groups: &#34;staff&#34;, &#34;admins&#34;.');
    expect(await refusals()).toEqual([
      {
        actor: { type: 'user', description: 'Amy <amy@example.com>' },
        refusal: {
          code: 'FORBIDDEN',
          asked: `sign-in ${id}`,
          reason: expect.stringContaining('no_role: The provider knows you as Amy <amy@example.com>'),
        },
      },
    ]);
    expect(await peopleOf()).toEqual([]);
  });

  test('from where IP restrictions of the dashboard let nobody in, and is not on record as a person', async () => {
    const id = await makeProvider();
    const policy = (await service.rest('POST', '/ip_policies', {})).body;
    await service.rest('POST', '/ip_restrictions', { type: 'dashboard', enforced: true, ip_policy_ids: [policy.id] });
    const { status } = await new Visitor().signIn(id);
    expect([status, await peopleOf()]).toEqual([403, []]);
  });

  test.each<[string, Lie, string]>([
    ['signed by another key', { signedBy: 'other key' }, 'signature'],
    ['that nobody has signed', { signedBy: 'nobody' }, 'signature'],
    ['for another client', { claims: { aud: 'another' } }, 'audience'],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }, 'issuer'],
    ['with another nonce', { claims: { nonce: 'x' } }, 'in_response_to'],
    ['that has expired', { claims: { exp: 1 } }, 'expired'],
    ['with an address that is not verified', { claims: { email_verified: false } }, 'email_unverified'],
    ['that says no', { answer: { error: 'access_denied', code: undefined } }, 'status'],
  ])('by an answer %s', async (_what, lie, reason) => {
    const id = await makeProvider();
    provider.lie(lie);
    expect((await new Visitor().signIn(id)).status).toBe(403);
    expect(await refusals()).toMatchObject([
      { actor: { type: 'system' }, refusal: { asked: `sign-in ${id}`, reason: expect.stringMatching(`^${reason}: `) } },
    ]);
    expect(await peopleOf()).toEqual([]);
  });

  test('by an answer that comes twice, in another browser, for another provider, or too late', async () => {
    const id = await makeProvider();
    const visitor = new Visitor();
    const answer = provider.answer(await visitor.leave(id)).href;
    expect((await new Visitor().visit(answer)).status).toBe(403);
    const stranger = new Visitor();
    await stranger.leave(id);
    expect((await stranger.visit(answer)).status).toBe(403);
    const other = await makeProvider({ name: 'Other', ...staffOperate });
    expect((await visitor.visit(answer.replace(id, other))).status).toBe(403);
    expect((await visitor.visit(answer)).status).toBe(200);
    expect((await visitor.visit(answer)).status).toBe(403);
    const late = provider.answer(await visitor.leave(id)).href;
    service.setTime(new Date(startTime.getTime() + 600_000));
    expect((await visitor.visit(late)).status).toBe(403);
  });
});

test('whoever signs in while a change takes back whom the provider lets in is let in by neither', async () => {
  const id = await makeProvider();
  const signIns = createSignIns(
    service.storage,
    createOutgoing({ outgoingNetworks: [], outgoingDns: [] }),
    () => startTime,
  );
  const place = await signIns.find(id);
  if (place === null) throw new Error('The provider is there.');
  await service.rest('PATCH', `/sign_in_providers/${id}`, { authorized_email_domains: ['example.org'] });
  const named = { nameId: 'amy-1', nameidFormat: '', nameQualifier: null, spNameQualifier: null, sessionIndex: null };
  const vouched = {
    user: 'amy-1',
    email: 'amy@example.com',
    name: 'Amy',
    groups: ['staff'],
    attributeNames: [],
    issuer: provider.issuer,
    sessionEndsAt: null,
    named,
  };
  await expect(signIns.signIn(place, vouched, () => commandLine)).rejects.toThrow(LoginRefusal);
  expect(await peopleOf()).toEqual([]);
});

describe('what somebody may do ends', () => {
  const block = 'mutation ($id: ID!) { blockPerson(input: { id: $id }) { person { blocked version } } }';

  test('at once for a person who is blocked, with streams, until somebody lets the person in again', async () => {
    const id = await makeProvider();
    const browser = await signedIn(id);
    const stream = await openStream(`${service.url}/graphql`, null, {
      headers: browser.headers,
      body: { query: 'subscription { changes { kind objectId } }' },
    });
    const [{ id: personId }] = await peopleOf();
    const { data } = await service.graphql(block, { id: personId });
    expect(data.blockPerson.person).toEqual({ blocked: true, version: 2 });
    await stream.ended;
    expect(await browser.graphql(viewer)).toMatchObject(ended);
    expect((await new Visitor().signIn(id)).body).toContain('You are kept out of this account.');
    expect(await refusals()).toMatchObject([{ actor: { type: 'person', description: 'Amy <amy@example.com>' } }]);
    await service.graphql(block.replaceAll('blockPerson', 'unblockPerson'), { id: personId });
    expect((await (await signedIn(id)).graphql(viewer)).status).toBe(200);
    // A session from before may be in somebody else's hands.
    expect(await browser.graphql(viewer)).toMatchObject(ended);
  });

  test('not by oneself, nor by putting back the event of having been blocked', async () => {
    const id = await makeProvider({ role_mappings: [{ group: 'staff', role: 'owner' }] });
    await signedIn(id);
    const [{ id: personId }] = await peopleOf();
    await service.graphql(block, { id: personId });
    const [{ id: eventId }] = dataOf(
      await service.graphql('query ($id: ID!) { auditEvents(objectId: $id, first: 1) { nodes { id } } }', {
        id: personId,
      }),
    ).auditEvents.nodes;
    await service.graphql(block.replaceAll('blockPerson', 'unblockPerson'), { id: personId });
    const own = await signedIn(id);
    expect((await own.graphql(block, { id: personId })).errors?.[0]?.extensions.code).toBe('LOCKOUT');
    const putBack = 'mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { __typename } }';
    expect((await own.graphql(putBack, { id: eventId })).errors?.[0]?.extensions.code).toBe('LOCKOUT');
  });

  test('in all browsers once the provider has told that a group is gone', async () => {
    const id = await makeProvider();
    const browser = await signedIn(id);
    provider.lie({ claims: { groups: ['admins'] } });
    expect((await browser.graphql(viewer)).status).toBe(200);
    expect((await new Visitor().signIn(id)).status).toBe(403);
    expect(await browser.graphql(viewer)).toMatchObject(ended);
  });

  test('for an edit that was begun before the provider took a group away: it is refused, and nothing is changed', async () => {
    const mappings = [
      { group: 'staff', role: 'operator' },
      { group: 'admins', role: 'viewer' },
    ];
    const id = await makeProvider({ role_mappings: mappings });
    const browser = await signedIn(id);
    const create = 'mutation { createIpPolicy(input: { description: "mine" }) { ipPolicy { id version } } }';
    const { ipPolicy } = dataOf(await browser.graphql(create)).createIpPolicy;
    provider.lie({ claims: { groups: ['admins'] } });
    await signedIn(id);
    const update = `mutation { updateIpPolicy(input: { id: "${ipPolicy.id}", expectedVersion: ${ipPolicy.version}, description: "late" }) { ipPolicy { id } } }`;
    expect((await browser.graphql(update)).errors?.[0]).toMatchObject({
      message: expect.stringMatching(/^Your roles lack "ip-policies:write"; they have /),
      extensions: { code: 'FORBIDDEN' },
    });
    const read = `{ ipPolicy(id: "${ipPolicy.id}") { description version } }`;
    expect((await browser.graphql(read)).data.ipPolicy).toEqual({ description: 'mine', version: 1 });
  });

  test('at once with a mapping, a role, the provider, or the domains that it lets in', async () => {
    const roleId = (await service.rest('POST', '/roles', { name: 'net', scopes: ['ip-policies:write'] })).body.id;
    const id = await makeProvider({ role_mappings: [{ group: 'staff', role: 'net' }] });
    const scopesOf = async (who: DashboardBrowser) => (await who.graphql(viewer)).data?.viewer.scopes;
    const change = async (body: object) =>
      expect((await service.rest('PATCH', `/sign_in_providers/${id}`, body)).status).toBe(200);
    const browser = await signedIn(id);
    expect(await scopesOf(browser)).toEqual(['ip-policies:write']);
    await service.rest('PATCH', `/roles/${roleId}`, { scopes: ['backends:read'] });
    expect(await scopesOf(browser)).toEqual(['backends:read']);
    await change({ role_mappings: [{ email: 'Amy@Example.com', role: 'auditor' }] });
    expect(await scopesOf(browser)).toEqual(['read']);
    await change({ role_mappings: [{ group: 'board', role: 'owner' }] });
    expect(await browser.graphql(viewer)).toMatchObject(ended);
    await change({ role_mappings: [{ everybody: true, role: 'viewer' }] });
    expect((await browser.graphql(viewer)).status).toBe(200);
    await change({ enabled: false });
    expect(await browser.graphql(viewer)).toMatchObject(ended);
    await change({ enabled: true });
    expect((await browser.graphql(viewer)).status).toBe(200);
    service.setTime(new Date(startTime.getTime() + 1_000));
    await change({ authorized_email_domains: ['example.com'] });
    expect(await browser.graphql(viewer)).toMatchObject(ended);
    const again = await signedIn(id);
    expect((await service.rest('DELETE', `/sign_in_providers/${id}`)).status).toBe(204);
    expect(await again.graphql(viewer)).toMatchObject(ended);
    expect(await peopleOf()).toMatchObject([{ displayName: 'Amy <amy@example.com>', roles: [] }]);
  });
});

describe('the key of a person', () => {
  const make = (input: string) =>
    `mutation { createApiKey(input: { ${input} }) { apiKey { id token scopes person { displayName } } } }`;
  const ownerMappings = { role_mappings: [{ group: 'admins', role: 'owner' }] };

  test('has never more than the person has at the moment, is named in the trail, and ends with the person', async () => {
    const id = await makeProvider(ownerMappings);
    const owner = await signedIn(id);
    const { apiKey } = dataOf(await owner.graphql(make('description: "scripts"'))).createApiKey;
    expect(apiKey).toMatchObject({ scopes: ['write'], person: { displayName: 'Amy <amy@example.com>' } });
    const key = createClient(service.url, apiKey.token);
    const policy = 'mutation { createIpPolicy(input: {}) { ipPolicy { updatedBy { type id description } } } }';
    expect(dataOf(await key.graphql(policy)).createIpPolicy.ipPolicy.updatedBy).toEqual({
      type: 'api_key',
      id: apiKey.id,
      description: 'scripts, of Amy <amy@example.com>',
    });
    // What a personal key makes is personal as well.
    const child = dataOf(await key.graphql(make(''))).createApiKey.apiKey;
    expect(child.person).toEqual({ displayName: 'Amy <amy@example.com>' });

    const path = `/sign_in_providers/${id}`;
    await service.rest('PATCH', path, { role_mappings: [{ group: 'admins', role: 'viewer' }] });
    expect((await key.graphql(policy)).errors?.[0]?.message).toMatch(
      /^The API key lacks "ip-policies:write"; it has "/,
    );
    expect((await key.rest('GET', '/ip_policies')).status).toBe(200);
    const [{ id: personId }] = await peopleOf();
    const block = (name: string) =>
      service.graphql(`mutation ($id: ID!) { ${name}(input: { id: $id }) { person { id } } }`, { id: personId });
    await block('blockPerson');
    expect((await key.rest('GET', '/ip_policies')).status).toBe(401);
    await block('unblockPerson');
    expect((await key.rest('GET', '/ip_policies')).status).toBe(200);
    service.setTime(new Date(startTime.getTime() + 30 * 86_400_000 + 1_000));
    expect((await key.rest('GET', '/ip_policies')).status).toBe(401);
    const seconds = startTime.getTime() / 1000 + 30 * 86_400;
    provider.lie({ claims: { iat: seconds, exp: seconds + 300 } });
    await signedIn(id);
    expect((await key.rest('GET', '/ip_policies')).status).toBe(200);
    await service.rest('DELETE', path);
    expect((await key.rest('GET', '/ip_policies')).status).toBe(401);
  });

  test('is one of the account only if somebody with all rights makes it', async () => {
    const owner = await signedIn(await makeProvider(ownerMappings));
    const { apiKey } = dataOf(await owner.graphql(make('personal: false, scopes: ["read"]'))).createApiKey;
    expect(apiKey.person).toBeNull();
    expect((await service.graphql(make('personal: true'))).errors?.[0]?.extensions).toMatchObject({
      field: 'personal',
    });
    await service.rest('POST', '/roles', { name: 'keys', scopes: ['api-keys:write', 'people:read'] });
    const other = await signedIn(
      await makeProvider({ name: 'Other', role_mappings: [{ everybody: true, role: 'keys' }] }),
    );
    expect((await other.graphql(make('personal: false'))).errors?.[0]?.extensions).toMatchObject({
      code: 'FORBIDDEN',
      field: 'personal',
    });
  });
});

describe('signing in by key', () => {
  test('can be switched off only by who has signed in otherwise, and comes back with the command', async () => {
    const id = await makeProvider({ role_mappings: [{ group: 'admins', role: 'owner' }] });
    const off = { refuses_keys: true };
    const path = `/sign_in_providers/${id}`;
    expect((await service.rest('PATCH', path, off)).body).toMatchObject({ error_code: 'LOCKOUT' });
    const owner = await signedIn(id);
    const other = await makeProvider({ name: 'Another', role_mappings: [] });
    const change =
      'mutation ($id: ID!) { updateSignInProvider(input: { id: $id, refusesKeys: true }) { signInProvider { refusesKeys } } }';
    // Having signed in there proves nothing about another provider.
    expect((await owner.graphql(change, { id: other })).errors?.[0]?.extensions.code).toBe('LOCKOUT');
    expect((await owner.graphql(change, { id })).data.updateSignInProvider.signInProvider).toEqual({
      refusesKeys: true,
    });
    const refused = await new DashboardBrowser(service).askSession(service.token);
    const { id: accountId } = dataOf(await service.graphql('{ viewer { account { id } } }')).viewer.account;
    expect([refused.status, refused.body.error_code, refused.body.msg]).toEqual([
      403,
      'FORBIDDEN',
      `API keys do not sign in to the dashboard of this account: sign in at its provider. Who runs the server can change that: sallyport sign-in suspend --account ${accountId}`,
    ]);
    // The key itself goes on.
    expect((await service.rest('GET', '/ip_policies')).status).toBe(200);
    // Nobody takes the own way in away.
    const mapping =
      'mutation ($id: ID!) { updateSignInProvider(input: { id: $id, roleMappings: [] }) { signInProvider { id } } }';
    expect((await owner.graphql(mapping, { id })).errors?.[0]?.extensions.code).toBe('LOCKOUT');
    await service.rest('PATCH', path, { enabled: false });
    await new DashboardBrowser(service).signIn(service.token);
  });
});

describe('a provider', () => {
  test('that cannot be asked is refused, and the former stays', async () => {
    const wrong = { ...client(), issuer: 'https://127.0.0.1:1', name: 'Wrong' };
    const refused = await service.rest('POST', '/sign_in_providers', wrong);
    expect([refused.status, refused.body]).toEqual([400, expect.objectContaining({ error_code: 'INVALID_INPUT' })]);
    expect(refused.body.details.field).toBe('issuer');
    const id = await makeProvider();
    provider.lie({ metadata: { issuer: 'https://other.example' } });
    const path = `/sign_in_providers/${id}`;
    const before = (await service.rest('GET', path)).body;
    expect((await service.rest('PATCH', path, { name: 'New' })).status).toBe(400);
    expect((await service.rest('GET', path)).body).toEqual(before);
    expect((await service.rest('PATCH', path, { name: 'New', enabled: false })).status).toBe(200);
  });

  test.each<[object, string, string]>([
    [{ role_mappings: [{ group: 'a', role: 'nothing' }] }, 'role_mappings[0].role', 'names no role of the account'],
    [{ role_mappings: [{ role: 'owner' }] }, 'role_mappings[0]', 'must have exactly one of'],
    [
      { role_mappings: [{ group: 'a', everybody: true, role: 'owner' }] },
      'role_mappings[0]',
      'must have exactly one of',
    ],
    [
      { issuer: 'https://accounts.google.com', role_mappings: [{ everybody: true, role: 'viewer' }] },
      'role_mappings[0].everybody',
      'would let in whoever has an account there',
    ],
    [{ issuer: 'https://login.microsoftonline.com/common/v2.0' }, 'issuer', 'lets in the users of all tenants'],
    [{ issuer: 'http://idp.example.com' }, 'issuer', 'must be the https URL'],
    [{ client_secret: undefined, enabled: true }, 'client_secret', 'must be given before people can sign in'],
    [{ name: ' ' }, 'name', 'must not be empty'],
  ])('with %j is refused', async (settings, field, message) => {
    const body = { ...client(), name: 'Ours', enabled: false, ...settings };
    const answer = await service.rest('POST', '/sign_in_providers', body);
    expect([answer.status, answer.body.details?.field, answer.body.msg]).toEqual([
      400,
      field,
      expect.stringContaining(message),
    ]);
  });

  test('is not used to get rights that one does not have', async () => {
    const id = await makeProvider({ role_mappings: [{ group: 'admins', role: 'owner' }] });
    const { token } = (await service.rest('POST', '/api_keys', { scopes: ['people:write'] })).body;
    const send = async (method: string, path: string, body: object) => {
      const answer = await fetch(`${service.url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Service-Version': '2' },
        body: JSON.stringify(body),
      });
      return (await answer.json()).error_code;
    };
    const path = `/sign_in_providers/${id}`;
    expect(await send('PATCH', path, { groups_claim: 'roles' })).toBe('FORBIDDEN');
    expect(await send('DELETE', path, {})).toBe('FORBIDDEN');
    expect(await send('POST', '/roles', { name: 'more', scopes: ['write'] })).toBe('FORBIDDEN');
    const mine = { ...client(), name: 'Mine', role_mappings: [{ everybody: true, role: 'owner' }] };
    expect(await send('POST', '/sign_in_providers', mine)).toBe('FORBIDDEN');
  });
});

describe('a role', () => {
  test.each<[object, string, string]>([
    [{ name: 'x', scopes: ['everything'] }, 'scopes[0]', 'must be one of: read, write, '],
    [{ name: 'x', scopes: [] }, 'scopes', 'must not be empty'],
    [{ name: 'owner', scopes: ['read'] }, 'name', 'is that of a built-in role: owner, operator, auditor, viewer.'],
    [{ name: 'Not a name', scopes: ['read'] }, 'name', 'must have 1 to 63 lower-case letters'],
  ])('with %j is refused', async (body, field, message) => {
    const answer = await service.rest('POST', '/roles', body);
    expect([answer.status, answer.body.details?.field, answer.body.msg]).toEqual([
      400,
      field,
      expect.stringContaining(message),
    ]);
  });

  test('that a provider gives is not deleted', async () => {
    const { id } = (await service.rest('POST', '/roles', { name: 'net', scopes: ['read'] })).body;
    expect((await service.rest('POST', '/roles', { name: 'net', scopes: ['read'] })).body.error_code).toBe('DUPLICATE');
    const providerId = await makeProvider({ role_mappings: [{ group: 'staff', role: 'net' }] });
    expect((await service.rest('DELETE', `/roles/${id}`)).body).toMatchObject({
      error_code: 'IN_USE',
      msg: 'The role "net" is given by "Ours". Remove it from the mappings there first.',
    });
    await service.rest('DELETE', `/sign_in_providers/${providerId}`);
    expect((await service.rest('DELETE', `/roles/${id}`)).status).toBe(204);
  });

  test('of those built in includes what the account needs of it', async () => {
    const { builtInRoles } = dataOf(await service.graphql('{ builtInRoles { name scopes } }'));
    const scopesOf = Object.fromEntries(
      builtInRoles.map(({ name, scopes }: { name: string; scopes: string[] }) => [name, scopes]),
    );
    expect([scopesOf.owner, scopesOf.auditor]).toEqual([['write'], ['read']]);
    for (const area of ['people', 'api-keys', 'audit-events']) {
      expect([scopesOf.operator.includes(`${area}:write`), scopesOf.viewer.includes(`${area}:read`)]).toEqual([
        false,
        false,
      ]);
    }
    expect([scopesOf.operator.includes('ssh:write'), scopesOf.viewer.includes('ssh:read')]).toEqual([true, true]);
  });
});
