// A change that would shut out its own author is refused unless it is forced. The clients here connect from 127.0.0.1.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { ofOneServer, startService, type TestService } from '../../support/service.ts';
import { statementsOf, workOf } from '../../support/statements.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  // Another server may apply a change up to a second later.
  shared = await startService();
});
beforeEach(async () => {
  service = ofOneServer(await shared.asNewAccount());
});

const here = '127.0.0.0/8';
const elsewhere = '192.0.2.0/24';

async function created(path: string, body: object = {}): Promise<string> {
  const answer = await service.rest('POST', path, body);
  expect([path, answer.status]).toEqual([path, 201]);
  return answer.body.id;
}

const allow = (ip_policy_id: string, cidr: string) =>
  created('/ip_policy_rules', { ip_policy_id, action: 'allow', cidr });

/** Creates a policy that allows ranges. */
async function policyOf(...ranges: string[]) {
  const id = await created('/ip_policies');
  const rules: string[] = [];
  for (const range of ranges) rules.push(await allow(id, range));
  return { id, rules };
}

const restrict = (ip_policy_ids: string[], enforced = true) =>
  created('/ip_restrictions', { type: 'api', enforced, ip_policy_ids });

const lockedOut = (restriction: string) => ({
  code: 'LOCKOUT',
  message:
    `${restriction.startsWith('ipx_') ? `The IP restriction without description (${restriction})` : restriction} would refuse requests from your own address, 127.0.0.1. Nothing was changed. If it is meant, repeat the ` +
    'change with force: true, on REST with the header Sallyport-Force: true, or on the command line with --force.',
});

/** Expects that both surfaces refuse a change, leaving everything as it was, and accept it when it is forced. */
async function expectLockout(
  restriction: string,
  rest: readonly [method: string, path: string, body?: object],
  graphql: readonly [mutation: string, input: object],
) {
  const [method, path, body] = rest;
  const all = async () => ['/ip_policies', '/ip_policy_rules', '/ip_restrictions'].map((of) => service.rest('GET', of));
  const before = (await Promise.all(await all())).map((answer) => answer.body);

  const refused = await service.rest(method, path, body);
  const { code, message } = lockedOut(restriction);
  expect([refused.status, refused.body.error_code, refused.body.msg]).toEqual([409, code, message]);
  const unforced = await service.rest(method, path, body, { 'Sallyport-Force': 'false' });
  expect(unforced.status).toBe(409);

  const [mutation, input] = graphql;
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  const change = (force: boolean | null) =>
    service.graphql(`mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename } }`, {
      input: { ...input, force },
    });
  expect(errorOf(await change(null))).toEqual(lockedOut(restriction));
  expect(errorOf(await change(false))).toEqual(lockedOut(restriction));
  expect((await Promise.all(await all())).map((answer) => answer.body)).toEqual(before);

  const forced = await service.rest(method, path, body, { 'Sallyport-Force': 'true' });
  expect(forced.status).toBeLessThan(300);
  expect((await service.rest('GET', '/ip_policies')).status).toBe(403);
}

describe('a change that shuts out the client is refused', () => {
  test('when it creates a restriction', async () => {
    const { id } = await policyOf(elsewhere);
    await expectLockout(
      'The new IP restriction',
      ['POST', '/ip_restrictions', { type: 'api', enforced: true, ip_policy_ids: [id] }],
      ['createIpRestriction', { type: 'api', enforced: true, ipPolicyIds: [id] }],
    );
  });

  test('when it enforces a restriction', async () => {
    const { id } = await policyOf(elsewhere);
    const restriction = await restrict([id], false);
    await expectLockout(
      restriction,
      ['PATCH', `/ip_restrictions/${restriction}`, { enforced: true }],
      ['updateIpRestriction', { id: restriction, enforced: true }],
    );
  });

  test('when it gives a restriction other policies', async () => {
    const [{ id }, other] = [await policyOf(here), await policyOf(elsewhere)];
    const restriction = await restrict([id]);
    await expectLockout(
      restriction,
      ['PATCH', `/ip_restrictions/${restriction}`, { ip_policy_ids: [other.id] }],
      ['updateIpRestriction', { id: restriction, ipPolicyIds: [other.id] }],
    );
  });

  test('when it adds a rule', async () => {
    const { id } = await policyOf(here);
    const restriction = await restrict([id]);
    await expectLockout(
      restriction,
      ['POST', '/ip_policy_rules', { ip_policy_id: id, action: 'deny', cidr: '127.0.0.1/32' }],
      ['createIpPolicyRule', { ipPolicyId: id, action: 'deny', cidr: '127.0.0.1/32' }],
    );
  });

  test.each([
    ['range', { cidr: elsewhere }],
    ['action', { action: 'deny' }],
  ])('when it changes the %s of a rule', async (_part, change) => {
    const { id, rules } = await policyOf(here);
    const restriction = await restrict([id]);
    await expectLockout(
      restriction,
      ['PATCH', `/ip_policy_rules/${rules[0]}`, change],
      ['updateIpPolicyRule', { id: rules[0], ...change }],
    );
  });

  test('when it deletes a rule', async () => {
    const { id, rules } = await policyOf(here);
    const restriction = await restrict([id]);
    await expectLockout(
      restriction,
      ['DELETE', `/ip_policy_rules/${rules[0]}`],
      ['deleteIpPolicyRule', { id: rules[0] }],
    );
  });

  test('when it adds or deletes several rules together', async () => {
    const { id, rules } = await policyOf(here);
    const restriction = await restrict([id]);
    const change = (name: string, input: object) =>
      service.graphql(
        `mutation ($input: ${name}Input!) { ${name.replace(/^./, (first) => first.toLowerCase())}(input: $input) { __typename } }`,
        {
          input,
        },
      );
    const added = { ipPolicyId: id, rules: [{ cidr: '127.0.0.1/32', action: 'deny' }] };
    expect(errorOf(await change('CreateIpPolicyRules', added))).toEqual(lockedOut(restriction));
    const deleted = { objects: rules.map((rule) => ({ id: rule })) };
    expect(errorOf(await change('DeleteIpPolicyRules', deleted))).toEqual(lockedOut(restriction));
    expect((await change('DeleteIpPolicyRules', { ...deleted, force: true })).errors).toBeUndefined();
    expect((await service.rest('GET', '/ip_policies')).status).toBe(403);
  });

  test('when it deletes a policy', async () => {
    const { id } = await policyOf(here);
    const restriction = await restrict([id]);
    await expectLockout(restriction, ['DELETE', `/ip_policies/${id}`], ['deleteIpPolicy', { id }]);
  });

  test('when the address is not known: no restriction lets that pass', async () => {
    const behind = await startService({ trustProxy: 1 });
    const { id } = (await behind.rest('POST', '/ip_policies')).body;
    const everybody = { ip_policy_id: id, action: 'allow', cidr: '0.0.0.0/0' };
    expect((await behind.rest('POST', '/ip_policy_rules', everybody)).status).toBe(201);
    const { status, body } = await behind.rest('POST', '/ip_restrictions', {
      type: 'api',
      enforced: true,
      ip_policy_ids: [id],
    });
    expect([status, body.msg]).toEqual([
      409,
      'The new IP restriction would refuse requests from your address, which the proxy does not tell. Nothing was changed. If ' +
        'it is meant, repeat the change with force: true, on REST with the header Sallyport-Force: true, or on the command ' +
        'line with --force.',
    ]);
    await behind.close();
  });
});

describe('a change goes through', () => {
  test('that leaves the client another way in', async () => {
    const [first, second] = [await policyOf(here, '127.0.0.1/32'), await policyOf(here)];
    const restriction = await restrict([first.id, second.id]);
    const path = `/ip_restrictions/${restriction}`;
    expect((await service.rest('DELETE', `/ip_policy_rules/${first.rules[0]}`)).status).toBe(204);
    expect((await service.rest('DELETE', `/ip_policies/${first.id}`)).status).toBe(204);
    expect((await service.rest('PATCH', path, { ip_policy_ids: [second.id] })).status).toBe(200);
    expect((await service.rest('PATCH', `/ip_policy_rules/${second.rules[0]}`, { cidr: '127.0.0.1/32' })).status).toBe(
      200,
    );
    expect((await service.rest('DELETE', path)).status).toBe(204);
  });

  test('that shuts out others', async () => {
    const { id } = await policyOf(here, elsewhere);
    await restrict([id]);
    const [rule] = (await service.rest('GET', '/ip_policy_rules')).body.ip_policy_rules;
    expect(rule.cidr).toBe(elsewhere);
    expect((await service.rest('PATCH', `/ip_policy_rules/${rule.id}`, { action: 'deny' })).status).toBe(200);
    expect((await service.rest('DELETE', `/ip_policy_rules/${rule.id}`)).status).toBe(204);
  });

  test('of what is not enforced, or not of the API', async () => {
    const { id } = await policyOf(here);
    const warning = await restrict([id], false);
    for (const type of ['dashboard', 'agent', 'endpoints']) {
      await created('/ip_restrictions', { type, enforced: true, ip_policy_ids: [id] });
    }
    expect((await service.rest('DELETE', `/ip_policies/${id}`)).status).toBe(204);
    expect((await service.rest('PATCH', `/ip_restrictions/${warning}`, { description: 'x' })).status).toBe(200);
  });

  test('of the notes of a rule or a restriction', async () => {
    const { id, rules } = await policyOf(here);
    const restriction = await restrict([id]);
    const notes = { description: 'the office' };
    expect((await service.rest('PATCH', `/ip_policy_rules/${rules[0]}`, notes)).status).toBe(200);
    expect((await service.rest('PATCH', `/ip_restrictions/${restriction}`, notes)).status).toBe(200);
  });

  test('after another one in the same document, by what that has changed', async () => {
    const { id } = await policyOf(elsewhere);
    const document = `mutation ($id: ID!) {
      createIpPolicyRule(input: { ipPolicyId: $id, action: allow, cidr: "${here}" }) { ipPolicyRule { cidr } }
      createIpRestriction(input: { type: api, enforced: true, ipPolicyIds: [$id] }) { ipRestriction { enforced } }
    }`;
    expect(dataOf(await service.graphql(document, { id }))).toEqual({
      createIpPolicyRule: { ipPolicyRule: { cidr: here } },
      createIpRestriction: { ipRestriction: { enforced: true } },
    });
  });
});

describe('other mistakes are told first', () => {
  test.each([
    ['an unknown policy', { ip_policy_ids: ['ipp_01h455vb4pex5vsknk084sn02q'] }, 'UNKNOWN_REFERENCE'],
    ['no policy', { ip_policy_ids: [] }, 'INVALID_INPUT'],
  ])('%s', async (_case, input, code) => {
    const { status, body } = await service.rest('POST', '/ip_restrictions', { type: 'api', enforced: true, ...input });
    expect([status, body.error_code]).toEqual([400, code]);
  });

  test('a rule or a restriction that does not exist', async () => {
    const { id } = await policyOf(here);
    await restrict([id]);
    const rule = '/ip_policy_rules/ipr_01h455vb4pex5vsknk084sn02q';
    const restriction = '/ip_restrictions/ipx_01h455vb4pex5vsknk084sn02q';
    const statuses = [
      await service.rest('DELETE', rule),
      await service.rest('PATCH', rule, { action: 'deny' }),
      await service.rest('PATCH', restriction, { enforced: true }),
      await service.rest('DELETE', '/ip_policies/ipp_01h455vb4pex5vsknk084sn02q'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([404, 404, 404, 404]);
  });

  test('a value of the header that is neither true nor false', async () => {
    const { id } = await policyOf();
    const answer = await service.rest('DELETE', `/ip_policies/${id}`, undefined, { 'Sallyport-Force': 'yes' });
    expect([answer.status, answer.body.msg]).toEqual([400, 'Sallyport-Force: must be "true" or "false".']);
  });
});

test('costs nothing where no restriction guards the API, and reads no rules of policies that no restriction of it names', async () => {
  const { id, rules } = await policyOf(here);
  const change = (force: string) => () =>
    service.rest('PATCH', `/ip_policy_rules/${rules[0]}`, { action: 'allow' }, { 'Sallyport-Force': force });
  // What is expected is read at most once a second, and asked only if there is anything.
  const workFor = async (force: string) =>
    (await workOf(service, change(force))).filter((work) => work !== 'SELECT Expectation');
  // Of what is forced, whether it waits for a second person.
  expect(['SELECT ApprovalSettings', ...(await workFor('false'))]).toEqual(await workFor('true'));
  const rulesRead = async (action: () => Promise<unknown>) =>
    (await statementsOf(service, action)).filter((sql) => /^SELECT "id", "action", "range", "expiresAt" FROM/.test(sql))
      .length;
  await restrict([(await policyOf(here)).id]);
  await service.rest('GET', '/ip_policies');
  expect(await rulesRead(change('false'))).toBe(0);
  await restrict([id]);
  await service.rest('GET', '/ip_policies');
  expect(await rulesRead(change('false'))).toBe(1);
});
