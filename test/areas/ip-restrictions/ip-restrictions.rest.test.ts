// IP restrictions on the REST surface.

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

/** Posts a restriction of endpoints by a new policy; `values` override its fields. */
async function post(values: object = {}) {
  return service.rest('POST', '/ip_restrictions', { type: 'endpoints', ip_policy_ids: [await newPolicy()], ...values });
}

const patch = (id: string, values: object) => service.rest('PATCH', `/ip_restrictions/${id}`, values);

const refTo = (id: string) => ({ id, uri: `https://sallyport.test/ip_policies/${id}` });

/** Ids that name no policy of the account. */
const unknownPolicies: [string, () => Promise<string>][] = [
  ['unknown', async () => 'ipp_01h455vb4pex5vsknk084sn02q'],
  [
    'of another account',
    async () => (await (await service.otherAccount('other')).rest('POST', '/ip_policies', {})).body.id,
  ],
  [
    'of a deleted policy',
    async () => {
      const id = await newPolicy();
      await service.rest('DELETE', `/ip_policies/${id}`);
      return id;
    },
  ],
];

describe('POST /ip_restrictions', () => {
  test('answers with every field of the new restriction', async () => {
    service = await ownService();
    const ip_policy_ids = [await newPolicy(), await newPolicy()];
    const notes = { description: 'office only', metadata: '{"a":1}' };
    expect(successOf(await post({ type: 'dashboard', enforced: true, ip_policy_ids, ...notes }))).toEqual({
      status: 201,
      etag: '"1"',
      body: {
        id: 'ipx_01m7xc4kkmepqbsze2d9vgegdr',
        uri: 'https://sallyport.test/ip_restrictions/ipx_01m7xc4kkmepqbsze2d9vgegdr',
        created_at: '2026-11-20T21:00:00Z',
        description: 'office only',
        metadata: '{"a":1}',
        enforced: true,
        type: 'dashboard',
        ip_policies: [
          {
            id: 'ipp_01m7xc4kkmepqbszdn9mnvx5t8',
            uri: 'https://sallyport.test/ip_policies/ipp_01m7xc4kkmepqbszdn9mnvx5t8',
          },
          {
            id: 'ipp_01m7xc4kkmepqbszdrczy3hnma',
            uri: 'https://sallyport.test/ip_policies/ipp_01m7xc4kkmepqbszdrczy3hnma',
          },
        ],
      },
    });
  });

  test.each([
    ['left out', '{}'],
    ['null', '{"enforced":null}'],
    ['false', '{"enforced":false}'],
  ])('only warns where `enforced` is %s', async (_, json) => {
    const { status, body } = await post(JSON.parse(json));
    expect([status, body.enforced]).toEqual([201, false]);
  });

  test('keeps the order of the policies, which is not that of their creation, and drops repetitions', async () => {
    const [a, b, c] = [await newPolicy(), await newPolicy(), await newPolicy()];
    const { body } = await post({ ip_policy_ids: [b, c, b, a, c] });
    expect(body.ip_policies).toEqual([refTo(b), refTo(c), refTo(a)]);
    expect((await service.rest('GET', `/ip_restrictions/${body.id}`)).body).toEqual(body);
    expect((await service.rest('GET', '/ip_restrictions')).body.ip_restrictions).toEqual([body]);
  });

  test('takes 200 policies, and not one more', async () => {
    const ip_policy_ids = await Promise.all(Array.from({ length: 201 }, newPolicy));
    expect(failureOf(await post({ ip_policy_ids }))).toEqual(
      invalidField('ip_policy_ids', 'must have at most 200 entries; it has 201.'),
    );
    const { status, body } = await post({ ip_policy_ids: ip_policy_ids.slice(1) });
    expect([status, body.ip_policies]).toEqual([201, ip_policy_ids.slice(1).map(refTo)]);
  });

  test.each([
    ['type', 'is required; it must be one of "dashboard", "api", "agent", "endpoints".'],
    ['ip_policy_ids', 'is required; it must be a list.'],
  ])('refuses a restriction without %s', async (field, problem) => {
    expect(failureOf(await post({ [field]: undefined }))).toEqual(invalidField(field, problem));
  });

  const types = 'must be one of "dashboard", "api", "agent", "endpoints".';
  test.each([
    ['type', 'API', types],
    ['enforced', 'true', 'must be true or false or null.'],
    ['ip_policy_ids', 'ipp_01h455vb4pex5vsknk084sn02q', 'must be a list.'],
    ['ip_policy_ids', [], 'must name at least one IP policy.'],
  ])('refuses %s: %j', async (field, value, problem) => {
    expect(failureOf(await post({ [field]: value }))).toEqual(invalidField(field, problem));
  });

  test.each(unknownPolicies)('refuses a policy whose id is %s, and names its place', async (_, idOf) => {
    const [known, unknown] = [await newPolicy(), await idOf()];
    expect(failureOf(await post({ ip_policy_ids: [known, known, unknown] }))).toEqual(
      invalidField('ip_policy_ids[2]', noSuchPolicy(unknown), 'UNKNOWN_REFERENCE'),
    );
  });

  test('refuses to set the policies as objects', async () => {
    expect(failureOf(await post({ ip_policies: [] }))).toEqual(
      invalidField('ip_policies', 'is set by the server. Leave it out.', 'READ_ONLY_FIELD'),
    );
  });
});

describe('PATCH /ip_restrictions/{id}', () => {
  test('switches between enforcing and warning', async () => {
    const { body } = await post();
    expect(successOf(await patch(body.id, { enforced: true }))).toEqual({
      status: 200,
      etag: '"2"',
      body: { ...body, enforced: true },
    });
    expect(successOf(await patch(body.id, { enforced: false }))).toEqual({ status: 200, etag: '"3"', body });
  });

  test('replaces the list of policies, in the order given and without repetitions', async () => {
    const { body } = await post({ description: 'kept', enforced: true });
    const [a, b] = [await newPolicy(), await newPolicy()];
    const expected = { status: 200, etag: '"2"', body: { ...body, ip_policies: [refTo(b), refTo(a)] } };
    expect(successOf(await patch(body.id, { ip_policy_ids: [b, a, b] }))).toEqual(expected);
    expect(successOf(await service.rest('GET', `/ip_restrictions/${body.id}`))).toEqual(expected);
  });

  test('keeps a reference to a deleted policy when it changes other things', async () => {
    const [a, b] = [await newPolicy(), await newPolicy()];
    const { body } = await post({ ip_policy_ids: [a, b] });
    await service.rest('DELETE', `/ip_policies/${a}`);
    expect((await patch(body.id, { description: 'new' })).body).toEqual({ ...body, description: 'new' });
    expect((await service.rest('GET', '/ip_restrictions')).body.ip_restrictions[0].ip_policies).toEqual([
      refTo(a),
      refTo(b),
    ]);
  });

  test('keeps the policies when the version in If-Match is another one', async () => {
    const { body } = await post();
    const values = { ip_policy_ids: [await newPolicy()] };
    const answer = await service.rest('PATCH', `/ip_restrictions/${body.id}`, values, { 'If-Match': '"2"' });
    expect(answer.status).toBe(412);
    expect((await service.rest('GET', `/ip_restrictions/${body.id}`)).body).toEqual(body);
  });

  test('refuses to change the type, also to the one that it has', async () => {
    const { body } = await post();
    for (const type of ['agent', 'endpoints']) {
      expect(failureOf(await patch(body.id, { type }))).toEqual(
        invalidField('type', 'can be set only on create. Leave it out, or create a new object.', 'READ_ONLY_FIELD'),
      );
    }
  });
});
