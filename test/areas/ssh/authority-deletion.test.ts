// Deleting an authority together with its certificates and tokens.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deleteSshCertificateAuthority } from '../../../src/areas/ssh/authorities/authority-deletion-store.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { dataOf, errorOf, failureOf } from '../../support/answers.ts';
import { openClient } from '../../support/database.ts';
import { plant } from '../../support/planting.ts';
import { startService, startTime, type TestService } from '../../support/service.ts';
import { hostKeys } from '../../support/ssh.ts';

let service: TestService;
beforeEach(async () => {
  service = await startService();
});
afterEach(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

const path = '/ssh_certificate_authorities';
const newAuthority = async (): Promise<string> => (await service.rest('POST', path)).body.id;
const newCertificate = async (ssh_certificate_authority_id: string, values: object = {}): Promise<string> => {
  const request = { ssh_certificate_authority_id, public_key: hostKeys.ed25519, ...values };
  return (await service.rest('POST', '/ssh_host_certificates', request)).body.id;
};
const removeWhole = (id: string, headers: Record<string, string> = {}) =>
  service.rest('DELETE', `${path}/${id}?revoke_certificates=true`, undefined, headers);

/** Stores certificate rows without a signature, because signing would be too slow for a test. */
async function plantCertificates(authority: string, count: number) {
  const client = await openClient(service.database);
  const { accountId } = await client.sshCertificateAuthority.findUniqueOrThrow({ where: { id: authority } });
  const scope = service.storage.actingFor(accountId, commandLine);
  const times = { createdAt: startTime, validAfter: startTime, validUntil: new Date('2027-06-01') };
  const same = { sshCertificateAuthorityId: authority, publicKey: 'k', keyType: 'ed25519', principals: [] };
  for (let made = 0; made < count; ) {
    const size = Math.min(500, count - made);
    const data = Array.from({ length: size }, (_, index) => ({
      ...{ ...same, ...times, accountId, certificate: 'c' },
      id: scope.newId('SshHostCertificate'),
      serial: BigInt(made + index + 1),
    }));
    await plant(scope, 'SshHostCertificate', data);
    made += size;
  }
  return { client, scope };
}

describe('DELETE /ssh_certificate_authorities/{id}?revoke_certificates=true', () => {
  test('revokes and deletes every certificate, those that have expired or not begun as well, each with its event', async () => {
    const [authority, other] = [await newAuthority(), await newAuthority()];
    const ids = [
      await newCertificate(authority, { valid_until: '2026-12-01T00:00:00Z' }),
      await newCertificate(authority, { valid_after: '2027-06-01T00:00:00Z' }),
      await newCertificate(authority),
    ];
    const kept = await newCertificate(other);
    service.setTime(new Date('2026-12-02T00:00:00Z'));
    expect((await removeWhole(authority)).status).toBe(204);
    expect((await service.rest('GET', `${path}/${authority}`)).status).toBe(404);
    const { ssh_host_certificates } = (await service.rest('GET', '/ssh_host_certificates')).body;
    expect(ssh_host_certificates.map(({ id }: { id: string }) => id)).toEqual([kept]);
    const { list } = dataOf(
      await service.graphql(
        `{ list: sshRevocations(sshCertificateAuthorityId: "${authority}") { nodes { sshHostCertificateId revokedAt } } }`,
      ),
    );
    expect(list.nodes).toHaveLength(3);
    expect(new Set(list.nodes)).toEqual(
      new Set(ids.map((sshHostCertificateId) => ({ sshHostCertificateId, revokedAt: '2026-12-02T00:00:00Z' }))),
    );
    const { events } = dataOf(
      await service.graphql('{ events: auditEvents(action: delete) { nodes { kind objectId actor { type } } } }'),
    );
    expect(events.nodes).toHaveLength(4);
    expect(events.nodes[0]).toEqual({
      kind: 'SshCertificateAuthority',
      objectId: authority,
      actor: { type: 'api_key' },
    });
    expect(new Set(events.nodes.slice(1).map(({ objectId }: { objectId: string }) => objectId))).toEqual(new Set(ids));
    const krl = Buffer.from(await (await fetch(`${service.url}${path}/${authority}/krl`)).arrayBuffer());
    expect(krl.readBigUInt64BE(12)).toBe(3n);
  });

  test('takes its enrollment tokens along, as a deletion without certificates does', async () => {
    for (const query of ['?revoke_certificates=true', '?revoke_certificates=false', '']) {
      const authority = await newAuthority();
      const { client, scope } = await plantCertificates(authority, 0);
      const data = {
        ...{ accountId: scope.accountId, createdAt: startTime, sshCertificateAuthorityId: authority },
        ...{ id: scope.newId('SshEnrollmentToken'), tokenHash: authority, principals: ['a'], keyTypes: ['rsa'] },
        ...{ validitySeconds: 60, maxUses: 1, expiresAt: startTime },
      };
      await client.sshEnrollmentToken.create({ data });
      expect((await service.rest('DELETE', `${path}/${authority}${query}`)).status).toBe(204);
      expect(await client.sshEnrollmentToken.count()).toBe(0);
      const event = await client.auditEvent.findFirst({ where: { objectId: data.id } });
      expect(event).toMatchObject({ action: 'delete', kind: 'SshEnrollmentToken' });
    }
  });

  test('lets others have turns, and loses no serial', async () => {
    const authority = await newAuthority();
    const { client } = await plantCertificates(authority, 1_000);
    let ended = false;
    const removal = removeWhole(authority).finally(() => {
      ended = true;
    });
    let answered = 0;
    while ((await client.sshHostCertificate.count()) === 1_000 && !ended) await new Promise(setImmediate);
    while (!ended && answered < 3) {
      expect((await service.rest('POST', '/ip_policies', {})).status).toBe(201);
      answered += 1;
    }
    expect(answered).toBe(3);
    expect((await removal).status).toBe(204);
    expect(await client.sshRevocation.count()).toBe(1_000);
    expect(await client.sshDeletedAuthority.findMany()).toMatchObject([{ id: authority, revocationCount: 1_000 }]);
    expect(await client.auditEvent.count({ where: { kind: 'SshHostCertificate', action: 'delete' } })).toBe(1_000);
  });

  test('which two ask for at once deletes everything once', async () => {
    const authority = await newAuthority();
    const { client } = await plantCertificates(authority, 250);
    const answers = await Promise.all([removeWhole(authority), removeWhole(authority)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect(await client.sshRevocation.count()).toBe(250);
    expect(await client.auditEvent.count({ where: { kind: 'SshHostCertificate', action: 'delete' } })).toBe(250);
    const [deleted] = await client.sshDeletedAuthority.findMany();
    expect(deleted?.revocationCount).toBeGreaterThanOrEqual(250);
  });

  test('goes on when it is repeated after it was cut short', async () => {
    const authority = await newAuthority();
    const { client, scope } = await plantCertificates(authority, 250);
    let revoked = 0;
    const cutShort = {
      ...scope,
      now() {
        revoked += 1;
        if (revoked > 150) throw new Error('cut short');
        return scope.now();
      },
    };
    const options = { revokesCertificates: true };
    await expect(deleteSshCertificateAuthority(cutShort, authority, null, options)).rejects.toThrow('cut short');
    expect([await client.sshHostCertificate.count(), await client.sshRevocation.count()]).toEqual([150, 100]);
    expect((await service.rest('GET', `${path}/${authority}`)).status).toBe(200);
    const key = { 'Idempotency-Key': 'c' };
    expect((await removeWhole(authority, { 'If-Match': '"7"' })).status).toBe(412);
    expect((await removeWhole(authority, key)).status).toBe(204);
    expect((await removeWhole(authority, key)).status).toBe(204);
    expect([await client.sshHostCertificate.count(), await client.sshRevocation.count()]).toEqual([0, 250]);
  });

  test('is refused with a wrong value, an unknown parameter, and for an authority of another account', async () => {
    const authority = await newAuthority();
    await newCertificate(authority);
    const remove = (query: string) => service.rest('DELETE', `${path}/${authority}?${query}`);
    expect(failureOf(await remove('revoke_certificates=yes'))).toMatchObject({
      ...{ status: 400, code: 'INVALID_INPUT', field: 'revoke_certificates' },
    });
    expect(failureOf(await remove('revokes=true'))).toMatchObject({ status: 400, code: 'UNKNOWN_FIELD' });
    expect(failureOf(await remove('revoke_certificates=false'))).toMatchObject({ status: 409, code: 'IN_USE' });
    const stranger = await service.otherAccount('other');
    const foreign = await stranger.rest('DELETE', `${path}/${authority}?revoke_certificates=true`);
    expect(failureOf(foreign)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect((await service.rest('GET', '/ssh_host_certificates')).body.ssh_host_certificates).toHaveLength(1);
  });
});

test('deleteSshCertificateAuthority revokes certificates only where it is asked to by name', async () => {
  const authority = await newAuthority();
  await newCertificate(authority);
  const remove = (input: string) =>
    service.graphql(`mutation { deleteSshCertificateAuthority(input: { id: "${authority}"${input} }) { deletedId } }`);
  expect(errorOf(await remove(''))).toMatchObject({ code: 'IN_USE' });
  expect(errorOf(await remove(', revokeCertificates: true, expectedVersion: 3'))).toMatchObject({
    code: 'VERSION_CONFLICT',
  });
  expect(dataOf(await remove(', revokeCertificates: true, expectedVersion: 1'))).toEqual({
    deleteSshCertificateAuthority: { deletedId: authority },
  });
});
