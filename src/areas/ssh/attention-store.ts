// What of SSH needs attention: host certificates that end and that nobody has renewed, and authorities whose next step is due.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Attention, called, urgencyOf } from '../../domain/attention.ts';
import { groupBy } from '../../domain/group-by.ts';
import { formatTimestamp } from '../../domain/time.ts';
import { counted } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/account-scope.ts';
import type { AttentionSource } from '../../storage/attention.ts';
import { isLate } from './rules.ts';
import { stateOf } from './succession-rules.ts';
import { unendedCertificates } from './succession-store.ts';

const dayMs = 86_400_000;
/** Days before and after their end in which certificates need attention. */
const endingDays = 7;

/** What of SSH needs attention. */
export const sshAttention: readonly AttentionSource[] = [
  { needs: ['ssh:read'], find: ({ scope }) => findEnding(scope) },
  { needs: ['ssh:read'], find: ({ scope }) => findEnded(scope) },
  { needs: ['ssh:read'], find: ({ scope, most }) => findAuthorities(scope, most) },
];

/** A certificate that is about to end. */
interface Ending {
  readonly id: string;
  readonly sshCertificateAuthorityId: string;
  readonly validAfter: Date;
  readonly validUntil: Date;
}

/** Finds the latest certificates of hosts that are late with the renewal: of each authority, those of a day and those of a week. */
async function findEnding(scope: AccountView): Promise<Attention[]> {
  const now = scope.now();
  const found: Attention[] = [];
  const late = await readLate(scope, now);
  for (const [key, some] of groupBy(
    late,
    (each) => `${each.sshCertificateAuthorityId} ${urgencyOf(each.validUntil, now)}`,
  )) {
    const [authorityId = ''] = key.split(' ');
    const [first] = some;
    if (first === undefined) continue;
    const at = first.validUntil;
    const end = formatTimestamp(at);
    const what = `${counted(some.length, 'host certificate')} of the authority ${authorityId}`;
    const message =
      some.length === 1
        ? `${what} expires at ${end}, and its host is late with the renewal. Renew it, or sign a new one and install it there.`
        : `${what} expire, the first at ${end}, and their hosts are late with the renewal. Renew them, or sign new ones and install them there.`;
    const subjectId = some.length === 1 ? first.id : authorityId;
    const severity = urgencyOf(at, now);
    found.push({ code: 'ssh_certificates_expire', severity, message, count: some.length, at, subjectId });
  }
  return found;
}

/** Certificates that are read in one turn of the event loop. */
const certificatesAtOnce = 500;

/**
 * Reads the certificates that are late and end within the days, those that end first before others. A host is late when less than a sixth
 * of the validity is left (`isLate`): what began too late for that is left out by the database, in ranges that halve, so that a
 * fleet with short certificates is not read through each time.
 */
async function readLate(scope: AccountView, now: Date): Promise<Ending[]> {
  const late: Ending[] = [];
  const bounds = [0, ...Array.from({ length: 9 }, (_, place) => (endingDays * dayMs) / 2 ** (8 - place))];
  for (const [place, to] of bounds.entries()) {
    const from = bounds[place - 1];
    if (from === undefined) continue;
    // Of what is left at least `from`, five times as much must be over.
    const begunBy = new Date(now.getTime() - 5 * from);
    const range = { gt: new Date(now.getTime() + from), lte: new Date(now.getTime() + to) };
    let last: Ending | undefined;
    for (;;) {
      const page: Ending[] = await scope.db.sshHostCertificate.findMany({
        where: { replacedById: null, validUntil: range, validAfter: { lt: begunBy }, ...behind(last) },
        orderBy: [{ validUntil: 'asc' }, { id: 'asc' }],
        select: { id: true, sshCertificateAuthorityId: true, validAfter: true, validUntil: true },
        take: certificatesAtOnce,
      });
      late.push(...page.filter((certificate) => isLate(certificate, now)));
      last = page.at(-1);
      if (page.length < certificatesAtOnce) break;
      await nextTurn();
    }
  }
  return late;
}

/** Writes the condition for what comes after a certificate, in the order of their ends. */
function behind(last: Ending | undefined) {
  if (last === undefined) return {};
  const { id, validUntil } = last;
  return { OR: [{ validUntil: { gt: validUntil } }, { validUntil, id: { gt: id } }] };
}

/** Finds the latest certificates of hosts that have ended within the days before. */
async function findEnded({ db, now: clock }: AccountView): Promise<Attention[]> {
  const now = clock();
  const found = await db.sshHostCertificate.groupBy({
    by: ['sshCertificateAuthorityId'],
    where: { replacedById: null, validUntil: { gt: new Date(now.getTime() - endingDays * dayMs), lte: now } },
    _count: { _all: true },
    _max: { validUntil: true, id: true },
  });
  return found.map(({ sshCertificateAuthorityId, _count: { _all: count }, _max: { validUntil: at, id } }) => {
    const end = at === null ? '' : ` at ${formatTimestamp(at)}`;
    const what = `${counted(count, 'host certificate')} of the authority ${sshCertificateAuthorityId}`;
    const message =
      count === 1
        ? `${what} has expired${end}: clients do not trust its host any more. Sign a new one and install it, or delete it if the host is gone.`
        : `${what} have expired, the last${end}: clients do not trust their hosts any more. Sign new ones and install them, or delete those of hosts that are gone.`;
    const subjectId = count === 1 ? id : sshCertificateAuthorityId;
    return { code: 'ssh_certificates_expired', severity: 'critical', message, count, at, subjectId };
  });
}

/** Finds authorities that are being replaced and whose next step can be taken. */
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
