// Revoked host certificates: what remains of them until they would have expired.

import { isIdOf } from '../../../domain/ids.ts';
import type { AccountView } from '../../../storage/account-scope.ts';
import { orderedBy, writeBeyond } from '../../../storage/keyset.ts';
import type { ListPart } from '../../../storage/object-reads.ts';
import type { Pace } from '../../../storage/slices.ts';

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

/** A place in such an order. */
export interface RevocationPlace extends Pick<SshRevocation, 'sshCertificateAuthorityId' | 'serial'> {
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
  // Without an order, SQLite finds them through the index of the id or serial; with one, it would scan the whole index of the
  // order.
  const found = isOfOne
    ? sorted(await db.sshRevocation.findMany({ where }), column, direction)
    : await db.sshRevocation.findMany({ where, orderBy, take: take + 1 });
  const rows = found.slice(0, take);
  return { rows: backward ? rows.reverse() : rows, more: found.length > take };
}

/** Counts revocations, in slices. Throws as `Count`. */
export async function countRevocations(scope: AccountView, filter: RevocationFilter, pace: Pace): Promise<number> {
  const { db, rows } = scope;
  const { conditions, isOfOne } = conditionsOf(filter);
  // Few, found by an index.
  if (isOfOne) return db.sshRevocation.count({ where: { AND: conditions } });
  let count = 0;
  // By authority, along the index of their serials.
  for await (const sshCertificateAuthorityId of authoritiesOf(scope, conditions)) {
    count += await rows.count({ model: 'SshRevocation', where: { sshCertificateAuthorityId }, column: 'serial' }, pace);
  }
  return count;
}

/** Finds the authorities that have revocations which meet some conditions. */
async function* authoritiesOf({ db }: AccountView, conditions: readonly object[]): AsyncGenerator<string> {
  for (let last = ''; ; ) {
    const next = await db.sshRevocation.findFirst({
      where: { AND: [...conditions, { sshCertificateAuthorityId: { gt: last } }] },
      orderBy: { sshCertificateAuthorityId: 'asc' },
      select: { sshCertificateAuthorityId: true },
    });
    if (next === null) return;
    last = next.sshCertificateAuthorityId;
    yield last;
  }
}

/** Text that may be a serial number, which has 63 bits here. */
const serialDigits = /^\d{1,19}$/;

/** Builds the conditions of a filter, and whether at most one certificate, or a few with the same serial number, can match. */
function conditionsOf({ sshCertificateAuthorityId, search }: RevocationFilter) {
  const own = sshCertificateAuthorityId === undefined ? [] : [{ sshCertificateAuthorityId }];
  if (search === undefined) return { conditions: own, isOfOne: false };
  // Each of these has an index, so the search covers all revocations, however many there are.
  const id = search.toLowerCase();
  if (isIdOf('SshCertificateAuthority', id)) {
    return { conditions: [...own, { sshCertificateAuthorityId: id }], isOfOne: false };
  }
  if (isIdOf('SshHostCertificate', id)) return { conditions: [...own, { sshHostCertificateId: id }], isOfOne: true };
  const serial = serialDigits.test(id) ? BigInt(id) : serialsEnd;
  return { conditions: [...own, serial < serialsEnd ? { serial } : { serial: { in: [] } }], isOfOne: true };
}

/** Sorts the few revocations with one serial number, which belong to different authorities. */
function sorted(found: SshRevocation[], column: RevocationOrder['column'], direction: 'asc' | 'desc'): SshRevocation[] {
  const authorityOf = ({ sshCertificateAuthorityId }: SshRevocation) => sshCertificateAuthorityId;
  const compare = (one: SshRevocation, other: SshRevocation) =>
    one[column].getTime() - other[column].getTime() || (authorityOf(one) < authorityOf(other) ? -1 : 1);
  return found.sort((one, other) => (direction === 'asc' ? compare(one, other) : compare(other, one)));
}

/** Returns the conditions for the revocations beyond a place. */
function beyond(
  column: RevocationOrder['column'],
  { time, sshCertificateAuthorityId, serial }: RevocationPlace,
  side: 'lt' | 'gt',
) {
  return writeBeyond({ [column]: time, sshCertificateAuthorityId, serial }, side);
}
