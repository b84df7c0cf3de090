// Deleting SSH certificate authorities, alone or with their certificates.

import { SallyportError } from '../../../domain/errors.ts';
import { readTextList } from '../../../domain/values/decode.ts';
import { called } from '../../../domain/wording.ts';
import { isMissingReference, isMissingRow } from '../../../storage/errors.ts';
import type { AccountScope } from '../../../storage/objects/account-scope.ts';
import type { ExpectedVersion, Row, Write } from '../../../storage/objects/collection.ts';
import { awaitSecondPerson } from '../../../storage/objects/second-person.ts';
import { expectVersion } from '../../../storage/objects/version-conflict.ts';
import {
  deletedAuthorities,
  prepareRevocations,
  sshCertificateAuthorities,
  sshEnrollmentTokens,
  sshHostCertificates,
} from '../collections-store.ts';
import { openedAuthorityKeys } from './opened-keys-store.ts';
import { prepareWithdrawal } from './signing-store.ts';

/**
 * Deletes a certificate authority with its private key and its enrollment tokens. Its revoked certificates stay on the revocation
 * lists.
 *
 * @param options.revokesCertificates whether to revoke and delete its certificates first, in batches. If that is interrupted, the
 *   authority still exists, and repeating the call does the rest.
 * @throws IN_USE if it has certificates that are not deleted with it, or if another authority has handed over to it; and as
 *   `collection.remove`
 */
export async function deleteSshCertificateAuthority(
  scope: AccountScope,
  id: string,
  expectedVersion?: ExpectedVersion,
  { revokesCertificates = false }: { readonly revokesCertificates?: boolean } = {},
): Promise<void> {
  // Before anything is deleted, because this may throw.
  const withdrawal = await prepareWithdrawal(scope, id);
  if (revokesCertificates) {
    const { version } = await sshCertificateAuthorities.get(scope, id);
    expectVersion(expectedVersion, version);
    await awaitSecondPerson(scope, { model: 'SshCertificateAuthority', id, action: 'delete' });
    await removeParts(scope, id);
  }
  const authority = await sshCertificateAuthorities.get(scope, id);
  const { revocationCount } = authority;
  try {
    await sshCertificateAuthorities.remove(scope, id, expectedVersion, {
      alongside: [
        ...withdrawal,
        // Fails if the revocation list has changed since it was read, because the record that remains must carry its exact count.
        sshCertificateAuthorities.prepareUpdate(scope, { id, revocationCount }, { revocationCount }),
        ...(revocationCount === 0 ? [] : [prepareDeleted(scope, authority)]),
      ],
      acknowledged: () => openedAuthorityKeys(scope).delete(id),
    });
  } catch (error) {
    if (!isMissingReference(error) && !isMissingRow(error)) throw error;
    if (!revokesCertificates) await refuseWithCertificates(scope, id);
    // Something was created or deleted in the meantime: try again.
    return deleteSshCertificateAuthority(scope, id, expectedVersion, { revokesCertificates });
  }
}

function prepareDeleted(
  scope: AccountScope,
  { id, publicKey, createdAt, revocationCount }: Row<'SshCertificateAuthority'>,
): Write {
  return deletedAuthorities.prepareCreate(scope, { id, publicKey, createdAt, deletedAt: scope.now(), revocationCount });
}

/** Deletes the tokens of an authority, then revokes and deletes its certificates in batches. */
async function removeParts(scope: AccountScope, sshCertificateAuthorityId: string): Promise<void> {
  // The tokens first, so that no host is enrolled in the meantime.
  await removeTokens(scope, sshCertificateAuthorityId);
  await revokeCertificates(scope, sshCertificateAuthorityId);
}

/**
 * Revokes and deletes the certificates of an authority in batches, as a part of a request that does something else afterwards.
 *
 * @param validAt restricts that to the certificates that have not expired at this time
 */
export async function revokeCertificates(
  scope: AccountScope,
  sshCertificateAuthorityId: string,
  validAt?: Date,
): Promise<void> {
  await sshHostCertificates.removeAll(
    scope,
    { sshCertificateAuthorityId, ...(validAt === undefined ? {} : { validUntil: { gt: validAt } }) },
    {
      alongside: (certificates) => [
        sshCertificateAuthorities.prepareUpdate(
          scope,
          { id: sshCertificateAuthorityId },
          { revocationCount: { increment: certificates.length } },
        ),
        ...prepareRevocations(scope, sshCertificateAuthorityId, certificates),
      ],
      isPart: true,
    },
  );
}

async function removeTokens(scope: AccountScope, sshCertificateAuthorityId: string): Promise<void> {
  const where = { sshCertificateAuthorityId };
  // Most authorities have no tokens.
  if ((await scope.db.sshEnrollmentToken.findFirst({ where, select: { id: true } })) === null) return;
  await sshEnrollmentTokens.removeAll(scope, where, { isPart: true });
}

/** Throws IN_USE if the authority has certificates. */
async function refuseWithCertificates(scope: AccountScope, sshCertificateAuthorityId: string): Promise<void> {
  const where = { sshCertificateAuthorityId };
  const [count, [example]] = await Promise.all([
    sshHostCertificates.count(scope, where),
    scope.db.sshHostCertificate.findMany({
      where,
      take: 1,
      orderBy: { id: 'desc' },
      select: { id: true, description: true, principals: true },
    }),
  ]);
  if (example === undefined || count === 0) return;
  const name = called({ ...example, principals: readTextList(example.principals) });
  const which = count === 1 ? `a host certificate, ${name}` : `${count} host certificates, such as ${name}`;
  throw new SallyportError(
    'IN_USE',
    `The certificate authority has signed ${which}. Delete its certificates first. To have them revoked and deleted with it, ` +
      'send `revoke_certificates=true`, in GraphQL `revokeCertificates: true`.',
  );
}
