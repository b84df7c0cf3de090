// Counts of host certificates by the days until they expire.

import type { AccountView } from '../../storage/account-scope.ts';
import { daysLeftRanges, endOfRange } from './rules.ts';

/** How many current host certificates, those that no renewal has replaced, expire in each range of days. */
export type CountsByDaysLeft = readonly { readonly daysLeft: string; readonly count: number }[];

/** Counts the current certificates of the account, along an index. */
export async function countCertificates(scope: AccountView): Promise<CountsByDaysLeft> {
  const counts: { daysLeft: string; count: number }[] = [];
  for (const { label, where } of rangesAt(scope)) {
    counts.push({ daysLeft: label, count: await scope.db.sshHostCertificate.count({ where }) });
  }
  return counts;
}

/** Counts the current certificates of authorities, in the order given, with one statement per range for all authorities. */
export async function countCertificatesOf(
  scope: AccountView,
  authorityIds: readonly string[],
): Promise<CountsByDaysLeft[]> {
  const counts = new Map<string, { daysLeft: string; count: number }[]>(authorityIds.map((id) => [id, []]));
  for (const { label, where } of rangesAt(scope)) {
    const found = await scope.db.sshHostCertificate.groupBy({
      by: ['sshCertificateAuthorityId'],
      where: { ...where, sshCertificateAuthorityId: { in: [...authorityIds] } },
      _count: { _all: true },
    });
    const countOf = new Map(found.map((row) => [row.sshCertificateAuthorityId, row._count._all]));
    for (const [id, ranges] of counts) ranges.push({ daysLeft: label, count: countOf.get(id) ?? 0 });
  }
  return authorityIds.map((id) => counts.get(id) ?? []);
}

/** Returns the conditions for the certificates that are currently in each range. */
function rangesAt(scope: AccountView) {
  const now = scope.now();
  return daysLeftRanges.map((range, place) => {
    const before = daysLeftRanges[place - 1];
    const [gt, lte] = [before === undefined ? null : endOfRange(before, now), endOfRange(range, now)];
    const validUntil = { ...(gt === null ? {} : { gt }), ...(lte === null ? {} : { lte }) };
    return { label: range.label, where: { replacedById: null, validUntil } };
  });
}
