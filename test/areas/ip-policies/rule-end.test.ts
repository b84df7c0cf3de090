// Rules that end: what they say about addresses up to that second, and what becomes of them afterwards.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { upkeep } from '../../../src/areas/ip-policies/upkeep.ts';
import { usualKeyAges } from '../../../src/domain/access/key-ages.ts';
import { createOutgoing } from '../../../src/outgoing/outgoing.ts';
import { sql } from '../../../src/storage/sql/statement.ts';
import { failureOf, invalidField } from '../../support/answers.ts';
import { createClocks } from '../../support/clocks.ts';
import { makePolicy, makeRestriction } from '../../support/ip-rules.ts';
import { ownService, startBeside, startService, type TestService } from '../../support/service.ts';

/** A minute after every service starts. */
const end = '2026-11-20T21:01:00Z';
const [afterEnd, later] = [new Date('2026-11-20T21:01:01Z'), '2026-11-20T22:00:00Z'];

let shared: TestService;
let service: TestService;
let policyId: string;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  policyId = await makePolicy(service, []);
});

/** Posts a rule that ends; `values` override its fields. */
const post = (values: object = {}) =>
  service.rest('POST', '/ip_policy_rules', {
    ip_policy_id: policyId,
    cidr: '10.0.0.0/8',
    action: 'allow',
    expires_at: end,
    ...values,
  });
const patch = (id: string, values: object, headers = {}) =>
  service.rest('PATCH', `/ip_policy_rules/${id}`, values, headers);
const idsOfRules = async (): Promise<string[]> =>
  (await service.rest('GET', '/ip_policy_rules')).body.ip_policy_rules.map(({ id }: { id: string }) => id);

/** What the policy says about an address, and when the deciding rule ends. */
async function evaluated(address = '10.0.0.1') {
  const query =
    'query ($id: ID!, $address: IpAddress!) { evaluateIpPolicy(ipPolicyId: $id, address: $address) { passes decidedBy { expiresAt } } }';
  return (await service.graphql(query, { id: policyId, address })).data.evaluateIpPolicy;
}

/** The number of rules that the policy is held below its bound by. */
async function ruleCount(): Promise<number> {
  const [row] = await service.storage.server.rows(sql`SELECT "ruleCount" FROM "IpPolicy" WHERE "id" = ${policyId}`);
  return Number(row?.[0]);
}

/** The events of the rules, oldest first. */
async function eventsOfRules(): Promise<string[]> {
  const query = '{ auditEvents(kind: "IpPolicyRule", first: 100) { nodes { action objectId actor { type } } } }';
  const { data } = await service.graphql(query);
  return data.auditEvents.nodes
    .reverse()
    .map((event: { action: string; objectId: string; actor: { type: string } }) => {
      return `${event.action} ${event.objectId} by ${event.actor.type}`;
    });
}

describe('expires_at', () => {
  test('is the field that a draft is wrong in, beside its range', async () => {
    const query = `query ($id: ID!, $add: [IpPolicyRuleDraft!]!) {
      evaluateIpPolicyChange(ipPolicyId: $id, add: $add, remove: []) { problems { index field } }
    }`;
    const add = [
      { cidr: '10.0.0.0/8', action: 'allow', expiresAt: '2026-11-20T20:00:00Z' },
      { cidr: '10.0.0.1/8', action: 'allow' },
    ];
    expect((await service.graphql(query, { id: policyId, add })).data.evaluateIpPolicyChange.problems).toEqual([
      { index: 0, field: 'expiresAt' },
      { index: 1, field: 'cidr' },
    ]);
  });

  test('is kept to the second, stays where a change leaves it out or empty, and goes with null', async () => {
    const { id } = (await post({ expires_at: '2026-11-20T22:01:00.9+01:00' })).body;
    for (const values of [{ description: 'visitor' }, { expires_at: '' }, { expires_at: {} }]) {
      expect((await patch(id, values)).body.expires_at).toBe(end);
    }
    expect((await patch(id, { expires_at: later })).body.expires_at).toBe(later);
    expect((await patch(id, { expires_at: null })).body.expires_at).toBe(null);
  });

  test('must lie ahead where it is set, and may be sent as it is', async () => {
    const refused = invalidField('expires_at', 'must be in the future.');
    expect(failureOf(await post({ expires_at: '2026-11-20T21:00:00.9Z' }))).toEqual(refused);
    const { id } = (await post()).body;
    expect(failureOf(await patch(id, { expires_at: '2026-11-20T20:00:00Z' }))).toEqual(refused);
    service.setTime(afterEnd);
    expect((await patch(id, { expires_at: end, description: 'visitor' })).status).toBe(200);
  });

  test.each(['', {}])('may be %j in a rule that does not end', async (expires_at) => {
    expect((await post({ expires_at })).body.expires_at).toBe(null);
  });
});

describe('an evaluation', () => {
  test('says when the deciding rule ends, and counts it no longer from then on', async () => {
    await post({ cidr: '10.0.0.0/16', expires_at: later });
    await post();
    const deny = await post({ cidr: '10.0.0.0/24', action: 'deny' });
    expect(await evaluated()).toEqual({ passes: false, decidedBy: { expiresAt: end } });
    service.setTime(new Date(end));
    expect(await evaluated()).toEqual({ passes: true, decidedBy: { expiresAt: later } });
    expect(await evaluated('10.1.0.1')).toEqual({ passes: false, decidedBy: null });
    // Whatever upkeep does: all are there.
    expect(await idsOfRules()).toContain(deny.body.id);
  });

  test('of a change counts no rule that has ended, neither before nor after, and takes drafts in its place', async () => {
    const { id } = (await post()).body;
    await post({ cidr: '11.0.0.0/8', expires_at: later });
    const restriction = await makeRestriction(service, [policyId]);
    service.setTime(afterEnd);
    const query = `query ($id: ID!, $add: [IpPolicyRuleDraft!]!, $remove: [ID!]!) {
      evaluateIpPolicyChange(ipPolicyId: $id, add: $add, remove: $remove) {
        problems { index message }
        restrictions { restriction { id } newlyRefused { text } newlyAllowed { text } }
      } }`;
    const evaluate = async (add: object[], remove: string[] = []) =>
      (await service.graphql(query, { id: policyId, add, remove })).data.evaluateIpPolicyChange;
    expect(await evaluate([], [id])).toEqual({
      problems: [],
      restrictions: [{ restriction: { id: restriction }, newlyRefused: [], newlyAllowed: [] }],
    });
    const allow = { action: 'allow', cidr: '10.0.0.0/8' };
    expect(await evaluate([{ ...allow, expiresAt: later }])).toEqual({
      problems: [],
      restrictions: [{ restriction: { id: restriction }, newlyRefused: [], newlyAllowed: [{ text: '10.0.0.0/8' }] }],
    });
    expect((await evaluate([{ ...allow, expiresAt: end }])).problems).toEqual([
      { index: 0, message: 'The end must be in the future.' },
    ]);
  });
});

describe('a rule that has ended', () => {
  test('makes room for one of the same range in the write that adds it, once for an idempotency key', async () => {
    const old = (await post()).body.id;
    const kept = (await post({ cidr: '11.0.0.0/8', expires_at: null })).body.id;
    service.setTime(afterEnd);
    const body = { ip_policy_id: policyId, cidr: '10.0.0.0/8', action: 'deny' };
    const again = () => service.rest('POST', '/ip_policy_rules', body, { 'Idempotency-Key': 'one' });
    const [first, second] = [await again(), await again()];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect(await idsOfRules()).toEqual([first.body.id, kept]);
    expect((await eventsOfRules()).slice(2)).toEqual([
      `delete ${old} by api_key`,
      `create ${first.body.id} by api_key`,
    ]);
  });

  test('makes room in a policy that has as many rules as it may have, also for several', async () => {
    const adding = `mutation ($input: CreateIpPolicyRulesInput!) { createIpPolicyRules(input: $input) { ipPolicyRules { cidr } } }`;
    const add = (rules: readonly object[]) => service.graphql(adding, { input: { ipPolicyId: policyId, rules } });
    const allow = (cidr: string, more = {}) => ({ cidr, action: 'allow', ...more });
    const ending = ['10.0.0.0/8', '11.0.0.0/8', '12.0.0.0/8'].map((cidr) => allow(cidr, { expiresAt: end }));
    const lasting = Array.from({ length: 997 }, (_, at) => allow(`2001:db8:${at.toString(16)}::/48`));
    expect((await add([...ending, ...lasting])).errors).toBeUndefined();
    service.setTime(afterEnd);
    expect((await post({ expires_at: null })).status).toBe(201);
    const both = [allow('11.0.0.0/8'), allow('12.0.0.0/8')];
    expect((await add(both)).data.createIpPolicyRules.ipPolicyRules).toEqual(both.map(({ cidr }) => ({ cidr })));
    expect(await ruleCount()).toBe(1_000);
    const full = await post({ cidr: '13.0.0.0/8', expires_at: null });
    expect([full.status, full.body.msg]).toEqual([
      400,
      'ip_policy_id: names a policy that would have more than 1000 rules, the maximum.',
    ]);
    expect((await post({ cidr: '11.0.0.0/8', expires_at: null })).body.error_code).toBe('DUPLICATE');
  });

  test('makes room for one that is moved to its range, and its policy counts what is left', async () => {
    const old = (await post()).body.id;
    const moved = (await post({ cidr: '11.0.0.0/8', expires_at: null })).body.id;
    service.setTime(afterEnd);
    expect((await patch(moved, { cidr: '10.0.0.0/8' })).status).toBe(200);
    expect((await eventsOfRules()).slice(2)).toEqual([`delete ${old} by api_key`, `update ${moved} by api_key`]);
    expect(await ruleCount()).toBe(1);
  });

  test('is replaced once by several requests at a time', async () => {
    await post();
    service.setTime(afterEnd);
    const answers = await Promise.all(Array.from({ length: 5 }, () => post({ expires_at: null })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
    expect(await idsOfRules()).toHaveLength(1);
  });

  test('is refused as a lockout where a change would bring it back against the caller', async () => {
    const own = { cidr: '127.0.0.1/32', action: 'deny' };
    await post({ cidr: '127.0.0.0/8', expires_at: null });
    const deny = (await post(own)).body.id;
    service.setTime(afterEnd);
    await makeRestriction(service, [policyId], { type: 'api' });
    expect((await patch(deny, { expires_at: null })).body.error_code).toBe('LOCKOUT');
    expect((await post({ ...own, expires_at: later })).body.error_code).toBe('LOCKOUT');
    expect((await patch(deny, { description: 'intruder' })).status).toBe(200);
  });

  test('does not come back from the trail by itself, and comes back with its policy without counting', async () => {
    const restored = async (id: string) => {
      const events = `query ($id: ID!) { auditEvents(objectId: $id, first: 1) { nodes { id } } }`;
      const [event] = (await service.graphql(events, { id })).data.auditEvents.nodes;
      const restore = 'mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { object { id } } }';
      const { data, errors } = await service.graphql(restore, { id: event.id });
      return errors?.[0]?.message ?? data.restoreObject.object.id;
    };
    const { id } = (await post()).body;
    await service.rest('DELETE', `/ip_policy_rules/${id}`);
    expect(await restored(id)).toBe(id);
    await service.rest('DELETE', `/ip_policy_rules/${id}`);
    service.setTime(afterEnd);
    expect(await restored(id)).toBe(
      `The rule ended at ${end}, so it would not count. Create it anew, with another end or none.`,
    );
    const other = (await post({ expires_at: later })).body.id;
    service.setTime(new Date(later));
    await service.rest('DELETE', `/ip_policies/${policyId}`);
    expect(await restored(policyId)).toBe(policyId);
    expect([await idsOfRules(), await evaluated()]).toEqual([[other], { passes: false, decidedBy: null }]);
  });
});

describe('upkeep', () => {
  test('deletes rules that have ended once the clock is believed, as the system', async () => {
    const clocks = createClocks();
    service = await ownService({}, { monotonicMs: clocks.monotonicMs });
    policyId = await makePolicy(service, ['allow 12.0.0.0/8']);
    const ended = (await post()).body.id;
    await post({ cidr: '11.0.0.0/8', expires_at: '2026-11-22T00:00:00Z' });
    await clocks.pass(service, 0, 23);
    expect(await idsOfRules()).toHaveLength(3);
    await clocks.pass(service, 24, 25);
    expect(await idsOfRules()).toHaveLength(2);
    expect((await eventsOfRules()).slice(3)).toEqual([`delete ${ended} by system`]);
  });

  test('of several servers deletes each rule once, leaves one that is extended meanwhile, and keeps the count', async () => {
    const beside = await startBeside(service);
    for (let count = 0; count < 30; count += 1) await post({ cidr: `10.${count}.0.0/16` });
    const [extended = ''] = await idsOfRules();
    const { signal } = new AbortController();
    const outgoing = createOutgoing({ outgoingNetworks: [], outgoingDns: [] });
    const [own] = upkeep({
      auditDays: 400,
      dashboardIdleSeconds: 1_800,
      signingAgents: [],
      keyAges: usualKeyAges,
      outgoing,
      receivers: [],
      attention: async () => [],
    });
    await Promise.all([
      patch(extended, { expires_at: later }),
      ...[service, beside].map(({ storage }) => own?.hourly?.(storage.server, afterEnd, signal)),
    ]);
    const left = await idsOfRules();
    const deleted = (await eventsOfRules()).filter((event) => event.startsWith('delete'));
    expect([left.length + deleted.length, new Set(deleted).size]).toEqual([30, deleted.length]);
    expect(await ruleCount()).toBe(left.length);
    await beside.close();
  });
});
