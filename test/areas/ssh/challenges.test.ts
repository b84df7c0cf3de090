// Challenges, and requests without an API key: whose they are, and what they count against.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../src/storage/sql/statement.ts';
import { hostKey } from '../../support/host-key.ts';
import { ofOneServer, startService, type TestService } from '../../support/service.ts';

let service: TestService;
let id: string;
beforeAll(async () => {
  service = await startService();
  const authority = (await service.rest('POST', '/ssh_certificate_authorities', {})).body.id;
  const body = { ssh_certificate_authority_id: authority, public_key: hostKey, principals: ['db1.example.com'] };
  id = (await service.rest('POST', '/ssh_host_certificates', body)).body.id;
});

/** Sends a request without an API key. */
async function send(body: unknown, headers: Record<string, string> = {}, of: { url: string } = service) {
  const response = await fetch(`${of.url}/ssh_challenges`, {
    method: 'POST',
    headers: { 'Service-Version': '2', 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  // Every answer of the server has this form.
  const answered = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, body: answered };
}

test('a challenge says whose it is, for which service and until when, and no two are the same', async () => {
  const first = await send({ ssh_host_certificate_id: id });
  const second = await send({ ssh_host_certificate_id: id });
  const text = new RegExp(`^sallyport-challenge-v1 https://sallyport\\.test ${id} 2026-11-20T21:05:00Z [\\w-]{64}$`);
  for (const { status, body } of [first, second]) {
    expect([status, body]).toEqual([
      201,
      { challenge: expect.stringMatching(text), expires_at: '2026-11-20T21:05:00Z' },
    ]);
  }
  expect(first.body.challenge).not.toBe(second.body.challenge);
});

test('it is the same by GraphQL, for any API key', async () => {
  const { body: key } = await service.rest('POST', '/api_keys', { scopes: ['ip-policies:read'] });
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: `{ sshChallenge(sshHostCertificateId: "${id}") { challenge expiresAt } }` }),
  });
  expect(await response.json()).toEqual({
    data: {
      sshChallenge: {
        challenge: expect.stringContaining(` ${id} 2026-11-20T21:05:00Z `),
        expiresAt: '2026-11-20T21:05:00Z',
      },
    },
  });
});

test('the certificate of another account is as one that never was', async () => {
  const stranger = await service.otherAccount('stranger');
  const ask = async (of: string) => {
    const { status, body } = await stranger.rest('POST', '/ssh_challenges', { ssh_host_certificate_id: of });
    return [status, body.error_code, body.msg];
  };
  expect(await ask(id)).toEqual([404, 'NOT_FOUND', 'No such object in this account.']);
  expect(await ask(`shcrt_${'0'.repeat(26)}`)).toEqual(await ask(id));
});

test('to ask for challenges stores nothing', async () => {
  const before = service.statements.length;
  for (let count = 0; count < 5; count += 1) await send({ ssh_host_certificate_id: id });
  expect(service.statements.slice(before).filter((sql) => !/^\s*(SELECT|BEGIN|COMMIT)/i.test(sql))).toEqual([]);
});

describe('without an API key', () => {
  test.each<[string, unknown, number, string, string]>([
    [
      'nothing said',
      {},
      401,
      'UNAUTHENTICATED',
      'Send `ssh_host_certificate_id` or `token` as text, or an API key as "Authorization: Bearer <API key>".',
    ],
    [
      'what is no text',
      { ssh_host_certificate_id: 7 },
      401,
      'UNAUTHENTICATED',
      'Send `ssh_host_certificate_id` or `token` as text, or an API key as "Authorization: Bearer <API key>".',
    ],
    [
      'a certificate that is not there',
      { ssh_host_certificate_id: `shcrt_${'0'.repeat(26)}` },
      404,
      'NOT_FOUND',
      'No such object in this account.',
    ],
    ['something else', { ssh_host_certificate_id: 'x' }, 404, 'NOT_FOUND', 'No such object in this account.'],
    [
      'an unknown token',
      { token: 'sshet_unknown' },
      401,
      'UNAUTHENTICATED',
      'The enrollment token is unknown or was deleted.',
    ],
  ])('%s is answered with what is missing', async (_name, body, status, code, msg) => {
    const answer = await send(body);
    expect([answer.status, answer.body]).toEqual([
      status,
      {
        error_code: code,
        status_code: status,
        msg,
        details: { operation_id: answer.headers.get('X-Request-Id') },
      },
    ]);
  });

  test('both a certificate and a token, and an unknown field, are refused as by any route', async () => {
    expect((await send({ ssh_host_certificate_id: id, token: 'sshet_x' })).body).toMatchObject({
      error_code: 'INVALID_INPUT',
      msg: 'ssh_host_certificate_id: must be given if there is no `token`, and omitted if there is one.',
    });
    expect((await send({ ssh_host_certificate_id: id, color: 'red' })).body).toMatchObject({
      error_code: 'UNKNOWN_FIELD',
      details: { field: 'color' },
    });
  });

  test('the version header is needed as on every route', async () => {
    expect((await send({ ssh_host_certificate_id: id }, { 'Service-Version': '1' })).body).toMatchObject({
      error_code: 'UNSUPPORTED_VERSION',
    });
  });

  test('a wrong API key is refused, and not taken for none', async () => {
    expect((await send({ ssh_host_certificate_id: id }, { Authorization: 'Bearer nonsense' })).body).toMatchObject({
      error_code: 'UNAUTHENTICATED',
      msg: 'The API key is unknown, has expired or has been revoked.',
    });
  });

  test('all other routes need one', async () => {
    const response = await fetch(`${service.url}/ssh_host_certificates/${id}`, { headers: { 'Service-Version': '2' } });
    expect([response.status, await response.json()]).toMatchObject([401, { error_code: 'UNAUTHENTICATED' }]);
  });

  test('enforced IP restrictions of type `api` count, and what they refuse is in the trail', async () => {
    const own = await service.asNewAccount();
    const authority = (await own.rest('POST', '/ssh_certificate_authorities', {})).body.id;
    const certificate = (
      await own.rest('POST', '/ssh_host_certificates', {
        ssh_certificate_authority_id: authority,
        public_key: hostKey,
        description: 'db1',
      })
    ).body.id;
    const policy = (await own.rest('POST', '/ip_policies', {})).body.id;
    const shut = { type: 'api', enforced: true, ip_policy_ids: [policy] };
    const restriction = await own.rest('POST', '/ip_restrictions', shut, { 'Sallyport-Force': 'true' });
    expect(restriction.status).toBe(201);
    expect((await send({ ssh_host_certificate_id: certificate })).body).toMatchObject({ error_code: 'IP_RESTRICTED' });
    await service.storage.refusals.settled();
    // Read directly, because the account's restriction refuses requests to its API.
    const events = await service.storage.server.rows(
      sql`SELECT "actorDescription", "state" FROM "AuditEvent" WHERE "actor" = ${certificate}`,
    );
    const state = '{"code":"IP_RESTRICTED","asked":"POST /ssh_challenges","reason":null,"leftOut":0}';
    expect(events).toEqual([['db1', state]]);
  });
});

describe('the rate limit of a network', () => {
  let limited: TestService;
  let certificate: string;
  beforeAll(async () => {
    limited = ofOneServer(await startService({ rateLimit: { quota: 4, seconds: 60 }, monotonicMs: () => 0 }));
    const authority = (await limited.rest('POST', '/ssh_certificate_authorities', {})).body.id;
    certificate = (
      await limited.rest('POST', '/ssh_host_certificates', {
        ssh_certificate_authority_id: authority,
        public_key: hostKey,
      })
    ).body.id;
  });
  afterAll(() => limited.close());

  test('is its own: whoever uses it up takes nothing from the keys of the account', async () => {
    const statuses = [];
    for (let count = 0; count < 5; count += 1) {
      statuses.push((await send({ ssh_host_certificate_id: certificate }, {}, limited)).status);
    }
    expect(statuses).toEqual([201, 201, 201, 201, 429]);
    const refused = await send({ ssh_host_certificate_id: certificate }, {}, limited);
    expect([refused.body.msg, refused.headers.get('RateLimit-Policy'), refused.headers.get('Retry-After')]).toEqual([
      'The network of the client may send 4 requests in 60 seconds. Send the next one in 15 seconds.',
      '"network";q=4;w=60',
      '15',
    ]);
    expect((await limited.rest('GET', '/ssh_host_certificates')).status).toBe(200);
  });
});
