// The host certificates that are revoked: what is left of them until they would have expired.

import { isIdOf } from '../../domain/ids.ts';
import type { AccountView } from '../../storage/account-scope.ts';
import { orderedBy, writeBeyond } from '../../storage/keyset.ts';
import type { ListPart } from '../../storage/object-reads.ts';

/** The first number that no serial is: columns have 64 bits with the sign. */
export const serialsEnd = 2n ** 63n;

/** A host certificate that is revoked. */
export interface SshRevocation {
  readonly sshCertificateAuthorityId: string;
  readonly serial: bigint;
  readonly sshHostCertificateId: string | null;
  readonly validUntil: Date;
  readonly revokedAt: Date;
}

/** What revocations are listed in the order of: a time, then their authorities and serials. */
export interface RevocationOrder {
  readonly column: 'revokedAt' | 'validUntil';
  readonly ascending: boolean;
}

/** A place in such an order. */
export interface RevocationPlace extends Pick<SshRevocation, 'sshCertificateAuthorityId' | 'serial'> {
  readonly time: Date;
}

/** Which revocations: those that meet all that is given, or all of the account. */
export interface RevocationFilter {
  /** Of an authority, which may be deleted. */
  readonly sshCertificateAuthorityId?: string;
  /** What they are called, as a whole: a serial number, or the id of a certificate or an authority. */
  readonly search?: string;
}

/** Reads a page of revocations, along an index. */
export async function revocationPage(
  { db }: AccountView,
  { column, ascending }: RevocationOrder,
  { take, backward, after, before }: ListPart<RevocationPlace>,
  filter: RevocationFilter,
): Promise<{ rows: SshRevocation[]; more: boolean }> {
  const [further, nearer] = ascending ? (['gt', 'lt'] as const) : (['lt', 'gt'] as const);
  const places = [...(after ? beyond(column, after, further) : []), ...(before ? beyond(column, before, nearer) : [])];
  const { conditions, isOfOne } = conditionsOf(filter);
  const where = { AND: [...conditions, ...places] };
  const direction = ascending === backward ? 'desc' : 'asc';
  const orderBy = orderedBy([column, 'sshCertificateAuthorityId', 'serial'], direction);
  // Without an order, SQLite finds them along the index of what they are called; with one, it would read all along that of the order.
  const found = isOfOne
    ? sorted(await db.sshRevocation.findMany({ where }), column, direction)
    : await db.sshRevocation.findMany({ where, orderBy, take: take + 1 });
  const rows = found.slice(0, take);
  return { rows: backward ? rows.reverse() : rows, more: found.length > take };
}

/** Counts revocations. */
export function countRevocations({ db }: AccountView, filter: RevocationFilter): Promise<number> {
  return db.sshRevocation.count({ where: { AND: conditionsOf(filter).conditions } });
}

/** Serial numbers have 63 bits here. */
const serialDigits = /^\d{1,19}$/;

/** Makes the conditions out of a filter, and tells whether they are met by one certificate, or a few with the same serial number. */
function conditionsOf({ sshCertificateAuthorityId, search }: RevocationFilter) {
  const own = sshCertificateAuthorityId === undefined ? [] : [{ sshCertificateAuthorityId }];
  if (search === undefined) return { conditions: own, isOfOne: false };
  // Each has an index, so that all revocations are looked through, however many there are.
  const id = search.toLowerCase();
  if (isIdOf('SshCertificateAuthority', id)) {
    return { conditions: [...own, { sshCertificateAuthorityId: id }], isOfOne: false };
  }
  if (isIdOf('SshHostCertificate', id)) return { conditions: [...own, { sshHostCertificateId: id }], isOfOne: true };
  const serial = serialDigits.test(id) ? BigInt(id) : serialsEnd;
  return { conditions: [...own, serial < serialsEnd ? { serial } : { serial: { in: [] } }], isOfOne: true };
}

/** Sorts the few revocations with one serial number, which are of different authorities. */
function sorted(found: SshRevocation[], column: RevocationOrder['column'], direction: 'asc' | 'desc'): SshRevocation[] {
  const authorityOf = ({ sshCertificateAuthorityId }: SshRevocation) => sshCertificateAuthorityId;
  const compare = (one: SshRevocation, other: SshRevocation) =>
    one[column].getTime() - other[column].getTime() || (authorityOf(one) < authorityOf(other) ? -1 : 1);
  return found.sort((one, other) => (direction === 'asc' ? compare(one, other) : compare(other, one)));
}

/** Writes the conditions for what lies beyond a place. */
function beyond(
  column: RevocationOrder['column'],
  { time, sshCertificateAuthorityId, serial }: RevocationPlace,
  side: 'lt' | 'gt',
) {
  return writeBeyond({ [column]: time, sshCertificateAuthorityId, serial }, side);
}
