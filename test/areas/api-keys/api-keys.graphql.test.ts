// API keys in GraphQL, and the account that a request acts for.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
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

const mutate = (name: string, input: object, selection: string) => {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  return service.graphql(`mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`, { input });
};

describe('createApiKey', () => {
  test('answers with every field of the new key, and with a token that works', async () => {
    service = await ownService();
    const selection = 'apiKey { __typename id uri createdAt description metadata version lastUsedAt token }';
    const { createApiKey } = dataOf(await mutate('createApiKey', { description: 'ci', metadata: '{}' }, selection));
    expect(createApiKey.apiKey).toEqual({
      __typename: 'ApiKey',
      id: 'ak_01m7xc4kkmepqbszdmczy3hnma',
      uri: 'https://sallyport.test/api_keys/ak_01m7xc4kkmepqbszdmczy3hnma',
      createdAt: '2026-11-20T21:00:00Z',
      description: 'ci',
      metadata: '{}',
      version: 1,
      lastUsedAt: null,
      token: 'sallyport_A_ZBYcO_U_E-emlNK76XSP42M-Iu3t2mfUwfL30buV4ff13eb77',
    });
    const client = createClient(service.url, createApiKey.apiKey.token);
    expect(dataOf(await client.graphql('{ viewer { apiKey { id } } }'))).toEqual({
      viewer: { apiKey: { id: createApiKey.apiKey.id } },
    });
  });
});

describe('updateApiKey', () => {
  test('changes the notes, keeps what is left out, and does not show the token', async () => {
    const { id } = await post({ description: 'a', metadata: 'b' });
    const selection = 'apiKey { description metadata version token }';
    expect(dataOf(await mutate('updateApiKey', { id, description: 'new' }, selection))).toEqual({
      updateApiKey: { apiKey: { description: 'new', metadata: 'b', version: 2, token: null } },
    });
    expect(errorOf(await mutate('updateApiKey', { id, metadata: 'c', expectedVersion: 1 }, selection))).toMatchObject({
      code: 'VERSION_CONFLICT',
    });
  });
});

describe('deleteApiKey', () => {
  test('ends the key at once', async () => {
    const { id, token } = await post();
    const client = createClient(service.url, token);
    expect((await client.graphql('{ viewer { apiKey { id } } }')).status).toBe(200);
    expect(dataOf(await mutate('deleteApiKey', { id }, 'deletedId'))).toEqual({ deleteApiKey: { deletedId: id } });
    expect(await client.graphql('{ viewer { apiKey { id } } }')).toMatchObject({
      status: 401,
      errors: [
        {
          message: 'The API key is unknown, has expired or has been revoked.',
          extensions: { code: 'UNAUTHENTICATED' },
        },
      ],
    });
    expect(errorOf(await mutate('deleteApiKey', { id }, 'deletedId'))).toEqual({
      code: 'NOT_FOUND',
      message: 'No such object in this account.',
    });
  });
});

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
