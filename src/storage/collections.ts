// The collections: one for each kind of object that clients address by id. Areas share them.

import type { Kind } from '../domain/ids.ts';
import type { AccountScope } from './account-scope.ts';
import { plainly, writerOf } from './changes.ts';
import { collection, type ObjectReads, type ResourceModel, type Row, type Write } from './collection.ts';
import type { Prisma } from './generated/client/client.ts';
import type { InnerList } from './inner-lists.ts';
import { createObjectReads } from './object-reads.ts';

export const apiKeys = collection('ApiKey');
/** Read-only: the trail is written with the changes that it records. */
export const auditEvents = createObjectReads('AuditEvent').reads;
export const dashboardSessions = collection('DashboardSession');
export const httpsEdges = collection('HttpsEdge');
export const httpsEdgeRoutes = collection('HttpsEdgeRoute', 'edgeId');
export const ipPolicies = collection('IpPolicy');
export const ipPolicyRules = collection('IpPolicyRule', 'ipPolicyId');
export const ipRestrictions = collection('IpRestriction');
export const samlSessions = collection('SamlSession', 'routeId');
export const sshCertificateAuthorities = collection('SshCertificateAuthority');
export const sshEnrollmentTokens = collection('SshEnrollmentToken');
export const sshHostCertificates = collection('SshHostCertificate', 'sshCertificateAuthorityId');
export const tlsEdges = collection('TlsEdge');
export const tunnelGroupBackends = collection('TunnelGroupBackend');

/** The reads of each kind, for callers that learn the kind from an id. */
export const readsOf: { readonly [M in ResourceModel]: ObjectReads<M> } = {
  ApiKey: apiKeys,
  DashboardSession: dashboardSessions,
  AuditEvent: auditEvents,
  HttpsEdge: httpsEdges,
  HttpsEdgeRoute: httpsEdgeRoutes,
  IpPolicy: ipPolicies,
  IpPolicyRule: ipPolicyRules,
  IpRestriction: ipRestrictions,
  SamlSession: samlSessions,
  SshCertificateAuthority: sshCertificateAuthorities,
  SshEnrollmentToken: sshEnrollmentTokens,
  SshHostCertificate: sshHostCertificates,
  TlsEdge: tlsEdges,
  TunnelGroupBackend: tunnelGroupBackends,
};

/** Returns whether the objects of a kind are rows of an account. */
export function hasRows(kind: Kind): kind is ResourceModel {
  return Object.hasOwn(readsOf, kind);
}

/** Deletes logins that are waiting for their browsers. They are not objects: neither clients nor the trail know them. */
export async function removeSamlLogins(scope: AccountScope, where: Prisma.SamlLoginWhereInput): Promise<void> {
  const { db, apply } = writerOf(scope);
  await apply({ write: { write: db.samlLogin.deleteMany({ where }), touched: [] } });
}

/**
 * Prepares to spend a login that is waiting for its browser, alongside what is created from it. It fails with an error that
 * `isMissingRow` recognizes if the login is spent, has ended or has waited too long.
 */
export function prepareSpending(scope: AccountScope, ticketHash: string): Write {
  const { db, rowChanges } = writerOf(scope);
  const where = { ticketHash, expiresAt: { gt: scope.now() } };
  const removed = rowChanges.remove('SamlLogin', where, 'ticketHash');
  const write = plainly(removed, () => db.samlLogin.delete({ where, select: { ticketHash: true } }));
  return { write, touched: [] };
}

/** Prepares to record a revoked key by its token, to recognize requests that still use it. */
export function prepareRevokedApiKey(
  scope: AccountScope,
  { id: apiKeyId, tokenHash, description }: Row<'ApiKey'>,
): Write {
  const data = { tokenHash, apiKeyId, description, revokedAt: scope.now(), accountId: scope.accountId };
  return { write: writerOf(scope).db.revokedApiKey.create({ data }), touched: [] };
}

/** The columns of a host certificate that a revocation list needs. */
type RevokedCertificate = Pick<Row<'SshHostCertificate'>, 'id' | 'sshCertificateAuthorityId' | 'serial' | 'validUntil'>;

function revocationOf(
  { accountId, now }: AccountScope,
  { id, sshCertificateAuthorityId, serial, validUntil }: RevokedCertificate,
) {
  return {
    accountId,
    sshCertificateAuthorityId,
    serial,
    sshHostCertificateId: id,
    validUntil,
    revokedAt: now(),
  };
}

/** Prepares to record the revocation of a host certificate, for the revocation lists. */
export function prepareSshRevocation(scope: AccountScope, certificate: RevokedCertificate): Write {
  const data = revocationOf(scope, certificate);
  return { write: writerOf(scope).db.sshRevocation.create({ data }), touched: [] };
}

/**
 * Prepares the same for many certificates of one authority, some of which may be revoked meanwhile. Must follow a change of the
 * authority in the same batch: revoking a single certificate makes such a change too, so the two exclude each other.
 */
export function prepareSshRevocations(
  scope: AccountScope,
  sshCertificateAuthorityId: string,
  certificates: readonly RevokedCertificate[],
): Write[] {
  const { sshRevocation } = writerOf(scope).db;
  const serials = certificates.map(({ serial }) => serial);
  return [
    sshRevocation.deleteMany({ where: { sshCertificateAuthorityId, serial: { in: serials } } }),
    sshRevocation.createMany({ data: certificates.map((certificate) => revocationOf(scope, certificate)) }),
  ].map((write) => ({ write, touched: [] }));
}

/** Prepares to record what revocation lists need of a deleted authority. */
export function prepareDeletedSshAuthority(
  scope: AccountScope,
  { id, publicKey, createdAt, revocationCount }: Row<'SshCertificateAuthority'>,
): Write {
  const { accountId } = scope;
  const data = { accountId, id, publicKey, createdAt, deletedAt: scope.now(), revocationCount };
  return { write: writerOf(scope).db.sshDeletedAuthority.create({ data }), touched: [] };
}

/**
 * Prepares to record that a challenge was answered, alongside what is created from the answer. It fails with an error that
 * `isDuplicate` recognizes if the challenge was answered before.
 *
 * @param usableUntil from when on the challenge would not be accepted anyway
 */
export function prepareUsedChallenge(scope: AccountScope, challengeHash: string, usableUntil: Date): Write {
  const { accountId } = scope;
  const { db, rowChanges } = writerOf(scope);
  const data = { challengeHash, usableUntil, accountId };
  const made = rowChanges.create('SshUsedChallenge', data);
  return { write: plainly(made, () => db.sshUsedChallenge.create({ data })), touched: [] };
}

/** Records that a challenge was answered when nothing was created from the answer. Throws as `prepareUsedChallenge` says. */
export async function rememberUsedChallenge(scope: AccountScope, used: Write): Promise<void> {
  await writerOf(scope).apply({ write: used });
}

/** Prepares the rows by which a host certificate is found by its principals: one statement each. */
export function prepareSshHostCertificateNames(
  scope: AccountScope,
  sshHostCertificateId: string,
  principals: readonly string[],
): Write[] {
  const { db, rowChanges } = writerOf(scope);
  return [...new Set(principals)].map((name) => {
    const row = { sshHostCertificateId, name };
    const planned = () => db.sshHostCertificateName.create({ data: { ...row, accountId: scope.accountId } });
    return { write: plainly(rowChanges.create('SshHostCertificateName', row), planned), touched: [] };
  });
}

/** The events of an object, newest first, in the order of its versions because the clocks of several servers may differ. */
export const historyOfObject = {
  model: 'AuditEvent',
  parent: 'objectId',
  value: 'id',
  order: 'version',
  direction: 'DESC',
  indexedByAccount: true,
} as const satisfies InnerList;

/**
 * Columns and relations that the trail leaves out because they are internal to the server: counters that hold bounds, values
 * derived from other columns, traces that requests leave behind. Everything else that is not secret is recorded, so that nothing is
 * forgotten.
 */
export const bookkeeping: ReadonlySet<string> = new Set([
  'ApiKey.dashboardSessions',
  'ApiKey.lastUsedAt',
  'DashboardSession.lastUsedAt',
  'HttpsEdge.moduleBytes',
  'HttpsEdge.routeCount',
  'IpPolicy.restoredVersion',
  'IpPolicy.ruleCount',
  'IpPolicy.rulesVersion',
  'IpPolicyRule.range',
  'SamlModule.bytes',
  'SamlModule.identityProvider',
  'SamlModule.targets',
  'SamlModule.logins',
  'SamlModule.logouts',
  'SamlModule.sessions',
  'SamlModule.usedAssertions',
  'SshCertificateAuthority.revocationCount',
  'SshHostCertificate.fingerprint',
  'SshHostCertificate.names',
  // Modules of other objects, which are recorded in the trails of those.
  'TunnelGroupBackend.tlsModules',
]);
