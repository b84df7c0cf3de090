// IP policies on the REST surface.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createIpPolicy } from '../../../src/areas/ip-policies/store.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { successOf } from '../../support/answers.ts';
import { ownService, startService, type TestService } from '../../support/service.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

describe('POST /ip_policies', () => {
  test('answers with every field of the new policy', async () => {
    service = await ownService();
    const answer = await service.rest('POST', '/ip_policies', { description: 'office', metadata: '{"a":1}' });
    expect(successOf(answer)).toEqual({
      status: 201,
      etag: '"1"',
      body: {
        id: 'ipp_01m7xc4kkmepqbszdn9mnvx5t8',
        uri: 'https://sallyport.test/ip_policies/ipp_01m7xc4kkmepqbszdn9mnvx5t8',
        created_at: '2026-11-20T21:00:00Z',
        description: 'office',
        metadata: '{"a":1}',
      },
    });
  });

  test('makes a policy without a body', async () => {
    service = await ownService();
    const { status, body } = await service.rest('POST', '/ip_policies');
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: 'ipp_01m7xc4kkmepqbszdn9mnvx5t8',
        uri: 'https://sallyport.test/ip_policies/ipp_01m7xc4kkmepqbszdn9mnvx5t8',
        created_at: '2026-11-20T21:00:00Z',
        description: '',
        metadata: '',
      },
    });
  });
});

describe('GET /ip_policies', () => {
  test('lists 100 at once unless told otherwise', async () => {
    service = await ownService();
    const account = await service.storage.accounts.find('default');
    if (account === null) throw new Error('The test service has no account.');
    const scope = service.storage.actingFor(account.id, commandLine);
    for (let made = 0; made < 101; made += 1) await createIpPolicy(scope, { description: `${made}` });
    const { body } = await service.rest('GET', '/ip_policies');
    expect(body.ip_policies.map(({ description }: { description: string }) => description)).toEqual(
      Array.from({ length: 100 }, (_, index) => `${100 - index}`),
    );
    const next = `https://sallyport.test/ip_policies?limit=100&before_id=${body.ip_policies[99].id}`;
    expect(body.next_page_uri).toBe(next);
    const { body: rest } = await service.rest('GET', next.slice('https://sallyport.test'.length));
    expect([rest.ip_policies.length, rest.ip_policies[0].description, rest.next_page_uri]).toEqual([1, '0', null]);
  });
});

describe('DELETE /ip_policies/{id}', () => {
  test('deletes its rules with it, and no others', async () => {
    const policy = (await service.rest('POST', '/ip_policies', {})).body;
    const otherPolicy = (await service.rest('POST', '/ip_policies', {})).body;
    const rule = { cidr: '10.0.0.0/8', action: 'allow' };
    const ruleOf = (ip_policy_id: string) => service.rest('POST', '/ip_policy_rules', { ...rule, ip_policy_id });
    const gone = (await ruleOf(policy.id)).body;
    const kept = (await ruleOf(otherPolicy.id)).body;
    expect((await service.rest('DELETE', `/ip_policies/${policy.id}`)).status).toBe(204);
    expect((await service.rest('GET', `/ip_policy_rules/${gone.id}`)).status).toBe(404);
    expect((await service.rest('GET', '/ip_policy_rules')).body.ip_policy_rules).toEqual([kept]);
  });

  test('is allowed while a restriction refers to it, which keeps the reference', async () => {
    const policy = (await service.rest('POST', '/ip_policies', {})).body;
    const restriction = (
      await service.rest('POST', '/ip_restrictions', { type: 'endpoints', enforced: true, ip_policy_ids: [policy.id] })
    ).body;
    const rule = { ip_policy_id: policy.id, cidr: '10.0.0.0/8', action: 'allow' };
    expect((await service.rest('POST', '/ip_policy_rules', rule)).status).toBe(201);
    const evaluation = '{ evaluateIp(address: "10.0.0.1", type: endpoints) { allowed } }';
    expect((await service.graphql(evaluation)).data).toEqual({ evaluateIp: { allowed: true } });

    expect((await service.rest('DELETE', `/ip_policies/${policy.id}`)).status).toBe(204);
    expect(successOf(await service.rest('GET', `/ip_restrictions/${restriction.id}`))).toEqual({
      status: 200,
      etag: '"1"',
      body: restriction,
    });
    expect(restriction.ip_policies).toEqual([{ id: policy.id, uri: policy.uri }]);
    expect((await service.graphql(evaluation)).data).toEqual({ evaluateIp: { allowed: false } });
  });
});
