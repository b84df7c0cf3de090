// The number of objects of a list: exact with every filter, counted by the database or in slices, and once for all fields of a document.

import { beforeAll, describe, expect, test } from 'vitest';
import { dataOf } from '../support/answers.ts';
import { turnsOf } from '../support/asked-turns.ts';
import { copyRow, lateId } from '../support/crowd.ts';
import { execute } from '../support/database.ts';
import { onOneEngine } from '../support/one-engine.ts';
import { startService, type TestService } from '../support/service.ts';
import { hostKeys } from '../support/ssh.ts';
import { statementsOf } from '../support/statements.ts';

const eventCount = 3_000;
let service: TestService;
let policy: string;
let authority: string;
beforeAll(async () => {
  // Each reading of this clock is a moment after the last one: every slice seems to take 20 ms.
  let ms = 0;
  const monotonicMs = () => {
    ms += 20;
    return ms;
  };
  service = await startService({}, { monotonicMs });
  policy = (await service.rest('POST', '/ip_policies', {})).body.id;
  const [event] = (await service.rest('GET', '/audit_events?limit=1')).body.audit_events;
  const columns = [
    ...[
      'id',
      'accountId',
      'action',
      'kind',
      'objectId',
      'actor',
      'actorDescription',
      'surface',
      'requestId',
      'clientAddress',
      'state',
    ],
    ...['version', 'createdAt', 'commitOrder'],
  ];
  const changed = {
    version: 'n + 2',
    commitOrder: 'n - 1000000',
    kind: `CASE WHEN n % 3 = 0 THEN 'TlsEdge' ELSE 'IpPolicy' END`,
    action: `CASE WHEN n % 2 = 0 THEN 'update' ELSE 'delete' END`,
  };
  await copyRow(service.database, 'AuditEvent', event.id, eventCount, changed, columns);
  authority = (await service.rest('POST', '/ssh_certificate_authorities', {})).body.id;
  const certificate = { ssh_certificate_authority_id: authority, public_key: hostKeys.ed25519, principals: ['a'] };
  const { id } = (await service.rest('POST', '/ssh_host_certificates', certificate)).body;
  const ofCertificate = [
    ...['id', 'accountId', 'sshCertificateAuthorityId', 'serial', 'publicKey', 'keyType', 'principals', 'certificate'],
    ...['validAfter', 'validUntil', 'createdAt', 'updatedAt', 'version', 'fingerprint', 'replacedById'],
  ];
  const replaced = { serial: 'n + 1000', replacedById: `CASE WHEN n % 4 = 0 THEN 'shcrt_later' END` };
  // All of them expire in the same moment.
  await copyRow(service.database, 'SshHostCertificate', id, 1_200, replaced, ofCertificate);
});

/** Counts the objects of a list. */
async function countOf(list: string): Promise<number> {
  return dataOf(await service.graphql(`{ list: ${list} { totalCount } }`)).list.totalCount;
}

test.each([
  // Besides the copies, there is one event each for the policy, the authority and the certificate, and two of the first start.
  ['auditEvents', eventCount + 5],
  ['auditEvents(kind: "TlsEdge")', 1_000],
  ['auditEvents(kind: "TlsEdge", action: delete)', 500],
  ['auditEvents(kind: "TlsEdge", action: delete, from: "2026-11-01T00:00:00Z")', 500],
  ['auditEvents(action: refuse, kind: "TlsEdge")', 0],
  ['auditEvents(to: "2026-11-21T00:00:00Z")', 5],
  ['auditEvents(from: "2026-11-01T00:00:00Z", to: "2026-11-21T00:00:00Z")', 5],
  ['sshHostCertificates', 1_201],
  ['sshHostCertificates(replaced: false)', 901],
  ['sshHostCertificates(replaced: true)', 300],
  ['sshHostCertificates(validUntilAfter: "2026-11-21T00:00:00Z")', 1_201],
  ['sshHostCertificates(validUntilAfter: "2026-11-21T00:00:00Z", replaced: false)', 901],
  ['sshHostCertificates(validUntilBefore: "2026-11-21T00:00:00Z")', 0],
  ['sshHostCertificates(principal: "b")', 0],
  ['sshHostCertificates(validUntilAfter: "2026-11-21T00:00:00Z", search: "rack")', 0],
])('%s has %i', async (list, count) => {
  expect(await countOf(list)).toBe(count);
});

test('what belongs to an object is counted as well, and narrowed by a time', async () => {
  expect(await countOf(`auditEvents(objectId: "${policy}")`)).toBe(eventCount + 1);
  expect(await countOf(`auditEvents(objectId: "${policy}", kind: "TlsEdge", action: update)`)).toBe(500);
  expect(await countOf(`auditEvents(objectId: "${policy}", to: "2026-11-21T00:00:00Z")`)).toBe(1);
  const query = `query ($policy: ID!, $authority: ID!) {
    ipPolicy(id: $policy) { history(first: 1) { totalCount } }
    sshCertificateAuthority(id: $authority) {
      hostCertificates(first: 1) { totalCount }
      ending: hostCertificates(first: 1, validUntilBefore: "2036-11-21T00:00:00Z") { totalCount }
      ended: hostCertificates(first: 1, validUntilBefore: "2026-11-21T00:00:00Z") { totalCount }
    } }`;
  expect(dataOf(await service.graphql(query, { policy, authority }))).toEqual({
    ipPolicy: { history: { totalCount: eventCount + 1 } },
    sshCertificateAuthority: {
      hostCertificates: { totalCount: 1_201 },
      ending: { totalCount: 1_201 },
      ended: { totalCount: 0 },
    },
  });
});

/** Returns how many rows each statement of a count may look at. */
const limitsOf = (statements: readonly string[]) =>
  statements.filter((sql) => sql.includes('count(')).map((sql) => Number(/LIMIT (\d+)/.exec(sql)?.[1]));

test('no statement looks at more rows than a slice has, and each slice has its own turn of the event loop', async () => {
  let turns = 0;
  const limits = limitsOf(
    await statementsOf(service, async () => {
      ({ turns } = await turnsOf(() => countOf('auditEvents(from: "2026-11-01T00:00:00Z")')));
    }),
  );
  // PostgreSQL has its own processor: its slices are larger, whatever time they take.
  if (service.database.url.startsWith('postgres')) expect(limits).toEqual([4_000]);
  else {
    // Slow slices are followed by smaller ones.
    expect(limits.slice(0, 6)).toEqual([1_000, 250, 63, 16, 10, 10]);
    expect(turns).toBeGreaterThanOrEqual(limits.length - 1);
  }
});

test('all objects of a kind are not looked at: the database has counted them', async () => {
  const statements = await statementsOf(service, () =>
    service.graphql('{ auditEvents { totalCount } sshHostCertificates(orderBy: valid_until_desc) { totalCount } }'),
  );
  expect(statements.filter((sql) => /"(AuditEvent|SshHostCertificate)"/.test(sql))).toEqual([]);
});

onOneEngine(() => {
  test.each([
    'auditEvents(kind: "TlsEdge", action: refuse, first: 1)',
    'ipPolicyRules(action: deny, first: 1, orderBy: updated_at_desc)',
    'sshHostCertificates(replaced: true, orderBy: valid_until_desc, last: 1, principal: "a")',
    'ipPolicies(search: "nowhere")',
  ])('a page of %s takes no more rows at a time', async (list) => {
    const statements = await statementsOf(service, () => service.graphql(`{ ${list} { nodes { id } } }`));
    for (const sql of statements) expect(Number(/ OFFSET (\d+)/.exec(sql)?.[1] ?? 0)).toBeLessThan(500);
  });
});

describe('lists that differ only in their pages, orders and names', () => {
  const statementsFor = (document: string) => statementsOf(service, () => service.graphql(document));

  test('are counted once', async () => {
    const one = limitsOf(await statementsFor('{ auditEvents(kind: "TlsEdge") { totalCount } }'));
    const pages = [
      'first: 1',
      'first: 2',
      'last: 3, orderBy: created_at_asc',
      `first: 1, after: "${lateId('AuditEvent', 7)}"`,
    ];
    const fields = pages.map((page, index) => `a${index}: auditEvents(kind: "TlsEdge", ${page}) { totalCount }`);
    expect(limitsOf(await statementsFor(`{ ${fields.join(' ')} }`))).toEqual(one);
  });
});

test('revocations, and certificates by the days that are left, are counted so, too', async () => {
  const certificate = { ssh_certificate_authority_id: authority, public_key: hostKeys.ed25519, principals: ['b'] };
  const { id } = (await service.rest('POST', '/ssh_host_certificates', certificate)).body;
  await service.rest('DELETE', `/ssh_host_certificates/${id}`);
  const numbers = Array.from({ length: 1_200 }, (_, number) => `(${number + 1})`).join(', ');
  // Two serial numbers that a double cannot tell apart are next to each other.
  await execute(
    service.database,
    `WITH v AS (SELECT column1 AS n FROM (VALUES ${numbers}) AS given)
     INSERT INTO "SshRevocation" ("accountId", "sshCertificateAuthorityId", "serial", "validUntil", "revokedAt")
     SELECT "accountId", CASE WHEN n % 2 = 0 THEN "sshCertificateAuthorityId" ELSE 'shca_other' END, 9007199254740000 + n,
       "validUntil", "revokedAt" FROM "SshRevocation", v`,
  );
  const query = `query ($authority: ID!, $id: String!) {
    all: sshRevocations { totalCount } again: sshRevocations(first: 1, orderBy: valid_until_asc) { totalCount }
    own: sshRevocations(sshCertificateAuthorityId: $authority) { totalCount }
    one: sshRevocations(search: $id) { totalCount }
    sshHostCertificateCounts { total ranges { daysLeft count } }
    sshCertificateAuthority(id: $authority) { hostCertificateCounts { total } } }`;
  let data: unknown;
  const statements = await statementsOf(service, async () => {
    data = dataOf(await service.graphql(query, { authority, id }));
  });
  expect(data).toEqual({
    all: { totalCount: 1_201 },
    again: { totalCount: 1_201 },
    own: { totalCount: 601 },
    one: { totalCount: 1 },
    sshHostCertificateCounts: { total: 901, ranges: expect.arrayContaining([expect.objectContaining({ count: 901 })]) },
    sshCertificateAuthority: { hostCertificateCounts: { total: 901 } },
  });
  // Nothing but what an index finds at once is counted without a limit.
  const counts = statements.filter((sql) => /count\(/i.test(sql) && !/LIMIT/.test(sql));
  expect(counts.filter((sql) => !sql.includes(id) && !sql.includes(' IS NULL AND'))).toEqual([]);
});
