// The lifecycle of a certificate authority that is being replaced: its states and the transitions between them. Pure.

import { SallyportError } from '../../domain/errors.ts';
import { formatTimestamp } from '../../domain/time.ts';
import { counted } from '../../domain/wording.ts';

/** The states of an authority, in order. It signs only in the first two. */
export const authorityStates = ['active', 'successor_announced', 'handed_over', 'retired'] as const;
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
 * @throws OUT_OF_ORDER, with what to do instead
 */
export function refuseSecondSuccessor(authority: Succession): void {
  const { successorId } = authority;
  switch (stateOf(authority)) {
    case 'active':
      return;
    case 'successor_announced':
      throw outOfOrder(`has a successor already, ${successorId}. Hand over to it; or delete it, which takes it back`);
    case 'handed_over':
    case 'retired':
      throw outOfOrder(`has handed over to ${successorId}. Announce a successor of that one`);
  }
}

/** Throws OUT_OF_ORDER if the authority has no successor, or has already handed over. */
export function refuseHandOver(authority: Succession): void {
  const { successorId } = authority;
  switch (stateOf(authority)) {
    case 'active':
      throw outOfOrder('has no successor. Announce one first, and give its line to the clients');
    case 'successor_announced':
      return;
    case 'handed_over':
    case 'retired':
      throw outOfOrder(`has handed over to ${successorId} already. What is asked of it is signed by that one`);
  }
}

/**
 * Throws if the key of the authority may still be needed, or is already erased.
 *
 * @throws OUT_OF_ORDER if it has not handed over, or has already retired; IN_USE while any certificate that it has signed is valid
 */
export function refuseRetirement(authority: Succession, unended: Unended): void {
  switch (stateOf(authority)) {
    case 'active':
      throw outOfOrder('has not handed over. Announce a successor and hand over to it first; or delete the authority');
    case 'successor_announced':
      throw outOfOrder(`has not handed over. Hand over to its successor ${authority.successorId} first`);
    case 'handed_over':
      break;
    case 'retired':
      throw outOfOrder('has retired already. Its private key is gone');
  }
  const { count, until } = unended;
  if (until === null) return;
  const message =
    `Not everything that the certificate authority has signed has ended: ${counted(count, 'host certificate')}, until ` +
    `${formatTimestamp(until)}. Retire it then; or, once their hosts have new ones, have them revoked with it: ` +
    '`revokeCertificates: true`, on the command line `--revoke-certificates`.';
  throw new SallyportError('IN_USE', message);
}

/** Returns what an operator does next to replace an authority, as a command or a hint for the command line. */
export function nextStep(authority: Succession, { count, until }: Unended): string {
  const { id, successorId } = authority;
  const command = (step: string) => `sallyport ssh-authority ${step} ${id}`;
  switch (stateOf(authority)) {
    case 'active':
      return `to replace it: ${command('announce')}`;
    case 'successor_announced':
      return `once all clients trust ${successorId}: ${command('hand-over')}`;
    case 'handed_over':
      return until === null
        ? command('retire')
        : `after the end of ${counted(count, 'host certificate')}, at ${formatTimestamp(until)}: ${command('retire')}; or once their hosts have renewed: ${command('retire')} --revoke-certificates`;
    case 'retired':
      return 'remove its line from the clients';
  }
}

function outOfOrder(what: string): SallyportError {
  return new SallyportError('OUT_OF_ORDER', `The certificate authority ${what}.`);
}
