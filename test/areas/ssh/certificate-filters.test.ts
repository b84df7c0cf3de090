// Filters of host certificates by expiry, name, key, authority and replacement, and their order by expiry.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { dataOf, errorOf } from '../../support/answers.ts';
import { openClient } from '../../support/database.ts';
import { uproot } from '../../support/planting.ts';
import { ownService, startService, type TestService } from '../../support/service.ts';
import { hostKeys } from '../../support/ssh.ts';
import { countStatements } from '../../support/statements.ts';

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

/** Gives a test its own service, because it reads whole tables. */
async function beginAlone(): Promise<void> {
  service = await ownService();
  authority = await newAuthority();
}

const path = '/ssh_host_certificates';
const newAuthority = async (): Promise<string> => (await service.rest('POST', '/ssh_certificate_authorities')).body.id;

async function newCertificate(values: object = {}): Promise<string> {
  const request = { ssh_certificate_authority_id: authority, public_key: hostKeys.ed25519, ...values };
  const { status, body } = await service.rest('POST', path, request);
  expect(status).toBe(201);
  return body.id;
}

/** Marks certificates as replaced, as a renewal does. */
async function replace(...ids: string[]) {
  const client = await openClient(service.database);
  for (const id of ids) await client.sshHostCertificate.update({ where: { id }, data: { replacedById: 'shcrt_next' } });
}

const idsOf = (nodes: { id: string }[]) => nodes.map(({ id }) => id);
const found = async (filters: string): Promise<string[]> =>
  idsOf(dataOf(await service.graphql(`{ list: sshHostCertificates(${filters}) { nodes { id } } }`)).list.nodes);
const listed = async (query: string): Promise<string[]> =>
  idsOf((await service.rest('GET', `${path}?${query}`)).body.ssh_host_certificates);

describe('sshHostCertificates', () => {
  test('finds what a host presents by its names and its key, in both interfaces', async () => {
    const first = await newCertificate({ principals: ['a.example.com', '10.0.0.1'] });
    const other = await newCertificate({ principals: ['b.example.com', '10.0.0.1'], public_key: hostKeys.p256 });
    const all = await newCertificate({ principals: [], public_key: hostKeys.rsa });
    expect(await found('principal: "10.0.0.1"')).toEqual([other, first]);
    expect(await found('principal: "a.example.com"')).toEqual([first]);
    expect(await found('principal: "example.com"')).toEqual([]);
    expect(await listed('principal=b.example.com')).toEqual([other]);
    const { certificate } = dataOf(
      await service.graphql(`{ certificate: sshHostCertificate(id: "${all}") { fingerprint } }`),
    );
    const { fingerprint } = certificate;
    expect(await found(`fingerprint: "${fingerprint}"`)).toEqual([all]);
    expect(await listed(`fingerprint=${encodeURIComponent(fingerprint)}`)).toEqual([all]);
    expect(await found(`fingerprint: "${fingerprint}", principal: "10.0.0.1"`)).toEqual([]);
    await service.rest('DELETE', `${path}/${first}`);
    expect(await found('principal: "10.0.0.1"')).toEqual([other]);
  });

  test('finds the hosts that have not renewed in time by one query', async () => {
    const ends = ['2026-12-05T00:00:00Z', '2026-12-01T00:00:00Z', '2026-12-03T00:00:00Z', '2027-12-01T00:00:00Z'];
    const [late, replaced, first, far] = await Promise.all(ends.map((valid_until) => newCertificate({ valid_until })));
    await replace(replaced ?? '');
    const due = 'replaced: false, validUntilBefore: "2026-12-20T00:00:00Z", orderBy: valid_until_asc';
    expect(await found(due)).toEqual([first, late]);
    const query = 'replaced=false&valid_until_before=2026-12-20T00:00:00Z&order_by=valid_until_asc';
    expect(await listed(query)).toEqual([first, late]);
    expect(await listed('replaced=true')).toEqual([replaced]);
    expect(await found('orderBy: valid_until_asc')).toEqual([replaced, first, late, far]);
    expect(await found('orderBy: valid_until_asc, validUntilAfter: "2026-12-03T00:00:00Z"')).toEqual([late, far]);
    expect(await found('validUntilAfter: "2026-12-01T00:00:00Z", validUntilBefore: "2026-12-05T00:00:00Z"')).toEqual([
      first,
    ]);
  });

  test('pages over REST with its filters in the address of the next page', async () => {
    const names = { principals: ['a.example.com'] };
    const ids = [];
    for (const month of ['03', '01', '02']) {
      ids.push(await newCertificate({ ...names, valid_until: `2027-${month}-01T00:00:00+01:00` }));
    }
    await newCertificate({ principals: ['b.example.com'] });
    const seen: string[] = [];
    let uri: string | null =
      `${path}?limit=1&order_by=valid_until_asc&principal=a.example.com&valid_until_before=2027-12-01T00%3A00%3A00%2B01%3A00`;
    const pages: (string | null)[] = [];
    while (uri !== null) {
      const { status, body } = await service.rest('GET', uri.replace('https://sallyport.test', ''));
      expect(status).toBe(200);
      seen.push(...idsOf(body.ssh_host_certificates));
      uri = body.next_page_uri;
      pages.push(uri);
    }
    expect(seen).toEqual([ids[1], ids[2], ids[0]]);
    expect(pages).toEqual([
      `https://sallyport.test${path}?limit=1&before_id=${ids[1]}.1798758000000&valid_until_before=2027-12-01T00%3A00%3A00%2B01%3A00&principal=a.example.com&order_by=valid_until_asc`,
      expect.stringContaining(`before_id=${ids[2]}.`),
      null,
    ]);
  });

  test.each([
    ['principal: "A.example.com"', 'principal', 'must be in lower case, as clients look it up: write "a.example.com".'],
    [
      'principal: "a b"',
      'principal',
      'must be one name, without spaces or commas. Send each name as a separate entry.',
    ],
    ['fingerprint: "MD5:00"', 'fingerprint', 'must be as `ssh-keygen -l` shows it: SHA256: and 43 characters.'],
    [
      'validUntilAfter: "soon"',
      'validUntilAfter',
      'must be an RFC 3339 timestamp with its offset, such as 2027-01-31T09:30:00Z.',
    ],
    [
      'orderBy: valid_until_asc, after: "shcrt_01h455vb4pex5vsknk084sn02q"',
      'after',
      'is a cursor of another order. Leave it out to begin with the first page of this one.',
    ],
    [
      'orderBy: valid_until_asc, before: "shcrt_01h455vb4pex5vsknk084sn02q.999999999999999"',
      'before',
      'must be a cursor from an earlier page of this list.',
    ],
    [
      'after: "shcrt_01h455vb4pex5vsknk084sn02q.1"',
      'after',
      'is a cursor of another order. Leave it out to begin with the first page of this one.',
    ],
    ['sshCertificateAuthorityId: "x"', 'sshCertificateAuthorityId', 'must be an identifier with the prefix "sshca_".'],
  ])('refuses %s', async (filters, field, message) => {
    expect(errorOf(await service.graphql(`{ sshHostCertificates(${filters}) { nodes { id } } }`))).toEqual({
      code: 'INVALID_INPUT',
      field,
      message: `${field}: ${message}`,
    });
  });

  test('shows no certificate of another account by any filter', async () => {
    await newCertificate({ principals: ['a.example.com'] });
    const stranger = await service.otherAccount('other');
    const query =
      '{ sshHostCertificates(principal: "a.example.com", orderBy: valid_until_asc) { totalCount nodes { id } } }';
    expect(dataOf(await stranger.graphql(query)).sshHostCertificates).toEqual({ totalCount: 0, nodes: [] });
  });
});

test('certificates from before get their fingerprint by upkeep, a few at a time, and no event', async () => {
  await beginAlone();
  const ids: string[] = [];
  for (let made = 0; made < 3; made += 1) ids.unshift(await newCertificate());
  const client = await openClient(service.database);
  const [{ fingerprint } = { fingerprint: null }] = await client.sshHostCertificate.findMany();
  await client.sshHostCertificate.updateMany({ data: { fingerprint: null } });
  const events = await client.auditEvent.count();
  expect(await found(`fingerprint: "${fingerprint}"`)).toEqual([]);
  await service.storage.upkeep();
  expect(await found(`fingerprint: "${fingerprint}"`)).toEqual(ids);
  expect(await client.auditEvent.count()).toBe(events);
});

describe('sshHostCertificateCounts', () => {
  const counts = '{ total ranges { daysLeft count } }';
  const ranges = (...numbers: number[]) =>
    ['ended', '0-1', '1-7', '7-30', '30-90', '90+'].map((daysLeft, index) => ({ daysLeft, count: numbers[index] }));

  test('count what is not replaced by the days left, together and for each authority', async () => {
    const empty = await newAuthority();
    const other = await newAuthority();
    const until = (days: number) => ({
      valid_after: '2026-01-01T00:00:00Z',
      valid_until: new Date(Date.UTC(2026, 10, 20, 21) + days * 86_400_000).toISOString(),
    });
    for (const days of [-1, 0, 1, 7, 29, 91]) await newCertificate(until(days));
    await newCertificate({ ...until(45), ssh_certificate_authority_id: other });
    await replace(await newCertificate(until(3)));
    const query = `{ all: sshHostCertificateCounts ${counts} sshCertificateAuthorities { nodes { id hostCertificateCounts ${counts} } } }`;
    const { all, sshCertificateAuthorities } = dataOf(await service.graphql(query));
    expect(all).toEqual({ total: 7, ranges: ranges(2, 1, 1, 1, 1, 1) });
    expect(sshCertificateAuthorities.nodes).toEqual([
      { id: other, hostCertificateCounts: { total: 1, ranges: ranges(0, 0, 0, 0, 1, 0) } },
      { id: empty, hostCertificateCounts: { total: 0, ranges: ranges(0, 0, 0, 0, 0, 0) } },
      { id: authority, hostCertificateCounts: { total: 6, ranges: ranges(2, 1, 1, 1, 0, 1) } },
    ]);
    expect(await countStatements(service, () => service.graphql(query))).toBe(20);
    const stranger = await service.otherAccount('other');
    expect(dataOf(await stranger.graphql(`{ all: sshHostCertificateCounts ${counts} }`)).all.total).toBe(0);
  });
});

describe('sshRevocations', () => {
  const columns = 'sshCertificateAuthorityId serial sshHostCertificateId validUntil revokedAt';

  test('lists what is revoked, the latest first, also of an authority that is deleted', async () => {
    const other = await newAuthority();
    const serialOf = async (id: string) =>
      dataOf(await service.graphql(`{ one: sshHostCertificate(id: "${id}") { serial } }`)).one.serial;
    const [first, second] = [
      await newCertificate({ valid_until: '2027-01-01T00:00:00Z' }),
      await newCertificate({ ssh_certificate_authority_id: other, valid_until: '2027-02-01T00:00:00Z' }),
    ];
    const serials = [await serialOf(first), await serialOf(second)];
    await service.rest('DELETE', `${path}/${first}`);
    service.setTime(new Date('2026-11-21T08:00:00Z'));
    await service.rest('DELETE', `${path}/${second}`);
    await service.rest('DELETE', `/ssh_certificate_authorities/${other}`);
    const expected = [
      {
        sshCertificateAuthorityId: other,
        serial: serials[1],
        sshHostCertificateId: second,
        validUntil: '2027-02-01T00:00:00Z',
        revokedAt: '2026-11-21T08:00:00Z',
      },
      {
        sshCertificateAuthorityId: authority,
        serial: serials[0],
        sshHostCertificateId: first,
        validUntil: '2027-01-01T00:00:00Z',
        revokedAt: '2026-11-20T21:00:00Z',
      },
    ];
    const page = dataOf(await service.graphql(`{ all: sshRevocations { totalCount nodes { ${columns} } } }`)).all;
    expect(page).toEqual({ totalCount: 2, nodes: expected });
    const of = dataOf(
      await service.graphql(`{ all: sshRevocations(sshCertificateAuthorityId: "${other}") { nodes { ${columns} } } }`),
    ).all;
    expect(of.nodes).toEqual(expected.slice(0, 1));
    const { body } = await service.rest('GET', '/ssh_revocations?limit=1');
    expect(body).toEqual({
      ssh_revocations: [
        {
          ssh_certificate_authority_id: other,
          serial: serials[1],
          ssh_host_certificate_id: second,
          valid_until: '2027-02-01T00:00:00Z',
          revoked_at: '2026-11-21T08:00:00Z',
        },
      ],
      uri: 'https://sallyport.test/ssh_revocations',
      next_page_uri: `https://sallyport.test/ssh_revocations?limit=1&before_id=1795248000000.${other}.${serials[1]}`,
    });
    const next = await service.rest('GET', body.next_page_uri.replace('https://sallyport.test', ''));
    expect(next.body).toMatchObject({ ssh_revocations: [{ ssh_host_certificate_id: first }], next_page_uri: null });
  });

  test('are in the order that is asked for, page by page, with cursors of that order alone', async () => {
    const client = await openClient(service.database);
    const { accountId } = await client.sshCertificateAuthority.findUniqueOrThrow({ where: { id: authority } });
    const day = (number: number) => new Date(Date.UTC(2026, 10, number));
    // Revoked in one order, two at a time, and expiring in another.
    const data = [1, 2, 3, 4].map((number) => ({
      accountId,
      sshCertificateAuthorityId: authority,
      serial: BigInt(number),
      revokedAt: day(10 + Math.ceil(number / 2)),
      validUntil: day(29 - number),
    }));
    await client.sshRevocation.createMany({ data });
    const page = async (args: string) =>
      dataOf(
        await service.graphql(
          `{ list: sshRevocations(${args}) { nextPageUri nodes { serial } pageInfo { hasNextPage startCursor endCursor } } }`,
        ),
      ).list;
    const serialsOf = ({ nodes }: { nodes: { serial: string }[] }) => nodes.map(({ serial }) => Number(serial));
    const expected = {
      revoked_at_desc: [4, 3, 2, 1],
      revoked_at_asc: [1, 2, 3, 4],
      valid_until_desc: [1, 2, 3, 4],
      valid_until_asc: [4, 3, 2, 1],
    };
    for (const [orderBy, serials] of Object.entries(expected)) {
      const first = await page(`orderBy: ${orderBy}, first: 3`);
      expect([orderBy, serialsOf(first), first.nextPageUri]).toEqual([orderBy, serials.slice(0, 3), null]);
      const { endCursor } = first.pageInfo;
      expect(serialsOf(await page(`orderBy: ${orderBy}, after: "${endCursor}"`))).toEqual(serials.slice(3));
      const last = await page(`orderBy: ${orderBy}, last: 3`);
      expect(serialsOf(last)).toEqual(serials.slice(1));
      const before = `before: "${last.pageInfo.startCursor}"`;
      expect(serialsOf(await page(`orderBy: ${orderBy}, last: 3, ${before}`))).toEqual(serials.slice(0, 1));
      const other = orderBy === 'revoked_at_asc' ? 'valid_until_asc' : 'revoked_at_asc';
      expect(
        errorOf(await service.graphql(`{ sshRevocations(orderBy: ${other}, after: "${endCursor}") { totalCount } }`)),
      ).toEqual({
        code: 'INVALID_INPUT',
        field: 'after',
        message: 'after: is a cursor of another order. Leave it out to begin with the first page of this one.',
      });
    }
  });

  test('are found by their serial numbers and by the ids of their certificates and authorities, as a whole', async () => {
    const client = await openClient(service.database);
    const other = await newAuthority();
    const certificate = await newCertificate({ ssh_certificate_authority_id: other });
    const { serial } = await client.sshHostCertificate.findUniqueOrThrow({ where: { id: certificate } });
    await service.rest('DELETE', `${path}/${certificate}`);
    await service.rest('DELETE', `${path}/${await newCertificate()}`);
    // The same serial number under another authority, revoked a moment later.
    const { accountId } = await client.sshCertificateAuthority.findUniqueOrThrow({ where: { id: authority } });
    const times = { validUntil: new Date('2027-06-01'), revokedAt: new Date('2026-11-25') };
    await client.sshRevocation.create({ data: { accountId, sshCertificateAuthorityId: authority, serial, ...times } });
    const found = async (search: string, more = '') => {
      const query = `query ($search: String) { list: sshRevocations(search: $search${more}) {
        totalCount nodes { sshCertificateAuthorityId serial } } }`;
      const { totalCount, nodes } = dataOf(await service.graphql(query, { search })).list;
      expect(totalCount).toBe(nodes.length);
      return nodes.map((node: { sshCertificateAuthorityId: string; serial: string }) => [
        node.sshCertificateAuthorityId,
        node.serial,
      ]);
    };
    const [mine, its] = [
      [authority, String(serial)],
      [other, String(serial)],
    ];
    expect(await found(String(serial))).toEqual([mine, its]);
    expect(await found(String(serial), ', orderBy: revoked_at_asc')).toEqual([its, mine]);
    expect(await found(String(serial), `, sshCertificateAuthorityId: "${other}"`)).toEqual([its]);
    expect(await found(certificate.toUpperCase())).toEqual([its]);
    expect(await found(other)).toEqual([its]);
    expect(await found(authority)).toHaveLength(2);
    for (const none of ['office', '9223372036854775808', '99999999999999999999', '-1', '0', certificate.slice(0, -1)]) {
      expect([none, await found(none)]).toEqual([none, []]);
    }
    expect(errorOf(await service.graphql('{ sshRevocations(search: "") { totalCount } }'))).toEqual({
      code: 'INVALID_INPUT',
      field: 'search',
      message: 'search: must not be empty.',
    });
  });

  test('pages exactly through those of one moment, both ways', async () => {
    const client = await openClient(service.database);
    const { accountId } = await client.sshCertificateAuthority.findUniqueOrThrow({ where: { id: authority } });
    const rest = { accountId, validUntil: new Date('2027-06-01'), revokedAt: new Date('2026-11-20') };
    const other = await newAuthority();
    const data = [authority, other].flatMap((sshCertificateAuthorityId) =>
      [1n, 2n, 3n, 2n ** 63n - 1n].map((serial) => ({ ...rest, sshCertificateAuthorityId, serial })),
    );
    await client.sshRevocation.createMany({ data });
    const page = async (args: string) =>
      dataOf(
        await service.graphql(
          `{ list: sshRevocations(${args}) { edges { cursor } nodes { serial } pageInfo { hasNextPage endCursor startCursor } } }`,
        ),
      ).list;
    const seen: string[] = [];
    for (let args = 'first: 3'; ; ) {
      const { nodes, pageInfo } = await page(args);
      seen.push(...nodes.map(({ serial }: { serial: string }) => serial));
      if (!pageInfo.hasNextPage) break;
      args = `first: 3, after: "${pageInfo.endCursor}"`;
    }
    const down = ['9223372036854775807', '3', '2', '1'];
    expect(seen).toEqual([...down, ...down]);
    const { edges } = await page('first: 8');
    expect((await page(`last: 2, before: "${edges[5].cursor}"`)).nodes).toEqual([{ serial: '1' }, { serial: down[0] }]);
  });

  test.each([
    'x',
    '1',
    '1.sshca_1.2',
    '1.sshca_01h455vb4pex5vsknk084sn02q.9223372036854775808',
    '999999999999999.sshca_01h455vb4pex5vsknk084sn02q.1',
  ])('refuses the cursor %s', async (after) => {
    expect(errorOf(await service.graphql(`{ sshRevocations(after: "${after}") { nodes { serial } } }`))).toEqual({
      code: 'INVALID_INPUT',
      field: 'after',
      message: 'after: must be a cursor from an earlier page of this list.',
    });
  });
});

test('a new certificate and what it is found by are stored together or not at all', async () => {
  await beginAlone();
  const id = await newCertificate({ principals: ['b.example.com', 'a.example.com', 'b.example.com'] });
  const client = await openClient(service.database);
  const names = await client.sshHostCertificateName.findMany({ orderBy: { name: 'asc' } });
  expect(names.map(({ name, sshHostCertificateId }) => [name, sshHostCertificateId])).toEqual([
    ['a.example.com', id],
    ['b.example.com', id],
  ]);
  const scope = service.storage.actingFor(names[0]?.accountId ?? '', commandLine);
  await uproot(scope, 'SshHostCertificate');
  expect(await client.sshHostCertificateName.count()).toBe(0);
});

test('a certificate with as many names as it may have is found by each of them', async () => {
  const principals = Array.from({ length: 256 }, (_, number) => `h${number}.example.com`);
  const id = await newCertificate({ principals });
  for (const name of ['h0.example.com', 'h200.example.com', 'h255.example.com']) {
    expect(await found(`principal: "${name}"`)).toEqual([id]);
  }
});
