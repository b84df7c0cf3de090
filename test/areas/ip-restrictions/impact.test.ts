// Previews whom a change would keep out or let in. The clients here connect from 127.0.0.1.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { DashboardBrowser } from '../../support/dashboard-browser.ts';
import { makePolicy, makeRestriction } from '../../support/ip-rules.ts';
import { Browser, locationOf, makePlace, post, respond } from '../../support/login.ts';
import { createClient, ofOneServer, startService, type TestService } from '../../support/service.ts';
import { read } from '../../support/source-files.ts';
import { workOf } from '../../support/statements.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  // Another server may apply a change up to a second later.
  shared = ofOneServer(await startService());
});
beforeEach(async () => {
  service = ofOneServer(await shared.asNewAccount());
});

const policyOf = (...rules: string[]) => makePolicy(service, rules);
const restrict = (ids: string[], options = {}) => makeRestriction(service, ids, options);
const draftsOf = (...rules: string[]) =>
  rules.map((rule) => {
    const [action, cidr] = rule.split(' ');
    return { action, cidr };
  });
const ruleOf = async (policy: string, cidr: string): Promise<string> => {
  const { nodes } = dataOf(
    await service.graphql('query ($id: ID!) { ipPolicyRules(ipPolicyId: $id) { nodes { id cidr } } }', { id: policy }),
  ).ipPolicyRules;
  return nodes.find((rule: { cidr: string }) => rule.cidr === cidr).id;
};

const impact = `enforced refusesYou newlyRefused { text } newlyRefusedCount newlyAllowed { text } newlyAllowedCount`;
const ofPolicy = `query ($id: ID!, $add: [IpPolicyRuleDraft!]!, $remove: [ID!]!) {
  evaluateIpPolicyChange(ipPolicyId: $id, add: $add, remove: $remove) {
    problems { index message }
    restrictions { restriction { id } ${impact} }
  }
}`;
const ofRestriction = `query ($id: ID, $type: IpRestrictionType!, $enforced: Boolean!, $policies: [ID!]!) {
  evaluateIpRestrictionChange(id: $id, type: $type, enforced: $enforced, ipPolicyIds: $policies) {
    restriction { id } ${impact}
  }
}`;

async function changed(
  id: string,
  change: { add?: object[]; remove?: string[] },
  client: Pick<TestService, 'graphql'> = service,
) {
  const { add = [], remove = [] } = change;
  return dataOf(await client.graphql(ofPolicy, { id, add, remove })).evaluateIpPolicyChange;
}
const restricted = (policies: string[], { id = null as string | null, type = 'endpoints', enforced = true } = {}) =>
  service.graphql(ofRestriction, { id, type, enforced, policies });

const texts = (...ranges: string[]) => ranges.map((text) => ({ text }));
const unaffected = {
  refusesYou: false,
  newlyRefused: [],
  newlyRefusedCount: 0,
  newlyAllowed: [],
  newlyAllowedCount: 0,
};

describe('evaluateIpPolicyChange', () => {
  test('tells at each route and TLS edge that refers to the policy whom the change keeps out and lets in', async () => {
    const policy = await policyOf('allow 10.0.0.0/8');
    const other = await policyOf('allow 192.0.2.0/24', 'deny 198.51.100.128/25');
    const https = (await service.rest('POST', '/edges/https', {})).body.id;
    const routes = `/edges/https/${https}/routes`;
    const route = (await service.rest('POST', routes, { match_type: 'path_prefix', match: '/' })).body.id;
    await service.rest('PUT', `${routes}/${route}/ip_restriction`, { mode: 'suffice', ip_policy_ids: [other, policy] });
    const tls = (await service.rest('POST', '/edges/tls', {})).body.id;
    await service.rest('PUT', `/edges/tls/${tls}/ip_restriction`, { enabled: false, ip_policy_ids: [policy] });
    const document = `query ($id: ID!, $add: [IpPolicyRuleDraft!]!, $remove: [ID!]!) {
      evaluateIpPolicyChange(ipPolicyId: $id, add: $add, remove: $remove) {
        httpsEdgeRoutes { httpsEdgeRoute { id } enabled newlyRefused { text } newlyAllowed { text } }
        tlsEdges { tlsEdge { id } enabled newlyRefused { text } newlyAllowed { text } }
      }
    }`;
    const add = draftsOf('allow 198.51.100.0/24');
    const remove = [await ruleOf(policy, '10.0.0.0/8')];
    const evaluated = dataOf(await service.graphql(document, { id: policy, add, remove })).evaluateIpPolicyChange;
    const newlyRefused = texts('10.0.0.0/8');
    expect(evaluated).toEqual({
      httpsEdgeRoutes: [
        { httpsEdgeRoute: { id: route }, enabled: true, newlyRefused, newlyAllowed: texts('198.51.100.0/25') },
      ],
      tlsEdges: [{ tlsEdge: { id: tls }, enabled: false, newlyRefused, newlyAllowed: texts('198.51.100.0/24') }],
    });
  });

  test('reads the doors that refer to the policy a few at a time, and no rules of policies without rules', async () => {
    const [policy, empty] = [await policyOf('allow 10.0.0.0/8'), await policyOf()];
    const edge = (await service.rest('POST', '/edges/https', {})).body.id;
    const routes = [];
    for (let number = 0; number < 12; number += 1) {
      const body = { match_type: 'path_prefix', match: `/${number}` };
      const route = (await service.rest('POST', `/edges/https/${edge}/routes`, body)).body.id;
      const module = `/edges/https/${edge}/routes/${route}/ip_restriction`;
      await service.rest('PUT', module, { ip_policy_ids: [policy, empty] });
      routes.unshift(route);
    }
    const document = `query ($id: ID!, $add: [IpPolicyRuleDraft!]!) {
      evaluateIpPolicyChange(ipPolicyId: $id, add: $add) { httpsEdgeRoutes { httpsEdgeRoute { id } newlyAllowed { text } } }
    }`;
    const variables = { id: policy, add: draftsOf('allow 192.0.2.0/24') };
    let found: object[] = [];
    const work = await workOf(service, async () => {
      found = dataOf(await service.graphql(document, variables)).evaluateIpPolicyChange.httpsEdgeRoutes;
    });
    expect(found).toEqual(routes.map((id) => ({ httpsEdgeRoute: { id }, newlyAllowed: texts('192.0.2.0/24') })));
    const times = (what: string) => work.filter((one) => one === what).length;
    // The rules of the policy that changes.
    expect([times('SELECT HttpsIpRestrictionModule'), times('SELECT IpPolicyRule')]).toEqual([3, 1]);
  });

  test('tells at each restriction whom the change keeps out and lets in, and changes nothing', async () => {
    const policy = await policyOf('allow 10.0.0.0/8', 'allow 192.0.2.0/24', 'allow 2001:db8::/32');
    const other = await policyOf('allow 192.0.2.0/25', 'deny 198.51.100.128/25');
    const alone = await restrict([policy]);
    const both = await restrict([other, policy], { enforced: false, type: 'agent' });
    await restrict([other]);
    const change = {
      add: draftsOf('deny 10.0.0.0/30', 'allow 198.51.100.0/24'),
      remove: [await ruleOf(policy, '192.0.2.0/24'), await ruleOf(policy, '2001:db8::/32')],
    };
    expect(await changed(policy, change)).toEqual({
      problems: [],
      restrictions: [
        {
          restriction: { id: both },
          enforced: false,
          refusesYou: false,
          newlyRefused: texts('10.0.0.0/30', '192.0.2.128/25', '2001:db8::/32'),
          newlyRefusedCount: 3,
          newlyAllowed: texts('198.51.100.0/25'),
          newlyAllowedCount: 1,
        },
        {
          restriction: { id: alone },
          enforced: true,
          refusesYou: false,
          newlyRefused: texts('10.0.0.0/30', '192.0.2.0/24', '2001:db8::/32'),
          newlyRefusedCount: 3,
          newlyAllowed: texts('198.51.100.0/24'),
          newlyAllowedCount: 1,
        },
      ],
    });
    expect(dataOf(await service.graphql('{ ipPolicyRules { totalCount } }')).ipPolicyRules.totalCount).toBe(5);
  });

  test('says of every line of a pasted list what is wrong with it, and evaluates the others', async () => {
    const policy = await policyOf('allow 10.0.0.0/8', 'deny 10.1.0.0/16');
    const restriction = await restrict([policy]);
    const replaced = await ruleOf(policy, '10.1.0.0/16');
    const add = draftsOf(
      'allow 192.0.2.0/24',
      'allow nonsense',
      'allow 192.0.2.1/24',
      'allow 192.0.2.9',
      'deny 192.0.2.0/24',
      'deny 10.0.0.0/8',
      'allow ::ffff:10.0.0.0/104',
      'allow 10.1.0.0/16',
      'allow 2001:DB8:0::/32',
      'deny 2001:db8::/32',
    );
    const answer = await changed(policy, { add, remove: [replaced] });
    expect(answer.problems).toEqual([
      {
        index: 1,
        message: 'The range must be an IPv4 or IPv6 range in CIDR notation, such as 10.0.0.0/8 or 2001:db8::/32.',
      },
      { index: 2, message: 'The range must start at the lowest address of its range: write 192.0.2.0/24.' },
      { index: 3, message: 'The range must have a mask; for this one address write 192.0.2.9/32.' },
      { index: 4, message: 'The list has this range already, at index 0.' },
      { index: 5, message: 'The policy already has a rule that allows this range.' },
      { index: 6, message: 'The range must be written as an IPv4 range; the address is 10.0.0.0.' },
      { index: 9, message: 'The list has this range already, at index 8.' },
    ]);
    expect(answer.restrictions).toEqual([
      {
        ...unaffected,
        restriction: { id: restriction },
        enforced: true,
        newlyAllowed: texts('10.1.0.0/16', '192.0.2.0/24', '2001:db8::/32'),
        newlyAllowedCount: 3,
      },
    ]);
  });

  test('says which rules the policy has no room for', async () => {
    const policy = await policyOf('allow 192.0.2.0/24');
    const add = Array.from({ length: 1_000 }, (_, i) => ({ action: 'allow', cidr: `10.${i >> 8}.${i & 255}.0/24` }));
    expect((await changed(policy, { add })).problems).toEqual([
      { index: 999, message: 'The policy would have more than 1000 rules, the maximum.' },
    ]);
    expect((await changed(policy, { add, remove: [await ruleOf(policy, '192.0.2.0/24')] })).problems).toEqual([]);
  });

  test('shows the first hundred ranges and how many there are', async () => {
    const policy = await policyOf('allow 10.0.0.0/8');
    await restrict([policy]);
    const add = Array.from({ length: 300 }, (_, i) => ({ action: 'deny', cidr: `10.${i >> 7}.${(i & 127) * 2}.0/24` }));
    const [{ newlyRefused, newlyRefusedCount }] = (await changed(policy, { add })).restrictions;
    expect([newlyRefused.length, newlyRefusedCount, newlyRefused[99]]).toEqual([100, 300, { text: '10.0.198.0/24' }]);
  });

  test.each([
    ['key', 'api'],
    ['session', 'dashboard'],
  ])('warns a %s of being refused by a restriction of type %s', async (caller, type) => {
    const client = caller === 'key' ? service : await new DashboardBrowser(service).signIn(service.token);
    const warned = async (change: Parameters<typeof changed>[1]) =>
      (await changed(policy, change, client)).restrictions[0].refusesYou;
    const policy = await policyOf('allow 127.0.0.0/8', 'allow ::1/128', 'allow 10.0.0.0/8');
    const restriction = await restrict([policy], { type });
    const remove = [await ruleOf(policy, '127.0.0.0/8')];
    expect(await warned({ remove })).toBe(true);
    expect(await warned({ add: draftsOf('deny 127.0.0.1/32') })).toBe(true);
    expect(await warned({ add: draftsOf('deny 10.0.0.0/9') })).toBe(false);
    await service.rest('PATCH', `/ip_restrictions/${restriction}`, { enforced: false });
    expect(await warned({ remove })).toBe(false);
  });

  test('takes a policy that was deleted for one without rules', async () => {
    const policy = await policyOf('allow 10.0.0.0/8');
    const gone = await policyOf('deny 10.0.0.0/8');
    await restrict([gone, policy]);
    await service.rest('DELETE', `/ip_policies/${gone}`);
    const { restrictions } = await changed(policy, { remove: [await ruleOf(policy, '10.0.0.0/8')] });
    expect(restrictions[0].newlyRefused).toEqual(texts('10.0.0.0/8'));
  });

  test('refuses a policy of nobody, rules of another policy, and lists that are too long', async () => {
    const policy = await policyOf();
    const rule = await ruleOf(await policyOf('allow 10.0.0.0/8'), '10.0.0.0/8');
    const ask = async (id: string, add: object[], remove: string[]) =>
      errorOf(await service.graphql(ofPolicy, { id, add, remove }));
    const missing = { code: 'NOT_FOUND', message: 'No such object in this account.' };
    expect(await ask('nothing', [], [])).toEqual(missing);
    expect(await ask(policy.replace(/_.*/, `_${'0'.repeat(26)}`), [], [])).toEqual(missing);
    const stranger = await shared.asNewAccount();
    expect(errorOf(await stranger.graphql(ofPolicy, { id: policy, add: [], remove: [] }))).toEqual(missing);
    expect(await ask(policy, [], ['x', rule])).toEqual({
      code: 'UNKNOWN_REFERENCE',
      field: 'remove[0]',
      message: 'remove[0]: There is no such rule of the policy in this account.',
    });
    expect((await ask(policy, [], [rule]))?.field).toBe('remove[0]');
    const many = Array.from({ length: 1_001 }, () => ({ action: 'allow', cidr: '10.0.0.0/8' }));
    const { errors } = await service.graphql(ofPolicy, { id: policy, add: many, remove: [] });
    expect(errors?.map(({ message, extensions: { code } }) => [code, message])).toEqual([
      ['INVALID_INPUT', 'add: must have at most 1000 entries; it has 1001.'],
    ]);
  });

  test('refuses more restrictions than it compares', async () => {
    const policy = await policyOf('allow 10.0.0.0/8');
    for (let count = 0; count < 101; count += 1) await restrict([policy]);
    expect(errorOf(await service.graphql(ofPolicy, { id: policy, add: [], remove: [] }))).toEqual({
      code: 'QUERY_TOO_COMPLEX',
      message:
        'The change concerns more than 100 restrictions, the most that are compared. Use evaluateIp to ask about single addresses.',
    });
  });
});

test('the query of docs/dashboard.md tells what it says', async () => {
  const [, query = ''] = /```graphql\n(query BeforeRulesAreSaved.*?)```/s.exec(read('docs/dashboard.md')) ?? [];
  const policy = await policyOf('allow 127.0.0.0/8', 'allow 203.0.113.0/25');
  const id = await restrict([policy], { type: 'api' });
  expect(dataOf(await service.graphql(query, { id: policy }))).toEqual({
    evaluateIpPolicyChange: {
      problems: [{ index: 1, message: 'The range must start at the lowest address of its range: write 10.0.0.0/8.' }],
      restrictions: [
        {
          restriction: { id, type: 'api' },
          enforced: true,
          refusesYou: false,
          newlyRefused: texts('203.0.113.0/25'),
          newlyRefusedCount: 1,
          newlyAllowed: [],
          seen: [],
        },
      ],
    },
  });
});

describe('evaluateIpRestrictionChange', () => {
  test('compares with the policies that decide now, such as those of a module, and refuses wrong ones', async () => {
    const [office, branch] = [await policyOf('allow 198.51.100.0/24'), await policyOf('allow 203.0.113.0/24')];
    const query = `query ($id: ID, $policies: [ID!]!, $with: [ID!]) {
      evaluateIpRestrictionChange(id: $id, type: endpoints, enforced: true, ipPolicyIds: $policies, comparedWith: $with) {
        newlyRefused { text } newlyAllowed { text }
      }
    }`;
    const ask = (variables: Record<string, unknown>) => service.graphql(query, variables);
    expect(dataOf(await ask({ policies: [branch], with: [office] })).evaluateIpRestrictionChange).toEqual({
      newlyRefused: texts('198.51.100.0/24'),
      newlyAllowed: texts('203.0.113.0/24'),
    });
    const unknown = 'ipp_01h455vb4pex5vsknk084sn02q';
    expect(errorOf(await ask({ policies: [branch], with: [office, unknown] }))).toMatchObject({
      code: 'UNKNOWN_REFERENCE',
      field: 'comparedWith[1]',
    });
    const id = await restrict([office]);
    expect(errorOf(await ask({ id, policies: [branch], with: [office] }))).toMatchObject({
      code: 'INVALID_INPUT',
      field: 'comparedWith',
    });
  });

  const told = async (...args: Parameters<typeof restricted>) =>
    dataOf(await restricted(...args)).evaluateIpRestrictionChange;

  test('tells whom a new restriction refuses, or would if it were enforced', async () => {
    const policy = await policyOf('allow 128.0.0.0/1', 'allow ::/0');
    const refused = { ...unaffected, restriction: null, newlyRefused: texts('0.0.0.0/1'), newlyRefusedCount: 1 };
    expect(await told([policy])).toEqual({ ...refused, enforced: true });
    expect(await told([policy], { enforced: false })).toEqual({ ...refused, enforced: false });
    expect(await told([policy], { type: 'api' })).toEqual({ ...refused, enforced: true, refusesYou: true });
  });

  test('compares with what the restriction does now', async () => {
    const [narrow, wide] = [await policyOf('allow 10.0.0.0/9'), await policyOf('allow 10.0.0.0/8')];
    const id = await restrict([wide]);
    const restriction = { id };
    const half = { newlyRefused: texts('10.128.0.0/9'), newlyRefusedCount: 1 };
    expect(await told([narrow], { id })).toEqual({ ...unaffected, restriction, enforced: true, ...half });
    expect(await told([narrow, wide], { id })).toEqual({ ...unaffected, restriction, enforced: true });
    // If it is no longer enforced, it lets everybody in.
    expect(await told([narrow], { id, enforced: false })).toEqual({
      ...unaffected,
      restriction,
      enforced: false,
      newlyAllowed: texts('0.0.0.0-9.255.255.255', '11.0.0.0-255.255.255.255', '::/0'),
      newlyAllowedCount: 3,
    });
    await service.rest('PATCH', `/ip_restrictions/${id}`, { enforced: false });
    expect(await told([narrow], { id, enforced: false })).toEqual({
      ...unaffected,
      restriction,
      enforced: false,
      ...half,
    });
    expect(await told([wide], { id })).toEqual({
      ...unaffected,
      restriction,
      enforced: true,
      newlyRefused: texts('0.0.0.0-9.255.255.255', '11.0.0.0-255.255.255.255', '::/0'),
      newlyRefusedCount: 3,
    });
  });

  test('warns a session that others would refuse it once the last restriction of type dashboard is not enforced', async () => {
    const [here, elsewhere] = [
      await policyOf('allow 127.0.0.0/8', 'allow ::1/128'),
      await policyOf('allow 10.0.0.0/8'),
    ];
    const [first, last] = [
      await restrict([here], { type: 'dashboard' }),
      await restrict([here], { type: 'dashboard' }),
    ];
    const browser = await new DashboardBrowser(service).signIn(service.token);
    const warned = async (client: Pick<TestService, 'graphql'>, id: string, enforced = false) => {
      const variables = { id, type: 'dashboard', enforced, policies: [here] };
      return dataOf(await client.graphql(ofRestriction, variables)).evaluateIpRestrictionChange.refusesYou;
    };
    const { id: ofApi } = (
      await service.rest(
        'POST',
        '/ip_restrictions',
        { type: 'api', ip_policy_ids: [elsewhere], enforced: true },
        { 'Sallyport-Force': 'true' },
      )
    ).body;
    expect(ofApi).toMatch(/^ipx_/);
    expect(await warned(browser, last)).toBe(false);
    const stop =
      'mutation ($id: ID!) { updateIpRestriction(input: { id: $id, enforced: false }) { ipRestriction { id } } }';
    expect(dataOf(await browser.graphql(stop, { id: first })).updateIpRestriction.ipRestriction.id).toBe(first);
    expect(await warned(browser, last)).toBe(true);
    expect(await warned(browser, last, true)).toBe(false);
    expect(await warned(browser, first)).toBe(false);
    expect(errorOf(await browser.graphql(stop, { id: last }))?.code).toBe('LOCKOUT');
  });

  test('warns of a lockout exactly where the change would be refused as one', async () => {
    const [here, elsewhere] = [
      await policyOf('allow 127.0.0.0/8', 'allow ::1/128'),
      await policyOf('allow 10.0.0.0/8'),
    ];
    const browser = await new DashboardBrowser(service).signIn(service.token);
    const create = `mutation ($type: IpRestrictionType!, $policies: [ID!]!) {
      createIpRestriction(input: { type: $type, enforced: true, ipPolicyIds: $policies }) { ipRestriction { id } } }`;
    const remove = 'mutation ($id: ID!) { deleteIpRestriction(input: { id: $id }) { deletedId } }';
    /** Previews what a new restriction would do to the caller, creates the restriction, and deletes it again. */
    const attempt = async (client: Pick<TestService, 'graphql'>, type: string) => {
      const policies = [elsewhere];
      const asked = await client.graphql(ofRestriction, { id: null, type, enforced: true, policies });
      const answer = await client.graphql(create, { type, policies });
      const id = answer.data?.createIpRestriction?.ipRestriction.id;
      if (id !== undefined) dataOf(await client.graphql(remove, { id }));
      return [dataOf(asked).evaluateIpRestrictionChange.refusesYou, id === undefined && errorOf(answer)?.code];
    };
    const [warns, doesNot] = [
      [true, 'LOCKOUT'],
      [false, false],
    ];
    expect([await attempt(service, 'api'), await attempt(service, 'dashboard')]).toEqual([warns, doesNot]);
    expect([await attempt(browser, 'api'), await attempt(browser, 'dashboard')]).toEqual([warns, warns]);
    await restrict([here], { type: 'dashboard' });
    expect([await attempt(service, 'api'), await attempt(service, 'dashboard')]).toEqual([warns, doesNot]);
    expect([await attempt(browser, 'api'), await attempt(browser, 'dashboard')]).toEqual([doesNot, warns]);
  });

  test('refuses what a change would be refused for', async () => {
    const policy = await policyOf();
    const id = await restrict([policy]);
    const refusal = async (...args: Parameters<typeof restricted>) => {
      const { code, message } = errorOf(await restricted(...args)) ?? {};
      return [code, message];
    };
    expect(await refusal([policy], { id: 'nothing' })).toEqual(['NOT_FOUND', 'No such object in this account.']);
    expect(await refusal([policy], { id, type: 'api' })).toEqual([
      'INVALID_INPUT',
      'type: cannot be changed: the restriction is of type endpoints.',
    ]);
    expect(await refusal([])).toEqual(['INVALID_INPUT', 'ipPolicyIds: must name at least one IP policy.']);
    expect(await refusal([policy, 'x'])).toEqual([
      'UNKNOWN_REFERENCE',
      'ipPolicyIds[1]: There is no such IP policy in this account.',
    ]);
  });
});

describe('addresses that were seen', () => {
  const seenOf = `query ($type: IpRestrictionType!, $policies: [ID!]!) {
    evaluateIpRestrictionChange(type: $type, enforced: false, ipPolicyIds: $policies) {
      seen { address lastSeenAt who } } }`;
  const seen = async (type: string, policies: string[], client: Pick<TestService, 'graphql'> = service) =>
    dataOf(await client.graphql(seenOf, { type, policies })).evaluateIpRestrictionChange.seen;

  test('are those of changes and sign-ins, each once with the last who used it', async () => {
    const elsewhere = await policyOf('allow 10.0.0.0/8');
    const policies = [elsewhere, await policyOf('allow 127.0.0.0/8')];
    expect(await seen('dashboard', [elsewhere])).toEqual([]);
    const { token } = (await service.rest('POST', '/api_keys', { description: 'deploy' })).body;
    const deploy = createClient(service.url, token);
    await deploy.rest('POST', '/ip_policies', {});
    const { token: own } = (await service.rest('POST', '/api_keys', { description: 'amy' })).body;
    await deploy.rest('POST', '/ip_policies', {});
    await new DashboardBrowser(service).signIn(own);
    const expectSeen = async (lastBy: { readonly api: string; readonly dashboard: string }) => {
      for (const [type, who] of Object.entries(lastBy)) {
        const known = [{ address: '127.0.0.1', lastSeenAt: '2026-11-20T21:00:00Z', who }];
        expect([type, await seen(type, [elsewhere])]).toEqual([type, known]);
        expect(await seen(type, policies)).toEqual([]);
      }
    };
    // While there is no restriction of type `dashboard`, those of type `api` apply to sessions as well.
    await expectSeen({ api: 'amy', dashboard: 'amy' });
    await restrict(policies, { type: 'dashboard' });
    await deploy.rest('POST', '/ip_policies', {});
    await expectSeen({ api: 'deploy', dashboard: 'amy' });
    expect(await seen('agent', [elsewhere])).toEqual([]);
    expect(await seen('endpoints', [elsewhere])).toEqual([]);
  });

  test('are those of sessions of the dashboard by their last uses, for keys that may read these', async () => {
    const elsewhere = await policyOf('allow 10.0.0.0/8');
    const { token } = (await service.rest('POST', '/api_keys', { description: 'amy' })).body;
    const browser = await new DashboardBrowser(service).signIn(token);
    service.setTime(new Date('2026-11-20T21:05:00Z'));
    const viewer = '{ viewer { dashboardSession { lastUsedAt } } }';
    await browser.graphql(viewer);
    await expect
      .poll(async () => dataOf(await browser.graphql(viewer)).viewer.dashboardSession.lastUsedAt)
      .toBe('2026-11-20T21:05:00Z');
    const scopes = ['ip-restrictions:read', 'ip-policies:read', 'audit-events:read', 'https-edges:read'];
    const narrow = createClient(service.url, (await service.rest('POST', '/api_keys', { scopes })).body.token);
    for (const type of ['dashboard', 'api']) {
      const known = { address: '127.0.0.1', lastSeenAt: '2026-11-20T21:05:00Z' };
      expect([type, await seen(type, [elsewhere])]).toEqual([type, [{ ...known, who: expect.any(String) }]]);
    }
    const signedIn = { address: '127.0.0.1', lastSeenAt: '2026-11-20T21:00:00Z', who: 'amy' };
    expect(await seen('dashboard', [elsewhere])).toEqual([{ ...signedIn, lastSeenAt: '2026-11-20T21:05:00Z' }]);
    expect(await seen('dashboard', [elsewhere], narrow)).toEqual([signedIn]);
    service.setTime(new Date('2026-11-20T21:00:00Z'));
  });

  test('are those of logins and sessions for endpoints', async () => {
    const place = await makePlace(service);
    const browser = new Browser(service);
    const brought = await post(service, place, respond(place, null, {}));
    expect((await browser.open(place, locationOf(brought))).status).toBe(302);
    const known = [{ address: '203.0.113.7', lastSeenAt: '2026-11-20T21:00:00Z', who: expect.any(String) }];
    expect(await seen('endpoints', [await policyOf('allow 10.0.0.0/8')])).toEqual(known);
    expect(await seen('endpoints', [await policyOf('allow 203.0.113.0/24')])).toEqual([]);
  });

  test('are told only to keys that may read the trail and the sessions', async () => {
    const policy = await policyOf();
    const scopes = ['ip-restrictions:read', 'ip-policies:read'];
    const { token } = (await service.rest('POST', '/api_keys', { scopes })).body;
    const client = createClient(service.url, token);
    expect(errorOf(await client.graphql(seenOf, { type: 'api', policies: [policy] }))).toEqual({
      code: 'FORBIDDEN',
      message:
        'The API key lacks "audit-events:read", "https-edges:read"; it has "ip-policies:read", "ip-restrictions:read".',
    });
    expect(dataOf(await client.graphql(ofPolicy, { id: policy, add: [], remove: [] }))).toEqual({
      evaluateIpPolicyChange: { problems: [], restrictions: [] },
    });
  });
});
