// Deleting SSH certificate authorities, alone or with their certificates.

import { SallyportError } from '../../domain/errors.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import type { ExpectedVersion } from '../../storage/collection.ts';
import {
  prepareDeletedSshAuthority,
  prepareSshRevocations,
  sshCertificateAuthorities,
  sshEnrollmentTokens,
  sshHostCertificates,
} from '../../storage/collections.ts';
import { isMissingReference, isMissingRow } from '../../storage/errors.ts';
import { versionConflict } from '../../storage/version-conflict.ts';
import { openedAuthorityKeys } from './opened-keys-store.ts';
import { prepareWithdrawal } from './signing-store.ts';

/**
 * Deletes a certificate authority with its private key and its enrollment tokens. What of its certificates was revoked stays on
 * the revocation lists.
 *
 * @param options.revokesCertificates whether to revoke and delete its certificates first, some at a time. Where that is
 *   interrupted, the authority is still there, and the same call does the rest.
 * @throws IN_USE while it has certificates, unless they go with it, or another has handed over to it; and as `collection.remove`
 */
export async function deleteSshCertificateAuthority(
  scope: AccountScope,
  id: string,
  expectedVersion?: ExpectedVersion,
  { revokesCertificates = false }: { readonly revokesCertificates?: boolean } = {},
): Promise<void> {
  // Before anything is deleted: this may refuse it.
  const withdrawal = await prepareWithdrawal(scope, id);
  if (revokesCertificates) {
    const { version } = await sshCertificateAuthorities.get(scope, id);
    if (expectedVersion != null && expectedVersion !== version) throw versionConflict(version);
    await removeParts(scope, id);
  }
  const authority = await sshCertificateAuthorities.get(scope, id);
  const { revocationCount } = authority;
  try {
    await sshCertificateAuthorities.remove(scope, id, expectedVersion, {
      alongside: [
        ...withdrawal,
        // Fails where the list has changed since: what stays of the authority must count that as well.
        sshCertificateAuthorities.prepareUpdate(scope, { id, revocationCount }, { revocationCount }),
        ...(revocationCount === 0 ? [] : [prepareDeletedSshAuthority(scope, authority)]),
      ],
      acknowledged: () => openedAuthorityKeys(scope).delete(id),
    });
  } catch (error) {
    if (!isMissingReference(error) && !isMissingRow(error)) throw error;
    if (!revokesCertificates) await refuseWithCertificates(scope, id);
    // Something was made or deleted meanwhile.
    return deleteSshCertificateAuthority(scope, id, expectedVersion, { revokesCertificates });
  }
}

/** Deletes the tokens of an authority, and revokes and deletes its certificates, some at a time. */
async function removeParts(scope: AccountScope, sshCertificateAuthorityId: string): Promise<void> {
  // The tokens first, so that no host is enrolled meanwhile.
  await removeTokens(scope, sshCertificateAuthorityId);
  await sshHostCertificates.removeAll(
    scope,
    { sshCertificateAuthorityId },
    {
      alongside: (certificates) => [
        sshCertificateAuthorities.prepareUpdate(
          scope,
          { id: sshCertificateAuthorityId },
          { revocationCount: { increment: certificates.length } },
        ),
        ...prepareSshRevocations(scope, sshCertificateAuthorityId, certificates),
      ],
      // The request is done with the authority itself.
      isPart: true,
    },
  );
}

async function removeTokens(scope: AccountScope, sshCertificateAuthorityId: string): Promise<void> {
  const where = { sshCertificateAuthorityId };
  // Most authorities have none.
  if ((await scope.db.sshEnrollmentToken.findFirst({ where, select: { id: true } })) === null) return;
  await sshEnrollmentTokens.removeAll(scope, where, { isPart: true });
}

/** Throws IN_USE for an authority with certificates. */
async function refuseWithCertificates(scope: AccountScope, sshCertificateAuthorityId: string): Promise<void> {
  const where = { sshCertificateAuthorityId };
  const [count, [example]] = await Promise.all([
    sshHostCertificates.count(scope, where),
    scope.db.sshHostCertificate.findMany({ where, take: 1, orderBy: { id: 'desc' }, select: { id: true } }),
  ]);
  if (example === undefined || count === 0) return;
  const which = count === 1 ? `a host certificate, ${example.id}` : `${count} host certificates, such as ${example.id}`;
  throw new SallyportError(
    'IN_USE',
    `The certificate authority has signed ${which}. Delete its certificates first, or have them revoked and deleted with it: ` +
      '`revoke_certificates=true`, in GraphQL `revokeCertificates: true`.',
  );
}
