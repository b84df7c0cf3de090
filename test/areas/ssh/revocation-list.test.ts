// The revocation list of an authority, served without an API key.

import { LRUCache } from 'lru-cache';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { afterHours, createClocks } from '../../support/clocks.ts';
import { byEngine, openClient } from '../../support/database.ts';
import { fetchRevocationList } from '../../support/revocation-list.ts';
import { send } from '../../support/send.ts';
import { ofOneServer, ownService, startService, startTime, type TestService } from '../../support/service.ts';
import { hostKeys } from '../../support/ssh.ts';
import { statementsOf } from '../../support/statements.ts';

let shared: TestService;
let service: TestService;
let authority: string;
beforeAll(async () => {
  shared = await startService({}, { monotonicMs: createClocks().monotonicMs });
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  service.statements.length = 0;
  authority = await newAuthority();
});

/** Gives a test its own service, whose upkeep runs by clocks that the test moves. */
async function withClocks() {
  const clocks = createClocks();
  service = await ownService({}, { monotonicMs: clocks.monotonicMs });
  authority = await newAuthority();
  return clocks;
}

const newAuthority = async (): Promise<string> => (await service.rest('POST', '/ssh_certificate_authorities')).body.id;

/** Requests a certificate and returns its id and serial. */
async function newCertificate(values: object = {}): Promise<{ id: string; serial: bigint }> {
  const request = { ssh_certificate_authority_id: authority, public_key: hostKeys.ed25519, ...values };
  const { id } = (await service.rest('POST', '/ssh_host_certificates', request)).body;
  const { data } = await service.graphql(`{ sshHostCertificate(id: "${id}") { serial } }`);
  return { id, serial: BigInt(data.sshHostCertificate.serial) };
}
const remove = ({ id }: { id: string }) => service.rest('DELETE', `/ssh_host_certificates/${id}`);

const urlOf = (id: string) => `${service.url}/ssh_certificate_authorities/${id}/krl`;

/** Fetches the list as any client does: without headers of the API. */
const get = (headers: Record<string, string> = {}, id = authority) => fetch(urlOf(id), { headers });

/** Reads the list of an authority, which has no section of any other. */
async function read(id = authority) {
  const { sections, ...list } = await fetchRevocationList(urlOf(id));
  const { body } = await service.rest('GET', `/ssh_certificate_authorities/${id}`);
  const key: string = body.public_key.split(' ')[1];
  expect([...sections.keys()]).toEqual(sections.size === 0 ? [] : [key]);
  return { ...list, serials: sections.get(key) ?? [] };
}
const sorted = (serials: bigint[]) => BigUint64Array.from(serials).sort();

describe('GET /ssh_certificate_authorities/{id}/krl', () => {
  test('needs neither key nor version header, and says what it is', async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '44',
      'cache-control': 'public, no-cache',
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
      'x-content-type-options': 'nosniff',
    });
  });

  test('revokes nothing at first, and each deleted certificate from then on', async () => {
    expect(await read()).toEqual({ version: 0n, generated: '2026-11-20T21:00:00.000Z', serials: [] });
    const [first, second, third] = [await newCertificate(), await newCertificate(), await newCertificate()];
    expect(await read()).toEqual({ version: 0n, generated: '2026-11-20T21:00:00.000Z', serials: [] });
    service.setTime(new Date('2026-11-21T08:00:00.700Z'));
    await remove(third);
    expect(await read()).toEqual({ version: 1n, generated: '2026-11-21T08:00:00.000Z', serials: [third.serial] });
    await remove(first);
    const { version, serials } = await read();
    expect([version, sorted(serials)]).toEqual([2n, sorted([first.serial, third.serial])]);
    expect(serials).not.toContain(second.serial);
  });

  test('has all certificates that are deleted together, of each authority its own, or none of them', async () => {
    const own = [await newCertificate(), await newCertificate()];
    const other = await newAuthority();
    const theirs = await newCertificate({ ssh_certificate_authority_id: other });
    const removeTogether = (...certificates: { id: string; expectedVersion?: number }[]) =>
      service.graphql(
        'mutation ($input: DeleteSshHostCertificatesInput!) { deleteSshHostCertificates(input: $input) { deletedIds } }',
        { input: { objects: certificates.map(({ id, expectedVersion }) => ({ id, expectedVersion })) } },
      );
    const refused = await removeTogether(...own, { ...theirs, expectedVersion: 2 });
    expect(refused.errors).toMatchObject([{ extensions: { code: 'VERSION_CONFLICT', field: 'objects[2]' } }]);
    expect([(await read()).serials, (await read(other)).serials]).toEqual([[], []]);
    const deletedIds = [...own, theirs].map(({ id }) => id);
    expect((await removeTogether(...own, theirs)).data).toEqual({ deleteSshHostCertificates: { deletedIds } });
    expect(sorted((await read()).serials)).toEqual(sorted(own.map(({ serial }) => serial)));
    expect((await read(other)).serials).toEqual([theirs.serial]);
    expect((await service.graphql('{ auditEvents(action: delete) { totalCount } }')).data.auditEvents.totalCount).toBe(
      3,
    );
  });

  test('is of one authority alone', async () => {
    const other = await newAuthority();
    await remove(await newCertificate());
    expect(await read(other)).toEqual({ version: 0n, generated: '2026-11-20T21:00:00.000Z', serials: [] });
  });

  test('keeps a certificate that has expired, and takes up one that had expired when it was deleted', async () => {
    const soon = { valid_until: '2027-01-01T00:00:00Z' };
    const [first, second] = [await newCertificate(soon), await newCertificate(soon)];
    await remove(first);
    service.setTime(new Date('2027-01-01T00:00:00Z'));
    expect((await remove(second)).status).toBe(204);
    const { version, serials } = await read();
    expect([version, sorted(serials)]).toEqual([2n, sorted([first.serial, second.serial])]);
  });

  test('names a certificate that was deleted while the clock was ahead, after the clock is set right', async () => {
    await withClocks();
    const certificate = await newCertificate();
    service.setTime(new Date('2031-01-01T00:00:00Z'));
    await remove(certificate);
    await service.storage.upkeep();
    service.setTime(startTime);
    await service.storage.upkeep();
    expect((await read()).serials).toEqual([certificate.serial]);
  });

  test('takes up a certificate that has not begun', async () => {
    const early = await newCertificate({ valid_after: '2027-06-01T00:00:00Z' });
    await remove(early);
    expect((await read()).serials).toEqual([early.serial]);
  });

  test('counts every deletion, also of many certificates at once', async () => {
    const certificates = await Promise.all(Array.from({ length: 10 }, () => newCertificate()));
    await Promise.all(certificates.map(remove));
    const { version, serials } = await read();
    expect([version, sorted(serials)]).toEqual([10n, sorted(certificates.map(({ serial }) => serial))]);
  });

  test('revokes nothing when the deletion is refused', async () => {
    const { id } = await newCertificate();
    const refused = await service.rest('DELETE', `/ssh_host_certificates/${id}`, undefined, { 'If-Match': '"7"' });
    expect(refused.status).toBe(412);
    const stranger = await service.otherAccount('other');
    expect((await stranger.rest('DELETE', `/ssh_host_certificates/${id}`)).status).toBe(404);
    expect(await read()).toMatchObject({ version: 0n, serials: [] });
  });

  /** Requests the list unless its ETag matches. `fetch` would add `Cache-Control: no-cache`, which asks for a fresh copy. */
  const getUnless = async (ifNoneMatch: string) => {
    const { status, headers, text } = await send(urlOf(authority), { headers: { 'If-None-Match': ifNoneMatch } });
    return { status, etag: headers.get('etag'), text };
  };

  test('answers 304 without a body to who has it, until it changes', async () => {
    const certificate = await newCertificate();
    const whole = await get();
    const etag = whole.headers.get('etag') ?? '';
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      expect([header, await getUnless(header)]).toEqual([header, { status: 304, etag, text: '' }]);
    }
    const text = await whole.text();
    expect(await getUnless('"other"')).toEqual({ status: 200, etag, text });
    await remove(certificate);
    const changed = await getUnless(etag);
    expect([changed.status, changed.etag === etag, changed.text.length > text.length]).toEqual([200, false, true]);
  });

  test('tells HEAD the same without the list', async () => {
    const [head, full] = [await fetch(urlOf(authority), { method: 'HEAD' }), await get()];
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['etag', 'content-type', 'content-length']) {
      expect(head.headers.get(name)).toBe(full.headers.get(name));
    }
  });

  test('is one statement for the authority and one for its revocations', async () => {
    await remove(await newCertificate());
    const statements = await statementsOf(service, get);
    expect(statements.map((sql) => sql.slice(0, 'SELECT'.length))).toEqual(['SELECT', 'SELECT']);
  });

  test('is kept: asking again is one small statement, until a revocation', async () => {
    const [first, second] = [await newCertificate(), await newCertificate()];
    const selects = async () => {
      const before = service.statements.length;
      await get();
      return service.statements.slice(before).filter((sql) => sql.startsWith('SELECT'));
    };
    await remove(first);
    expect(await selects()).toHaveLength(2);
    const [again = '', ...more] = await selects();
    expect([again.includes('revocationCount'), again.includes('publicKey'), more]).toEqual([true, false, []]);
    await remove(second);
    expect((await read()).serials).toHaveLength(2);
    expect(await selects()).toHaveLength(1);
  });

  /** Revokes serials 1 to `count` of an authority, as if each certificate had been deleted. */
  async function revoke(count: number, id = authority, validUntil = new Date('2027-06-01')) {
    const client = await openClient(service.database);
    const { accountId } = await client.sshCertificateAuthority.findUniqueOrThrow({ where: { id } });
    const rest = { accountId, sshCertificateAuthorityId: id, validUntil, revokedAt: startTime };
    for (let start = 1; start <= count; start += 1_000) {
      const serials = Array.from({ length: Math.min(1_000, count - start + 1) }, (_, index) => BigInt(start + index));
      await client.sshRevocation.createMany({ data: serials.map((serial) => ({ ...rest, serial })) });
    }
    await client.sshCertificateAuthority.update({ where: { id }, data: { revocationCount: count } });
  }
  const readsOfRevocations = (statements: string[]) =>
    statements.filter((sql) => sql.startsWith('SELECT') && sql.includes('"SshRevocation"'));

  test('is read in slices of narrow rows, once for all who ask at the same time', async () => {
    await revoke(6_000);
    const bodies: string[] = [];
    const statements = await statementsOf(service, async () => {
      const asked = Array.from({ length: 20 }, async () =>
        Buffer.from(await (await get()).arrayBuffer()).toString('hex'),
      );
      bodies.push(...(await Promise.all(asked)));
    });
    expect(new Set(bodies).size).toBe(1);
    const reads = readsOfRevocations(statements);
    expect(reads).toHaveLength(3);
    const narrow = /^SELECT "sshCertificateAuthorityId", "serial", "revokedAt" FROM .* LIMIT/s;
    expect(reads.every((sql) => narrow.test(sql))).toBe(true);
    const { version, serials } = await read();
    expect([version, serials]).toEqual([6_000n, Array.from({ length: 6_000 }, (_, index) => BigInt(index + 1))]);
  });

  test('lets everybody else have turns while it is read', async () => {
    await revoke(10_000);
    const other = await newAuthority();
    let ended = false;
    const long = get().then(() => {
      ended = true;
    });
    // Wait until the first slice is being read.
    while (readsOfRevocations(service.statements).length === 0) await new Promise(setImmediate);
    expect((await service.rest('GET', `/ssh_certificate_authorities/${other}`)).status).toBe(200);
    expect(ended).toBe(false);
    await long;
  });

  test('has what was revoked while it was being read, for whoever asks after that', async () => {
    const certificate = await newCertificate();
    await revoke(6_000);
    const before = get();
    while (readsOfRevocations(service.statements).length === 0) await new Promise(setImmediate);
    await remove(certificate);
    const [{ serials }] = await Promise.all([read(), before]);
    expect(serials).toContain(certificate.serial);
    expect(serials).toHaveLength(6_001);
  });

  test('of which nothing is revoked ends with its authority, also when it is kept', async () => {
    expect((await get()).status).toBe(200);
    expect((await service.rest('DELETE', `/ssh_certificate_authorities/${authority}`)).status).toBe(204);
    expect((await get()).status).toBe(404);
    expect((await get()).status).toBe(404);
  });

  describe('once a certificate has expired', () => {
    let clocks: ReturnType<typeof createClocks>;
    beforeEach(async () => {
      clocks = await withClocks();
    });
    const pass = (from: number, to: number) => clocks.pass(service, from, to);

    test('loses it with a clock that has been right for a day, counts that, and writes the list anew', async () => {
      const client = await openClient(service.database);
      const expired = await newCertificate({ valid_until: afterHours(20).toISOString() });
      const valid = await newCertificate();
      await remove(expired);
      await remove(valid);
      await pass(1, 23);
      const before = await read();
      expect([before.version, sorted(before.serials)]).toEqual([2n, sorted([expired.serial, valid.serial])]);
      await pass(24, 24);
      expect(await read()).toMatchObject({ version: 3n, serials: [valid.serial] });
      expect((await client.sshRevocation.findMany()).map(({ serial }) => serial)).toEqual([valid.serial]);
      await pass(25, 30);
      expect(await read()).toMatchObject({ version: 3n, serials: [valid.serial] });
    });

    test('loses thousands in batches, and counts for each list that it has changed', async () => {
      const [other, lasting] = [await newAuthority(), await newAuthority()];
      await revoke(1_200, authority, afterHours(1));
      await revoke(300, other, afterHours(1));
      await revoke(700, lasting);
      await pass(1, 23);
      const statements = await statementsOf(service, () => pass(24, 24));
      const deletions = statements.filter((sql) => /^DELETE FROM .SshRevocation/.test(sql));
      expect(deletions.length).toBeGreaterThanOrEqual(byEngine({ sqlite: 3, postgresql: 2 }));
      expect(readsOfRevocations(statements).every((sql) => /LIMIT|DISTINCT/.test(sql))).toBe(true);
      expect((await read()).serials).toEqual([]);
      expect((await read()).version).toBeGreaterThan(1_200n);
      expect((await read(other)).serials).toEqual([]);
      const kept = await read(lasting);
      expect([kept.version, kept.serials.length]).toEqual([700n, 700]);
    });

    test('keeps it for another day after a jump of the clock, and leaves other lists alone', async () => {
      const other = await newAuthority();
      const certificate = await newCertificate({ valid_until: afterHours(20).toISOString() });
      await remove(certificate);
      await remove(await newCertificate({ ssh_certificate_authority_id: other }));
      await pass(1, 18);
      // The clock jumps ahead by a year, and back.
      service.setTime(afterHours(18 + 365 * 24));
      await service.storage.upkeep();
      await pass(18, 41);
      expect((await read()).serials).toEqual([certificate.serial]);
      await pass(42, 42);
      expect(await read()).toMatchObject({ version: 2n, serials: [] });
      expect((await read(other)).version).toBe(1n);
    });
  });
});

test('the opened private key of an authority goes with it', async () => {
  await remove(await newCertificate());
  const dropped = vi.spyOn(LRUCache.prototype, 'delete');
  await ofOneServer(service).rest('DELETE', `/ssh_certificate_authorities/${authority}`);
  expect(dropped.mock.calls).toContainEqual([authority]);
  expect(dropped.mock.results[dropped.mock.calls.findIndex(([key]) => key === authority)]?.value).toBe(true);
  dropped.mockRestore();
});
