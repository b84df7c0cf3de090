// The revocation list of a whole account, with a section per authority, served without an API key.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { afterHours, createClocks } from '../../support/clocks.ts';
import { openClient } from '../../support/database.ts';
import { fetchRevocationList } from '../../support/revocation-list.ts';
import { send } from '../../support/send.ts';
import { accountOf, ownService, startService, startTime, type TestService } from '../../support/service.ts';
import { hostKeys } from '../../support/ssh.ts';
import { statementsOf } from '../../support/statements.ts';

let shared: TestService;
let service: TestService;
let accountId: string;
let publicKeys: Map<string, string>;
beforeAll(async () => {
  shared = await startService({}, { monotonicMs: createClocks().monotonicMs });
});
beforeEach(async () => {
  publicKeys = new Map();
  service = await shared.asNewAccount();
  accountId = await accountOf(service);
});

async function newAuthority(): Promise<string> {
  const { body } = await service.rest('POST', '/ssh_certificate_authorities');
  publicKeys.set(body.public_key.split(' ')[1], body.id);
  return body.id;
}

async function newCertificate(authority: string, values: object = {}): Promise<{ id: string; serial: bigint }> {
  const request = { ssh_certificate_authority_id: authority, public_key: hostKeys.ed25519, ...values };
  const { id } = (await service.rest('POST', '/ssh_host_certificates', request)).body;
  const { one } = dataOf(await service.graphql(`{ one: sshHostCertificate(id: "${id}") { serial } }`));
  return { id, serial: BigInt(one.serial) };
}
const remove = ({ id }: { id: string }) => service.rest('DELETE', `/ssh_host_certificates/${id}`);
const removeAuthority = (id: string) => service.rest('DELETE', `/ssh_certificate_authorities/${id}`);

const urlOf = (id = accountId) => `${service.url}/ssh/krl/${id}`;
const get = (id?: string) => fetch(urlOf(id));

/** Reads a list; its sections are by the id of the authority. */
async function read(id?: string) {
  const { sections, ...list } = await fetchRevocationList(urlOf(id));
  const byId = [...sections].map(([key, serials]) => [publicKeys.get(key) ?? key, serials]);
  return { ...list, sections: Object.fromEntries(byId) };
}
const generated = '2026-11-20T21:00:00.000Z';

describe('GET /ssh/krl/{account id}', () => {
  test('has its address in GraphQL, and needs no key', async () => {
    const { viewer } = dataOf(await service.graphql('{ viewer { account { sshRevocationListUrl } } }'));
    expect(viewer.account).toEqual({ sshRevocationListUrl: `https://sallyport.test/ssh/krl/${accountId}` });
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '44',
      'cache-control': 'public, no-cache',
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
    });
    expect(await read()).toEqual({ version: 0n, generated, sections: {} });
  });

  test('has a section for each authority of which something is revoked, and none of another account', async () => {
    const [first, second, idle] = [await newAuthority(), await newAuthority(), await newAuthority()];
    const [one, two] = [await newCertificate(first), await newCertificate(second)];
    await newCertificate(idle);
    await remove(one);
    expect(await read()).toEqual({ version: 1n, generated, sections: { [first]: [one.serial] } });
    service.setTime(new Date('2026-11-21T08:00:00.700Z'));
    await remove(two);
    const all = { [first]: [one.serial], [second]: [two.serial] };
    expect(await read()).toEqual({ version: 2n, generated: '2026-11-21T08:00:00.000Z', sections: all });
    const stranger = await service.otherAccount('other');
    expect(await read(await accountOf(stranger))).toMatchObject({ version: 0n, sections: {} });
  });

  test('says with an ETag whether it has changed', async () => {
    const authority = await newAuthority();
    const certificate = await newCertificate(authority);
    const etag = (await get()).headers.get('etag') ?? '';
    // Not with `fetch`, which would ask for a fresh copy.
    const statusNow = async () => (await send(urlOf(), { headers: { 'If-None-Match': etag } })).status;
    expect(await statusNow()).toBe(304);
    await remove(certificate);
    expect(await statusNow()).toBe(200);
  });

  test('keeps what is revoked of an authority that is deleted, and so does the list of that one', async () => {
    const [first, second] = [await newAuthority(), await newAuthority()];
    const [one, two] = [await newCertificate(first), await newCertificate(second)];
    await remove(one);
    await remove(two);
    const before = await read();
    expect((await removeAuthority(first)).status).toBe(204);
    expect(await read()).toEqual(before);
    expect(before.sections).toEqual({ [first]: [one.serial], [second]: [two.serial] });
    const own = await fetchRevocationList(`${service.url}/ssh_certificate_authorities/${first}/krl`);
    expect([own.version, ...own.sections.values()]).toEqual([1n, [one.serial]]);
  });

  test('is kept: asking again is one small statement, until a revocation', async () => {
    const authority = await newAuthority();
    const [first, second] = [await newCertificate(authority), await newCertificate(authority)];
    const selects = () => statementsOf(service, get);
    await remove(first);
    expect(await selects()).toHaveLength(2);
    const [again = '', ...more] = await selects();
    expect([again.includes('sum("revocationCount")'), again.includes('publicKey'), more]).toEqual([true, false, []]);
    await remove(second);
    expect((await read()).sections[authority]).toHaveLength(2);
    expect(await selects()).toHaveLength(1);
  });

  test('is read in slices that go on from one authority to the next', async () => {
    const client = await openClient(service.database);
    const authorities = [await newAuthority(), await newAuthority(), await newAuthority()];
    const rest = { accountId, validUntil: new Date('2027-06-01'), revokedAt: startTime };
    for (const sshCertificateAuthorityId of authorities) {
      for (let start = 1; start <= 2_000; start += 1_000) {
        const data = Array.from({ length: 1_000 }, (_, index) => ({
          ...rest,
          sshCertificateAuthorityId,
          serial: BigInt(start + index),
        }));
        await client.sshRevocation.createMany({ data });
      }
    }
    const statements = await statementsOf(service, get);
    expect(statements.filter((sql) => sql.includes('"SshRevocation"'))).toHaveLength(3);
    const serials = Array.from({ length: 2_000 }, (_, index) => BigInt(index + 1));
    const { sections } = await read();
    expect(sections).toEqual(Object.fromEntries(authorities.map((id) => [id, serials])));
  });

  describe('once what is revoked has expired', () => {
    let clocks: ReturnType<typeof createClocks>;
    beforeEach(async () => {
      clocks = createClocks();
      service = await ownService({}, { monotonicMs: clocks.monotonicMs });
      accountId = await accountOf(service);
    });
    const pass = (from: number, to: number) => clocks.pass(service, from, to);

    test('forgets deleted authorities, and its version never goes down', async () => {
      const versions: bigint[] = [];
      const note = async () => versions.push((await read()).version);
      const authorities: string[] = [];
      for (const hours of [20, 20, 20, 2_000]) {
        const authority = await newAuthority();
        authorities.push(authority);
        const certificate = await newCertificate(authority, { valid_until: afterHours(hours).toISOString() });
        await remove(certificate);
        await remove(await newCertificate(authority, { valid_until: afterHours(20).toISOString() }));
        await note();
        await removeAuthority(authority);
        await note();
      }
      const client = await openClient(service.database);
      expect(await client.sshDeletedAuthority.count()).toBe(4);
      await pass(1, 25);
      await note();
      const left = await client.sshDeletedAuthority.findMany();
      expect(left.map(({ id }) => id)).toEqual([authorities[3]]);
      const list = await read();
      expect(list.sections).toEqual({ [authorities[3] ?? '']: [expect.any(BigInt)] });
      expect(list.version).toBeGreaterThanOrEqual(12n);
      await pass(26, 90);
      expect((await read()).version).toBe(list.version);
      expect(versions).toEqual([...versions].sort((one, other) => (one < other ? -1 : 1)));
      const gone = await fetch(`${service.url}/ssh_certificate_authorities/${authorities[0]}/krl`);
      expect(gone.status).toBe(404);
    });

    test('keeps the newest deleted authority without a serial, for the version', async () => {
      const authority = await newAuthority();
      await remove(await newCertificate(authority, { valid_until: afterHours(20).toISOString() }));
      await removeAuthority(authority);
      await pass(1, 25);
      expect(await read()).toEqual({ version: 2n, generated: expect.any(String), sections: {} });
      const other = await newAuthority();
      await remove(await newCertificate(other));
      expect((await read()).version).toBe(3n);
    });
  });

  test.each(['acct_01h455vb4pex5vsknk084sn02q', 'sshca_01h455vb4pex5vsknk084sn02q', 'nonsense', '%00', '..%2f'])(
    'is 404 for %s',
    async (id) => {
      const answer = await get(id);
      expect([answer.status, answer.headers.get('etag')]).toEqual([404, null]);
      expect(await answer.json()).toMatchObject({ error_code: 'NOT_FOUND' });
    },
  );
});
