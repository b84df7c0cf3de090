// The collections: one for each kind of object that clients address by id. Areas share them.

import type { Kind } from '../domain/ids.ts';
import type { AccountScope } from './account-scope.ts';
import { plainly, writerOf } from './changes.ts';
import { collection, type ObjectReads, type ResourceModel, type Row, type Write } from './collection.ts';
import type { Prisma } from './generated/client/client.ts';
import type { InnerList } from './inner-lists.ts';
import { createObjectReads } from './object-reads.ts';

export const apiKeys = collection('ApiKey');
/** Only to read: the trail is written with the changes that it records. */
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

/** What reads the objects of a kind, for those who learn the kind from an id. */
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

/** Tells whether the objects of a kind are rows of an account. */
export function hasRows(kind: Kind): kind is ResourceModel {
  return Object.hasOwn(readsOf, kind);
}

/** Deletes logins that wait for their browsers. They are no objects: neither clients nor the trail know of them. */
export async function removeSamlLogins(scope: AccountScope, where: Prisma.SamlLoginWhereInput): Promise<void> {
  const { db, apply } = writerOf(scope);
  await apply({ write: { write: db.samlLogin.deleteMany({ where }), touched: [] } });
}

/**
 * Prepares to spend a login that waits for its browser: alongside what is made of it. It fails as `isMissingRow` tells where the login
 * is spent, has ended or has waited too long.
 */
export function prepareSpending(scope: AccountScope, ticketHash: string): Write {
  const { db, rowChanges } = writerOf(scope);
  const where = { ticketHash, expiresAt: { gt: scope.now() } };
  const removed = rowChanges.remove('SamlLogin', where, 'ticketHash');
  const write = plainly(removed, () => db.samlLogin.delete({ where, select: { ticketHash: true } }));
  return { write, touched: [] };
}

/** Prepares to remember a key that is revoked, by its token: to recognize a request that comes with it nevertheless. */
export function prepareRevokedApiKey(
  scope: AccountScope,
  { id: apiKeyId, tokenHash, description }: Row<'ApiKey'>,
): Write {
  const data = { tokenHash, apiKeyId, description, revokedAt: scope.now(), accountId: scope.accountId };
  return { write: writerOf(scope).db.revokedApiKey.create({ data }), touched: [] };
}

/** What a revocation list needs of a host certificate. */
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

/** Prepares to remember that a host certificate is revoked, for the revocation lists. */
export function prepareSshRevocation(scope: AccountScope, certificate: RevokedCertificate): Write {
  const data = revocationOf(scope, certificate);
  return { write: writerOf(scope).db.sshRevocation.create({ data }), touched: [] };
}

/**
 * Prepares the same for many certificates of one authority, some of which may be revoked meanwhile. To go behind a change of the
 * authority, which whoever revokes one of them makes as well.
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

/** Prepares to remember what revocation lists need of an authority that is deleted. */
export function prepareDeletedSshAuthority(
  scope: AccountScope,
  { id, publicKey, createdAt, revocationCount }: Row<'SshCertificateAuthority'>,
): Write {
  const { accountId } = scope;
  const data = { accountId, id, publicKey, createdAt, deletedAt: scope.now(), revocationCount };
  return { write: writerOf(scope).db.sshDeletedAuthority.create({ data }), touched: [] };
}

/**
 * Prepares to remember that a challenge was answered, alongside what is made of it. It fails as `isDuplicate` tells where it was before.
 *
 * @param usableUntil from when on it would not be accepted anyway
 */
export function prepareUsedChallenge(scope: AccountScope, challengeHash: string, usableUntil: Date): Write {
  const { accountId } = scope;
  const { db, rowChanges } = writerOf(scope);
  const data = { challengeHash, usableUntil, accountId };
  const made = rowChanges.create('SshUsedChallenge', data);
  return { write: plainly(made, () => db.sshUsedChallenge.create({ data })), touched: [] };
}

/** Remembers that a challenge was answered that nothing was made of. Throws as `prepareUsedChallenge` tells. */
export async function rememberUsedChallenge(scope: AccountScope, used: Write): Promise<void> {
  await writerOf(scope).apply({ write: used });
}

/** Prepares the rows that a host certificate is found by its principals with: one statement for each. */
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

/** The events of an object, newest first: by its versions, because the clocks of several servers may differ. */
export const historyOfObject = {
  model: 'AuditEvent',
  parent: 'objectId',
  value: 'id',
  order: 'version',
  direction: 'DESC',
  indexedByAccount: true,
} as const satisfies InnerList;

/**
 * What the trail leaves out, because the server keeps it for itself: numbers that hold bounds, what is made of other columns, what
 * requests leave behind. Everything else that is no secret is recorded, so that nothing is forgotten.
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
  'SamlModule.logins',
  'SamlModule.logouts',
  'SamlModule.sessions',
  'SamlModule.usedAssertions',
  'SshCertificateAuthority.revocationCount',
  'SshHostCertificate.fingerprint',
  'SshHostCertificate.names',
  // Modules of other objects, in whose trail they are.
  'TunnelGroupBackend.tlsModules',
]);
