// SSH objects that need attention: host certificates that expire without a renewal, and authorities whose next step is due.

import { type Attention, urgencyOf } from '../../domain/attention.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { dayMs, formatTimestamp } from '../../domain/values/time.ts';
import { called, counted, type Nameable } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import type { Row } from '../../storage/objects/collection.ts';
import type { ListPart } from '../../storage/sql/list-parts.ts';
import { narrowedTo, partInTime, type TimeBounds } from '../../storage/sql/range.ts';
import { entriesOfRow, rowSlices } from '../../storage/sql/read-slices.ts';
import { stateOf } from './authorities/succession-rules.ts';
import { hasUnended } from './authorities/succession-store.ts';
import { lateDaysMax, standingOf } from './rules.ts';

export const attention: readonly AttentionSource[] = [
  { needs: ['ssh:read'], find: ({ scope, most }) => findEnding(scope, most) },
  { needs: ['ssh:read'], find: ({ scope, most }) => findEnded(scope, most) },
  { needs: ['ssh:read'], find: ({ scope, most }) => findAuthorities(scope, most) },
];

/** A certificate that is about to expire. */
interface Ending {
  readonly id: string;
  readonly sshCertificateAuthorityId: string;
  readonly validAfter: Date;
  readonly validUntil: Date;
}

/** A range of remaining validity, in milliseconds: more than `from`, at most `to`. */
interface Left {
  readonly from: number;
  readonly to: number;
}

/** Certificates that expire within a day and within a week are reported separately from the others that are late. */
const urgencies: readonly Left[] = [
  { from: 0, to: dayMs },
  { from: dayMs, to: 7 * dayMs },
  { from: 7 * dayMs, to: lateDaysMax * dayMs },
];

/** Finds current certificates whose hosts are late with the renewal, by authority and by whether they expire within a day. */
async function findEnding(scope: AccountView, most: number): Promise<Attention[]> {
  const now = scope.now();
  const found: Attention[] = [];
  for (const left of urgencies) {
    const late = await countLate(scope, now, left, most);
    const nameableOf = await nameablesOf(scope, [...late]);
    for (const [authorityId, { count, at, id }] of late) {
      const end = formatTimestamp(at);
      const [authority, certificate] = [nameableOf(authorityId), nameableOf(id)];
      const message =
        count === 1
          ? `The host certificate ${called(certificate)} of the authority ${called(authority)} expires at ${end}, and its host is late with the renewal. Renew it; or sign a new one, install it there, and delete this one.`
          : `${counted(count, 'host certificate')} of the authority ${called(authority)} expire, the first at ${end}, and their hosts are late with the renewal. Renew them; or sign new ones, install them there, and delete these.`;
      const [severity, subject] = [urgencyOf(at, now), count === 1 ? certificate : authority];
      found.push({ code: 'ssh_certificates_expire', severity, message, count, at, subject });
    }
  }
  return found;
}

/** Finds by what messages name authorities, and the certificate of those that have only one to name. */
async function nameablesOf(
  { db }: AccountView,
  found: readonly (readonly [string, { readonly count: number; readonly id: string }])[],
): Promise<(id: string) => Nameable> {
  const single = found.flatMap(([, { count, id }]) => (count === 1 ? [id] : []));
  const [authorities, certificates] = await Promise.all([
    db.sshCertificateAuthority.findMany({
      where: { id: { in: found.map(([id]) => id) } },
      select: { id: true, description: true },
    }),
    db.sshHostCertificate.findMany({
      where: { id: { in: single } },
      select: { id: true, description: true, principals: true },
    }),
  ]);
  const named = certificates.map((one) => ({ ...one, principals: readTextList(one.principals) }));
  const known = new Map([...authorities, ...named].map((one) => [one.id, one]));
  return (id) => known.get(id) ?? { id, description: '' };
}

/** Some certificates of an authority: how many, when the first or last of them expires, and the id of one. */
interface Late {
  readonly count: number;
  readonly at: Date;
  readonly id: string;
}

/** Counts the late certificates of each authority: of those whose first one expires first. */
async function countLate(scope: AccountView, now: Date, left: Left, most: number): Promise<Map<string, Late>> {
  const late = new Map<string, Late>();
  for await (const { id, sshCertificateAuthorityId: authority, validUntil } of readLate(scope, now, left)) {
    const known = late.get(authority);
    if (known === undefined && late.size === most) continue;
    late.set(authority, { count: (known?.count ?? 0) + 1, at: known?.at ?? validUntil, id });
  }
  return late;
}

/** Returns the time before which a certificate must have begun to be late with this much left: five times as much has elapsed. */
function begunBefore(now: Date, left: number): Date {
  return new Date(now.getTime() - 5 * left);
}

function endsAt(now: Date, { from, to }: Left): TimeBounds {
  return { gt: new Date(now.getTime() + from), lte: new Date(now.getTime() + to) };
}

/** Maximum number of times a range is halved. */
const halvesMax = 5;

/**
 * Reads the late certificates, the first to expire first: a host is late when less than a sixth of the validity is left
 * (`standingOf`). The range is halved repeatedly, and for each half the database leaves out the certificates that began too recently to be late, so that a fleet with
 * short-lived certificates is not scanned each time.
 */
async function* readLate(scope: AccountView, now: Date, { from, to }: Left): AsyncGenerator<Ending> {
  const starts: number[] = [];
  for (let start = to; start > from; starts.unshift(start)) {
    start = starts.length === halvesMax ? from : Math.max(from, start / 2);
  }
  for (const [index, start] of starts.entries()) {
    const late = { validAfter: { lt: begunBefore(now, start) } };
    for await (const page of readByEnd(scope, endsAt(now, { from: start, to: starts[index + 1] ?? to }), late)) {
      yield* page.filter((certificate) => standingOf(certificate, now) === 'late');
    }
  }
}

/**
 * Reads current certificates that end within bounds, in that order and in slices.
 *
 * @param where a further condition, in Prisma's terms
 */
async function* readByEnd({ rows }: AccountView, ends: TimeBounds, where: object = {}): AsyncGenerator<Ending[]> {
  const model = 'SshHostCertificate';
  const columns = ['id', 'sshCertificateAuthorityId', 'validAfter', 'validUntil'] as const;
  const all: Omit<ListPart, 'take'> = { backward: false, after: undefined, before: undefined };
  let rest = narrowedTo(ends, all);
  const read = async (most: number) => {
    const part = { ...rest, take: most };
    // How far the slice goes, since few of many certificates may meet the condition.
    const until = await rows.endOfPart(model, partInTime('validUntil', { replacedById: null }, part));
    const slice = partInTime('validUntil', { replacedById: null }, { ...part, until });
    // Rows of the model, with these columns.
    const value = (await rows.part(model, slice, where, columns)) as Ending[];
    rest = { ...rest, after: until };
    return { value, entries: most * entriesOfRow, isLast: until === undefined };
  };
  yield* rows.slices(rowSlices, read);
}

/** Finds current certificates that have expired, of the authorities whose first one did so first. */
async function findEnded(scope: AccountView, most: number): Promise<Attention[]> {
  const ended = new Map<string, Late>();
  for await (const page of readByEnd(scope, { lte: scope.now() })) {
    for (const { id, sshCertificateAuthorityId: authority, validUntil: at } of page) {
      const count = ended.get(authority)?.count ?? 0;
      if (count > 0 || ended.size < most) ended.set(authority, { count: count + 1, at, id });
    }
  }
  const nameableOf = await nameablesOf(scope, [...ended]);
  return [...ended].map(([authorityId, { count, at, id }]): Attention => {
    const [authority, certificate] = [nameableOf(authorityId), nameableOf(id)];
    const end = formatTimestamp(at);
    const message =
      count === 1
        ? `The host certificate ${called(certificate)} of the authority ${called(authority)} has expired at ${end}: clients do not trust its host any more. Enroll the host again, or delete the certificate if the host is gone.`
        : `${counted(count, 'host certificate')} of the authority ${called(authority)} have expired, the last at ${end}: clients do not trust their hosts any more. Enroll the hosts again, or delete the certificates of hosts that are gone.`;
    const subject = count === 1 ? certificate : authority;
    return { code: 'ssh_certificates_expired', severity: 'critical', message, count, at, subject };
  });
}

const authorityColumns = ['id', 'description', 'createdAt', 'successorId', 'handedOverAt', 'retiredAt'] as const;
type Authority = Pick<Row<'SshCertificateAuthority'>, (typeof authorityColumns)[number]>;

/** Returns when an authority should get a successor, by the policy of the server. */
const oldSince = ({ deciding }: AccountView, { createdAt }: Authority) =>
  new Date(createdAt.getTime() + deciding.keyAges.authorityDays * dayMs);

/**
 * Reads the authorities that are to be replaced, oldest first, in slices: those that have a successor and are not retired, and those
 * whose key is old.
 */
async function* readReplaced(scope: AccountView): AsyncGenerator<Authority[]> {
  const { rows } = scope;
  const now = scope.now();
  let last: string | undefined;
  const read = async (take: number) => {
    const range = { equal: {}, lessThan: undefined, greaterThan: last, ascending: true, take };
    const page = await rows.pickRange('SshCertificateAuthority', authorityColumns, range);
    last = page.at(-1)?.id;
    const value = page.filter(
      (authority) =>
        authority.retiredAt === null && (authority.successorId !== null || oldSince(scope, authority) <= now),
    );
    return { value, entries: page.length * entriesOfRow, isLast: page.length < take };
  };
  yield* rows.slices(rowSlices, read);
}

/** Finds authorities that are being replaced and are ready for the next step, or whose key is old. */
async function findAuthorities(scope: AccountView, most: number): Promise<Attention[]> {
  const authorities: Authority[] = [];
  for await (const page of readReplaced(scope)) {
    authorities.push(...page.slice(0, most - authorities.length));
    if (authorities.length === most) break;
  }
  const handedOver = authorities.filter((authority) => stateOf(authority) === 'handed_over');
  const unended = new Set<string>();
  for (const { id } of handedOver) if (await hasUnended(scope, id)) unended.add(id);
  const successors = await scope.db.sshCertificateAuthority.findMany({
    where: { id: { in: authorities.flatMap(({ successorId }) => successorId ?? []) } },
    select: { id: true, description: true },
  });
  const successorOf = new Map(successors.map((one) => [one.id, called(one)]));
  return authorities.flatMap((authority): Attention[] => {
    const successor = successorOf.get(authority.successorId ?? '') ?? 'that is deleted';
    const common = { severity: 'notice', count: 1, subject: authority } as const;
    if (authority.successorId === null) {
      const message = `The key of the certificate authority ${called(authority)} was made at ${formatTimestamp(authority.createdAt)}. Announce a successor with a new key, and hand over to it.`;
      return [{ ...common, code: 'ssh_authority_old', message, at: oldSince(scope, authority) }];
    }
    if (stateOf(authority) === 'successor_announced') {
      const message = `The certificate authority ${called(authority)} has the successor ${successor}, and has not handed over. Give the line of the successor to all clients, then hand over.`;
      return [{ ...common, code: 'ssh_authority_hand_over', message, at: null }];
    }
    if (unended.has(authority.id)) return [];
    const message = `The certificate authority ${called(authority)} has handed over to the authority ${successor}, and nothing that it has signed is valid any more. Retire it, which erases its private key.`;
    return [{ ...common, code: 'ssh_authority_retire', message, at: authority.handedOverAt }];
  });
}
