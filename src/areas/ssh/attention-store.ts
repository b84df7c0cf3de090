// SSH objects that need attention: host certificates that expire without a renewal, and authorities whose next step is due.

import { type Attention, called, urgencyOf } from '../../domain/attention.ts';
import { dayMs, formatTimestamp } from '../../domain/time.ts';
import { counted } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/account-scope.ts';
import type { AttentionSource } from '../../storage/attention.ts';
import { lateDaysMax, standingOf } from './rules.ts';
import { stateOf } from './succession-rules.ts';
import { unendedCertificates } from './succession-store.ts';

/** Finds SSH objects that need attention. */
export const sshAttention: readonly AttentionSource[] = [
  { needs: ['ssh:read'], find: ({ scope }) => findEnding(scope) },
  { needs: ['ssh:read'], find: ({ scope }) => findEnded(scope) },
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
async function findEnding(scope: AccountView): Promise<Attention[]> {
  const now = scope.now();
  const found: Attention[] = [];
  for (const left of urgencies) {
    for (const [authorityId, { count, at, id }] of await countLate(scope, now, left)) {
      const end = formatTimestamp(at);
      const message =
        count === 1
          ? `The host certificate ${id} of the authority ${authorityId} expires at ${end}, and its host is late with the renewal. Renew it; or sign a new one, install it there, and delete this one.`
          : `${counted(count, 'host certificate')} of the authority ${authorityId} expire, the first at ${end}, and their hosts are late with the renewal. Renew them; or sign new ones, install them there, and delete these.`;
      const [severity, subjectId] = [urgencyOf(at, now), count === 1 ? id : authorityId];
      found.push({ code: 'ssh_certificates_expire', severity, message, count, at, subjectId });
    }
  }
  return found;
}

/** Late certificates of an authority: how many, when the first of them expires, and the id of one. */
interface Late {
  readonly count: number;
  readonly at: Date;
  readonly id: string;
}

/**
 * Counts the late certificates of each authority. A host is late when less than a sixth of the validity is left (`standingOf`). If the
 * time elapsed is more than five times the most that can be left in the range, that is certain, and the database counts; only the
 * other certificates are read.
 */
async function countLate(scope: AccountView, now: Date, { from, to }: Left): Promise<Map<string, Late>> {
  const late = new Map<string, Late>();
  const add = (authorityId: string, some: Late) => {
    const known = late.get(authorityId) ?? { count: 0, at: some.at };
    const at = new Date(Math.min(known.at.getTime(), some.at.getTime()));
    late.set(authorityId, { count: known.count + some.count, at, id: some.id });
  };
  const begun = begunBefore(now, to);
  const sure = await scope.db.sshHostCertificate.groupBy({
    by: ['sshCertificateAuthorityId'],
    where: { ...leftAt(now, { from, to }), validAfter: { lt: begun } },
    _count: { _all: true },
    _min: { validUntil: true, id: true },
  });
  for (const { sshCertificateAuthorityId, _count, _min } of sure) {
    if (_min.validUntil === null || _min.id === null) continue;
    add(sshCertificateAuthorityId, { count: _count._all, at: _min.validUntil, id: _min.id });
  }
  for await (const { id, sshCertificateAuthorityId, validUntil: at } of readLate(scope, now, { from, to }, begun)) {
    add(sshCertificateAuthorityId, { count: 1, at, id });
  }
  return late;
}

/** Returns the time before which a certificate must have begun to be late with this much left: five times as much has elapsed. */
function begunBefore(now: Date, left: number): Date {
  return new Date(now.getTime() - 5 * left);
}

/** Returns the condition for current certificates with this much validity left. */
function leftAt(now: Date, { from, to }: Left) {
  const validUntil = { gt: new Date(now.getTime() + from), lte: new Date(now.getTime() + to) };
  return { replacedById: null, validUntil };
}

/** Certificates read per turn of the event loop. */
const certificatesAtOnce = 500;
/** Maximum number of times a range is halved. */
const halvesMax = 5;

/**
 * Reads the late certificates that began at or after a moment. The range is halved repeatedly, and for each half the database
 * leaves out the certificates that began too recently to be late, so that a fleet with short-lived certificates is not scanned each
 * time.
 */
async function* readLate(scope: AccountView, now: Date, { from, to }: Left, begunFrom: Date): AsyncGenerator<Ending> {
  for (let [end, halves] = [to, 0]; end > from; halves += 1) {
    const start = halves === halvesMax ? from : Math.max(from, end / 2);
    const where = {
      ...leftAt(now, { from: start, to: end }),
      validAfter: { gte: begunFrom, lt: begunBefore(now, start) },
    };
    let last: Ending | undefined;
    for (;;) {
      const read = {
        where: { ...where, ...behind(last) },
        orderBy: [{ validUntil: 'asc' as const }, { id: 'asc' as const }],
        select: { id: true, sshCertificateAuthorityId: true, validAfter: true, validUntil: true },
        take: certificatesAtOnce,
      };
      const page: Ending[] = await scope.rows.inTurn(() => scope.db.sshHostCertificate.findMany(read));
      yield* page.filter((certificate) => standingOf(certificate, now) === 'late');
      last = page.at(-1);
      if (page.length < certificatesAtOnce) break;
    }
    end = start;
  }
}

/** Returns the condition for the certificates that follow one, ordered by expiry. */
function behind(last: Ending | undefined) {
  if (last === undefined) return {};
  const { id, validUntil } = last;
  return { OR: [{ validUntil: { gt: validUntil } }, { validUntil, id: { gt: id } }] };
}

/** Finds current certificates that have expired. */
async function findEnded({ db, now: clock }: AccountView): Promise<Attention[]> {
  const now = clock();
  const found = await db.sshHostCertificate.groupBy({
    by: ['sshCertificateAuthorityId'],
    where: { replacedById: null, validUntil: { lte: now } },
    _count: { _all: true },
    _max: { validUntil: true, id: true },
  });
  return found.flatMap(({ sshCertificateAuthorityId, _count: { _all: count }, _max: { validUntil: at, id } }) => {
    if (at === null || id === null) return [];
    const end = formatTimestamp(at);
    const message =
      count === 1
        ? `The host certificate ${id} of the authority ${sshCertificateAuthorityId} has expired at ${end}: clients do not trust its host any more. Enroll the host again, or delete the certificate if the host is gone.`
        : `${counted(count, 'host certificate')} of the authority ${sshCertificateAuthorityId} have expired, the last at ${end}: clients do not trust their hosts any more. Enroll the hosts again, or delete the certificates of hosts that are gone.`;
    const subjectId = count === 1 ? id : sshCertificateAuthorityId;
    return [{ code: 'ssh_certificates_expired', severity: 'critical', message, count, at, subjectId }] as const;
  });
}

/** Finds authorities that are being replaced and are ready for the next step. */
async function findAuthorities(scope: AccountView, most: number): Promise<Attention[]> {
  const authorities = await scope.db.sshCertificateAuthority.findMany({
    where: { successorId: { not: null }, retiredAt: null },
    orderBy: { id: 'asc' },
    select: { id: true, description: true, successorId: true, handedOverAt: true, retiredAt: true },
    take: most,
  });
  const handedOver = authorities.filter((authority) => stateOf(authority) === 'handed_over');
  const unended = handedOver.length === 0 ? new Map() : await unendedCertificates(scope);
  return authorities.flatMap((authority): Attention[] => {
    const { id: subjectId, successorId, handedOverAt } = authority;
    const common = { severity: 'notice', count: 1, subjectId } as const;
    if (stateOf(authority) === 'successor_announced') {
      const message = `The certificate authority ${called(authority)} has the successor ${successorId}, and has not handed over. Give the line of the successor to all clients, then hand over.`;
      return [{ ...common, code: 'ssh_authority_hand_over', message, at: null }];
    }
    if (unended.has(subjectId)) return [];
    const message = `The certificate authority ${called(authority)} has handed over to ${successorId}, and nothing that it has signed is valid any more. Retire it, which erases its private key.`;
    return [{ ...common, code: 'ssh_authority_retire', message, at: handedOverAt }];
  });
}
