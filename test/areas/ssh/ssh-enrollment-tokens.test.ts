// Enrollment tokens on both surfaces: their fields, who may create them, and when they stop working.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf, errorOf, failureOf, invalidField, notFound, successOf } from '../../support/answers.ts';
import { type Client, createClient, startService, type TestService } from '../../support/service.ts';

let shared: TestService;
let service: TestService;
let authority: string;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  authority = await newAuthority();
});

const path = '/ssh_enrollment_tokens';
const newAuthority = async (): Promise<string> =>
  (await service.rest('POST', '/ssh_certificate_authorities', {})).body.id;
const post = (values: object = {}, client: Client = service) =>
  client.rest('POST', path, { ssh_certificate_authority_id: authority, principals: ['db1.example.com'], ...values });

/** Returns a client with a new key. */
async function clientWith(values: object) {
  return createClient(service.url, (await service.rest('POST', '/api_keys', values)).body.token);
}

describe('POST /ssh_enrollment_tokens', () => {
  test('answers with every field of the new token, and with its secret', async () => {
    const answer = await post({
      principals: ['*.db.example.com', '10.1.0.0/16', '2001:db8::/32'],
      key_types: ['rsa', 'ed25519'],
      max_validity: 86_400,
      max_uses: 20,
      expires_at: '2026-12-01T02:00:00.9+02:00',
      description: 'databases',
      metadata: '{"rack":4}',
    });
    expect(successOf(answer)).toEqual({
      status: 201,
      etag: '"1"',
      body: {
        id: expect.stringMatching(/^sshenr_\w{26}$/),
        uri: `https://sallyport.test/ssh_enrollment_tokens/${answer.body.id}`,
        created_at: '2026-11-20T21:00:00Z',
        description: 'databases',
        metadata: '{"rack":4}',
        ssh_certificate_authority_id: authority,
        principals: ['*.db.example.com', '10.1.0.0/16', '2001:db8::/32'],
        key_types: ['ed25519', 'rsa'],
        max_validity: 86_400,
        max_uses: 20,
        uses: 0,
        expires_at: '2026-12-01T00:00:00Z',
        token: expect.stringMatching(/^sshet_[\w-]{43}[0-9a-f]{8}$/),
      },
    });
    expect((await service.rest('GET', `${path}/${answer.body.id}`)).body).toEqual({ ...answer.body, token: null });
    expect((await service.rest('GET', path)).body.ssh_enrollment_tokens).toEqual([{ ...answer.body, token: null }]);
  });

  test('is good for one host of any type, for a day, unless told otherwise', async () => {
    const defaults = {
      key_types: ['ed25519', 'ecdsa', 'rsa'],
      max_validity: 7_776_000,
      max_uses: 1,
      expires_at: '2026-11-21T21:00:00Z',
    };
    expect((await post()).body).toMatchObject(defaults);
    const unset = { key_types: [], max_validity: null, max_uses: null, expires_at: '' };
    expect((await post(unset)).body).toMatchObject(defaults);
  });

  test('refuses what is no bound, and the authority of nobody', async () => {
    const refused = async (values: object) => failureOf(await post(values));
    expect(await refused({ principals: ['10.1.2.3/16'] })).toEqual(
      invalidField('principals[0]', 'must start at the lowest address of its range: write 10.1.0.0/16.'),
    );
    expect(await refused({ max_uses: -1 })).toEqual(
      invalidField('max_uses', 'must be a whole number from 1 to 100000.'),
    );
    expect(await refused({ max_validity: 59 })).toEqual(
      invalidField('max_validity', 'must be a whole number from 60 to 315360000.'),
    );
    expect(await refused({ expires_at: '2026-11-20T21:00:00Z' })).toEqual(
      invalidField('expires_at', 'must be in the future.'),
    );
    expect((await refused({ key_types: ['dsa'] })).code).toBe('INVALID_INPUT');
    expect((await refused({ principals: [] })).code).toBe('INVALID_INPUT');
    expect(await refused({ uses: 3 })).toEqual(
      invalidField('uses', 'is set by the server. Leave it out.', 'READ_ONLY_FIELD'),
    );
    const foreign = await service.otherAccount('other');
    const theirs = (await foreign.rest('POST', '/ssh_certificate_authorities', {})).body.id;
    expect((await refused({ ssh_certificate_authority_id: theirs })).code).toBe('UNKNOWN_REFERENCE');
    const never = 'sshca_01h455vb4pex5vsknk084sn02q';
    expect(await refused({ ssh_certificate_authority_id: never })).toEqual(
      invalidField(
        'ssh_certificate_authority_id',
        `There is no certificate authority "${never}" in this account.`,
        'UNKNOWN_REFERENCE',
      ),
    );
    expect((await service.rest('GET', path)).body.ssh_enrollment_tokens).toEqual([]);
  });

  test('keeps no secret, only its hash', async () => {
    const { token } = (await post()).body;
    expect(service.statements.some((sql) => /^INSERT INTO "SshEnrollmentToken"/.test(sql))).toBe(true);
    expect(service.statements.filter((sql) => sql.includes(token))).toEqual([]);
  });
});

test('what a token allows never changes', async () => {
  const { id, token: _, ...made } = (await post()).body;
  const change = async (values: object) => failureOf(await service.rest('PATCH', `${path}/${id}`, values));
  for (const [field, value] of Object.entries({ principals: ['*'], max_uses: 2, expires_at: '2030-01-01T00:00:00Z' })) {
    expect(await change({ [field]: value })).toEqual(
      invalidField(field, 'can be set only on create. Leave it out, or create a new object.', 'READ_ONLY_FIELD'),
    );
  }
  const { body } = await service.rest('PATCH', `${path}/${id}`, { description: 'for rack 4' });
  expect(body).toEqual({ ...made, id, description: 'for rack 4', token: null });
});

test('tokens are listed by authority, and say whether they are usable', async () => {
  const other = await newAuthority();
  const first = (await post({ expires_at: '2026-11-20T21:01:00Z' })).body.id;
  await post({ ssh_certificate_authority_id: other });
  const list = async (id: string) => {
    const query =
      'query ($id: ID) { sshEnrollmentTokens(sshCertificateAuthorityId: $id) { nodes { id usable sshCertificateAuthority { id } } } }';
    return dataOf(await service.graphql(query, { id })).sshEnrollmentTokens.nodes;
  };
  expect(await list(authority)).toEqual([{ id: first, usable: true, sshCertificateAuthority: { id: authority } }]);
  service.setTime(new Date('2026-11-20T21:01:00Z'));
  expect(await list(authority)).toEqual([{ id: first, usable: false, sshCertificateAuthority: { id: authority } }]);
  const wrong = await service.graphql('{ sshEnrollmentTokens(sshCertificateAuthorityId: "x") { totalCount } }');
  expect(errorOf(wrong)).toMatchObject({ code: 'INVALID_INPUT', field: 'sshCertificateAuthorityId' });
});

test('tokens end with their authority, each with an event of its own', async () => {
  const ids = [(await post()).body.id, (await post()).body.id];
  expect((await service.rest('DELETE', `/ssh_certificate_authorities/${authority}`)).status).toBe(204);
  for (const id of ids) expect(failureOf(await service.rest('GET', `${path}/${id}`))).toEqual(notFound);
  const { audit_events: events } = (await service.rest('GET', '/audit_events')).body;
  const ended = events.filter(({ action }: { action: string }) => action === 'delete');
  expect(ended.map((event: { kind: string; object_id: string }) => [event.kind, event.object_id]).sort()).toEqual(
    [['SshCertificateAuthority', authority], ...ids.map((id) => ['SshEnrollmentToken', id])].sort(),
  );
});

describe('a key with ssh:enroll', () => {
  test('makes, sees, describes and deletes tokens, and knows nothing else of SSH', async () => {
    const client = await clientWith({ scopes: ['ssh:enroll'] });
    const made = await post({}, client);
    expect(made.status).toBe(201);
    const { id } = made.body;
    expect((await client.rest('GET', `${path}/${id}`)).status).toBe(200);
    expect((await client.rest('GET', path)).body.ssh_enrollment_tokens.length).toBe(1);
    expect((await client.rest('PATCH', `${path}/${id}`, { description: 'x' })).status).toBe(200);
    for (const other of ['/ssh_certificate_authorities', '/ssh_host_certificates']) {
      expect(failureOf(await client.rest('GET', other))).toEqual({
        status: 403,
        code: 'FORBIDDEN',
        msg: 'The API key lacks "ssh:read"; it has "ssh:enroll".',
      });
    }
    const through = await client.graphql(`{ sshEnrollmentToken(id: "${id}") { id sshCertificateAuthority { id } } }`);
    expect(errorOf(through)).toMatchObject({
      code: 'FORBIDDEN',
      message: 'The API key lacks "ssh:read"; it has "ssh:enroll".',
    });
    expect((await client.rest('DELETE', `${path}/${id}`)).status).toBe(204);
  });

  test('is not given by keys that lack it', async () => {
    const maker = await clientWith({ scopes: ['api-keys:write', 'read'] });
    const refused = await maker.rest('POST', '/api_keys', { scopes: ['ssh:enroll', 'gate'] });
    expect(failureOf(refused)).toEqual({
      status: 403,
      code: 'FORBIDDEN',
      field: 'scopes',
      msg: 'scopes: must be within those of the key that makes it, which lacks ssh:enroll, gate.',
    });
    const able = await clientWith({ scopes: ['api-keys:write', 'ssh:write', 'https-edges:write'] });
    expect((await able.rest('POST', '/api_keys', { scopes: ['gate', 'ssh:enroll'] })).body.scopes).toEqual([
      'ssh:enroll',
      'gate',
    ]);
  });

  test('makes no token that outlives it', async () => {
    const client = await clientWith({ scopes: ['ssh:enroll'], expires_at: '2026-11-21T00:00:00Z' });
    expect((await post({}, client)).body.expires_at).toBe('2026-11-21T00:00:00Z');
    expect((await post({ expires_at: '2026-11-21T00:00:00Z' }, client)).status).toBe(201);
    expect(failureOf(await post({ expires_at: '2026-11-21T00:00:01Z' }, client))).toEqual({
      status: 403,
      code: 'FORBIDDEN',
      field: 'expires_at',
      msg: 'expires_at: must not be later than that of the key that makes it, 2026-11-21T00:00:00Z.',
    });
  });
});

test('a key with ssh:read sees tokens and makes none', async () => {
  const { id } = (await post()).body;
  const client = await clientWith({ scopes: ['ssh:read'] });
  expect((await client.rest('GET', `${path}/${id}`)).body.token).toBeNull();
  expect(failureOf(await post({}, client))).toEqual({
    status: 403,
    code: 'FORBIDDEN',
    msg: 'The API key lacks "ssh:enroll"; it has "ssh:read".',
  });
});

test('a key with gate asks the gate and ends sessions, and sees no edges', async () => {
  const client = await clientWith({ scopes: ['gate'] });
  const edge = (await service.rest('POST', '/edges/https', { hostports: ['app.example.com:443'] })).body.id;
  const question = `evaluateGate(edge: "${edge}", url: "https://app.example.com/", address: "192.0.2.1")`;
  const asked = await client.graphql(`{ ${question} { __typename } }`);
  expect(dataOf(asked).evaluateGate).toEqual({ __typename: 'GateEvaluation' });
  const route = 'edghtsrt_01h455vb4pex5vsknk084sn02q';
  const sessions = await client.graphql(`{ loginSessions(routeId: "${route}") { nodes { id user } totalCount } }`);
  expect(errorOf(sessions)).toMatchObject({ code: 'NOT_FOUND' });
  const ended = await client.graphql(`mutation { endLoginSessions(input: { routeId: "${route}" }) { endedCount } }`);
  expect(errorOf(ended)).toMatchObject({ code: 'NOT_FOUND' });
  expect(failureOf(await client.rest('GET', '/edges/https')).msg).toBe(
    'The API key lacks "https-edges:read"; it has "gate".',
  );
});
