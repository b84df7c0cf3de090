// Revoked host certificates: what remains of them until they would have expired.

import { isIdOf } from '../../../domain/values/ids.ts';
import type { AccountView } from '../../../storage/objects/account-scope.ts';
import type { ListPart } from '../../../storage/sql/list-parts.ts';
import type { Pace } from '../../../storage/sql/read-slices.ts';

/** The end of the range of serials, exclusive: columns have 64 bits including the sign. */
export const serialsEnd = 2n ** 63n;

/** A revoked host certificate. */
export interface SshRevocation {
  readonly sshCertificateAuthorityId: string;
  readonly serial: bigint;
  readonly sshHostCertificateId: string | null;
  readonly validUntil: Date;
  readonly revokedAt: Date;
}

/** The order in which revocations are listed: by a time, then by authority and serial. */
export interface RevocationOrder {
  readonly column: 'revokedAt' | 'validUntil';
  readonly ascending: boolean;
}

/** A position in such an order. */
export interface RevocationPosition extends Pick<SshRevocation, 'sshCertificateAuthorityId' | 'serial'> {
  readonly time: Date;
}

/** Which revocations to list: those that match every given field, or all of the account. */
export interface RevocationFilter {
  /** The authority, which may be deleted. */
  readonly sshCertificateAuthorityId?: string;
  /** A complete serial number, or the complete id of a certificate or an authority. */
  readonly search?: string;
}

/** Reads a page of revocations, along an index. */
export async function revocationPage(
  scope: AccountView,
  { column, ascending }: RevocationOrder,
  { take, backward, after, before }: ListPart<RevocationPosition>,
  filter: RevocationFilter,
): Promise<{ rows: SshRevocation[]; more: boolean }> {
  const [first, last] = ascending ? [after, before] : [before, after];
  const isTurned = ascending === backward;
  const read = async (): Promise<SshRevocation[]> => {
    const few = await fewFound(scope, filter);
    if (few !== null) {
      const sorted = few
        .map((each) => ({ each, position: { ...each, time: each[column] } }))
        .sort((one, other) => compare(one.position, other.position))
        .filter(({ position }) => !(first && compare(position, first) <= 0) && !(last && compare(position, last) >= 0))
        .map(({ each }) => each);
      return isTurned ? sorted.reverse() : sorted;
    }
    const authority = authorityOf(filter);
    const equal = authority === undefined ? {} : { sshCertificateAuthorityId: authority };
    const columns = [column, ...(authority === undefined ? ['sshCertificateAuthorityId'] : []), 'serial'];
    const at = (position: RevocationPosition | undefined) =>
      position === undefined ? undefined : valuesAt(position, authority);
    const along = { columns, equal, indexedByAccount: true } as const;
    const part = { ...along, take: take + 1, backward: isTurned, after: at(first), before: at(last) };
    // Whole rows of this model.
    return (await scope.rows.part('SshRevocation', part)) as SshRevocation[];
  };
  const found = await read();
  const rows = found.slice(0, take);
  return { rows: backward ? rows.reverse() : rows, more: found.length > take };
}

/** Counts revocations: those of an authority in slices. Throws as `Count`. */
export async function countRevocations(scope: AccountView, filter: RevocationFilter, pace: Pace): Promise<number> {
  const few = await fewFound(scope, filter);
  if (few !== null) return few.length;
  const sshCertificateAuthorityId = authorityOf(filter);
  if (sshCertificateAuthorityId === undefined) return scope.rows.count({ model: 'SshRevocation', where: {} });
  // Along the index of their serials.
  return scope.rows.count({ model: 'SshRevocation', where: { sshCertificateAuthorityId }, column: 'serial' }, pace);
}

/** Text that may be a serial number, which has 63 bits here. */
const serialDigits = /^\d{1,19}$/;

/** Returns the authority whose revocations are listed; undefined for those of all. */
function authorityOf({ sshCertificateAuthorityId, search }: RevocationFilter): string | undefined {
  return sshCertificateAuthorityId ?? search?.toLowerCase();
}

/**
 * Finds the revocations that a search means, if it is for the id of a certificate, or for a serial number, which only a few
 * certificates of different authorities can have. Each has an index, so all revocations are searched, however many there are.
 *
 * @returns null if the list is not searched, or for all revocations of an authority
 */
async function fewFound(
  { db }: AccountView,
  { sshCertificateAuthorityId, search }: RevocationFilter,
): Promise<SshRevocation[] | null> {
  if (search === undefined) return null;
  const isListed = (authority: string) => [undefined, authority].includes(sshCertificateAuthorityId);
  const id = search.toLowerCase();
  if (isIdOf('SshCertificateAuthority', id)) return isListed(id) ? null : [];
  const serial = serialDigits.test(id) ? BigInt(id) : serialsEnd;
  const isCertificate = isIdOf('SshHostCertificate', id);
  if (!isCertificate && serial >= serialsEnd) return [];
  // Without further conditions and an order, for which SQLite might choose another index.
  const found = await db.sshRevocation.findMany({ where: isCertificate ? { sshHostCertificateId: id } : { serial } });
  return found.filter((each) => isListed(each.sshCertificateAuthorityId));
}

/** Returns the values of a position in the columns of an order; among those of one authority, without the authority. */
function valuesAt({ time, sshCertificateAuthorityId: own, serial }: RevocationPosition, authority: string | undefined) {
  if (authority === undefined) return [time, own, serial];
  // A position of another authority is before or after all of this one with the same time.
  const among = own === authority ? serial : own < authority ? -1n : serialsEnd - 1n;
  return [time, among];
}

/** Compares two positions in the order of their times, lowest first. */
function compare(one: RevocationPosition, other: RevocationPosition): number {
  const [first, second] = [one.sshCertificateAuthorityId, other.sshCertificateAuthorityId];
  if (first !== second && one.time.getTime() === other.time.getTime()) return first < second ? -1 : 1;
  return one.time.getTime() - other.time.getTime() || Number(one.serial - other.serial);
}
