// IP restrictions of type `agent`: programs on hosts, which have no API key or one for enrollment tokens alone.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hostKey } from '../../support/host-key.ts';
import { makePolicy, makeRestriction } from '../../support/ip-rules.ts';
import { createClient, startService, type TestService } from '../../support/service.ts';

let shared: TestService;
let service: TestService;
let certificate: string;
let token: string;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  const ssh_certificate_authority_id = (await service.rest('POST', '/ssh_certificate_authorities', {})).body.id;
  const body = { ssh_certificate_authority_id, public_key: hostKey, principals: ['db1.example.com'] };
  certificate = (await service.rest('POST', '/ssh_host_certificates', body)).body.id;
  const enrollment = { ssh_certificate_authority_id, principals: ['*.example.com'] };
  token = (await service.rest('POST', '/ssh_enrollment_tokens', enrollment)).body.token;
});

/** Sends a request without an API key. */
async function asHost(path: string, body: object) {
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'Service-Version': '2', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  // Every answer of the server has this form.
  const answered = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, body: answered };
}

/** Asks for everything that a host asks for without a key. The proofs are wrong, so that what is let in is refused as 4xx. */
const everyAnswer = async () => [
  await asHost('/ssh_challenges', { ssh_host_certificate_id: certificate }),
  await asHost('/ssh_challenges', { token }),
  await asHost('/ssh_enrollments', {
    token,
    public_key: hostKey,
    principals: ['db2.example.com'],
    challenge: 'x',
    signature: 'x',
  }),
  await asHost(`/ssh_host_certificates/${certificate}/renew`, { challenge: 'x', signature: 'x' }),
];

async function keyWith(...scopes: string[]) {
  return createClient(service.url, (await service.rest('POST', '/api_keys', { scopes })).body.token);
}
const here = 'allow 127.0.0.0/8';

describe('an enforced restriction of type agent', () => {
  test('refuses hosts that have no key, before their proofs are looked at, and tells them nothing else', async () => {
    const letIn = (await everyAnswer()).map(({ status, body }) => [status, body.error_code]);
    await makeRestriction(service, [await makePolicy(service, [])], { type: 'agent' });
    for (const { status, body } of await everyAnswer()) {
      expect([status, body.error_code, body.msg]).toEqual([
        403,
        'IP_RESTRICTED',
        'IP restrictions of the account refuse requests from 127.0.0.1.',
      ]);
    }
    expect(letIn.map(([, code]) => code)).not.toContain('IP_RESTRICTED');
    expect((await service.rest('GET', '/ip_policies')).status).toBe(200);
  });

  test('refuses keys that are for enrollment tokens alone, and no others', async () => {
    const [enrolling, wider] = [await keyWith('ssh:enroll'), await keyWith('ssh:enroll', 'ip-policies:read')];
    await makeRestriction(service, [await makePolicy(service, [])], { type: 'agent' });
    const refused = await enrolling.rest('GET', '/ssh_enrollment_tokens');
    expect([refused.status, refused.body.error_code]).toEqual([403, 'IP_RESTRICTED']);
    expect((await enrolling.graphql('{ __typename }')).errors?.[0]?.extensions.code).toBe('IP_RESTRICTED');
    expect((await wider.rest('GET', '/ssh_enrollment_tokens')).status).toBe(200);
  });

  test('lets in whom its policies allow, also where one of type api does not', async () => {
    await makeRestriction(service, [await makePolicy(service, [here])], { type: 'agent' });
    const nobody = { type: 'api', enforced: true, ip_policy_ids: [await makePolicy(service, [])] };
    expect((await service.rest('POST', '/ip_restrictions', nobody, { 'Sallyport-Force': 'true' })).status).toBe(201);
    expect((await asHost('/ssh_challenges', { token })).status).toBe(201);
  });
});

test('where none of type agent is enforced, those of type api apply to hosts, and one that only warns says so', async () => {
  const empty = await makePolicy(service, []);
  const warning = await makeRestriction(service, [empty], { type: 'agent', enforced: false });
  const { status, headers } = await asHost('/ssh_challenges', { token });
  expect([status, headers.get('Sallyport-Would-Refuse')]).toEqual([201, warning]);
  const nobody = { type: 'api', enforced: true, ip_policy_ids: [empty] };
  await service.rest('POST', '/ip_restrictions', nobody, { 'Sallyport-Force': 'true' });
  expect((await asHost('/ssh_challenges', { token })).body.error_code).toBe('IP_RESTRICTED');
});

test('a preview names the agents that would be kept out', async () => {
  const enrolling = await keyWith('ssh:enroll');
  const authority = (await service.rest('GET', '/ssh_certificate_authorities')).body.ssh_certificate_authorities[0].id;
  const made = { ssh_certificate_authority_id: authority, principals: ['*.example.com'] };
  expect((await enrolling.rest('POST', '/ssh_enrollment_tokens', made)).status).toBe(201);
  const empty = await makePolicy(service, []);
  const query = `query ($type: IpRestrictionType!, $ids: [ID!]!) {
    evaluateIpRestrictionChange(type: $type, enforced: true, ipPolicyIds: $ids) { refusesYou seen { address who } } }`;
  const preview = async (type: string) =>
    (await service.graphql(query, { type, ids: [empty] })).data.evaluateIpRestrictionChange;
  const { id } = (await enrolling.graphql('{ viewer { apiKey { id } } }')).data.viewer.apiKey;
  expect(await preview('agent')).toEqual({ refusesYou: false, seen: [{ address: '127.0.0.1', who: id }] });
});
