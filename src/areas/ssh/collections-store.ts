// The objects of the area, and the records that it keeps besides.

import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { Row, Write } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { records } from '../../storage/objects/records.ts';

export const sshCertificateAuthorities = collectionOf('SshCertificateAuthority');
export const sshEnrollmentTokens = collectionOf('SshEnrollmentToken');
export const sshHostCertificates = collectionOf('SshHostCertificate');

/** What revocation lists need of deleted authorities. */
export const deletedAuthorities = records('SshDeletedAuthority');
/** The rows by which host certificates are found by their principals. */
export const certificateNames = records('SshHostCertificateName');
/** Challenges that were answered. */
export const usedChallenges = records('SshUsedChallenge');

const revocations = records('SshRevocation');

/** The columns of a host certificate that a revocation list needs. */
type RevokedCertificate = Pick<Row<'SshHostCertificate'>, 'id' | 'sshCertificateAuthorityId' | 'serial' | 'validUntil'>;

function revocationOf(scope: AccountScope, { id, ...certificate }: RevokedCertificate) {
  const { sshCertificateAuthorityId, serial, validUntil } = certificate;
  return { sshCertificateAuthorityId, serial, sshHostCertificateId: id, validUntil, revokedAt: scope.now() };
}

/** Prepares to record the revocation of a host certificate, for the revocation lists. */
export function prepareRevocation(scope: AccountScope, certificate: RevokedCertificate): Write {
  return revocations.prepareCreate(scope, revocationOf(scope, certificate));
}

/**
 * Prepares the same for many certificates of one authority, some of which may be revoked meanwhile. Must follow a change of the
 * authority in the same batch: revoking a single certificate makes such a change too, so the two exclude each other.
 */
export function prepareRevocations(
  scope: AccountScope,
  sshCertificateAuthorityId: string,
  certificates: readonly RevokedCertificate[],
): Write[] {
  const serials = certificates.map(({ serial }) => serial);
  return [
    revocations.prepareRemoveAll(scope, { sshCertificateAuthorityId, serial: { in: serials } }),
    ...revocations.prepareCreateAll(
      scope,
      certificates.map((certificate) => revocationOf(scope, certificate)),
    ),
  ];
}
