// Keys with limited scopes or an expiry.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiKeyUpkeep } from '../../../src/areas/api-keys/upkeep.ts';
import { keyScopes } from '../../../src/domain/access/key-scopes.ts';
import { examine } from '../../../src/storage/lifecycle/health.ts';
import { dataOf, errorOf, failureOf, invalidField } from '../../support/answers.ts';
import { execute } from '../../support/database.ts';
import { createClient, ofOneServer, ownService, startService, type TestService } from '../../support/service.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

/** Creates a key and returns the answer's fields with a client that uses the key. */
async function keyWith(values: object, maker: Pick<TestService, 'rest'> = service) {
  const { status, body } = await maker.rest('POST', '/api_keys', values);
  expect(status).toBe(201);
  return { ...body, client: createClient(service.url, body.token) };
}

const createKey =
  'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { scopes expiresAt } } }';
const unknown = {
  status: 401,
  code: 'UNAUTHENTICATED',
  msg: 'The API key is unknown, has expired or has been revoked.',
};

describe('a new key', () => {
  test('may do everything, for ever, unless it is made for less', async () => {
    expect(await keyWith({})).toMatchObject({ scopes: ['write'], expires_at: null });
    // Existing clients send these for fields that are not set.
    expect(await keyWith({ scopes: [], expires_at: '' })).toMatchObject({ scopes: ['write'], expires_at: null });
    expect(await keyWith({ scopes: null, expires_at: {} })).toMatchObject({ scopes: ['write'], expires_at: null });
    expect(dataOf(await service.graphql(createKey, { input: {} }))).toEqual({
      createApiKey: { apiKey: { scopes: ['write'], expiresAt: null } },
    });
  });

  test('shows its scopes in one order and its end in UTC, on both surfaces and for ever', async () => {
    service = await ownService();
    const values = { scopes: ['ssh:write', 'read', 'ssh:write'], expires_at: '2027-05-31T02:00:00.9+02:00' };
    const shown = { scopes: ['read', 'ssh:write'], expires_at: '2027-05-31T00:00:00Z' };
    const { id, client } = await keyWith(values);
    expect((await service.rest('GET', `/api_keys/${id}`)).body).toMatchObject(shown);
    expect((await service.rest('PATCH', `/api_keys/${id}`, { description: 'new' })).body).toMatchObject(shown);
    const asked = '{ viewer { account { name } apiKey { id scopes expiresAt } } }';
    expect(dataOf(await client.graphql(asked)).viewer).toEqual({
      account: { name: 'default' },
      apiKey: { id, scopes: shown.scopes, expiresAt: shown.expires_at },
    });
  });

  test('has scopes that there are, and an end that is to come', async () => {
    const post = async (values: object) => failureOf(await service.rest('POST', '/api_keys', values));
    const known = `must be one of: ${keyScopes.join(', ')}.`;
    expect(await post({ scopes: ['read', 'edges:read'] })).toEqual(invalidField('scopes[1]', known));
    expect(await post({ scopes: ['doors'] })).toEqual(invalidField('scopes[0]', known));
    expect(await post({ expires_at: '2026-11-20T21:00:00Z' })).toEqual(
      invalidField('expires_at', 'must be in the future.'),
    );
    expect((await post({ expires_at: 'tomorrow' })).code).toBe('INVALID_INPUT');
    const ask = async (input: object) => errorOf(await service.graphql(createKey, { input }));
    expect(await ask({ scopes: ['ssh'] })).toEqual({
      code: 'INVALID_INPUT',
      field: 'scopes[0]',
      message: `scopes[0]: ${known}`,
    });
    expect((await ask({ scopes: [] }))?.message).toBe(
      'scopes: must not be empty: a key without scopes could do nothing.',
    );
    expect((await ask({ scopes: Array(keyScopes.length + 1).fill('read') }))?.code).toBe('INVALID_INPUT');
  });

  test('is never changed into another', async () => {
    const { id } = await keyWith({ scopes: ['read'] });
    for (const [field, value] of Object.entries({ scopes: ['write'], expires_at: '2030-01-01T00:00:00Z' })) {
      expect(failureOf(await service.rest('PATCH', `/api_keys/${id}`, { [field]: value }))).toEqual(
        invalidField(field, 'can be set only on create. Leave it out, or create a new object.', 'READ_ONLY_FIELD'),
      );
    }
  });
});

test('a key that may change keys revokes stronger ones, alone and together', async () => {
  const { client } = await keyWith({ scopes: ['api-keys:write'] });
  const [one, other] = [await keyWith({}), await keyWith({})];
  expect((await client.rest('DELETE', `/api_keys/${one.id}`)).status).toBe(204);
  const together = 'mutation ($id: ID!) { deleteApiKeys(input: { objects: [{ id: $id }] }) { deletedIds } }';
  expect(dataOf(await client.graphql(together, { id: other.id }))).toEqual({
    deleteApiKeys: { deletedIds: [other.id] },
  });
});

describe('a key that makes a key', () => {
  test('gives what it has itself, unless told otherwise', async () => {
    const values = { scopes: ['api-keys:write', 'ssh:read'], expires_at: '2027-01-01T00:00:00Z' };
    const { client } = await keyWith(values);
    expect(await keyWith({}, client)).toMatchObject(values);
    const less = { scopes: ['ssh:read'], expires_at: '2026-12-31T23:59:59Z' };
    expect(await keyWith(less, client)).toMatchObject(less);
  });

  test('gives no scope that it lacks', async () => {
    const { client } = await keyWith({ scopes: ['api-keys:write', 'read'] });
    const refused = (missing: string) => ({
      status: 403,
      code: 'FORBIDDEN',
      field: 'scopes',
      msg: `scopes: must be within those of the key that makes it, which lacks ${missing}.`,
    });
    const post = async (scopes: string[]) => failureOf(await client.rest('POST', '/api_keys', { scopes }));
    expect(await post(['write'])).toEqual(refused('write'));
    expect(await post(['ssh:read', 'ssh:write', 'tls-edges:write'])).toEqual(refused('ssh:write, tls-edges:write'));
    expect((await keyWith({ scopes: ['ssh:read'] }, client)).scopes).toEqual(['ssh:read']);
    expect((await keyWith({ scopes: ['api-keys:read', 'read'] }, client)).scopes).toEqual(['read', 'api-keys:read']);
  });

  test('gives no longer life than its own', async () => {
    const { client } = await keyWith({ expires_at: '2027-01-01T00:00:00Z' });
    const late = await client.rest('POST', '/api_keys', { expires_at: '2027-01-01T00:00:01Z' });
    expect(failureOf(late)).toEqual({
      status: 403,
      code: 'FORBIDDEN',
      field: 'expires_at',
      msg: 'expires_at: must not be later than that of the key that makes it, 2027-01-01T00:00:00Z.',
    });
    expect(await keyWith({ expires_at: '2027-01-01T00:00:00Z' }, client)).toMatchObject({ scopes: ['write'] });
    const { totalCount } = dataOf(await service.graphql('{ apiKeys { totalCount } }')).apiKeys;
    expect(totalCount).toBe(3);
  });
});

describe('a key that ends', () => {
  test('ends at its time, however recently it was used', async () => {
    const { id, client } = await keyWith({ expires_at: '2026-12-01T00:00:00Z' });
    service.setTime(new Date('2026-11-30T23:59:59.999Z'));
    expect((await client.rest('GET', '/ip_policies')).status).toBe(200);
    service.setTime(new Date('2026-12-01T00:00:00Z'));
    expect(failureOf(await client.rest('GET', '/ip_policies'))).toEqual(unknown);
    const { status, errors } = await client.graphql('{ viewer { apiKey { id } } }');
    expect([status, errors?.[0]?.extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
    // Other keys still see it until it is deleted.
    expect((await service.rest('GET', `/api_keys/${id}`)).body.expires_at).toBe('2026-12-01T00:00:00Z');
    expect((await service.rest('DELETE', `/api_keys/${id}`)).status).toBe(204);
  });

  test('says so in its last 14 days, in every answer on both surfaces', async () => {
    const { token, client } = await keyWith({ scopes: ['ssh:read'], expires_at: '2026-12-15T00:00:00Z' });
    const headers = async () => {
      const ok = await client.rest('GET', '/ssh_host_certificates');
      const refused = await client.rest('GET', '/ip_policies');
      const graphql = await fetch(`${service.url}/graphql?query={__typename}`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect([ok.status, refused.status, graphql.status]).toEqual([200, 403, 200]);
      return [ok, refused, graphql].map((answer) => answer.headers.get('sallyport-key-expires'));
    };
    service.setTime(new Date('2026-11-30T23:59:59Z'));
    expect(await headers()).toEqual([null, null, null]);
    service.setTime(new Date('2026-12-01T00:00:00Z'));
    expect(await headers()).toEqual(Array(3).fill('2026-12-15T00:00:00Z'));
    expect((await service.rest('GET', '/ip_policies')).headers.get('sallyport-key-expires')).toBeNull();
  });

  test('is a line of doctor in its last 14 days', async () => {
    service = await ownService();
    const check = async (time: string) => {
      const areaChecks = (database: Parameters<NonNullable<typeof apiKeyUpkeep.check>>[0]) =>
        apiKeyUpkeep.check?.(database, new Date(time)) ?? Promise.resolve([]);
      return (await examine(service.database.engine, new Date(), areaChecks)).areaChecks;
    };
    const none = { name: 'api keys', level: 'ok', message: 'No API key expires within 14 days.', remedy: null };
    const ends = ['2026-12-15T00:00:00Z', '2026-12-16T12:00:00Z', '2026-12-17T00:00:00Z'];
    await Promise.all(
      ends.map((expires_at) => keyWith({ expires_at, description: `until ${expires_at.slice(0, 10)}` })),
    );
    expect(await check('2026-11-30T23:59:59Z')).toEqual([none]);
    expect(await check('2026-12-02T12:00:00Z')).toEqual([
      {
        name: 'api keys',
        level: 'warn',
        message: '2 API keys expiring within 14 days: "until 2026-12-15" in 12 days, "until 2026-12-16" in 14 days.',
        remedy: 'Make new ones, and give them to those who use these.',
      },
    ]);
    expect(await check('2026-12-17T00:00:00Z')).toEqual([none]);
  });
});

describe('a request', () => {
  test('costs no statement for what its key may do', async () => {
    const one = ofOneServer(service);
    const { token } = await keyWith({ scopes: ['ip-policies:read'], expires_at: '2026-12-01T00:00:00Z' });
    const client = createClient(one.url, token);
    const before = service.statements.length;
    expect((await client.rest('GET', '/ip_policies')).status).toBe(200);
    expect((await client.rest('GET', '/ip_restrictions')).status).toBe(403);
    // The refusal is recorded later.
    const ofKeys = service.statements
      .slice(before)
      .filter((statement) => /\bApiKey\b/.test(statement) && !statement.startsWith('INSERT INTO "AuditEvent"'));
    expect(ofKeys.length).toBeGreaterThan(0);
    // The only read of keys is the lookup of the token, whose result is then trusted for a while.
    expect(ofKeys.filter((statement) => !/WHERE\b.*\btokenHash\b/.test(statement))).toEqual([]);
  });

  test('may do nothing by scopes that this program does not know', async () => {
    const { id, client } = await keyWith({});
    await execute(service.database, `UPDATE "ApiKey" SET "scopes" = 'everything ssh:sign' WHERE "id" = '${id}'`);
    expect(failureOf(await client.rest('GET', '/ip_policies'))).toEqual({
      status: 403,
      code: 'FORBIDDEN',
      msg: 'The API key lacks "ip-policies:read"; it has none.',
    });
    expect(dataOf(await client.graphql('{ viewer { apiKey { scopes } } }')).viewer.apiKey.scopes).toEqual([]);
  });
});
