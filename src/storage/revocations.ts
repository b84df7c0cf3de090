// Forgets revocations that are of no more use. Nothing else deletes one, but the end of its authority.

import type { PrismaClient } from './generated/client/client.ts';

/**
 * Takes certificates that have expired off the revocation lists. A serial that is gone is trusted again by every client whose
 * own clock is behind, and cannot be put back: `now` must be a clock that is believed. The versions of those lists count up,
 * so that they are written anew.
 *
 * @returns how many serials were taken off
 */
export async function forgetExpiredRevocations(client: PrismaClient, now: Date): Promise<number> {
  const where = { validUntil: { lte: now } };
  const lists = await client.sshRevocation.findMany({
    where,
    distinct: ['sshCertificateAuthorityId'],
    select: { sshCertificateAuthorityId: true },
  });
  if (lists.length === 0) return 0;
  const ids = lists.map(({ sshCertificateAuthorityId }) => sshCertificateAuthorityId);
  let count = 0;
  // Some at a time: a statement takes a bounded number of values, and others write meanwhile.
  for (let start = 0; start < ids.length; start += listsAtOnce) {
    const some = ids.slice(start, start + listsAtOnce);
    const [gone] = await client.$transaction([
      client.sshRevocation.deleteMany({ where: { ...where, sshCertificateAuthorityId: { in: some } } }),
      client.sshCertificateAuthority.updateMany({
        where: { id: { in: some } },
        data: { revocationCount: { increment: 1 } },
      }),
    ]);
    count += gone.count;
  }
  return count;
}

const listsAtOnce = 500;
