// API keys on the REST surface.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteApiKeys } from '../../../src/areas/api-keys/store.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { failureOf, successOf } from '../../support/answers.ts';
import { accountOf, createClient, ownService, startService, type TestService } from '../../support/service.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

const post = async (values: object = {}) => (await service.rest('POST', '/api_keys', values)).body;

const revoked = {
  status: 401,
  code: 'UNAUTHENTICATED',
  msg: 'The API key is unknown, has expired or has been revoked.',
};

describe('POST /api_keys', () => {
  test('answers with every field of the new key, and with its token', async () => {
    service = await ownService();
    const answer = await service.rest('POST', '/api_keys', { description: 'ci', metadata: '{"a":1}' });
    expect(successOf(answer)).toEqual({
      status: 201,
      etag: '"1"',
      body: {
        id: 'ak_01m7xc4kkmepqbszdmczy3hnma',
        uri: 'https://sallyport.test/api_keys/ak_01m7xc4kkmepqbszdmczy3hnma',
        created_at: '2026-11-20T21:00:00Z',
        description: 'ci',
        metadata: '{"a":1}',
        scopes: ['write'],
        expires_at: null,
        pass_groups: [],
        pass_at: null,
        token: 'sallyport_A_ZBYcO_U_E-emlNK76XSP42M-Iu3t2mfUwfL30buV4ff13eb77',
      },
    });
  });

  test('makes a key that signs in to the same account, on both surfaces', async () => {
    service = await ownService();
    const { token } = await post();
    const policy = (await service.rest('POST', '/ip_policies', { description: 'ours' })).body;
    const client = createClient(service.url, token);
    expect((await client.rest('GET', `/ip_policies/${policy.id}`)).body).toEqual(policy);
    expect((await client.graphql('{ viewer { account { name } } }')).data).toEqual({
      viewer: { account: { name: 'default' } },
    });
  });

  test('keeps no token, only its hash', async () => {
    const { token } = await post();
    expect(service.statements.some((sql) => /^INSERT INTO "ApiKey"/.test(sql))).toBe(true);
    expect(service.statements.filter((sql) => sql.includes(token))).toEqual([]);
  });
});

describe('GET /api_keys', () => {
  test('lists all keys of the account without their tokens', async () => {
    const { token, ...shown } = await post({ description: 'second' });
    const { body } = await service.rest('GET', '/api_keys?limit=1');
    expect(body).toEqual({
      keys: [{ ...shown, token: null }],
      uri: 'https://sallyport.test/api_keys',
      next_page_uri: `https://sallyport.test/api_keys?limit=1&before_id=${shown.id}`,
    });
  });
});

describe('PATCH /api_keys/{id}', () => {
  test('does not show the token again, and keeps it working', async () => {
    const { id, token } = await post();
    const { body } = await service.rest('PATCH', `/api_keys/${id}`, { description: 'renamed' });
    expect([body.description, body.token]).toEqual(['renamed', null]);
    expect((await createClient(service.url, token).rest('GET', '/ip_policies')).status).toBe(200);
  });

  test('does not count the uses of a key as changes', async () => {
    const { id, token } = await post();
    await createClient(service.url, token).rest('GET', '/ip_policies');
    const { headers } = await service.rest('GET', `/api_keys/${id}`);
    expect(headers.get('etag')).toBe('"1"');
  });
});

describe('DELETE /api_keys/{id}', () => {
  test('ends the key at once, in the words for a key that never was', async () => {
    const { id, token } = await post();
    const client = createClient(service.url, token);
    expect((await client.rest('GET', '/ip_policies')).status).toBe(200);
    expect((await service.rest('DELETE', `/api_keys/${id}`)).status).toBe(204);
    expect(failureOf(await client.rest('GET', '/ip_policies'))).toEqual(revoked);
    expect((await client.graphql('{ viewer { account { id } } }')).status).toBe(401);
    const never = createClient(service.url, 'a key that was never made'.replaceAll(' ', '-'));
    expect(failureOf(await never.rest('GET', '/ip_policies'))).toEqual(revoked);
  });

  test('lets a key end itself only if it is forced', async () => {
    const { id, token } = await post({ description: 'own' });
    const client = createClient(service.url, token);
    expect(failureOf(await client.rest('DELETE', `/api_keys/${id}`))).toEqual({
      status: 409,
      code: 'LOCKOUT',
      msg:
        `The API key "own" is the one that this request comes with. Nothing was changed. If it is meant, repeat the change ` +
        'with force: true, on REST with the header Sallyport-Force: true, or on the command line with --force.',
    });
    expect((await client.rest('GET', '/ip_policies')).status).toBe(200);
    const forced = { 'Sallyport-Force': 'true' };
    expect((await client.rest('DELETE', `/api_keys/${id}`, undefined, forced)).status).toBe(204);
    expect(failureOf(await client.rest('DELETE', `/api_keys/${id}`))).toEqual(revoked);
  });

  test('ends the last valid key with all rights only if that is forced', async () => {
    const own = (await service.rest('GET', '/api_keys')).body.keys[0].id;
    const keeper = await post({ scopes: ['api-keys:write'] });
    const ending = await post({ scopes: ['read', 'write'], expires_at: '2026-11-20T22:00:00Z' });
    const client = createClient(service.url, keeper.token);
    expect((await client.rest('DELETE', `/api_keys/${own}`)).status).toBe(204);
    expect(failureOf(await client.rest('DELETE', `/api_keys/${ending.id}`))).toMatchObject({
      status: 409,
      code: 'LOCKOUT',
      msg: expect.stringContaining(
        `The API key without description (${ending.id}) is the last valid one of the account with all rights: without it, only the operator of the server`,
      ),
    });
    const force = '($id: ID!) { deleteApiKey(input: { id: $id, force: true }) { deletedId } }';
    expect((await client.graphql(`mutation ${force}`, { id: ending.id })).data).toEqual({
      deleteApiKey: { deletedId: ending.id },
    });
  });

  test('ends one of two keys with all rights that end each other at once', async () => {
    const first = (await service.rest('GET', '/api_keys')).body.keys[0].id;
    const second = (await post()).id;
    // Below the surfaces, where both are there until the other is to be ended.
    const scope = service.storage.actingFor(await accountOf(service), commandLine);
    const endings = await Promise.allSettled([
      deleteApiKeys(scope, [{ id: first }], { own: second }),
      deleteApiKeys(scope, [{ id: second }], { own: first }),
    ]);
    const refused = endings.flatMap((ending) => (ending.status === 'rejected' ? [ending.reason] : []));
    expect(refused).toEqual([expect.objectContaining({ code: 'LOCKOUT' })]);
  });

  test('leaves a key working that it could not end', async () => {
    const { id, token } = await post();
    const answer = await service.rest('DELETE', `/api_keys/${id}`, undefined, { 'If-Match': '"9"' });
    expect(answer.status).toBe(412);
    expect((await createClient(service.url, token).rest('GET', '/ip_policies')).status).toBe(200);
  });
});
