// Finding host certificates by their principals.

import type { AccountView } from '../../storage/account-scope.ts';

/** Certificates of one name that are looked up by their ids: many more than a host has in a life of renewals. */
const namedMax = 500;

/**
 * Makes the condition for certificates with a name. The few that most names have are found along the index of names; a name of
 * many is asked for with each certificate, of which one of a few has it.
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
