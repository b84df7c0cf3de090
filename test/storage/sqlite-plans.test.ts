// On SQLite, lists are read along an index with each filter and in each order, without sorting.

import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { statementsOf } from '../support/statements.ts';

let service: TestService;
let database: Database.Database;
beforeAll(async () => {
  service = await startService();
  database = new Database(service.database.engine.name, { readonly: true });
});
afterAll(async () => {
  database.close();
  expect(service.failures).toEqual([]);
  await service.close();
});

const authority = 'sshCertificateAuthorityId: "sshca_01h455vb4pex5vsknk084sn02q"';
const end = 'orderBy: valid_until_asc';
const after = 'after: "shcrt_01h455vb4pex5vsknk084sn02q.1798761600000"';
const place = 'after: "1798761600000.sshca_01h455vb4pex5vsknk084sn02q.7"';
const changed = 'after: "ipp_01h455vb4pex5vsknk084sn02q.1798761600000.updated_at_asc"';
const policy = 'ipPolicyId: "ipp_01h455vb4pex5vsknk084sn02q"';
const certificates = 'SshHostCertificate_accountId';
const object = 'objectId: "ipp_01h455vb4pex5vsknk084sn02q"';
const versions = 'AuditEvent_accountId_objectId_version_key';

test.each([
  [`sshHostCertificates(${end})`, `${certificates}_validUntil_id_idx (accountId=?)`],
  [`sshHostCertificates(${end}, ${after})`, `${certificates}_validUntil_id_idx (accountId=? AND validUntil>?)`],
  [
    `sshHostCertificates(${end}, validUntilBefore: "2027-01-01T00:00:00Z", validUntilAfter: "2026-01-01T00:00:00Z")`,
    `${certificates}_validUntil_id_idx (accountId=? AND validUntil>? AND validUntil<?)`,
  ],
  [
    `sshHostCertificates(${end}, replaced: false, validUntilBefore: "2027-01-01T00:00:00Z")`,
    `${certificates}_replacedById_validUntil_id_idx (accountId=? AND replacedById=? AND validUntil<?)`,
  ],
  [
    `sshHostCertificates(${end}, ${authority})`,
    // Without statistics, SQLite chooses the account's index, which has the same order; with statistics, the authority's.
    `${certificates}_validUntil_id_idx (accountId=?)`,
  ],
  [
    `sshHostCertificates(fingerprint: "SHA256:${'a'.repeat(43)}")`,
    'SshHostCertificate_fingerprint_accountId_id_idx (fingerprint=? AND accountId=?)',
  ],
  ['sshRevocations', 'SshRevocation_accountId_revokedAt_sshCertificateAuthorityId_serial_idx (accountId=?)'],
  [
    `sshRevocations(${place})`,
    'SshRevocation_accountId_revokedAt_sshCertificateAuthorityId_serial_idx (accountId=? AND revokedAt<?)',
  ],
  [
    `sshRevocations(${authority})`,
    'SshRevocation_accountId_sshCertificateAuthorityId_revokedAt_serial_idx (accountId=? AND sshCertificateAuthorityId=?)',
  ],
  ['ipPolicies(orderBy: updated_at_desc)', 'IpPolicy_accountId_updatedAt_id_idx (accountId=?)'],
  [
    `ipPolicies(orderBy: updated_at_asc, ${changed})`,
    'IpPolicy_accountId_updatedAt_id_idx (accountId=? AND updatedAt>?)',
  ],
  ['ipPolicies(orderBy: created_at_asc)', 'IpPolicy_accountId_id_idx (accountId=?)'],
  ['ipPolicyRules(action: deny)', 'IpPolicyRule_action_accountId_id_idx (action=? AND accountId=?)'],
  [`ipPolicyRules(${policy}, action: deny)`, 'IpPolicyRule_ipPolicyId_id_idx (ipPolicyId=?)'],
  // Of equally good indexes, SQLite chooses the one created last.
  [`ipPolicyRules(${policy}, orderBy: updated_at_desc)`, 'IpPolicyRule_ipPolicyId_updatedAt_id_idx (ipPolicyId=?)'],
  [
    `sshHostCertificates(${authority}, orderBy: updated_at_asc)`,
    'SshHostCertificate_sshCertificateAuthorityId_updatedAt_id_idx (sshCertificateAuthorityId=?)',
  ],
  [`ipPolicyRules(${policy}, contains: "10.0.0.1")`, 'IpPolicyRule_ipPolicyId_id_idx (ipPolicyId=?)'],
  [
    'sshRevocations(orderBy: valid_until_asc)',
    'SshRevocation_accountId_validUntil_sshCertificateAuthorityId_serial_idx (accountId=?)',
  ],
  [
    `sshRevocations(${authority}, orderBy: valid_until_desc)`,
    'SshRevocation_accountId_sshCertificateAuthorityId_validUntil_serial_idx (accountId=? AND sshCertificateAuthorityId=?)',
  ],
  ['sshRevocations(search: "7")', 'SshRevocation_accountId_serial_idx (accountId=? AND serial=?)'],
  [
    'auditEvents(kind: "IpPolicy", action: update, actor: "cli")',
    'AuditEvent_actor_kind_action_accountId_id_idx (actor=? AND kind=? AND action=? AND accountId=?)',
  ],
  [
    'auditEvents(action: update, actor: "cli")',
    'AuditEvent_actor_action_accountId_id_idx (actor=? AND action=? AND accountId=?)',
  ],
  [`auditEvents(${object})`, `${versions} (accountId=? AND objectId=?)`],
  [`auditEvents(${object}, orderBy: created_at_asc)`, `${versions} (accountId=? AND objectId=?)`],
  [
    `auditEvents(${object}, after: "evt_01h455vb4pex5vsknk084sn02q.7")`,
    `${versions} (accountId=? AND objectId=? AND version<?)`,
  ],
  [
    `auditEvents(${object}, kind: "IpPolicy", actor: "cli", action: update)`,
    `${versions} (accountId=? AND objectId=?)`,
  ],
  [
    `auditEvents(${object}, from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z")`,
    `${versions} (accountId=? AND objectId=?)`,
  ],
  [
    'dashboardSessions(orderBy: last_used_at_desc)',
    'DashboardSession_accountId_lastUsedAt_id_idx (accountId=? AND lastUsedAt>?)',
  ],
])('%s', async (field, index) => {
  // For a filtered list, the end of its first part is looked up first, along the index of the list's order.
  const [page = '', ...before] = (await plansOf(field)).reverse();
  expect(page).toMatch(/^SEARCH \S+ USING INDEX /);
  expect(page).toContain(` USING INDEX ${index}`);
  expect(before).toEqual(before.length === 0 ? [] : [expect.stringMatching(/^SEARCH \S+ USING (COVERING )?INDEX /)]);
});

test('the events of a kind are merged from those of each action', async () => {
  const along = 'AuditEvent_kind_action_accountId_id_idx (kind=? AND action=? AND accountId=? AND id>?)';
  const planned = await plansOf('auditEvents(orderBy: created_at_asc, kind: "IpPolicy", from: "2026-01-01T00:00:00Z")');
  expect(planned.filter((step) => step.startsWith('SEARCH'))).toEqual(
    ['create', 'update', 'delete', 'refuse'].map(() => `SEARCH AuditEvent USING INDEX ${along}`),
  );
  expect(planned).not.toContainEqual(expect.stringContaining('TEMP B-TREE'));
});

test('an address is looked up along the index of ranges, and its rules by their ids', async () => {
  const planned = await plansOf('ipPolicyRules(contains: "10.0.0.1")');
  expect(planned[0]).toMatch(/USING INDEX IpPolicyRule_accountId_range_idx \(accountId=\? AND range=\?\)$/);
});

test('a text is looked for along the index of the list, however it is sorted', async () => {
  expect(await plansOf(`ipPolicyRules(${policy}, search: "x")`)).toEqual([
    // The end of a slice, then its rows.
    'SEARCH IpPolicyRule USING INDEX IpPolicyRule_ipPolicyId_id_idx (ipPolicyId=?)',
    'CO-ROUTINE s',
    'SEARCH IpPolicyRule USING INDEX IpPolicyRule_ipPolicyId_id_idx (ipPolicyId=?)',
    'SCAN s',
  ]);
  expect(await plansOf('tlsEdges(search: "x", orderBy: updated_at_desc)')).toEqual([
    'SEARCH TlsEdge USING COVERING INDEX TlsEdge_accountId_id_idx (accountId=?)',
    'CO-ROUTINE s',
    'SEARCH TlsEdge USING INDEX TlsEdge_accountId_id_idx (accountId=?)',
    'SCAN s',
  ]);
});

test('the events of an object are looked through along the index of its versions', async () => {
  const along = `${versions} (accountId=? AND objectId=?)`;
  expect(await plansOf(`auditEvents(${object}, search: "x", to: "2027-01-01T00:00:00Z")`)).toEqual([
    `SEARCH AuditEvent USING COVERING INDEX ${along}`,
    'CO-ROUTINE s',
    `SEARCH AuditEvent USING INDEX ${along}`,
    'SCAN s',
  ]);
});

test('the events of an object are counted along the index of its versions', async () => {
  const along = `${versions} (accountId=? AND objectId=?)`;
  const field = `auditEvents(${object}, from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z")`;
  expect(await plansOf(field, 'totalCount')).toEqual([
    'CO-ROUTINE s',
    `SEARCH AuditEvent USING INDEX ${along}`,
    'SCAN s',
  ]);
});

test('a name is looked up along its index, and its certificates by their ids', async () => {
  const planned = await plansOf('sshHostCertificates(principal: "a.example.com")');
  expect(planned[0]).toMatch(
    /USING COVERING INDEX SshHostCertificateName_accountId_name_sshHostCertificateId_idx \(accountId=\? AND name=\?\)$/,
  );
});

/** Returns the query plans of the statements that read or count a list. */
async function plansOf(field: string, selection = 'nodes { __typename }'): Promise<string[]> {
  const statements = await statementsOf(service, async () => {
    expect((await service.graphql(`{ ${field} { ${selection} } }`)).errors).toBeUndefined();
  });
  return statements.flatMap((sql) =>
    // This column of a plan describes the step of each row.
    (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail),
  );
}
