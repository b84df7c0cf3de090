// Rate limits: how much a key may request in a window, and how many requests of an account may be in flight.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { RateLimit } from '../../src/domain/concurrency/rate-limit.ts';
import { checkExchange } from '../support/openapi.ts';
import { makeTeamProvider, signInPerson } from '../support/people.ts';
import { accountOf, startService, type TestService } from '../support/service.ts';

let service: TestService;
let elapsedMs = 0;
afterEach(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

const start = async (rateLimit: RateLimit | null) => {
  elapsedMs = 0;
  service = await startService({ rateLimit, monotonicMs: () => elapsedMs });
};
const setSeconds = (seconds: number) => {
  elapsedMs = seconds * 1000;
};

/** Sends a request; returns the limits in the answer, with its status and code. */
async function ask(path: string, { query = '', token = service.token } = {}) {
  const response = await fetch(`${service.url}${path}`, {
    method: query === '' ? 'GET' : 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Service-Version': '2',
      ...(query === '' ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(query === '' ? {} : { body: JSON.stringify({ query }) }),
  });
  const text = await response.text();
  const body = JSON.parse(text);
  if (query === '') checkExchange({ method: 'GET', path, status: response.status, headers: response.headers, body });
  return {
    status: response.status,
    policy: response.headers.get('ratelimit-policy'),
    limit: response.headers.get('ratelimit'),
    retryAfter: response.headers.get('retry-after'),
    code: body.error_code ?? body.errors?.[0].extensions.code,
    message: body.msg ?? body.errors?.[0].message,
  };
}
const graphql = (query: string, token?: string) =>
  ask('/graphql', { query, ...(token === undefined ? {} : { token }) });

describe('a rate limit', () => {
  test('is told by every answer, and by nothing where there is none', async () => {
    await start({ quota: 10, seconds: 60 });
    expect(await ask('/ip_policies')).toEqual({
      status: 200,
      policy: '"api-key";q=10;w=60',
      limit: '"api-key";r=9;t=6',
      retryAfter: null,
      code: undefined,
      message: undefined,
    });
    expect(await ask('/ip_policies/ipp_unknown')).toMatchObject({ status: 404, limit: '"api-key";r=8;t=12' });
    expect(await graphql('{ viewer { account { id } } }')).toMatchObject({ status: 200, limit: '"api-key";r=7;t=18' });
    expect(await graphql('{ viewer }')).toMatchObject({
      status: 200,
      code: 'GRAPHQL_INVALID',
      limit: '"api-key";r=6;t=24',
    });
    await service.close();
    await start(null);
    expect(await ask('/ip_policies')).toMatchObject({ status: 200, policy: null, limit: null });
  });

  test('is that of a person, in all sessions together', async () => {
    await start({ quota: 2, seconds: 60 });
    const accountId = await accountOf(service);
    const provider = await makeTeamProvider(service, accountId);
    const sessions = [
      await signInPerson(service, accountId, provider, 'Amy', 'owner'),
      await signInPerson(service, accountId, provider, 'Amy', 'owner'),
    ];
    const answers = [];
    for (const session of [...sessions, ...sessions])
      answers.push(await session.graphql('{ viewer { account { id } } }'));
    expect(answers.map(({ errors }) => errors?.[0]?.message)).toEqual([
      undefined,
      undefined,
      'You may send 2 requests in 60 seconds. Send the next one in 30 seconds.',
      'You may send 2 requests in 60 seconds. Send the next one in 30 seconds.',
    ]);
  });

  test('refuses on both surfaces what is beyond it, until there is room again', async () => {
    await start({ quota: 2, seconds: 60 });
    expect(await ask('/ip_policies')).toMatchObject({ status: 200, limit: '"api-key";r=1;t=30' });
    expect(await graphql('{ viewer { account { id } } }')).toMatchObject({ status: 200, limit: '"api-key";r=0;t=60' });
    const refused = {
      status: 429,
      policy: '"api-key";q=2;w=60',
      limit: '"api-key";r=0;t=60',
      retryAfter: '30',
      code: 'TOO_MANY_REQUESTS',
      message: 'The API key may send 2 requests in 60 seconds. Send the next one in 30 seconds.',
    };
    expect(await ask('/ip_policies')).toEqual(refused);
    expect(await graphql('{ viewer { account { id } } }')).toEqual(refused);
    setSeconds(29);
    expect(await ask('/ip_policies')).toMatchObject({ status: 429, retryAfter: '1' });
    setSeconds(30);
    expect(await ask('/ip_policies')).toMatchObject({ status: 200, limit: '"api-key";r=0;t=60' });
    setSeconds(1_000);
    expect(await ask('/ip_policies')).toMatchObject({ status: 200, limit: '"api-key";r=1;t=30' });
  });

  test('does nothing of a request that it refuses', async () => {
    await start({ quota: 1, seconds: 60 });
    const create = 'mutation { createIpPolicy(input: { description: "x" }) { ipPolicy { id } } }';
    expect(await graphql(create)).toMatchObject({ status: 200 });
    expect(await graphql(create)).toMatchObject({ status: 429 });
    setSeconds(60);
    const { body } = await service.rest('GET', '/ip_policies');
    expect(body.ip_policies).toHaveLength(1);
  });

  test('holds for each key on its own', async () => {
    await start({ quota: 2, seconds: 60 });
    const { body } = await service.rest('POST', '/api_keys', { description: 'another' });
    expect(await ask('/ip_policies')).toMatchObject({ status: 200 });
    expect(await ask('/ip_policies')).toMatchObject({ status: 429 });
    expect(await ask('/ip_policies', { token: body.token })).toMatchObject({ status: 200 });
    const other = await service.otherAccount('other');
    expect(await ask('/ip_policies', { token: other.token })).toMatchObject({
      status: 200,
      limit: '"api-key";r=1;t=30',
    });
  });

  test('counts each field at the top of a document, by whatever name and fragment, and what it costs', async () => {
    await start({ quota: 100, seconds: 100 });
    const left = async (query: string) => (await graphql(query)).limit;
    expect(await left('{ viewer { account { id } } }')).toBe('"api-key";r=99;t=1');
    expect(
      await left('{ a: viewer { account { id } } b: viewer { account { id } } c: viewer { account { id } } }'),
    ).toBe('"api-key";r=96;t=4');
    expect(
      await left(
        'fragment F on Query { a: viewer { account { id } } b: viewer { account { id } } } { ...F viewer { account { id } } }',
      ),
    ).toBe('"api-key";r=93;t=7');
    const creations = Array.from({ length: 5 }, (_, n) => `p${n}: createIpPolicy(input: {}) { ipPolicy { id } }`);
    expect(await left(`mutation { ${creations.join(' ')} }`)).toBe('"api-key";r=88;t=12');
    // One unit, and 23 for the cost of its estimate. The same on REST.
    expect(await ask('/edges/https')).toMatchObject({ limit: '"api-key";r=64;t=36' });
  });

  test('charges a change for what it makes, the same on both surfaces', async () => {
    await start({ quota: 100, seconds: 100 });
    const path = '/ssh_certificate_authorities';
    const overRest = async (body: object) => {
      const { status, headers } = await service.rest('POST', path, body);
      expect(status).toBe(201);
      return headers.get('ratelimit');
    };
    const overGraphql = async (input: string) => {
      const { status, code, limit } = await graphql(
        `mutation { createSshCertificateAuthority(input: ${input}) { sshCertificateAuthority { id } } }`,
      );
      expect([status, code]).toEqual([200, undefined]);
      return limit;
    };
    expect(await overRest({})).toBe('"api-key";r=99;t=1');
    expect(await overGraphql('{}')).toBe('"api-key";r=98;t=2');
    // An RSA key costs 25,000: five units more.
    expect(await overRest({ private_key_type: 'rsa', key_size: 2048 })).toBe('"api-key";r=92;t=8');
    expect(await overGraphql('{ privateKeyType: rsa, keySize: 2048 }')).toBe('"api-key";r=86;t=14');
  });

  test('answers a document that costs more than is left, after which the key waits, but never for more than two windows', async () => {
    await start({ quota: 10, seconds: 60 });
    expect(await ask('/edges/https')).toMatchObject({ status: 200, limit: '"api-key";r=0;t=120' });
    expect(await ask('/ip_policies')).toMatchObject({ status: 429, retryAfter: '66', limit: '"api-key";r=0;t=120' });
    setSeconds(66);
    expect(await ask('/edges/https')).toMatchObject({ status: 200, limit: '"api-key";r=0;t=120' });
  });

  test('counts no request whose key is unknown', async () => {
    await start({ quota: 1, seconds: 60 });
    for (const _ of [1, 2, 3]) {
      expect(await ask('/ip_policies', { token: 'unknown' })).toMatchObject({ status: 401, limit: null });
    }
  });
});

test('at most a thousand requests of an account are under way, and those of another account are answered meanwhile', async () => {
  await start(null);
  const { port } = new URL(service.url);
  // Each waits for a body that never arrives.
  const head =
    `POST /ip_policies HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nService-Version: 2\r\n` +
    'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n';
  const waiting: Socket[] = [];
  // In small batches: connections beyond the system's backlog would be retried only after seconds.
  while (waiting.length < 1_000) {
    const sockets = Array.from({ length: 50 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets) socket.write(head);
    waiting.push(...sockets);
  }
  await expect.poll(async () => (await ask('/ip_policies')).status).toBe(429);
  expect(await ask('/ip_policies')).toMatchObject({
    status: 429,
    retryAfter: '2',
    code: 'TOO_MANY_REQUESTS',
    message:
      'The account has 1000 requests under way, the most that it may have. Wait for their answers before you send more.',
  });
  expect(await graphql('{ viewer { account { id } } }')).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' });
  const other = await service.otherAccount('other');
  expect(await ask('/ip_policies', { token: other.token })).toMatchObject({ status: 200 });
  // One that is answered and one whose client leaves make room for two.
  const [answered, left, ...others] = waiting as [Socket, Socket, ...Socket[]]; // there are a thousand
  answered.write('{}');
  left.destroy();
  await expect.poll(async () => (await ask('/ip_policies')).status).toBe(200);
  for (const socket of [answered, ...others]) socket.destroy();
});
