// The host certificates that are revoked: what is left of them until they would have expired.

import type { AccountView } from '../../storage/account-scope.ts';

/** A host certificate that is revoked. */
export interface SshRevocation {
  readonly sshCertificateAuthorityId: string;
  readonly serial: bigint;
  readonly sshHostCertificateId: string | null;
  readonly validUntil: Date;
  readonly revokedAt: Date;
}

/** A place among the revocations: they are in the order of their times, the latest first, then of their authorities and serials. */
export type RevocationCursor = Pick<SshRevocation, 'revokedAt' | 'sshCertificateAuthorityId' | 'serial'>;

/** A page to read: the latest of the revocations between two places or, backward, the earliest. */
export interface RevocationRequest {
  readonly take: number;
  readonly backward: boolean;
  readonly after: RevocationCursor | undefined;
  readonly before: RevocationCursor | undefined;
}

/** Which revocations: of an authority, which may be deleted, or all of the account. */
export type RevocationFilter = { readonly sshCertificateAuthorityId?: string };

/** Reads a page of revocations, along an index. */
export async function revocationPage(
  { db }: AccountView,
  { take, backward, after, before }: RevocationRequest,
  filter: RevocationFilter,
): Promise<{ rows: SshRevocation[]; more: boolean }> {
  const found = await db.sshRevocation.findMany({
    where: { AND: [filter, ...(after ? beyond(after, 'lt') : []), ...(before ? beyond(before, 'gt') : [])] },
    orderBy: (['revokedAt', 'sshCertificateAuthorityId', 'serial'] as const).map((column) => ({
      [column]: backward ? 'asc' : 'desc',
    })),
    take: take + 1,
  });
  const rows = found.slice(0, take);
  return { rows: backward ? rows.reverse() : rows, more: found.length > take };
}

/** Counts revocations. */
export function countRevocations({ db }: AccountView, filter: RevocationFilter): Promise<number> {
  return db.sshRevocation.count({ where: filter });
}

/** Makes the condition for what lies beyond a place. By its first part alone, a planner finds the place in an index. */
function beyond({ revokedAt, sshCertificateAuthorityId, serial }: RevocationCursor, side: 'lt' | 'gt') {
  return [
    { revokedAt: { [`${side}e`]: revokedAt } },
    {
      OR: [
        { revokedAt: { [side]: revokedAt } },
        { revokedAt, sshCertificateAuthorityId: { [side]: sshCertificateAuthorityId } },
        { revokedAt, sshCertificateAuthorityId, serial: { [side]: serial } },
      ],
    },
  ];
}
