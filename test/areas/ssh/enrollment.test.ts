// Hosts that enroll with a token: what they receive, what is refused, and what is recorded.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { proofNamespaces } from '../../../src/areas/ssh/renewal/challenge.ts';
import { hashOf } from '../../../src/domain/values/hash.ts';
import { sql } from '../../../src/storage/sql/statement.ts';
import { dataOf, errorOf } from '../../support/answers.ts';
import { openClient } from '../../support/database.ts';
import { models } from '../../support/model-rows.ts';
import { createProvingHost, type ProvingHost } from '../../support/proving-host.ts';
import { accountOf, createClient, startService, type TestService } from '../../support/service.ts';
import { hostKeys, plantAuthority, plantedPublicKey } from '../../support/ssh.ts';
import { rowsOf } from '../audit-events/trail.ts';

let shared: TestService;
let service: TestService;
let authority: string;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  authority = await plantAuthority(service);
});

const host = createProvingHost();

/** The parts of an answer that tests compare. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Any JSON.
  readonly body: Record<string, never> & { readonly [field: string]: unknown };
}

/** Sends a request without an API key. */
async function send(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'Service-Version': '2', 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  // Every answer of the server has this form.
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}

interface Token {
  readonly id: string;
  readonly token: string;
}

async function newToken(values: object = {}): Promise<Token> {
  const { status, body } = await service.rest('POST', '/ssh_enrollment_tokens', {
    ssh_certificate_authority_id: authority,
    principals: ['*.db.example.com', '10.1.0.0/16'],
    ...values,
  });
  expect(status).toBe(201);
  return body;
}

/** Requests a challenge and returns the body that a host sends to enroll. */
async function request(token: string, values: object = {}, by: ProvingHost = host) {
  const { challenge } = (await send('/ssh_challenges', { token })).body;
  return {
    token,
    public_key: by.publicKey,
    principals: ['db1.db.example.com'],
    challenge: String(challenge),
    signature: by.sign(proofNamespaces.enroll, String(challenge)),
    ...values,
  };
}

const enroll = async (token: string, values: object = {}, by: ProvingHost = host) =>
  send('/ssh_enrollments', await request(token, values, by));

/** Returns the parts in which failures differ. */
function failure({ status, body }: Answer) {
  // Every error of the server has this form.
  const {
    error_code: code,
    msg,
    details,
  } = body as unknown as {
    error_code: string;
    msg: string;
    details: { field?: string };
  };
  return [status, code, details.field ?? null, msg];
}

const usesOf = async ({ id }: Token) => (await service.rest('GET', `/ssh_enrollment_tokens/${id}`)).body.uses;
const certificates = async () =>
  (await service.rest('GET', '/ssh_host_certificates')).body.ssh_host_certificates as { id: string }[];

describe('an enrollment', () => {
  test('begins five minutes before now for clients whose clocks are behind, but not before its authority', async () => {
    const { token } = await newToken({ max_uses: 3, max_validity: 86_400 });
    const times = async (values: object) => {
      const { valid_after, valid_until } = (await enroll(token, values)).body;
      return [valid_after, valid_until];
    };
    service.setTime(new Date('2026-11-20T21:03:00.900Z'));
    expect(await times({})).toEqual(['2026-11-20T21:00:00Z', '2026-11-21T21:03:00Z']);
    service.setTime(new Date('2026-11-20T22:00:00Z'));
    expect(await times({})).toEqual(['2026-11-20T21:55:00Z', '2026-11-21T22:00:00Z']);
    // A short one, by half of what it lasts from now on.
    expect(await times({ valid_until: '2026-11-20T22:02:00Z' })).toEqual([
      '2026-11-20T21:59:00Z',
      '2026-11-20T22:02:00Z',
    ]);
  });

  /** Returns the descriptions of the certificates that nothing has replaced. */
  const current = async () =>
    dataOf(
      await service.graphql(
        '{ sshHostCertificates(replaced: false, orderBy: valid_until_asc) { nodes { description } } }',
      ),
    ).sshHostCertificates.nodes.map(({ description }: { description: string }) => description);

  test('replaces what the host had: for the same key, and for the same names and type of key', async () => {
    const { token } = await newToken({ max_uses: 10 });
    const rebuilt = createProvingHost();
    const both = ['db1.db.example.com', '10.1.2.3'];
    await enroll(token, { principals: both, description: 'first' });
    await enroll(token, { principals: ['db2.db.example.com'], description: 'other' }, createProvingHost());
    await enroll(token, { principals: ['db1.db.example.com'], description: 'fewer names' }, createProvingHost());
    await service.rest('POST', '/ssh_host_certificates', {
      ...{ ssh_certificate_authority_id: authority, public_key: hostKeys.p256, principals: both },
      description: 'another key of the host',
    });
    const again = (await enroll(token, { principals: [...both, '10.1.2.4'], description: 'again' })).body;
    expect((await current()).sort()).toEqual(['again', 'another key of the host', 'fewer names', 'other']);
    await enroll(token, { principals: ['10.1.2.4', ...both].reverse(), description: 'rebuilt' }, rebuilt);
    expect((await current()).sort()).toEqual(['another key of the host', 'fewer names', 'other', 'rebuilt']);
    // A host that still has the replaced key, because two of them share their names, renews, and is listed again.
    service.setTime(new Date('2027-02-01T21:00:00Z'));
    const { challenge } = (await send('/ssh_challenges', { ssh_host_certificate_id: again.id })).body;
    const renewed = await send(`/ssh_host_certificates/${again.id}/renew`, {
      challenge,
      signature: host.sign(proofNamespaces.renew, String(challenge)),
    });
    expect(renewed).toMatchObject({ status: 201, body: { description: 'again', public_key: host.publicKey } });
    expect((await current()).sort()).toEqual(['again', 'another key of the host', 'fewer names', 'other', 'rebuilt']);
  });

  test('leaves what the host has from an authority that is not in line with its own', async () => {
    const other = (await service.rest('POST', '/ssh_certificate_authorities', {})).body.id;
    for (const [description, values] of [
      ['ours', {}],
      ['theirs', { ssh_certificate_authority_id: other }],
    ] as const) {
      expect((await enroll((await newToken(values)).token, { description })).status).toBe(201);
    }
    expect((await current()).sort()).toEqual(['ours', 'theirs']);
    const announce = `mutation { announceSshCertificateAuthoritySuccessor(input: { id: "${authority}" }) { sshCertificateAuthority { id } } }`;
    const { sshCertificateAuthority: successor } = dataOf(
      await service.graphql(announce),
    ).announceSshCertificateAuthoritySuccessor;
    const { token } = await newToken({ ssh_certificate_authority_id: successor.id });
    expect((await enroll(token, { description: 'next' })).status).toBe(201);
    expect((await current()).sort()).toEqual(['next', 'theirs']);
  });

  test('answers with the certificate, whom clients are to trust, and what is revoked', async () => {
    const token = await newToken();
    const answer = await enroll(token.token, { principals: ['db1.db.example.com', '10.1.2.3'], description: 'db1' });
    const { id, certificate } = answer.body;
    expect({ status: answer.status, etag: answer.headers.get('etag'), body: answer.body }).toEqual({
      status: 201,
      etag: '"1"',
      body: {
        id: expect.stringMatching(/^shcrt_\w{26}$/),
        uri: `https://sallyport.test/ssh_host_certificates/${id}`,
        created_at: '2026-11-20T21:00:00Z',
        description: 'db1',
        metadata: '',
        public_key: host.publicKey,
        key_type: 'ed25519',
        ssh_certificate_authority_id: authority,
        principals: ['db1.db.example.com', '10.1.2.3'],
        valid_after: '2026-11-20T21:00:00Z',
        valid_until: '2027-02-18T21:00:00Z',
        certificate: expect.stringMatching(new RegExp(`^ssh-ed25519-cert-v01@openssh\\.com [A-Za-z0-9+/=]+ ${id}$`)),
        known_hosts: `@cert-authority * ${plantedPublicKey}\n`,
        revocation_list_url: `https://sallyport.test/ssh/krl/${await accountOf(service)}`,
      },
    });
    const stored = (await service.rest('GET', `/ssh_host_certificates/${id}`)).body;
    expect(stored.certificate).toBe(certificate);
    expect(await usesOf(token)).toBe(1);
  });

  test('is recorded as made by the token, and counts a use of it', async () => {
    const token = await newToken({ description: 'databases' });
    const { id } = (await enroll(token.token)).body;
    const events = dataOf(
      await service.graphql(
        `{ auditEvents(first: 2) { nodes { action kind objectId version surface
          actor { type id description } changes { field before after } } } }`,
      ),
    ).auditEvents.nodes;
    const actor = { type: 'ssh_enrollment_token', id: token.id, description: 'databases' };
    const byKind = new Map(events.map((event: { kind: string }) => [event.kind, event]));
    expect(byKind.get('SshEnrollmentToken')).toEqual({
      action: 'update',
      kind: 'SshEnrollmentToken',
      objectId: token.id,
      version: 2,
      surface: 'rest',
      actor,
      changes: [{ field: 'uses', before: 0, after: 1 }],
    });
    expect(byKind.get('SshHostCertificate')).toMatchObject({ action: 'create', objectId: id, surface: 'rest', actor });
    expect(byKind.get('SshHostCertificate')).toHaveProperty(
      'changes',
      expect.arrayContaining([{ field: 'sshEnrollmentTokenId', before: null, after: token.id }]),
    );
  });

  describe('by GraphQL, with a key that may nothing of SSH,', () => {
    async function enrollSelecting(token: Token, selection: string) {
      const { public_key: publicKey, ...given } = await request(token.token);
      const key = (await service.rest('POST', '/api_keys', { scopes: ['ip-policies:read'] })).body.token;
      const mutation = `mutation ($input: EnrollSshHostInput!) {
        enrollSshHost(input: $input) { sshHostCertificate { ${selection} } } }`;
      return createClient(service.url, key).graphql(mutation, { input: { ...given, publicKey } });
    }

    test('is the same', async () => {
      expect(dataOf(await enrollSelecting(await newToken(), 'principals validUntil knownHosts'))).toEqual({
        enrollSshHost: {
          sshHostCertificate: {
            principals: ['db1.db.example.com'],
            validUntil: '2027-02-18T21:00:00Z',
            knownHosts: `@cert-authority * ${plantedPublicKey}\n`,
          },
        },
      });
    });

    test('is refused, and is no use of the token, where more is selected than the key may read', async () => {
      const token = await newToken();
      const answer = await enrollSelecting(token, 'id sshCertificateAuthority { id }');
      expect(answer).toEqual({
        status: 200,
        data: { enrollSshHost: null },
        errors: [
          expect.objectContaining({
            message: 'The API key lacks "ssh:read"; it has "ip-policies:read".',
            path: ['enrollSshHost'],
            extensions: expect.objectContaining({ code: 'FORBIDDEN' }),
          }),
        ],
      });
      expect([await usesOf(token), await certificates()]).toEqual([0, []]);
    });
  });

  test('that is repeated with its Idempotency-Key is answered again, and counts once', async () => {
    const token = await newToken();
    const body = await request(token.token);
    const key = { 'Idempotency-Key': 'enroll-db1' };
    const first = await send('/ssh_enrollments', body, key);
    const again = await send('/ssh_enrollments', body, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect([await usesOf(token), (await certificates()).length]).toEqual([1, 1]);
  });

  test('goes to the successor of an authority that has handed over', async () => {
    const token = await newToken();
    const step = (name: string) =>
      service.graphql(
        `mutation { ${name}(input: { id: "${authority}" }) { sshCertificateAuthority { id successorId } } }`,
      );
    expect((await step('announceSshCertificateAuthoritySuccessor')).errors).toBeUndefined();
    expect((await step('handOverSshCertificateAuthority')).errors).toBeUndefined();
    const { successorId, successor } = dataOf(
      await service.graphql(`{ sshCertificateAuthority(id: "${authority}") { successorId } }`),
    ).sshCertificateAuthority;
    expect(successor).toBeUndefined();
    expect((await enroll(token.token)).body).toMatchObject({ ssh_certificate_authority_id: successorId });
  });
});

describe('a token', () => {
  test('with one use left enrolls exactly one of those who come at once, and tells the others why', async () => {
    const token = await newToken({ max_uses: 3 });
    await enroll(token.token);
    await enroll(token.token);
    const bodies = await Promise.all(Array.from({ length: 6 }, () => request(token.token, {}, createProvingHost())));
    const answers = await Promise.all(bodies.map((body) => send('/ssh_enrollments', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403, 403, 403]);
    for (const answer of answers.filter(({ status }) => status === 403)) {
      expect(failure(answer)).toEqual([
        403,
        'ENROLLMENT_TOKEN_UNUSABLE',
        'token',
        'token: The enrollment token was good for 3 certificates and is used up. Ask for another one.',
      ]);
    }
    expect([await usesOf(token), (await certificates()).length]).toEqual([3, 3]);
  });

  test('ends at its time, also for who has asked for a challenge before', async () => {
    const token = await newToken({ expires_at: '2026-11-20T21:01:00Z' });
    const body = await request(token.token);
    service.setTime(new Date('2026-11-20T21:01:00Z'));
    expect(failure(await send('/ssh_enrollments', body))).toEqual([
      403,
      'ENROLLMENT_TOKEN_UNUSABLE',
      'token',
      'token: The enrollment token ended at 2026-11-20T21:01:00Z. Ask for another one.',
    ]);
    expect(await usesOf(token)).toBe(0);
  });

  test('that was deleted is like one that never was', async () => {
    const token = await newToken();
    const body = await request(token.token);
    await service.rest('DELETE', `/ssh_enrollment_tokens/${token.id}`);
    const unknown = [401, 'UNAUTHENTICATED', null, 'The enrollment token is unknown or was deleted.'];
    expect(failure(await send('/ssh_enrollments', body))).toEqual(unknown);
    expect(failure(await send('/ssh_challenges', { token: token.token }))).toEqual(unknown);
    expect(failure(await send('/ssh_enrollments', { ...body, token: 'sshet_x' }))).toEqual(unknown);
  });

  test('of another account is unknown to a key', async () => {
    const token = await newToken();
    const { public_key: publicKey, ...given } = await request(token.token);
    const other = await service.otherAccount('other');
    const mutation = 'mutation ($input: EnrollSshHostInput!) { enrollSshHost(input: $input) { __typename } }';
    const refused = errorOf(await other.graphql(mutation, { input: { ...given, publicKey } }));
    expect(refused).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await usesOf(token)).toBe(0);
  });

  test('is good for nothing else: every other route says what it is for', async () => {
    const { token } = await newToken();
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const message =
      'This is the token of an SSH enrollment. It is good only in the body of POST /ssh_challenges and POST /ssh_enrollments.';
    let asked = 0;
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        // Skip public files.
        if (security !== undefined && security.length === 0) continue;
        const response = await fetch(`${service.url}${path.replace(/\{\w+\}/g, 'x')}`, {
          method: method.toUpperCase(),
          headers: { Authorization: `Bearer ${token}`, 'Service-Version': '2', 'Content-Type': 'application/json' },
          ...(method === 'get' || method === 'delete' ? {} : { body: '{}' }),
        });
        const body = (await response.json()) as { error_code: string; msg: string };
        expect([method, path, response.status, body.error_code, body.msg]).toEqual([
          method,
          path,
          401,
          'UNAUTHENTICATED',
          message,
        ]);
        asked += 1;
      }
    }
    expect(asked).toBeGreaterThan(60);
    const graphql = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{"query":"{ viewer { account { name } } }"}',
    });
    expect([graphql.status, JSON.stringify(await graphql.json())]).toEqual([401, expect.stringContaining(message)]);
  });
});

describe('what a token does not allow is refused:', () => {
  test.each<[string, object, object, unknown[]]>([
    [
      'a name outside of its patterns',
      {},
      { principals: ['db1.db.example.com', 'www.example.com'] },
      [
        403,
        'FORBIDDEN',
        'principals[1]',
        'principals[1]: must be a name or address that the enrollment token allows, which www.example.com is not.',
      ],
    ],
    [
      'a type of key',
      { key_types: ['rsa'] },
      {},
      [403, 'FORBIDDEN', 'public_key', 'public_key: must be of a type that the enrollment token allows: rsa.'],
    ],
    [
      'a longer validity',
      { max_validity: 3_600 },
      { valid_until: '2026-11-20T22:00:01Z' },
      [
        403,
        'FORBIDDEN',
        'valid_until',
        'valid_until: must not be later than the enrollment token allows, which is 2026-11-20T22:00:00Z at this time.',
      ],
    ],
    [
      'a validity of less than a minute, which a host could renew without end',
      {},
      { valid_until: '2026-11-20T21:00:59Z' },
      [403, 'FORBIDDEN', 'valid_until', 'valid_until: must be at least 60 seconds from now: a host renews by itself.'],
    ],
    [
      'notes that only a key may set',
      {},
      { metadata: 'x' },
      [400, 'READ_ONLY_FIELD', 'metadata', 'metadata: is set by the server. Leave it out.'],
    ],
  ])('%s', async (_name, bounds, values, expected) => {
    const token = await newToken(bounds);
    expect(failure(await enroll(token.token, values))).toEqual(expected);
    expect([await usesOf(token), await certificates()]).toEqual([0, []]);
  });
});

describe('a proof is refused', () => {
  test('by another key than the one to be certified', async () => {
    const token = await newToken();
    const { challenge, ...body } = await request(token.token);
    const signature = createProvingHost().sign(proofNamespaces.enroll, challenge);
    expect(failure(await send('/ssh_enrollments', { ...body, challenge, signature }))).toEqual([
      401,
      'PROOF_INVALID',
      'signature',
      expect.any(String),
    ]);
    expect(await usesOf(token)).toBe(0);
  });

  test('with a challenge that was used before, one after the other and at once', async () => {
    const token = await newToken({ max_uses: 10 });
    const body = await request(token.token);
    const at = await Promise.all(Array.from({ length: 4 }, () => send('/ssh_enrollments', body)));
    expect(at.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401]);
    for (const answer of [...at.filter(({ status }) => status === 401), await send('/ssh_enrollments', body)]) {
      expect(failure(answer)).toEqual([
        401,
        'PROOF_INVALID',
        'challenge',
        'challenge: was used before. Each counts once: ask for another one.',
      ]);
    }
    expect([await usesOf(token), (await certificates()).length]).toEqual([1, 1]);
  });

  test('with the challenge of another token, or of a certificate', async () => {
    const token = await newToken({ max_uses: 2 });
    const other = await newToken();
    const { id } = (await enroll(token.token)).body;
    for (const asked of [{ token: other.token }, { ssh_host_certificate_id: id }]) {
      const challenge = String((await send('/ssh_challenges', asked)).body.challenge);
      const signature = host.sign(proofNamespaces.enroll, challenge);
      const body = { ...(await request(token.token)), challenge, signature };
      expect(failure(await send('/ssh_enrollments', body))).toEqual([
        401,
        'PROOF_INVALID',
        'challenge',
        'challenge: is for another certificate or token. Ask for one for this.',
      ]);
    }
    expect(await usesOf(token)).toBe(1);
  });
});

test('refusals are on record, with the token that they came with', async () => {
  const token = await newToken({ description: 'databases' });
  await enroll(token.token, { principals: ['www.example.com'] });
  const body = await request(token.token);
  await send('/ssh_enrollments', {
    ...body,
    signature: createProvingHost().sign(proofNamespaces.enroll, body.challenge),
  });
  await enroll(token.token);
  await enroll(token.token);
  await service.storage.refusals.settled();
  const events = await service.storage.server.rows(
    sql`SELECT "actor", "actorDescription", "state" FROM "AuditEvent"
      WHERE "accountId" = ${await accountOf(service)} AND "action" = 'refuse' ORDER BY "id"`,
  );
  const state = (code: string) => `{"code":"${code}","asked":"POST /ssh_enrollments","reason":null,"leftOut":0}`;
  expect(events).toEqual([
    [token.id, 'databases', state('FORBIDDEN')],
    [token.id, 'databases', state('PROOF_INVALID')],
    [token.id, 'databases', state('ENROLLMENT_TOKEN_UNUSABLE')],
  ]);
});

test('the secret of a token is in no statement, no table, no event and no other answer', async () => {
  // The answer kept for a retry of the request contains the token as well, sealed.
  const bounds = { ssh_certificate_authority_id: authority, principals: ['*.db.example.com'], max_uses: 2 };
  const made = await service.rest('POST', '/ssh_enrollment_tokens', bounds, { 'Idempotency-Key': 'databases' });
  const { id, token } = made.body;
  await enroll(token, { principals: ['www.example.com'] });
  expect((await enroll(token)).status).toBe(201);
  await service.storage.refusals.settled();
  const answers = await Promise.all(
    ['/ssh_enrollment_tokens', `/ssh_enrollment_tokens/${id}`, '/audit_events', '/ssh_host_certificates'].map(
      async (path) => (await service.rest('GET', path)).body,
    ),
  );
  const history = await service.graphql(
    `{ sshEnrollmentToken(id: "${id}") { token history { nodes { changes { field before after } } } } }`,
  );
  const client = await openClient(service.database);
  const rows = await Promise.all(models.map(({ name }) => rowsOf(client, name)));
  const inRows = rows.flat(2).flatMap((row) => Object.values(row).map((value) => textOf(value)));
  const secret = token.slice('sshet_'.length, -8);
  // Proves that the search would find the token.
  expect(inRows.some((text) => text.includes(hashOf(token)))).toBe(true);
  expect(inRows.filter((text) => text.includes(secret))).toEqual([]);
  expect(service.statements.filter((text) => text.includes(secret))).toEqual([]);
  expect(JSON.stringify([answers, history])).not.toContain(secret);
  expect(JSON.stringify(history)).not.toMatch(/hash/i);
});

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
}
