// Rules of IP policies on the REST surface.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failureOf, invalidField, successOf } from '../../support/answers.ts';
import { noSuchPolicy } from '../../support/ip-rules.ts';
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

/** Invalid ranges with the message about each, for creations and changes alike. */
const wrongRanges: [string, unknown, string][] = [
  ['no range', 'all', 'must be an IPv4 or IPv6 range in CIDR notation, such as 10.0.0.0/8 or 2001:db8::/32.'],
  ['no mask', '10.1.2.3', 'must have a mask; for this one address write 10.1.2.3/32.'],
  ['no mask (IPv6)', '2001:db8::1', 'must have a mask; for this one address write 2001:db8::1/128.'],
  ['a mask out of range', '10.0.0.0/33', 'must have a mask from /0 to /32, in plain digits.'],
  ['another address than the lowest', '10.1.2.3/8', 'must start at the lowest address of its range: write 10.0.0.0/8.'],
  [
    'another address than the lowest (IPv6)',
    '2001:DB8::1/32',
    'must start at the lowest address of its range: write 2001:db8::/32.',
  ],
  ['an IPv4-mapped range', '::ffff:10.0.0.0/104', 'must be written as an IPv4 range; the address is 10.0.0.0.'],
];

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
      },
    });
  });

  test.each(['0.0.0.0/0', '192.0.2.1/32', '::/0', '2001:0DB8:0::/32', '2001:db8::c000:0201/128'])(
    'gives %s back as it was sent',
    async (cidr) => {
      const { status, body } = await post({ cidr });
      expect([status, body.cidr]).toEqual([201, cidr]);
    },
  );

  test.each(wrongRanges)('refuses %s', async (_, cidr, problem) => {
    expect(failureOf(await post({ cidr }))).toEqual(invalidField('cidr', problem));
  });

  test.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['2001:db8::/32', '2001:DB8::/32'],
    ['2001:db8::/32', '2001:0db8:0:0:0:0:0:0/32'],
    ['2001:db8::c000:200/120', '2001:db8::192.0.2.0/120'],
  ])('refuses a second rule in one policy for %s, written %s, whatever its action', async (first, second) => {
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

  test('takes a range again whose rule was deleted', async () => {
    const ip_policy_id = await newPolicy();
    const { body } = await post({ ip_policy_id });
    await service.rest('DELETE', `/ip_policy_rules/${body.id}`);
    expect((await post({ ip_policy_id })).status).toBe(201);
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

  test.each([
    ['unknown', async () => 'ipp_01h455vb4pex5vsknk084sn02q'],
    ['of another kind', async () => (await post()).body.id],
    ['malformed', async () => 'nonsense'],
    ['empty', async () => ''],
    [
      'of another account',
      async () => (await (await service.otherAccount('other')).rest('POST', '/ip_policies', {})).body.id,
    ],
  ])('refuses a policy whose id is %s', async (_, idOf) => {
    const ip_policy_id = await idOf();
    expect(failureOf(await post({ ip_policy_id }))).toEqual(
      invalidField('ip_policy_id', noSuchPolicy(ip_policy_id), 'UNKNOWN_REFERENCE'),
    );
  });

  test('refuses to set the policy as an object', async () => {
    expect(failureOf(await post({ ip_policy: { id: await newPolicy() } }))).toEqual(
      invalidField('ip_policy', 'is set by the server. Leave it out.', 'READ_ONLY_FIELD'),
    );
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

  test.each([null, ''])('keeps range and action with %j', async (empty) => {
    const { body } = await post();
    expect(successOf(await patch(body.id, { cidr: empty, action: empty }))).toEqual({ status: 200, etag: '"1"', body });
  });

  test.each(wrongRanges)('refuses %s', async (_, cidr, problem) => {
    const { body } = await post();
    expect(failureOf(await patch(body.id, { cidr }))).toEqual(invalidField('cidr', problem));
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
