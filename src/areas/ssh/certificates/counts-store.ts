// Counts of host certificates by the days until they expire.

import type { AccountView } from '../../../storage/objects/account-scope.ts';
import type { Pace } from '../../../storage/sql/read-slices.ts';
import { certificatesOfAuthority } from '../authorities/authority-store.ts';
import { sshHostCertificates } from '../collections-store.ts';
import { daysLeftRanges, endOfRange } from '../rules.ts';

/** How many current host certificates, those that no renewal has replaced, expire in each range of days. */
export type CountsByDaysLeft = readonly { readonly daysLeft: string; readonly count: number }[];

/** Counts the current certificates of the account along an index, in slices. Throws as `Count`. */
export async function countCertificates(scope: AccountView, pace: Pace): Promise<CountsByDaysLeft> {
  return countWhere(scope, {}, pace);
}

async function countWhere(scope: AccountView, own: object, pace: Pace): Promise<CountsByDaysLeft> {
  const counts: { daysLeft: string; count: number }[] = [];
  for (const { label, where } of rangesAt(scope)) {
    counts.push({ daysLeft: label, count: await sshHostCertificates.count(scope, { ...own, ...where }, {}, pace) });
  }
  return counts;
}

/**
 * Counts the current certificates of authorities, in the order given: those of authorities with few certificates with one statement
 * per range, those of others in slices. Throws as `Count`.
 */
export async function countCertificatesOf(
  scope: AccountView,
  authorityIds: readonly string[],
  pace: Pace,
): Promise<CountsByDaysLeft[]> {
  const sizes = await scope.rows.innerSizes(certificatesOfAuthority(undefined), authorityIds);
  const few = authorityIds.filter((id) => sizes.get(id) !== null);
  const counts = new Map<string, { daysLeft: string; count: number }[]>(few.map((id) => [id, []]));
  for (const { label, where } of rangesAt(scope)) {
    const found = await scope.db.sshHostCertificate.groupBy({
      by: ['sshCertificateAuthorityId'],
      where: { ...where, sshCertificateAuthorityId: { in: few } },
      _count: { _all: true },
    });
    const countOf = new Map(found.map((row) => [row.sshCertificateAuthorityId, row._count._all]));
    for (const [id, ranges] of counts) ranges.push({ daysLeft: label, count: countOf.get(id) ?? 0 });
  }
  const all: CountsByDaysLeft[] = [];
  for (const sshCertificateAuthorityId of authorityIds) {
    all.push(counts.get(sshCertificateAuthorityId) ?? (await countWhere(scope, { sshCertificateAuthorityId }, pace)));
  }
  return all;
}

/** Returns the conditions for the certificates that are currently in each range. */
function rangesAt(scope: AccountView) {
  const now = scope.now();
  return daysLeftRanges.map((range, index) => {
    const before = daysLeftRanges[index - 1];
    const [gt, lte] = [before === undefined ? null : endOfRange(before, now), endOfRange(range, now)];
    const validUntil = { ...(gt === null ? {} : { gt }), ...(lte === null ? {} : { lte }) };
    return { label: range.label, where: { replacedById: null, validUntil } };
  });
}
