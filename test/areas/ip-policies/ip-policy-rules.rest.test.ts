// Rules of IP policies on the REST surface.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failureOf, invalidField, successOf } from '../../support/answers.ts';
import { ownService, startService, type TestService } from '../../support/service.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

const newPolicy = async (): Promise<string> => (await service.rest('POST', '/ip_policies', {})).body.id;

/** Posts a rule for `10.0.0.0/8` in a new policy; `values` override its fields. */
async function post(values: object = {}) {
  const rule = { ip_policy_id: await newPolicy(), cidr: '10.0.0.0/8', action: 'allow' };
  return service.rest('POST', '/ip_policy_rules', { ...rule, ...values });
}

const patch = (id: string, values: object) => service.rest('PATCH', `/ip_policy_rules/${id}`, values);

describe('POST /ip_policy_rules', () => {
  test('answers with every field of the new rule', async () => {
    service = await ownService();
    const answer = await post({ action: 'deny', description: 'lab', metadata: '{"a":1}' });
    expect(successOf(answer)).toEqual({
      status: 201,
      etag: '"1"',
      body: {
        id: 'ipr_01m7xc4kkmepqbszdrczy3hnma',
        uri: 'https://sallyport.test/ip_policy_rules/ipr_01m7xc4kkmepqbszdrczy3hnma',
        created_at: '2026-11-20T21:00:00Z',
        description: 'lab',
        metadata: '{"a":1}',
        ip_policy: {
          id: 'ipp_01m7xc4kkmepqbszdn9mnvx5t8',
          uri: 'https://sallyport.test/ip_policies/ipp_01m7xc4kkmepqbszdn9mnvx5t8',
        },
        cidr: '10.0.0.0/8',
        action: 'deny',
        expires_at: null,
      },
    });
  });

  test('refuses a second rule in one policy for a range, however it is written, whatever its action', async () => {
    const [first, second] = ['2001:db8::/32', '2001:DB8::/32'];
    const ip_policy_id = await newPolicy();
    expect((await post({ ip_policy_id, cidr: first })).status).toBe(201);
    for (const action of ['allow', 'deny']) {
      expect(failureOf(await post({ ip_policy_id, cidr: second, action }))).toEqual(
        invalidField('cidr', 'The policy already has a rule for this range. Update or delete that one.', 'DUPLICATE'),
      );
    }
    expect((await service.rest('GET', '/ip_policy_rules')).body.ip_policy_rules).toHaveLength(1);
  });

  test('takes the same range in another policy, and another range around it in the same one', async () => {
    const ip_policy_id = await newPolicy();
    expect((await post({ ip_policy_id })).status).toBe(201);
    expect((await post()).status).toBe(201);
    expect((await post({ ip_policy_id, cidr: '10.0.0.0/9' })).status).toBe(201);
    expect((await post({ ip_policy_id, cidr: '::10.0.0.0/104' })).status).toBe(201);
  });

  test.each([
    ['ip_policy_id', 'is required; it must be a string.'],
    ['cidr', 'is required; it must be a string.'],
    ['action', 'is required; it must be one of "allow", "deny".'],
  ])('refuses a rule without %s', async (field, problem) => {
    expect(failureOf(await post({ [field]: undefined }))).toEqual(invalidField(field, problem));
  });

  test.each([
    ['ip_policy_id', null, 'must be a string.'],
    ['cidr', 10, 'must be a string.'],
    ['cidr', '', 'must be an IPv4 or IPv6 range in CIDR notation, such as 10.0.0.0/8 or 2001:db8::/32.'],
    ['action', 'Allow', 'must be one of "allow", "deny".'],
  ])('refuses %s: %j', async (field, value, problem) => {
    expect(failureOf(await post({ [field]: value }))).toEqual(invalidField(field, problem));
  });
});

describe('PATCH /ip_policy_rules/{id}', () => {
  test('changes range and action, each alone and both at once', async () => {
    const { body } = await post({ description: 'kept' });
    const first = successOf(await patch(body.id, { action: 'deny' }));
    expect(first).toEqual({ status: 200, etag: '"2"', body: { ...body, action: 'deny' } });
    const second = successOf(await patch(body.id, { cidr: '2001:DB8::/32' }));
    expect(second).toEqual({ status: 200, etag: '"3"', body: { ...first.body, cidr: '2001:DB8::/32' } });
    const third = successOf(await patch(body.id, { cidr: '10.0.0.0/8', action: 'allow' }));
    expect(third).toEqual({ status: 200, etag: '"4"', body });
  });

  test.each([
    ['cidr', 10, 'must be a string or null.'],
    ['cidr', ['10.0.0.0/8'], 'must be a string or null.'],
    ['action', 'block', 'must be one of "allow", "deny" or null.'],
    ['action', 0, 'must be one of "allow", "deny" or null.'],
    ['action', ['deny'], 'must be one of "allow", "deny" or null.'],
  ])('refuses %s: %j', async (field, value, problem) => {
    const { body } = await post();
    expect(failureOf(await patch(body.id, { [field]: value }))).toEqual(invalidField(field, problem));
  });

  test('refuses to move the rule to another policy', async () => {
    const { body } = await post();
    for (const ip_policy_id of [await newPolicy(), body.ip_policy.id]) {
      expect(failureOf(await patch(body.id, { ip_policy_id }))).toEqual(
        invalidField(
          'ip_policy_id',
          'can be set only on create. Leave it out, or create a new object.',
          'READ_ONLY_FIELD',
        ),
      );
    }
  });

  test('refuses the range of another rule of the policy, and takes its own in another spelling', async () => {
    const ip_policy_id = await newPolicy();
    const { body } = await post({ ip_policy_id, cidr: '2001:db8::/32' });
    await post({ ip_policy_id, cidr: '2001:db8:1::/48' });
    expect(failureOf(await patch(body.id, { cidr: '2001:DB8:0001::/48' }))).toEqual(
      invalidField('cidr', 'The policy already has a rule for this range. Update or delete that one.', 'DUPLICATE'),
    );
    expect(successOf(await patch(body.id, { cidr: '2001:DB8::/32' }))).toEqual({
      status: 200,
      etag: '"2"',
      body: { ...body, cidr: '2001:DB8::/32' },
    });
  });
});

describe('DELETE /ip_policy_rules/{id}', () => {
  test('keeps the policy and its other rules', async () => {
    const ip_policy_id = await newPolicy();
    const { body } = await post({ ip_policy_id });
    const other = (await post({ ip_policy_id, cidr: '::/0' })).body;
    expect((await service.rest('DELETE', `/ip_policy_rules/${body.id}`)).status).toBe(204);
    expect((await service.rest('GET', `/ip_policies/${ip_policy_id}`)).status).toBe(200);
    expect((await service.rest('GET', '/ip_policy_rules')).body.ip_policy_rules).toEqual([other]);
  });
});
