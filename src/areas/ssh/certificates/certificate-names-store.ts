// Finds host certificates by their principals.

import type { AccountView } from '../../../storage/objects/account-scope.ts';

/** Up to this many certificates of one name are looked up by id: far more than a host accumulates over its lifetime of renewals. */
const namedMax = 500;

/**
 * Returns the condition for certificates with a name. Most names have few certificates, which are found through the index of names.
 * If a name has many, the condition checks each certificate instead, because one in every few matches.
 */
export async function certificatesNamed({ accountId, db }: AccountView, name: string): Promise<object> {
  const found = await db.sshHostCertificateName.findMany({
    where: { name },
    select: { sshHostCertificateId: true },
    take: namedMax + 1,
  });
  if (found.length > namedMax) return { names: { some: { accountId, name } } };
  return { id: { in: found.map(({ sshHostCertificateId }) => sshHostCertificateId) } };
}
