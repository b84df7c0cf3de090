// Requests with an `Idempotency-Key`: what is sent again happens once.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, startService, type TestService } from '../support/service.ts';

let shared: TestService;
let service: TestService;

beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});
afterAll(async () => {
  expect(shared.failures).toEqual([]);
  await shared.close();
});

/** Sends a GraphQL request with a key. */
async function graphql(key: string, query: string, variables: object = {}, { token }: Client = service) {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify({ query, variables }),
  });
  return {
    status: response.status,
    replayed: response.headers.get('idempotency-replayed'),
    text: await response.text(),
  };
}

const create = (key: string, body: object = { description: 'office' }, client: Client = service) =>
  client.rest('POST', '/ip_policies', body, { 'Idempotency-Key': key });
const policies = async (client: Client = service) => (await client.rest('GET', '/ip_policies')).body.ip_policies;
const events = async (client: Client = service) => (await client.rest('GET', '/audit_events')).body.audit_events;

describe('a request that is repeated', () => {
  test('gets the first answer, and makes nothing', async () => {
    const first = await create('k');
    const again = await create('k');
    expect([first.status, first.headers.get('etag'), first.headers.get('idempotency-replayed')]).toEqual([
      201,
      '"1"',
      null,
    ]);
    expect([again.status, again.headers.get('etag'), again.headers.get('idempotency-replayed')]).toEqual([
      201,
      '"1"',
      'true',
    ]);
    expect(again.body).toEqual(first.body);
    expect(await policies()).toEqual([first.body]);
    expect(await events()).toHaveLength(2);
  });

  test('gets it on GraphQL, byte for byte', async () => {
    const document = 'mutation { createIpPolicy(input: {description: "a"}) { ipPolicy { id version } } }';
    const first = await graphql('k', document);
    expect(await graphql('k', document)).toEqual({ ...first, replayed: 'true' });
    expect(first).toMatchObject({ status: 200, replayed: null });
    expect(await policies()).toHaveLength(1);
  });
});
