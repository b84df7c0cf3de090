// The lifecycle of a certificate authority that is being replaced: its states and the transitions between them. Pure.

import { SallyportError } from '../../../domain/errors.ts';
import { remedies } from '../../../domain/remedies.ts';
import { formatTimestamp } from '../../../domain/values/time.ts';
import { counted } from '../../../domain/wording.ts';

/** The states of an authority, in order. It signs only in the first two. */
const authorityStates = ['active', 'successor_announced', 'handed_over', 'retired'] as const;
export type AuthorityState = (typeof authorityStates)[number];

/** The columns that determine the state. */
export interface Succession {
  readonly id: string;
  readonly successorId: string | null;
  readonly handedOverAt: Date | null;
  readonly retiredAt: Date | null;
}

/** Returns the state of an authority. */
export function stateOf({ successorId, handedOverAt, retiredAt }: Succession): AuthorityState {
  if (retiredAt !== null) return 'retired';
  if (handedOverAt !== null) return 'handed_over';
  return successorId === null ? 'active' : 'successor_announced';
}

/** The certificates of an authority that have not expired. */
export interface Unended {
  readonly count: number;
  /** When the last of them expires; null if there is none. */
  readonly until: Date | null;
}

/**
 * Throws if the authority already has a successor.
 *
 * @param successor what messages call the successor; anything if there is none
 * @throws OUT_OF_ORDER, with what to do instead
 */
export function refuseSecondSuccessor(authority: Succession, successor: string): void {
  switch (stateOf(authority)) {
    case 'active':
      return;
    case 'successor_announced':
      throw outOfOrder(`has a successor already, ${successor}. Hand over to it; or delete it, which takes it back`);
    case 'handed_over':
    case 'retired':
      throw outOfOrder(`has handed over to the authority ${successor}. Announce a successor of that one`);
  }
}

/** Throws OUT_OF_ORDER if the authority has no successor, or has already handed over. */
export function refuseHandOver(authority: Succession, successor: string): void {
  switch (stateOf(authority)) {
    case 'active':
      throw outOfOrder('has no successor. Announce one first, and give its line to the clients');
    case 'successor_announced':
      return;
    case 'handed_over':
    case 'retired':
      throw outOfOrder(
        `has handed over to the authority ${successor} already. What is asked of it is signed by that one`,
      );
  }
}

/**
 * Throws if the key of the authority may still be needed, or is already erased.
 *
 * @throws OUT_OF_ORDER if it has not handed over, or has already retired; IN_USE while any certificate that it has signed is valid
 */
export function refuseRetirement(authority: Succession, successor: string, unended: Unended): void {
  switch (stateOf(authority)) {
    case 'active':
      throw outOfOrder('has not handed over. Announce a successor and hand over to it first; or delete the authority');
    case 'successor_announced':
      throw outOfOrder(`has not handed over. Hand over to its successor ${successor} first`);
    case 'handed_over':
      break;
    case 'retired':
      throw outOfOrder('has retired already. Its private key is gone');
  }
  const { count, until } = unended;
  if (until === null) return;
  const message =
    `Not everything that the certificate authority has signed has ended: ${counted(count, 'host certificate')}, until ` +
    `${formatTimestamp(until)}. Retire it then. To have them revoked with it, once their hosts have new ones, send ` +
    '`revokeCertificates: true`, on the command line `--revoke-certificates`.';
  throw new SallyportError('IN_USE', message);
}

/** Returns what an operator does next to replace an authority, as a command or a hint for the command line. */
export function nextStep(
  authority: Succession & { readonly accountId: string },
  successor: string,
  { count, until }: Unended,
): string {
  const { id, accountId } = authority;
  switch (stateOf(authority)) {
    case 'active':
      return `to replace it: ${remedies.announceSuccessor(id, accountId)}`;
    case 'successor_announced':
      return `once all clients trust the successor, ${successor}: ${remedies.handOver(id, accountId)}`;
    case 'handed_over':
      return until === null
        ? remedies.retire(id, accountId)
        : `after the end of ${counted(count, 'host certificate')}, at ${formatTimestamp(until)}: ${remedies.retire(id, accountId)}; or once their hosts have renewed: ${remedies.retireAndRevoke(id, accountId)}`;
    case 'retired':
      return 'remove its line from the clients';
  }
}

function outOfOrder(what: string): SallyportError {
  return new SallyportError('OUT_OF_ORDER', `The certificate authority ${what}.`);
}
