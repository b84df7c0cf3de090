// Renewal: only the host that has the private key gets a new certificate for it.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backdated, renewableFrom, renewedValidity } from '../../../src/areas/ssh/renewal/renewal.ts';
import { dataOf } from '../../support/answers.ts';
import { checkExchange } from '../../support/openapi.ts';
import { createProvingHost } from '../../support/proving-host.ts';
import {
  accountOf,
  createClient,
  type RestAnswer,
  startService,
  startTime,
  type TestService,
} from '../../support/service.ts';

const namespace = 'sallyport-renew';
const dayMs = 86_400_000;
const day = (days: number) => new Date(startTime.getTime() + days * dayMs);

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

/** Sends a POST without an API key. */
async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<RestAnswer> {
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'Service-Version': '2', 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = { status: response.status, headers: response.headers, body: await response.json() };
  checkExchange({ method: 'POST', path, ...answer });
  return answer;
}

interface Host {
  readonly id: string;
  // The certificate as answered; tests compare all of it or single fields.
  readonly certificate: RestAnswer['body'];
  /** Requests a challenge, signs it, and returns the proof. */
  prove(of?: string): Promise<{ challenge: string; signature: string }>;
  /** Renews the certificate with a new proof. */
  renew(of?: string): Promise<RestAnswer>;
}

let authority: string;
/** Creates a host with a certificate for 90 days from now. */
async function createHost(key: ReturnType<typeof createProvingHost> = createProvingHost(), more = {}): Promise<Host> {
  const { body } = await service.rest('POST', '/ssh_certificate_authorities', {});
  authority = body.id;
  const { body: certificate } = await service.rest('POST', '/ssh_host_certificates', {
    ssh_certificate_authority_id: authority,
    public_key: key.publicKey,
    principals: ['db1.example.com', '192.0.2.7'],
    valid_until: day(90).toISOString(),
    description: 'db1',
    metadata: '{"rack":7}',
    ...more,
  });
  const prove = async (of = certificate.id) => {
    const { challenge } = (await post('/ssh_challenges', { ssh_host_certificate_id: of })).body;
    return { challenge, signature: key.sign(namespace, challenge) };
  };
  const renew = async (of = certificate.id) => post(`/ssh_host_certificates/${of}/renew`, await prove(of));
  return { id: certificate.id, certificate, prove, renew };
}

/** Returns the status, code and message of a refusal. */
const refusalOf = ({ status, body }: RestAnswer) => [status, body.error_code, body.msg];

async function certificates(): Promise<{ id: string; version: number; replacedById: string | null }[]> {
  const { data } = await service.graphql('{ sshHostCertificates { nodes { id version replacedById } } }');
  return data.sshHostCertificates.nodes;
}

describe('a renewal', () => {
  test('has the same key, names and notes, lasts as long, and the old certificate names it', async () => {
    const { id, certificate, renew } = await createHost();
    service.setTime(day(70));
    const { status, body } = await renew();
    const authorityKey = (await service.rest('GET', `/ssh_certificate_authorities/${authority}`)).body.public_key;
    const accountId = (await service.graphql('{ viewer { account { id } } }')).data.viewer.account.id;
    expect([status, body]).toEqual([
      201,
      {
        ...certificate,
        id: expect.stringMatching(/^shcrt_/),
        uri: `https://sallyport.test/ssh_host_certificates/${body.id}`,
        created_at: '2027-01-29T21:00:00Z',
        valid_after: '2027-01-29T20:55:00Z',
        valid_until: '2027-04-29T20:55:00Z',
        certificate: expect.stringMatching(new RegExp(`^ssh-ed25519-cert-v01@openssh\\.com \\S+ ${body.id}$`)),
        known_hosts: `@cert-authority * ${authorityKey}\n`,
        revocation_list_url: `https://sallyport.test/ssh/krl/${accountId}`,
      },
    ]);
    expect(body.id).not.toBe(id);
    expect(await certificates()).toEqual([
      { id: body.id, version: 1, replacedById: null },
      { id, version: 2, replacedById: body.id },
    ]);
  });

  test('is the same by GraphQL, for any API key with a proof', async () => {
    const { id, prove } = await createHost();
    const { body: key } = await service.rest('POST', '/api_keys', { scopes: ['ip-policies:read'] });
    service.setTime(day(70));
    const mutation = `mutation ($input: RenewSshHostCertificateInput!) { renewSshHostCertificate(input: $input) {
      sshHostCertificate { validUntil description } } }`;
    const input = { id, ...(await prove()) };
    expect(await createClient(service.url, key.token).graphql(mutation, { input })).toEqual({
      status: 200,
      data: {
        renewSshHostCertificate: { sshHostCertificate: { validUntil: '2027-04-29T20:55:00Z', description: 'db1' } },
      },
      errors: undefined,
    });
  });

  test('is told by the trail, with the certificate as actor', async () => {
    const { id, renew } = await createHost();
    service.setTime(day(70));
    const { body, headers } = await renew();
    const events = (await service.rest('GET', '/audit_events?limit=2')).body.audit_events;
    const actor = { type: 'ssh_host_certificate', id, api_key_id: null, description: 'db1' };
    const common = { actor, kind: 'SshHostCertificate', surface: 'rest', client_address: '127.0.0.1' };
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...common,
          action: 'update',
          object_id: id,
          version: 2,
          request_id: headers.get('X-Request-Id'),
          changes: [{ field: 'replacedById', before: null, after: body.id, shortened: false }],
        }),
        expect.objectContaining({ ...common, action: 'create', object_id: body.id, version: 1 }),
      ]),
    );
  });

  test('can be renewed again, and its validity never grows', async () => {
    const { id, renew } = await createHost();
    service.setTime(day(70));
    const second = (await renew(id)).body;
    service.setTime(day(150));
    const third = (await renew(second.id)).body;
    expect([second.valid_until, third.valid_after, third.valid_until]).toEqual([
      '2027-04-29T20:55:00Z',
      '2027-04-19T20:55:00Z',
      '2027-07-18T20:55:00Z',
    ]);
    expect((await certificates()).map(({ replacedById }) => replacedById)).toEqual([null, third.id, second.id]);
  });
});

describe('the window', () => {
  test('opens in the last third of the validity', async () => {
    const { renew } = await createHost();
    service.setTime(new Date(day(60).getTime() - 1_000));
    expect(refusalOf(await renew())).toEqual([
      409,
      'NOT_RENEWABLE',
      'The certificate can be renewed from 2027-01-19T21:00:00Z on, when a third of its validity is left.',
    ]);
    expect(await certificates()).toHaveLength(1);
    service.setTime(day(60));
    expect((await renew()).status).toBe(201);
  });

  test('closes seven days after the end', async () => {
    const { renew } = await createHost();
    service.setTime(day(97));
    expect(refusalOf(await renew())).toEqual([
      409,
      'NOT_RENEWABLE',
      'The certificate ended at 2027-02-18T21:00:00Z, and could be renewed for 7 days after that. Enroll the host anew, or create ' +
        'a new certificate.',
    ]);
    service.setTime(new Date(day(97).getTime() - 1_000));
    expect((await renew()).status).toBe(201);
  });

  test('is for a key with the right to open at any time', async () => {
    const { id } = await createHost();
    const path = `/ssh_host_certificates/${id}/renew`;
    expect((await service.rest('POST', path, {})).body.error_code).toBe('NOT_RENEWABLE');
    const early = await service.rest('POST', path, {}, { 'Sallyport-Force': 'true' });
    expect([early.status, early.body.valid_until]).toEqual([201, '2027-02-18T20:55:00Z']);
    service.setTime(day(365));
    const late = await service.rest(
      'POST',
      `/ssh_host_certificates/${early.body.id}/renew`,
      {},
      { 'Sallyport-Force': 'true' },
    );
    expect([late.status, late.body.valid_until]).toEqual([201, '2028-02-18T20:50:00Z']);
  });

  test('is not for certificates of less than a minute, of which a host could make as many as it likes', async () => {
    const { renew } = await createHost(createProvingHost(), { valid_until: '2026-11-20T21:00:59Z' });
    service.setTime(new Date('2026-11-20T21:00:50Z'));
    expect(refusalOf(await renew())).toEqual([
      409,
      'NOT_RENEWABLE',
      'The certificate is valid for less than 60 seconds, too short to be renewed. Create a new certificate.',
    ]);
    const minute = await createHost(createProvingHost(), { valid_until: '2026-11-20T21:01:50Z' });
    service.setTime(new Date('2026-11-20T21:01:30Z'));
    expect((await minute.renew()).status).toBe(201);
  });

  test('is not for a proof to open', async () => {
    const { id, prove } = await createHost();
    const answer = await post(`/ssh_host_certificates/${id}/renew`, await prove(), { 'Sallyport-Force': 'true' });
    expect(refusalOf(answer)).toEqual([
      403,
      'FORBIDDEN',
      'force: must not be set without an API key that has "ssh:write": a proof renews in its time.',
    ]);
  });

  test('can have no grace', async () => {
    const { renew } = await createHost();
    service.setTime(day(90));
    expect((await renew()).status).toBe(201);
    const strict = await startService({ renewalGraceDays: 0 });
    const own = strict;
    const key = createProvingHost();
    const made = (await own.rest('POST', '/ssh_certificate_authorities', {})).body.id;
    const { body } = await own.rest('POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id: made,
      public_key: key.publicKey,
    });
    own.setTime(new Date('2027-11-20T21:00:00.500Z'));
    const answer = await own.rest('POST', `/ssh_host_certificates/${body.id}/renew`, {});
    expect(answer.body.msg).toBe(
      'The certificate ended at 2027-11-20T21:00:00Z. Enroll the host anew, or create a new certificate.',
    );
    await strict.close();
  });

  test.each([
    [90 * 86_400, 300],
    [600, 200],
    [61, 20],
  ])('of a renewal of %i seconds is as long, and begins %i seconds before now', (seconds, before) => {
    const [validAfter, now] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-02-01T00:00:00Z')];
    const validUntil = new Date(validAfter.getTime() + seconds * 1000);
    const renewed = backdated(renewedValidity({ validAfter, validUntil }, now), new Date(0));
    const lasts = (renewed.validUntil.getTime() - renewed.validAfter.getTime()) / 1000;
    expect([(now.getTime() - renewed.validAfter.getTime()) / 1000, seconds - lasts]).toEqual([before, seconds % 3]);
    const again = backdated(renewedValidity(renewed, now), new Date(0));
    expect(again).toEqual(renewed);
  });

  test('is a third of any validity, in whole seconds, and a certificate ends with the year 9999', () => {
    const validAfter = new Date('2026-01-01T00:00:00Z');
    expect(renewableFrom({ validAfter, validUntil: new Date('2026-01-01T00:00:10Z') }, null)).toEqual(
      new Date('2026-01-01T00:00:07Z'),
    );
    const validUntil = new Date('9999-12-31T23:59:59Z');
    expect(renewedValidity({ validAfter, validUntil }, new Date('2027-01-01T00:00:00.900Z'))).toEqual({
      validAfter: new Date('2027-01-01T00:00:00Z'),
      validUntil,
    });
  });
});

describe('a certificate whose authority has handed over', () => {
  const infoOf = async (id: string) => {
    const answer = await fetch(`${service.url}/ssh/renewal_info/${id}`);
    return { status: answer.status, body: await answer.json() };
  };
  const step = async (name: string, id: string) => {
    const mutation = `mutation { ${name}(input: { id: "${id}" }) { sshCertificateAuthority { id } } }`;
    return dataOf(await service.graphql(mutation))[name].sshCertificateAuthority.id;
  };

  test('is renewable at any time, by its successor, as its host learns without a key', async () => {
    const { id, renew } = await createHost();
    const list = `https://sallyport.test/ssh/krl/${await accountOf(service)}`;
    service.setTime(day(1));
    const successor = await step('announceSshCertificateAuthoritySuccessor', authority);
    expect(await infoOf(id)).toEqual({
      status: 200,
      body: {
        suggested_window: { start: '2027-01-19T21:00:00Z', end: '2027-02-03T21:00:00Z' },
        revocation_list_url: list,
      },
    });
    expect((await renew()).status).toBe(409);
    await step('handOverSshCertificateAuthority', authority);
    service.setTime(day(2));
    expect((await infoOf(id)).body.suggested_window).toEqual({
      start: '2026-11-21T21:00:00Z',
      end: '2026-12-06T21:00:00Z',
    });
    const { status, body } = await renew();
    expect([status, body.ssh_certificate_authority_id, body.valid_after]).toEqual([
      201,
      successor,
      '2026-11-22T20:55:00Z',
    ]);
    // Its successor has not handed over: the host cannot make any number of them.
    expect((await renew(body.id)).status).toBe(409);
    expect((await renew()).body.id).toBe(body.id);
    expect((await infoOf(body.id)).body.suggested_window.start > day(60).toISOString()).toBe(true);
  });

  test('is not known once it was deleted', async () => {
    const { id } = await createHost();
    await service.rest('DELETE', `/ssh_host_certificates/${id}`);
    for (const one of [id, 'shcrt_none', authority]) {
      expect(await infoOf(one)).toMatchObject({ status: 404, body: { error_code: 'NOT_FOUND' } });
    }
  });
});

describe('what is renewed already', () => {
  test('is answered with the latest of the host, and makes no other one: the answer was lost', async () => {
    const { id, renew } = await createHost();
    service.setTime(day(70));
    const first = await renew(id);
    const again = await renew(id);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(await certificates()).toHaveLength(2);
  });

  test('is renewed from its latest once that is due, through any number', async () => {
    const { id, renew } = await createHost();
    service.setTime(day(70));
    const second = (await renew(id)).body.id;
    service.setTime(day(140));
    const third = (await renew(id)).body.id;
    expect(await certificates()).toMatchObject([
      { id: third, replacedById: null },
      { id: second, replacedById: third },
      { id },
    ]);
    expect((await renew(id)).body.id).toBe(third);
  });

  test('is not followed through more than a hundred renewals', async () => {
    const { id, renew } = await createHost(createProvingHost(), { valid_until: '2026-11-20T21:01:00Z' });
    let latest = id;
    for (let n = 1; n <= 101; n += 1) {
      service.setTime(new Date(startTime.getTime() + n * 50_000));
      latest = (await renew(latest)).body.id;
      if (n === 100) expect((await renew(id)).body.id).toBe(latest);
    }
    expect(refusalOf(await renew(id))).toEqual([
      409,
      'NOT_RENEWABLE',
      'The certificate was renewed more than 100 times. Renew the latest of the host.',
    ]);
  });

  test('is not found once the latest was deleted: the host was revoked', async () => {
    const { id, renew } = await createHost();
    service.setTime(day(70));
    const second = (await renew(id)).body.id;
    await service.rest('DELETE', `/ssh_host_certificates/${second}`);
    expect(refusalOf(await renew(id))).toEqual([404, 'NOT_FOUND', 'No such object in this account.']);
  });

  test('is renewed once by two at once', async () => {
    const { id, prove } = await createHost();
    service.setTime(day(70));
    const proofs = await Promise.all([prove(), prove(), prove(), prove()]);
    const answers = await Promise.all(proofs.map((proof) => post(`/ssh_host_certificates/${id}/renew`, proof)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(await certificates()).toHaveLength(2);
  });
});

describe('a proof', () => {
  const challengeRefused = (message: string) => [401, 'PROOF_INVALID', `challenge: ${message}`];
  const used = challengeRefused('was used before. Each counts once: ask for another one.');

  test('counts once also where nothing is made of it', async () => {
    const { id, prove, renew } = await createHost();
    service.setTime(day(70));
    await renew();
    const proof = await prove();
    expect((await post(`/ssh_host_certificates/${id}/renew`, proof)).status).toBe(201);
    expect(refusalOf(await post(`/ssh_host_certificates/${id}/renew`, proof))).toEqual(used);
  });

  test('counts once for several at once', async () => {
    const { id, prove } = await createHost();
    service.setTime(day(70));
    const proof = await prove();
    const answers = await Promise.all([1, 2, 3].map(() => post(`/ssh_host_certificates/${id}/renew`, proof)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    expect(await certificates()).toHaveLength(2);
  });

  test('is repeated with its Idempotency-Key, which meets none of the account', async () => {
    const { id, prove } = await createHost();
    service.setTime(day(70));
    const key = { 'Idempotency-Key': 'renewal-1' };
    await service.rest('POST', '/ip_policies', {}, key);
    const proof = await prove();
    const first = await post(`/ssh_host_certificates/${id}/renew`, proof, key);
    const second = await post(`/ssh_host_certificates/${id}/renew`, proof, key);
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    const other = await post(`/ssh_host_certificates/${id}/renew`, await prove(), key);
    expect(other.body.error_code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  test('is refused when its challenge has expired, and remembered only as long', async () => {
    const { id, prove } = await createHost();
    service.setTime(day(70));
    const proof = await prove();
    service.setTime(new Date(day(70).getTime() + 300_000));
    expect(refusalOf(await post(`/ssh_host_certificates/${id}/renew`, proof))).toEqual(
      challengeRefused('has expired at 2027-01-29T21:05:00Z. Ask for another one.'),
    );
  });

  test('is refused for another certificate of the same host', async () => {
    const key = createProvingHost();
    const { id, prove } = await createHost(key);
    const other = await createHost(key);
    service.setTime(day(70));
    expect(refusalOf(await post(`/ssh_host_certificates/${other.id}/renew`, await prove()))).toEqual(
      challengeRefused('is for another certificate or token. Ask for one for this.'),
    );
    expect(id).not.toBe(other.id);
  });

  test('is refused with a signature by another key, or made for something else', async () => {
    const { id } = await createHost();
    const key = createProvingHost();
    const host = await createHost(key);
    service.setTime(day(70));
    const ask = async (of: string) => (await post('/ssh_challenges', { ssh_host_certificate_id: of })).body.challenge;
    const first = await ask(id);
    const stranger = { challenge: first, signature: key.sign(namespace, first) };
    expect(refusalOf(await post(`/ssh_host_certificates/${id}/renew`, stranger))).toEqual([
      401,
      'PROOF_INVALID',
      'signature: is made by another key than the one to be certified. Sign with the private key of the host.',
    ]);
    const second = await ask(host.id);
    for (const [given, message] of [
      [
        key.sign('sallyport-enroll', second),
        'is made for another namespace. Sign with `ssh-keygen -Y sign -n sallyport-renew`.',
      ],
      [
        key.sign(namespace, `${second}\n`),
        'does not verify: it is made over another text. Sign the challenge exactly, without a line end.',
      ],
    ] as const) {
      const body = { challenge: second, signature: given };
      expect(refusalOf(await post(`/ssh_host_certificates/${host.id}/renew`, body))).toEqual([
        401,
        'PROOF_INVALID',
        `signature: ${message}`,
      ]);
    }
  });

  test.each([
    ['a space', () => ' '],
    ['of our own making', (good: string) => good.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))],
    ['with a later end', (good: string) => good.replace('2027-01-29T21:05:00Z', '2028-01-29T21:05:00Z')],
    ['with more after it', (good: string) => `${good} `],
    ['with a line end', (good: string) => `${good}\n`],
    ['for an older form', (good: string) => good.replace('-v1', '-v0')],
    ['much too long', (good: string) => good + 'A'.repeat(2_000)],
  ])('is refused with a challenge that is %s', async (_name, change) => {
    const key = createProvingHost();
    const { id, prove } = await createHost(key);
    service.setTime(day(70));
    const challenge = change((await prove()).challenge);
    const answer = await post(`/ssh_host_certificates/${id}/renew`, {
      challenge,
      signature: key.sign(namespace, challenge),
    });
    expect(refusalOf(answer)).toEqual(
      challengeRefused(
        'is not one that this service gave out. Ask for one with `POST /ssh_challenges`, and send it unchanged.',
      ),
    );
  });

  test('is refused with a challenge of another address of the service', async () => {
    const elsewhere = await startService({ baseUrl: null });
    const key = createProvingHost();
    const made = (await elsewhere.rest('POST', '/ssh_certificate_authorities', {})).body.id;
    const { body } = await elsewhere.rest('POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id: made,
      public_key: key.publicKey,
      valid_until: day(90).toISOString(),
    });
    elsewhere.setTime(day(70));
    const asked = await elsewhere.rest('POST', '/ssh_challenges', { ssh_host_certificate_id: body.id });
    const { challenge } = asked.body;
    const url = elsewhere.url.replace('127.0.0.1', 'localhost');
    const answer = await createClient(url, elsewhere.token).rest('POST', `/ssh_host_certificates/${body.id}/renew`, {
      challenge,
      signature: key.sign(namespace, challenge),
    });
    expect(refusalOf(answer)).toEqual(
      challengeRefused('is for another address of the service. Ask for it where you send the proof.'),
    );
    await elsewhere.close();
  });

  test('must be whole, and there must be one where there is no API key', async () => {
    const { id, prove } = await createHost();
    const path = `/ssh_host_certificates/${id}/renew`;
    const { challenge } = await prove();
    expect(refusalOf(await post(path, { challenge }))).toEqual([
      400,
      'INVALID_INPUT',
      'signature: must be given: a proof has a challenge and a signature.',
    ]);
    expect(refusalOf(await post(path, {}))).toEqual([
      401,
      'UNAUTHENTICATED',
      'Send a proof, or an API key that has "ssh:write" as "Authorization: Bearer <API key>".',
    ]);
  });

  test('of another account does not reach a certificate with an API key', async () => {
    const { id, prove } = await createHost();
    const stranger = await service.otherAccount('stranger');
    const answer = await stranger.rest('POST', `/ssh_host_certificates/${id}/renew`, await prove());
    expect(refusalOf(answer)).toEqual([404, 'NOT_FOUND', 'No such object in this account.']);
  });

  test('that is refused is in the trail, with the certificate as actor', async () => {
    const { id, renew, prove } = await createHost();
    await renew();
    const { challenge } = await prove();
    await post(`/ssh_host_certificates/${id}/renew`, { challenge, signature: 'x' });
    await service.storage.refusals.settled();
    const { data } = await service.graphql(
      '{ auditEvents(action: refuse) { nodes { actor { type id description } refusal { code asked leftOut } } } }',
    );
    const actor = { type: 'ssh_host_certificate', id, description: 'db1' };
    const asked = 'POST /ssh_host_certificates/{id}/renew';
    expect(data.auditEvents.nodes).toEqual([
      { actor, refusal: { code: 'PROOF_INVALID', asked, leftOut: 0 } },
      { actor, refusal: { code: 'NOT_RENEWABLE', asked, leftOut: 0 } },
    ]);
  });
});

test('challenges that were used are forgotten an hour after their end', async () => {
  const own = await startService();
  const count = async () => (await own.storage.server.rows(usedChallenges)).length;
  const { sql } = await import('../../../src/storage/sql/statement.ts');
  const usedChallenges = sql`SELECT "challengeHash" FROM "SshUsedChallenge"`;
  const { sshChallengeUpkeep } = await import('../../../src/areas/ssh/renewal/challenge-upkeep.ts');
  const key = createProvingHost();
  const made = (await own.rest('POST', '/ssh_certificate_authorities', {})).body.id;
  const { body } = await own.rest('POST', '/ssh_host_certificates', {
    ssh_certificate_authority_id: made,
    public_key: key.publicKey,
    valid_until: day(90).toISOString(),
  });
  own.setTime(day(70));
  const { challenge } = (await own.rest('POST', '/ssh_challenges', { ssh_host_certificate_id: body.id })).body;
  await own.rest('POST', `/ssh_host_certificates/${body.id}/renew`, {
    challenge,
    signature: key.sign(namespace, challenge),
  });
  const { signal } = new AbortController();
  expect(await count()).toBe(1);
  const endMs = day(70).getTime() - 500 + 300_000;
  await sshChallengeUpkeep.hourly?.(own.storage.server, new Date(endMs + 3_599_999), signal);
  expect(await count()).toBe(1);
  await sshChallengeUpkeep.hourly?.(own.storage.server, new Date(endMs + 3_600_000), signal);
  expect(await count()).toBe(0);
  await own.close();
});
