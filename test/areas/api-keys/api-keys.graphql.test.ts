// API keys in GraphQL, and the account that a request acts for.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { createClient, ownService, startService, type TestService } from '../../support/service.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

const post = async (values: object = {}) => (await service.rest('POST', '/api_keys', values)).body;

describe('apiKey', () => {
  test('never shows a token, neither by its id, nor as a node, nor in a list', async () => {
    const { id } = await post();
    const query = `{
      apiKey(id: "${id}") { token }
      node(id: "${id}") { __typename ... on ApiKey { token } }
      apiKeys(first: 1) { nodes { token } }
    }`;
    expect(dataOf(await service.graphql(query))).toEqual({
      apiKey: { token: null },
      node: { __typename: 'ApiKey', token: null },
      apiKeys: { nodes: [{ token: null }] },
    });
  });

  test('has no field for the hash of the token', async () => {
    const { data, errors } = await service.graphql('{ viewer { apiKey { tokenHash } } }');
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_INVALID' } }]);
  });

  test('tells when the key was last used, once that has been written down', async () => {
    const { id, token } = await post();
    const lastUsedAt = async () => dataOf(await service.graphql(`{ apiKey(id: "${id}") { lastUsedAt } }`)).apiKey;
    expect(await lastUsedAt()).toEqual({ lastUsedAt: null });
    service.setTime(new Date('2026-12-24T18:00:00Z'));
    await createClient(service.url, token).rest('GET', '/ip_policies');
    await service.storage.credentials.flush();
    expect(await lastUsedAt()).toEqual({ lastUsedAt: '2026-12-24T18:00:00Z' });
  });
});

test('deleteApiKeys revokes all of them at once, or none if that would leave no way in', async () => {
  const own = dataOf(await service.graphql('{ viewer { apiKey { id } } }')).viewer.apiKey.id;
  const keys = [await post(), await post({ scopes: ['read'] })];
  const revoke = (ids: string[], force = false) =>
    service.graphql('mutation ($input: DeleteApiKeysInput!) { deleteApiKeys(input: $input) { deletedIds } }', {
      input: { objects: ids.map((id) => ({ id, expectedVersion: 1 })), force },
    });
  const statuses = async () =>
    Promise.all(
      keys.map(async ({ token }) => (await createClient(service.url, token).rest('GET', '/ip_policies')).status),
    );
  const ids = keys.map(({ id }) => id);
  expect((await revoke([...ids, own])).errors).toMatchObject([{ extensions: { code: 'LOCKOUT' } }]);
  expect(await statuses()).toEqual([200, 200]);
  expect(dataOf(await revoke(ids)).deleteApiKeys).toEqual({ deletedIds: ids });
  expect(await statuses()).toEqual([401, 401]);
});

describe('viewer', () => {
  test('tells the account and the key that the request acts for', async () => {
    service = await ownService();
    const query = '{ viewer { account { name createdAt } apiKey { description token } } }';
    const stranger = await service.otherAccount('other');
    expect(dataOf(await service.graphql(query))).toEqual({
      viewer: {
        account: { name: 'default', createdAt: '2026-11-20T21:00:00Z' },
        apiKey: { description: 'key of default', token: null },
      },
    });
    expect(dataOf(await stranger.graphql(query))).toEqual({
      viewer: {
        account: { name: 'other', createdAt: '2026-11-20T21:00:00Z' },
        apiKey: { description: 'key of other', token: null },
      },
    });
  });
});
