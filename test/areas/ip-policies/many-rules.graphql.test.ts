// Rules that are added and deleted together.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { trustMs } from '../../../src/storage/objects/freshness.ts';
import { dataOf } from '../../support/answers.ts';
import { passMs } from '../../support/clocks.ts';
import { send } from '../../support/send.ts';
import { startService, type TestService } from '../../support/service.ts';
import { workOf } from '../../support/statements.ts';

let shared: TestService;
let service: TestService;
let ipPolicyId: string;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  ipPolicyId = await newPolicy();
});

interface Rule {
  readonly id: string;
  readonly cidr: string;
}

const newPolicy = async (): Promise<string> => (await service.rest('POST', '/ip_policies', {})).body.id;
const adding = `mutation ($input: CreateIpPolicyRulesInput!) {
  createIpPolicyRules(input: $input) { ipPolicyRules { id cidr action description version } } }`;
const add = (rules: readonly object[], policy = ipPolicyId) =>
  service.graphql(adding, { input: { ipPolicyId: policy, rules } });
const remove = (objects: readonly object[]) =>
  service.graphql(
    'mutation ($input: DeleteIpPolicyRulesInput!) { deleteIpPolicyRules(input: $input) { deletedIds } }',
    {
      input: { objects },
    },
  );
const rulesOf = async (): Promise<Rule[]> =>
  dataOf(
    await service.graphql('query ($id: ID!) { ipPolicyRules(ipPolicyId: $id) { nodes { id cidr } } }', {
      id: ipPolicyId,
    }),
  ).ipPolicyRules.nodes;
const eventsOf = async (action: string) =>
  dataOf(
    await service.graphql(`{ auditEvents(kind: "IpPolicyRule", action: ${action}) { nodes { objectId requestId } } }`),
  ).auditEvents.nodes as { objectId: string; requestId: string }[];
const allow = (...ranges: string[]) => ranges.map((cidr) => ({ cidr, action: 'allow' }));
const failureOf = ({ errors }: Awaited<ReturnType<typeof add>>) => {
  const { code, field } = errors?.[0]?.extensions ?? {};
  return [code, field];
};

describe('createIpPolicyRules', () => {
  test('stores many in few statements', async () => {
    const rules = Array.from({ length: 1_000 }, (_, number) => allow(`10.${number >> 8}.${number & 255}.0/24`)).flat();
    const work = await workOf(service, () => add(rules));
    const times = (what: string) => work.filter((one) => one === what).length;
    expect([times('INSERT IpPolicyRule'), times('INSERT AuditEvent')]).toEqual([6, 20]);
  });

  test('adds rules in their order, with one event each', async () => {
    const rules = [
      { cidr: '10.0.0.0/8', action: 'deny', description: 'lab' },
      ...allow('192.0.2.0/24', '2001:DB8::/32'),
    ];
    const made = dataOf(await add(rules)).createIpPolicyRules.ipPolicyRules as Rule[];
    expect(made).toEqual(rules.map((rule) => ({ id: expect.any(String), version: 1, description: '', ...rule })));
    const events = await eventsOf('create');
    expect(events.map(({ objectId }) => objectId).sort()).toEqual(made.map(({ id }) => id).sort());
    expect(new Set(events.map(({ requestId }) => requestId)).size).toBe(1);
  });

  test.each<[string, string[], string, string | undefined]>([
    ['a range that is none', ['192.0.2.0/24', '192.0.2.7/24'], 'INVALID_INPUT', 'rules[1].cidr'],
    [
      'a range that the list has twice',
      ['192.0.2.0/24', '2001:db8::/32', '2001:DB8::/32'],
      'INVALID_INPUT',
      'rules[2].cidr',
    ],
    ['a range that the policy has', ['192.0.2.0/24', '10.0.0.0/8'], 'DUPLICATE', 'rules[1].cidr'],
    ['no rule', [], 'INVALID_INPUT', 'rules'],
    [
      'more rules than a policy may have',
      Array.from({ length: 1_000 }, (_, at) => `2001:db8:${at.toString(16)}::/48`),
      'INVALID_INPUT',
      'ipPolicyId',
    ],
  ])('adds none of them for %s', async (_, ranges, code, field) => {
    dataOf(await add(allow('10.0.0.0/8')));
    expect(failureOf(await add(allow(...ranges)))).toEqual([code, field]);
    expect((await rulesOf()).map(({ cidr }) => cidr)).toEqual(['10.0.0.0/8']);
  });

  test('adds rules that end, in place of those for the same ranges that have ended', async () => {
    const end = '2026-11-20T21:01:00Z';
    const ending = { ...allow('10.0.0.0/8')[0], expiresAt: end };
    dataOf(await add([ending, ...allow('192.0.2.0/24')]));
    service.setTime(new Date('2026-11-20T21:01:01Z'));
    const rules = [...allow('198.51.100.0/24'), { ...ending, expiresAt: '2026-11-20T22:00:00Z' }];
    expect(failureOf(await add([...rules, ...allow('192.0.2.0/24')]))).toEqual(['DUPLICATE', 'rules[2].cidr']);
    expect(failureOf(await add([...allow('203.0.113.0/24'), ending]))).toEqual(['INVALID_INPUT', 'rules[1].expiresAt']);
    dataOf(await add(rules));
    expect((await rulesOf()).map(({ cidr }) => cidr)).toEqual(['10.0.0.0/8', '198.51.100.0/24', '192.0.2.0/24']);
    expect(await eventsOf('delete')).toHaveLength(1);
    // The policy counts what is left.
    const others = Array.from({ length: 997 }, (_, at) => `2001:db8:${at.toString(16)}::/48`);
    dataOf(await add(allow(...others)));
    expect(failureOf(await add(allow('10.1.0.0/16')))).toEqual(['INVALID_INPUT', 'ipPolicyId']);
  });

  test('does not know the policy of another account', async () => {
    const other = await service.otherAccount('other');
    const theirs = (await other.rest('POST', '/ip_policies', {})).body.id;
    expect(failureOf(await add(allow('10.0.0.0/8'), theirs))).toEqual(['UNKNOWN_REFERENCE', 'ipPolicyId']);
  });

  test('fills a policy at once, and adds nothing more when it is repeated, even if its answer was too long to be kept', async () => {
    const ranges = Array.from({ length: 1_000 }, (_, at) => `2001:db8:${at.toString(16)}::/48`);
    const rules = allow(...ranges).map((rule) => ({ ...rule, description: 'x'.repeat(100) }));
    const body = JSON.stringify({ query: adding, variables: { input: { ipPolicyId, rules } } });
    const headers = {
      Authorization: `Bearer ${service.token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'all',
    };
    const ask = () => send(`${service.url}/graphql`, { method: 'POST', headers, body });
    const first = JSON.parse((await ask()).text);
    expect(first.data.createIpPolicyRules.ipPolicyRules).toHaveLength(1_000);
    expect(JSON.parse((await ask()).text)).toEqual(first);
    expect(await eventsOf('create')).toHaveLength(100);
  });
});

describe('deleteIpPolicyRules', () => {
  test('deletes rules, with one event each, and makes room for others', async () => {
    dataOf(await add(allow('10.0.0.0/8', '192.0.2.0/24', '198.51.100.0/24')));
    const [kept, ...others] = await rulesOf();
    const deletedIds = others.map(({ id }) => id);
    const answer = await remove(deletedIds.map((id) => ({ id, expectedVersion: 1 })));
    expect(dataOf(answer).deleteIpPolicyRules).toEqual({ deletedIds });
    expect(await rulesOf()).toEqual([kept]);
    expect((await eventsOf('delete')).map(({ objectId }) => objectId).sort()).toEqual([...deletedIds].sort());
    dataOf(await add(allow(...Array.from({ length: 999 }, (_, at) => `2001:db8:${at.toString(16)}::/48`))));
  });

  test('deletes none if one was changed or deleted meanwhile, is named twice, or belongs to another policy', async () => {
    dataOf(await add(allow('10.0.0.0/8', '192.0.2.0/24')));
    const [second, first] = (await rulesOf()).map(({ id }) => id);
    await service.rest('PATCH', `/ip_policy_rules/${second}`, { description: 'mine' });
    const other = dataOf(await add(allow('10.0.0.0/8'), await newPolicy())).createIpPolicyRules.ipPolicyRules[0].id;
    const gone = String(first).replace(/_.*/, `_${'0'.repeat(26)}`);
    const failures = [];
    for (const objects of [
      [{ id: first }, { id: second, expectedVersion: 1 }],
      [{ id: first }, { id: gone }],
      [{ id: first }, { id: second }, { id: first }],
      [{ id: first }, { id: other }],
      [],
      Array.from({ length: 101 }, () => ({ id: first })),
    ]) {
      failures.push(failureOf(await remove(objects)));
    }
    expect(failures).toEqual([
      ['VERSION_CONFLICT', 'objects[1]'],
      ['NOT_FOUND', 'objects[1]'],
      ['INVALID_INPUT', 'objects[2].id'],
      ['INVALID_INPUT', 'objects[1].id'],
      ['INVALID_INPUT', 'objects'],
      ['INVALID_INPUT', expect.any(String)],
    ]);
    expect(await rulesOf()).toHaveLength(2);
  });
});

describe('replaceIpPolicyRules', () => {
  const replace = (rules: readonly object[], more = {}, policy = ipPolicyId) =>
    service.graphql(
      `mutation ($input: ReplaceIpPolicyRulesInput!) {
        replaceIpPolicyRules(input: $input) { ipPolicyRules { id cidr action description version } } }`,
      { input: { ipPolicyId: policy, rules, ...more } },
    );
  const replaced = async (rules: readonly object[]) => dataOf(await replace(rules)).replaceIpPolicyRules.ipPolicyRules;

  test('changes what differs, adds and deletes the rest, and leaves alone what is the same', async () => {
    const [office, home, old] = dataOf(
      await add([
        { cidr: '192.0.2.0/24', action: 'allow', description: 'Office' },
        { cidr: '198.51.100.0/24', action: 'deny', description: 'Home' },
        { cidr: '203.0.113.0/24', action: 'allow' },
      ]),
    ).createIpPolicyRules.ipPolicyRules;
    const after = await replaced([
      { cidr: '198.51.100.0/24', action: 'allow', description: 'Home' },
      { cidr: '2001:db8::/32', action: 'allow' },
      { cidr: '192.0.2.0/24', action: 'allow', description: 'Office' },
    ]);
    expect(after).toEqual([
      { ...home, action: 'allow', version: 2 },
      { id: expect.stringMatching(/^ipr_/), cidr: '2001:db8::/32', action: 'allow', description: '', version: 1 },
      office,
    ]);
    expect((await rulesOf()).map(({ id }) => id).sort()).toEqual(after.map(({ id }: Rule) => id).sort());
    const events = [...(await eventsOf('update')), ...(await eventsOf('delete'))];
    expect(events.map(({ objectId }) => objectId)).toEqual([home.id, old.id]);
    expect(new Set([...events, ...(await eventsOf('create'))].map(({ requestId }) => requestId)).size).toBe(2);
    // Once more: nothing is left to do.
    const work = await workOf(service, () =>
      replaced(after.map(({ cidr, action, description }: Record<string, string>) => ({ cidr, action, description }))),
    );
    expect(work.filter((one) => /^(INSERT|UPDATE|DELETE)/.test(one))).toEqual([]);
  });

  test('lets two rules swap what they decide, and deletes all with an empty list', async () => {
    await add([
      { cidr: '192.0.2.0/24', action: 'allow' },
      { cidr: '198.51.100.0/24', action: 'deny' },
    ]);
    const swapped = await replaced([
      { cidr: '192.0.2.0/24', action: 'deny' },
      { cidr: '198.51.100.0/24', action: 'allow' },
    ]);
    expect(swapped.map(({ action, version }: Record<string, unknown>) => [action, version])).toEqual([
      ['deny', 2],
      ['allow', 2],
    ]);
    expect(await replaced([])).toEqual([]);
    expect(await rulesOf()).toEqual([]);
    // The count is right: as many as there may be go in.
    const most = Array.from({ length: 1_000 }, (_, number) => allow(`10.${number >> 8}.${number & 255}.0/24`)).flat();
    expect(await replaced(most)).toHaveLength(1_000);
    expect(await replaced(most.map((rule) => ({ ...rule, cidr: rule.cidr.replace('10.', '11.') })))).toHaveLength(
      1_000,
    );
  });

  test('refuses bad input with its field, stores nothing of it, and keeps the client in unless forced', async () => {
    await add(allow('127.0.0.0/8'));
    const before = await rulesOf();
    expect(failureOf(await replace([...allow('192.0.2.0/24'), ...allow('192.0.2.1/24')]))).toEqual([
      'INVALID_INPUT',
      'rules[1].cidr',
    ]);
    expect(failureOf(await replace([...allow('192.0.2.0/24'), ...allow('192.0.2.0/24')]))).toEqual([
      'INVALID_INPUT',
      'rules[1].cidr',
    ]);
    expect(
      failureOf(await replace([{ cidr: '192.0.2.0/24', action: 'allow', expiresAt: '2020-01-01T00:00:00Z' }])),
    ).toEqual(['INVALID_INPUT', 'rules[0].expiresAt']);
    expect(failureOf(await replace([], {}, 'ipp_01m7xehb24efe8sfxqfz0dt6w9'))).toEqual(['NOT_FOUND', undefined]);
    await service.rest('POST', '/ip_restrictions', { type: 'api', enforced: true, ip_policy_ids: [ipPolicyId] });
    // A server knows what another one has stored a second later.
    await passMs(trustMs);
    expect(failureOf(await replace(allow('192.0.2.0/24')))).toEqual(['LOCKOUT', undefined]);
    expect(await rulesOf()).toEqual(before);
    // A rule that has ended, and stays as it is, lets nobody in.
    const ended = { cidr: '127.0.0.1/32', action: 'allow', expiresAt: '2026-11-20T21:01:00Z' };
    await replaced([...allow('127.0.0.0/8'), ended]);
    service.setTime(new Date('2026-11-20T21:02:00Z'));
    expect(failureOf(await replace([ended]))).toEqual(['LOCKOUT', undefined]);
    // What lets the client in can be replaced by something else that does.
    expect(await replaced(allow('127.0.0.1/32', '::1/128'))).toHaveLength(2);
  });

  test('is a PUT over REST, in whole', async () => {
    const { status, body } = await service.rest('PUT', `/ip_policies/${ipPolicyId}/rules`, {
      rules: [{ cidr: '192.0.2.0/24', action: 'allow', expires_at: '2027-01-01T00:00:00Z' }],
    });
    expect([status, body]).toEqual([
      200,
      {
        ip_policy_rules: [
          expect.objectContaining({
            cidr: '192.0.2.0/24',
            action: 'allow',
            expires_at: '2027-01-01T00:00:00Z',
            ip_policy: expect.objectContaining({ id: ipPolicyId }),
          }),
        ],
      },
    ]);
    const refused = async (...rules: object[]) =>
      (await service.rest('PUT', `/ip_policies/${ipPolicyId}/rules`, { rules })).body.msg;
    expect([
      await refused({ cidr: '192.0.2.0/24', action: 'allow' }, { cidr: '198.51.100.0/24', action: 'allow', until: '' }),
      await refused({ cidr: '192.0.2.0/24', action: 'allow', expires_at: '2020-01-01T00:00:00Z' }),
      await refused({ cidr: '192.0.2.0/24' }),
    ]).toEqual([
      'rules[1].until: is not a field of this module. Accepted: cidr, action, expires_at, description, metadata.',
      'rules[0].expires_at: must be in the future.',
      'rules[0].action: is required; it must be one of "allow", "deny".',
    ]);
  });
});
