// Forgets revocations that are of no more use. Nothing else deletes one, but the end of its authority.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Changes } from './changes.ts';
import { Prisma, type PrismaClient } from './generated/client/client.ts';

/** Revocations that are looked through, and deleted at most, in one turn of the event loop and by one statement. */
const revocationsAtOnce = 500;

/**
 * Takes certificates that have expired off the revocation lists. A serial that is gone is trusted again by every client whose
 * own clock is behind, and cannot be put back: `now` must be a clock that is believed. The versions of those lists count up,
 * so that they are written anew. Everybody else gets a turn after each slice, so that a list may be written in between.
 *
 * @returns how many serials were taken off
 */
export async function forgetExpiredRevocations(client: PrismaClient, changes: Changes, now: Date): Promise<number> {
  let count = 0;
  let after = Prisma.sql`("sshCertificateAuthorityId", "serial") > ('', 0)`;
  for (;;) {
    const last = await lastOfSlice(client, after);
    const upTo = last && Prisma.sql`("sshCertificateAuthorityId", "serial") <= (${last.authority}, ${last.serial})`;
    const expired = Prisma.sql`${after} ${upTo === null ? Prisma.empty : Prisma.sql`AND ${upTo}`} AND "validUntil" <= ${now}`;
    count += await forget(client, changes, expired);
    if (last === null) return count;
    after = Prisma.sql`("sshCertificateAuthorityId", "serial") > (${last.authority}, ${last.serial})`;
    await nextTurn();
  }
}

/** Finds the last revocation of the slice that comes next; null when it is the last slice. */
async function lastOfSlice(client: PrismaClient, after: Prisma.Sql) {
  const [last] = await client.$queryRaw<{ authority: string; serial: bigint }[]>`
    SELECT "sshCertificateAuthorityId" AS authority, "serial" FROM "SshRevocation" WHERE ${after}
    ORDER BY "sshCertificateAuthorityId", "serial" LIMIT 1 OFFSET ${revocationsAtOnce - 1}`;
  return last ?? null;
}

async function forget(client: PrismaClient, changes: Changes, expired: Prisma.Sql): Promise<number> {
  const lists = await client.$queryRaw<{ authority: string }[]>`
    SELECT DISTINCT "sshCertificateAuthorityId" AS authority FROM "SshRevocation" WHERE ${expired}`;
  if (lists.length === 0) return 0;
  const countLists = client.sshCertificateAuthority.updateMany({
    where: { id: { in: lists.map(({ authority }) => authority) } },
    data: { revocationCount: { increment: 1 } },
  });
  return changes.apply({
    write: client.$executeRaw`DELETE FROM "SshRevocation" WHERE ${expired}`,
    after: [countLists],
  });
}
