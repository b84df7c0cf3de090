// What the Terraform provider of the API family (`ngrok/ngrok` 0.8) sends, in the tests' own words: neither it nor Terraform is run here.
// Each step is one request: POST to create, GET to refresh, PATCH to change in place, DELETE and POST to replace.

import { readFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ofOneServer, startService, type TestService } from '../support/service.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = ofOneServer(await shared.asNewAccount());
});

const headers = { 'ngrok-version': '2', 'user-agent': 'ngrok-api-go/9.0.0' };
const send = (method: string, path: string, body?: object) => service.rest(method, path, body, headers);

/** Creates a resource as the provider does, and expects a plan without changes: all that was sent is read back. */
async function apply(path: string, body: object, notReadBack: readonly string[] = []): Promise<string> {
  const made = await send('POST', path, body);
  expect([path, made.status, made.body.msg]).toEqual([path, 201, undefined]);
  const read = await send('GET', `${path}/${made.body.id}`);
  const sent = Object.fromEntries(Object.entries(body).filter(([name]) => !notReadBack.includes(name)));
  expect(read.body).toMatchObject(sent);
  return made.body.id;
}

const destroy = async (path: string) => expect([path, (await send('DELETE', path)).status]).toEqual([path, 204]);

test('the resources of the example are created, refreshed, changed in place and destroyed', async () => {
  const policy = await apply('/ip_policies', { description: 'Offices', metadata: '{"managed-by":"terraform"}' });
  const rule = { ip_policy_id: policy, cidr: '127.0.0.0/8', action: 'allow' };
  const allowing = await apply('/ip_policy_rules', rule, ['ip_policy_id']);
  const restriction = { type: 'api', enforced: true, ip_policy_ids: [policy] };
  const guarding = await apply('/ip_restrictions', restriction, ['ip_policy_ids']);
  const key = { private_key_type: 'ecdsa', elliptic_curve: 'P-256' };
  const authority = await apply('/ssh_certificate_authorities', key, Object.keys(key));
  const deployment = await apply('/api_keys', { description: 'Deployment' });

  const changed = await send('PATCH', `/ip_policy_rules/${allowing}`, {
    description: 'Here',
    metadata: '',
    cidr: '127.0.0.0/8',
  });
  expect(changed.body).toMatchObject({ description: 'Here', metadata: '', cidr: '127.0.0.0/8' });
  expect((await send('PATCH', `/ip_restrictions/${guarding}`, { enforced: false })).body.enforced).toBe(false);
  expect((await send('PATCH', `/ssh_certificate_authorities/${authority}`, {})).status).toBe(200);

  for (const path of [`/api_keys/${deployment}`, `/ssh_certificate_authorities/${authority}`]) await destroy(path);
  for (const path of [`/ip_restrictions/${guarding}`, `/ip_policy_rules/${allowing}`, `/ip_policies/${policy}`]) {
    await destroy(path);
    const gone = await send('GET', path);
    // Which it reads from the body.
    expect([gone.status, gone.body.status_code]).toEqual([404, 404]);
  }
});

describe('what the example says about the order', () => {
  test('a restriction before its rules, and rules before it, lock out the client', async () => {
    const policy = await apply('/ip_policies', {});
    const restriction = { type: 'api', enforced: true, ip_policy_ids: [policy] };
    expect((await send('POST', '/ip_restrictions', restriction)).body.error_code).toBe('LOCKOUT');
    const rule = await apply('/ip_policy_rules', { ip_policy_id: policy, cidr: '127.0.0.0/8', action: 'allow' }, [
      'ip_policy_id',
    ]);
    await apply('/ip_restrictions', restriction, ['ip_policy_ids']);
    expect((await send('DELETE', `/ip_policy_rules/${rule}`)).body.error_code).toBe('LOCKOUT');
  });

  test('one request replaces what the provider cannot, and rules keep their ids', async () => {
    const policy = await apply('/ip_policies', {});
    const rule = (cidr: string, action: string) =>
      apply('/ip_policy_rules', { ip_policy_id: policy, cidr, action }, ['ip_policy_id']);
    const ids = [await rule('127.0.0.0/8', 'allow'), await rule('192.0.2.0/24', 'deny')];
    await apply('/ip_restrictions', { type: 'api', enforced: true, ip_policy_ids: [policy] }, ['ip_policy_ids']);
    const swapped = { ip_policy_id: policy, cidr: '192.0.2.0/24', action: 'allow' };
    expect((await send('POST', '/ip_policy_rules', swapped)).body.error_code).toBe('DUPLICATE');
    const rules = [
      { cidr: '127.0.0.0/8', action: 'allow' },
      { cidr: '192.0.2.0/24', action: 'allow' },
    ];
    expect((await send('PUT', `/ip_policies/${policy}/rules`, { rules })).status).toBe(200);
    expect((await send('GET', `/ip_policy_rules/${ids[1]}`)).body).toMatchObject({ id: ids[1], action: 'allow' });
  });
});

test('the spellings of the family are taken: curves, blanks around a range, and the account as the owner of a key', async () => {
  const policy = await apply('/ip_policies', {});
  const made = await send('POST', '/ip_policy_rules', { ip_policy_id: policy, cidr: ' 10.0.0.0/8 ', action: 'allow' });
  expect([made.status, made.body.cidr]).toEqual([201, '10.0.0.0/8']);
  const curve = async (elliptic_curve: string) => {
    const { status, body } = await send('POST', '/ssh_certificate_authorities', {
      private_key_type: 'ecdsa',
      elliptic_curve,
    });
    return [status, body.key_type ?? body.error_code];
  };
  expect(await curve('P-384')).toEqual([201, 'ecdsa']);
  expect(await curve('P-999')).toEqual([400, 'INVALID_INPUT']);
  const account = (await service.graphql('{ viewer { account { id } } }')).data.viewer.account.id;
  const keyOf = async (owner_id: string) => {
    const { status, body } = await send('POST', '/api_keys', { owner_id });
    return [status, body.details?.field];
  };
  expect(await keyOf(account)).toEqual([201, undefined]);
  expect(await keyOf('usr_01h455vb4pex5vsknk084sn02q')).toEqual([400, 'owner_id']);
});

test('the example writes what the tests rely on', () => {
  const example = readFileSync('examples/terraform/main.tf', 'utf8');
  const blocks = [...example.matchAll(/^resource "(\w+)" "\w+" \{\n([\s\S]*?)^\}/gm)];
  expect(blocks.map(([, type]) => type)).toEqual([
    'ngrok_ip_policy',
    'ngrok_ip_policy_rule',
    'ngrok_ip_policy_rule',
    'ngrok_ip_restriction',
    'ngrok_ssh_certificate_authority',
    'ngrok_api_key',
  ]);
  const bodyOf = (type: string) => blocks.find(([, one]) => one === type)?.[2];
  expect(bodyOf('ngrok_ip_restriction')).toMatch(/depends_on += \[ngrok_ip_policy_rule\./);
  expect(bodyOf('ngrok_ssh_certificate_authority')).toMatch(
    /private_key_type[\s\S]*prevent_destroy = true[\s\S]*ignore_changes/,
  );
});
