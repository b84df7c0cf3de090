// Replacing a certificate authority: a successor is announced, takes over, and the old authority retires.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openedAuthorityKeys } from '../../../src/areas/ssh/authorities/opened-keys-store.ts';
import { stateOf } from '../../../src/areas/ssh/authorities/succession-rules.ts';
import { dataOf, errorOf } from '../../support/answers.ts';
import { openClient } from '../../support/database.ts';
import { createClient, startBeside, startService, startTime, type TestService } from '../../support/service.ts';
import { authorityKinds, hostKeys } from '../../support/ssh.ts';
import { second, startTurns } from '../../support/turns.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});
afterEach(() => {
  expect(shared.failures).toEqual([]);
});
afterAll(() => shared.close());

const day = 86_400_000;
const later = (days: number) => new Date(startTime.getTime() + days * day);
const newAuthority = async (values: object = {}): Promise<string> =>
  (await service.rest('POST', '/ssh_certificate_authorities', values)).body.id;

const steps = {
  announce: 'announceSshCertificateAuthoritySuccessor',
  'hand over': 'handOverSshCertificateAuthority',
  retire: 'retireSshCertificateAuthority',
} as const;
type StepName = keyof typeof steps;
const fields = 'id version state successorId handedOverAt retiredAt publicKey keyType description';

function send(step: StepName, id: string, values: object = {}, selection = fields) {
  const name = steps[step];
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { sshCertificateAuthority { ${selection} } } }`;
  return service.graphql(query, { input: { id, ...values } });
}
const take = async (step: StepName, id: string, values: object = {}) =>
  dataOf(await send(step, id, values))[steps[step]].sshCertificateAuthority;
const refusal = async (step: StepName, id: string, values: object = {}) => errorOf(await send(step, id, values));
const authorityOf = async (id: string) =>
  dataOf(await service.graphql(`{ sshCertificateAuthority(id: "${id}") { ${fields} } }`)).sshCertificateAuthority;

async function certify(ssh_certificate_authority_id: string, values: object = {}) {
  const body = { ssh_certificate_authority_id, public_key: hostKeys.ed25519, ...values };
  const answer = await service.rest('POST', '/ssh_host_certificates', body);
  expect(answer.status).toBe(201);
  return answer.body;
}
const remove = (path: string) => service.rest('DELETE', path);

/** Creates an authority that has handed over, and its successor. */
async function handedOver(): Promise<{ old: string; successor: string }> {
  const old = await newAuthority();
  const successor = (await take('announce', old)).id;
  await take('hand over', old);
  return { old, successor };
}

test('an authority is replaced step by step', async () => {
  const old = await newAuthority();
  expect(await authorityOf(old)).toMatchObject({ version: 1, state: 'active', successorId: null });

  service.setTime(later(1));
  const successor = await take('announce', old, { description: 'from 2027 on' });
  expect(successor).toEqual({
    id: expect.stringMatching(/^sshca_\w{26}$/),
    version: 1,
    state: 'active',
    successorId: null,
    handedOverAt: null,
    retiredAt: null,
    publicKey: expect.stringMatching(/^ssh-ed25519 \S+$/),
    keyType: 'ed25519',
    description: 'from 2027 on',
  });
  const announced = await authorityOf(old);
  expect(announced).toMatchObject({ version: 2, state: 'successor_announced', successorId: successor.id });
  expect(announced.publicKey).not.toBe(successor.publicKey);
  // It goes on signing; the successor can sign as well, for hosts that try it out.
  const first = await certify(old);
  expect(first.ssh_certificate_authority_id).toBe(old);
  expect((await certify(successor.id)).ssh_certificate_authority_id).toBe(successor.id);

  service.setTime(later(2));
  expect(await take('hand over', old)).toMatchObject({
    id: old,
    version: 3,
    state: 'handed_over',
    successorId: successor.id,
    handedOverAt: '2026-11-22T21:00:00Z',
    retiredAt: null,
  });
  // Requests to the old authority are now signed by the new one, and the certificate says so.
  expect((await certify(old)).ssh_certificate_authority_id).toBe(successor.id);

  // Its last certificate is valid for a year from the first day.
  service.setTime(later(365));
  expect(await refusal('retire', old)).toEqual({
    code: 'IN_USE',
    message:
      'Not everything that the certificate authority has signed has ended: 1 host certificate, until ' +
      `${first.valid_until}. Retire it then. To have them revoked with it, once their hosts have new ones, send ` +
      '`revokeCertificates: true`, on the command line `--revoke-certificates`.',
  });
  service.setTime(new Date(first.valid_until));
  expect(await take('retire', old)).toMatchObject({
    version: 4,
    state: 'retired',
    successorId: successor.id,
    handedOverAt: '2026-11-22T21:00:00Z',
    retiredAt: first.valid_until,
  });
  expect((await certify(old)).ssh_certificate_authority_id).toBe(successor.id);

  const { nodes } = dataOf(
    await service.graphql(`{ auditEvents(objectId: "${old}") { nodes { action version state } } }`),
  ).auditEvents;
  const trail = nodes.map(({ action, version, state }: { action: string; version: number; state: object }) => {
    const { successorId, handedOverAt, retiredAt } = Object(state);
    return [action, version, stateOf({ id: old, successorId, handedOverAt, retiredAt })];
  });
  expect(trail).toEqual([
    ['update', 4, 'retired'],
    ['update', 3, 'handed_over'],
    ['update', 2, 'successor_announced'],
    ['create', 1, 'active'],
  ]);
  expect(JSON.stringify(nodes)).not.toMatch(/sealed|private/i);
});

describe('a step out of order is refused, and told what comes first', () => {
  const other = (text: string, successor: string) =>
    `The certificate authority ${text.replaceAll('NEW', `without description (${successor})`)}.`;
  const none = 'has no successor. Announce one first, and give its line to the clients';
  const unannounced = 'has not handed over. Announce a successor and hand over to it first; or delete the authority';
  const twice = 'has handed over to the authority NEW already. What is asked of it is signed by that one';
  const late = 'has handed over to the authority NEW. Announce a successor of that one';
  test.each<[string, StepName[], StepName, string]>([
    ['active', [], 'hand over', none],
    ['active', [], 'retire', unannounced],
    [
      'announced',
      ['announce'],
      'announce',
      'has a successor already, NEW. Hand over to it; or delete it, which takes it back',
    ],
    ['announced', ['announce'], 'retire', 'has not handed over. Hand over to its successor NEW first'],
    ['handed over', ['announce', 'hand over'], 'announce', late],
    ['handed over', ['announce', 'hand over'], 'hand over', twice],
    ['retired', ['announce', 'hand over', 'retire'], 'announce', late],
    ['retired', ['announce', 'hand over', 'retire'], 'hand over', twice],
    ['retired', ['announce', 'hand over', 'retire'], 'retire', 'has retired already. Its private key is gone'],
  ])('where it is %s', async (_, before, step, message) => {
    const old = await newAuthority();
    for (const each of before) await take(each, old);
    const now = await authorityOf(old);
    expect(await refusal(step, old)).toEqual({
      code: 'OUT_OF_ORDER',
      message: other(message, now.successorId ?? ''),
    });
    expect(await authorityOf(old)).toEqual(now);
  });
});

describe.each(Object.keys(steps) as StepName[])('to %s', (step) => {
  test('an authority of another account, or none, is not found', async () => {
    const { id } = (await (await service.otherAccount('other')).rest('POST', '/ssh_certificate_authorities')).body;
    for (const wrong of [id, `sshca_${'0'.repeat(26)}`, 'nonsense']) {
      expect(await refusal(step, wrong)).toEqual({ code: 'NOT_FOUND', message: 'No such object in this account.' });
    }
  });

  test('for another version than there is, is refused', async () => {
    const old = await newAuthority();
    expect((await refusal(step, old, { expectedVersion: 7 }))?.code).toMatch(
      step === 'announce' ? /^VERSION_CONFLICT$/ : /^VERSION_CONFLICT$|^OUT_OF_ORDER$/,
    );
  });
});

describe('the key of a successor', () => {
  test.each(['ed25519', 'p256', 'p384', 'p521', 'rsa 2048'] as const)('of %s is of the same kind', async (kind) => {
    const { body } = await service.rest('POST', '/ssh_certificate_authorities', authorityKinds[kind]);
    const successor = await take('announce', body.id);
    const form = ({ line }: { line: string }) => [line.split(' ')[0], line.length];
    expect(form({ line: successor.publicKey })).toEqual(form({ line: body.public_key }));
    expect(successor.publicKey).not.toBe(body.public_key);
  });

  test('is of another kind where that is asked for', async () => {
    const made = await take('announce', await newAuthority(), { privateKeyType: 'ecdsa', ellipticCurve: 'p384' });
    expect(made.publicKey).toMatch(/^ecdsa-sha2-nistp384 /);
    const other = await take('announce', await newAuthority(authorityKinds.p256), { ellipticCurve: 'p521' });
    expect(other.publicKey).toMatch(/^ecdsa-sha2-nistp521 /);
  });

  test('is refused with options that do not go together, and nothing is announced', async () => {
    const old = await newAuthority();
    expect(await refusal('announce', old, { ellipticCurve: 'p256' })).toEqual({
      code: 'INVALID_INPUT',
      field: 'ellipticCurve',
      message: 'ellipticCurve: must be omitted for a key of type ed25519: only ecdsa has a curve.',
    });
    expect((await authorityOf(old)).state).toBe('active');
  });
});

test('of announcements at the same time, one is made', async () => {
  const old = await newAuthority();
  const answers = await Promise.all(Array.from({ length: 5 }, () => send('announce', old)));
  expect(answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'made').sort()).toEqual([
    'OUT_OF_ORDER',
    'OUT_OF_ORDER',
    'OUT_OF_ORDER',
    'OUT_OF_ORDER',
    'made',
  ]);
  const { nodes } = dataOf(
    await service.graphql('{ sshCertificateAuthorities { nodes { id } } }'),
  ).sshCertificateAuthorities;
  expect(nodes).toHaveLength(2);
});

test('an authority that has handed over leads to the last of its successors', async () => {
  const { old, successor } = await handedOver();
  const last = (await take('announce', successor)).id;
  expect((await certify(old)).ssh_certificate_authority_id).toBe(successor);
  await take('hand over', successor);
  expect((await certify(old)).ssh_certificate_authority_id).toBe(last);
});

test('no certificate that is asked for while it hands over is missed when it retires', async () => {
  const old = await newAuthority();
  const successor = (await take('announce', old)).id;
  const asked = Array.from({ length: 20 }, () => certify(old));
  await take('hand over', old);
  const certificates = await Promise.all(asked);
  const ofOld = certificates.filter((made) => made.ssh_certificate_authority_id === old);
  expect(certificates.every((made) => [old, successor].includes(made.ssh_certificate_authority_id))).toBe(true);
  // Each certificate names the authority that signed it.
  const keyOf = async (id: string) => Buffer.from((await authorityOf(id)).publicKey.split(' ')[1], 'base64');
  for (const id of [old, successor]) {
    const key = await keyOf(id);
    const signed = certificates.filter((made) => Buffer.from(made.certificate.split(' ')[1], 'base64').includes(key));
    expect(signed.every((made) => made.ssh_certificate_authority_id === id)).toBe(true);
  }
  const { errors = [] } = await send('retire', old);
  const left = `has ended: ${ofOld.length} host certificate`;
  expect(errors.map(({ message }) => message)).toEqual(ofOld.length === 0 ? [] : [expect.stringContaining(left)]);
});

describe('retirement', () => {
  test('need not wait in an emergency: it revokes what has not ended', async () => {
    const [old, other] = [await newAuthority(), await newAuthority()];
    const [first, kept] = [await certify(old), await certify(other)];
    expect(await refusal('retire', old, { revokeCertificates: true })).toMatchObject({ code: 'OUT_OF_ORDER' });
    await take('announce', old);
    await take('hand over', old);
    const renewed = await certify(old);
    expect(await take('retire', old, { revokeCertificates: true })).toMatchObject({ state: 'retired', version: 4 });
    const { ssh_host_certificates: left } = (await service.rest('GET', '/ssh_host_certificates')).body;
    expect(left.map(({ id }: { id: string }) => id)).toEqual([renewed.id, kept.id]);
    const { ssh_revocations: revoked } = (await service.rest('GET', '/ssh_revocations')).body;
    expect(revoked).toMatchObject([{ ssh_host_certificate_id: first.id }]);
  });

  test('does not wait for certificates that were deleted: they are revoked', async () => {
    const old = await newAuthority();
    const made = [await certify(old), await certify(old)];
    await take('announce', old);
    await take('hand over', old);
    expect((await refusal('retire', old))?.message).toContain('has ended: 2 host certificates');
    for (const { id } of made) await remove(`/ssh_host_certificates/${id}`);
    expect((await take('retire', old)).state).toBe('retired');
    // Its revocations stay on its list.
    const list = await fetch(`${service.url}/ssh_certificate_authorities/${old}/krl`);
    expect((await list.arrayBuffer()).byteLength).toBeGreaterThan(44);
  });

  test('takes the opened key from every server within a second', async () => {
    const old = await newAuthority();
    const successor = (await take('announce', old)).id;
    const beside = await startBeside(service);
    const accountId = dataOf(await service.graphql('{ viewer { account { id } } }')).viewer.account.id;
    const opened = [shared, beside].map(({ storage }) => openedAuthorityKeys(storage.forAccount(accountId)));
    const has = () => opened.map((keys) => keys.has(old));
    const body = { ssh_certificate_authority_id: old, public_key: hostKeys.ed25519 };
    const made = await createClient(beside.url, service.token).rest('POST', '/ssh_host_certificates', body);
    expect(has()[1]).toBe(true);
    await remove(`/ssh_host_certificates/${made.body.id}`);
    await take('hand over', old);
    await take('retire', old);
    const turns = startTurns();
    await expect.poll(has).toEqual([false, false]);
    expect(turns()).toBeLessThan(1.2 * second);
    // No server opens the key again.
    const next = await createClient(beside.url, service.token).rest('POST', '/ssh_host_certificates', body);
    expect(next.body.ssh_certificate_authority_id).toBe(successor);
    await beside.close();
  });

  test('leaves nothing of the private key', async () => {
    const { old, successor } = await handedOver();
    await take('retire', old);
    const client = await openClient(service.database);
    const rows = await client.sshCertificateAuthority.findMany({ where: { id: { in: [old, successor] } } });
    const bytes = Object.fromEntries(rows.map(({ id, sealedPrivateKey }) => [id, sealedPrivateKey.length]));
    expect(bytes).toEqual({ [old]: 0, [successor]: expect.toSatisfy((length: number) => length > 40) });
  });

  test('lets the notes be changed and put back, and the authority be deleted', async () => {
    const { old } = await handedOver();
    await take('retire', old);
    const path = `/ssh_certificate_authorities/${old}`;
    expect((await service.rest('PATCH', path, { description: 'gone' })).status).toBe(200);
    const { nodes } = dataOf(
      await service.graphql(`{ auditEvents(objectId: "${old}") { nodes { id version } } }`),
    ).auditEvents;
    const first = nodes.find(({ version }: { version: number }) => version === 1);
    const restored = await service.graphql(
      `mutation { restoreObject(input: { eventId: "${first.id}" }) { object { ... on SshCertificateAuthority { state description } } } }`,
    );
    // Only the notes are restored, not the key.
    expect(dataOf(restored).restoreObject.object).toEqual({ state: 'retired', description: '' });
    expect((await remove(path)).status).toBe(204);
  });
});

describe('deletion', () => {
  test('of an announced successor takes the announcement back', async () => {
    const old = await newAuthority();
    const successor = (await take('announce', old)).id;
    expect((await remove(`/ssh_certificate_authorities/${successor}`)).status).toBe(204);
    expect(await authorityOf(old)).toMatchObject({ version: 3, state: 'active', successorId: null });
    const next = (await take('announce', old)).id;
    expect(await authorityOf(old)).toMatchObject({ successorId: next });
  });

  test('of an authority that has taken over is refused as long as the old one is there', async () => {
    const { old, successor } = await handedOver();
    const { status, body } = await remove(`/ssh_certificate_authorities/${successor}`);
    expect([status, body.error_code, body.msg]).toEqual([
      409,
      'IN_USE',
      `The certificate authority without description (${old}) has handed over to this one. Delete that one first.`,
    ]);
    expect((await remove(`/ssh_certificate_authorities/${old}`)).status).toBe(204);
    expect((await remove(`/ssh_certificate_authorities/${successor}`)).status).toBe(204);
  });

  test('of an authority with an announced successor leaves that alone', async () => {
    const old = await newAuthority();
    const successor = (await take('announce', old)).id;
    expect((await remove(`/ssh_certificate_authorities/${old}`)).status).toBe(204);
    expect((await certify(successor)).ssh_certificate_authority_id).toBe(successor);
  });

  test('at the same time as the hand-over leaves a successor to whom has handed over', async () => {
    const old = await newAuthority();
    const successor = (await take('announce', old)).id;
    const [handed, deleted] = await Promise.all([
      send('hand over', old),
      remove(`/ssh_certificate_authorities/${successor}`),
    ]);
    const outcome = [handed.errors?.[0]?.extensions.code ?? 'done', deleted.status];
    expect([
      ['done', 409],
      ['OUT_OF_ORDER', 204],
    ]).toContainEqual(outcome);
    const { state, successorId } = await authorityOf(old);
    expect([state, successorId]).toEqual(outcome[0] === 'done' ? ['handed_over', successor] : ['active', null]);
  });
});

test('a step that is repeated with its idempotency key is taken once', async () => {
  const old = await newAuthority();
  const query = `mutation { ${steps.announce}(input: { id: "${old}" }) { sshCertificateAuthority { id } } }`;
  const once = async () => {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'announce-1',
      },
      body: JSON.stringify({ query }),
    });
    return [response.headers.get('Idempotency-Replayed'), await response.text()];
  };
  const [, first] = await once();
  expect(await once()).toEqual(['true', first]);
  expect(JSON.parse(first ?? '').data[steps.announce].sshCertificateAuthority.id).toBe(
    (await authorityOf(old)).successorId,
  );
});
