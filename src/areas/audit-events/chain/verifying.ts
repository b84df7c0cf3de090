// Verifies the trail of an account against its hash chain, item by item, whether the items come from a database or an export. Pure.

import { createPublicKey, type KeyObject } from 'node:crypto';
import { remedies } from '../../../domain/remedies.ts';
import { idBoundAt } from '../../../domain/values/ids.ts';
import { formatTimestamp } from '../../../domain/values/time.ts';
import {
  digestOf,
  type EventRecord,
  headOf,
  isPruningSigned,
  isSigned,
  leafOf,
  leavesIn,
  readPublicKey,
  type SignedCheckpoint,
} from './rules.ts';

/** What the rest of a trail is verified with. */
export interface TrailHead {
  readonly accountId: string;
  /** The public key in PEM. */
  readonly publicKey: string;
  /** The bound of ids below which events may have been deleted because of their age; empty if none were. */
  readonly prunedBefore: string;
  readonly prunedSignature: string;
}

/** Consecutive events of the chain. Their records follow, as far as the events still exist. */
export interface TrailSegment {
  readonly number: number;
  /** Null if all of its events were deleted because of their age, and their hashes with them. */
  readonly leaves: string | null;
  /** The checkpoint that it ends at; null for the last segment, which has none yet. */
  readonly checkpoint: SignedCheckpoint | null;
}

/** What comes after the last segment. */
export interface TrailEnd {
  /** Number of events in the chain, and of its checkpoints. */
  readonly size: number;
  readonly checkpoints: number;
}

/** What was found wrong: an event was changed, removed or put in, or the chain itself does not hold. */
export type FaultKind = 'changed' | 'removed' | 'added' | 'chain';

/** The first thing that is wrong with a trail. */
export class TrailFault extends Error {
  readonly kind: FaultKind;
  /** The event; null if no single one can be named. */
  readonly eventId: string | null;

  constructor(kind: FaultKind, eventId: string | null, message: string) {
    super(message);
    this.kind = kind;
    this.eventId = eventId;
  }
}

/** Returns the fault of an event. */
export function eventFault(kind: FaultKind, id: string, what: string): TrailFault {
  return new TrailFault(kind, id, `The event ${id} was ${what}.`);
}

/** What was verified. */
export interface VerifiedTrail {
  /** Number of events that exist and are as they were chained. */
  readonly events: number;
  /** Number of events that were deleted because of their age. */
  readonly pruned: number;
  readonly checkpoints: number;
  /** Number of kept checkpoints from after a backup that was restored: what they are about is gone. */
  readonly lost: number;
  /** Number of events since the last checkpoint, which nothing has signed yet. */
  readonly unsigned: number;
  /** The head at the last checkpoint; empty without one. */
  readonly head: string;
  /** The time before which events were deleted because of their age, as a bound of their ids; empty if none were. */
  readonly prunedBefore: string;
}

/** What somebody has kept elsewhere, and knows. */
export interface Kept {
  /** The public key; null to believe the one that comes with the trail. */
  readonly key: KeyObject | null;
  readonly checkpoints: readonly SignedCheckpoint[];
  /** When the backup was made that was restored: checkpoints from after it may be of events that are gone. Null if none was. */
  readonly restored: Date | null;
}

/** Verifies a trail. Every method throws `TrailFault` for the first thing that is wrong. */
export interface Verifier {
  segment(segment: TrailSegment): void;
  /** Verifies an event by its leaf, as a database computes it. Only `event` tells for sure that it was changed. */
  leaf(leaf: string): void;
  event(record: EventRecord): void;
  end(end: TrailEnd): VerifiedTrail;
}

/** A segment that is being verified. */
interface OpenSegment {
  readonly leaves: readonly string[];
  /** What is wrong with the chain here. Told after the events, one of which may be the cause. */
  readonly fault: TrailFault | null;
  next: number;
}

/**
 * Creates the verifier of a trail.
 *
 * @throws TrailFault if the kept key is another one, or did not sign the kept checkpoints
 */
export function createVerifier(head: TrailHead, kept: Kept): Verifier {
  const { accountId } = head;
  const key = keyOf(head, kept.key);
  checkPruning(head, key);
  for (const checkpoint of kept.checkpoints) checkKept(checkpoint, accountId, key);
  // After a restored backup, there may be two of a number.
  const keptByNumber = new Map<number, SignedCheckpoint[]>();
  for (const one of kept.checkpoints) keptByNumber.set(one.number, [...(keptByNumber.get(one.number) ?? []), one]);
  const isLost = ({ createdAt }: SignedCheckpoint) => kept.restored !== null && createdAt > kept.restored;
  let open: OpenSegment | null = null;
  let [events, pruned, size, unsigned, checkpoints, lost] = [0, 0, 0, 0, 0, 0];
  let chainHead = '';
  let isEnding = false;

  /** Counts events that do not exist any more, up to a place of the segment. */
  const skip = (segment: OpenSegment, until: number) => {
    for (; segment.next < until; segment.next += 1) {
      const id = idIn(segment.leaves[segment.next]);
      if (!(id < head.prunedBefore)) throw eventFault('removed', id, 'removed');
      pruned += 1;
    }
  };
  const close = () => {
    if (open === null) return;
    skip(open, open.leaves.length);
    if (open.fault !== null) throw open.fault;
    open = null;
  };
  /** Compares a checkpoint with the events up to it; returns what is wrong. */
  const faultOf = (checkpoint: SignedCheckpoint, digest: string): TrailFault | null => {
    const { number } = checkpoint;
    const wrong = (what: string) => new TrailFault('chain', null, `Checkpoint ${number} ${what}`);
    if (checkpoint.accountId !== accountId) return wrong('is of another account.');
    if (!isSigned(checkpoint, key)) return wrong('has an invalid signature.');
    if (checkpoint.size !== size || checkpoint.digest !== digest) {
      return wrong('does not fit the hashes of its events, which were changed together with their events.');
    }
    if (checkpoint.head !== headOf(checkpoint, chainHead)) return wrong('does not follow the one before.');
    const others = (keptByNumber.get(number) ?? []).filter(({ head }) => head !== checkpoint.head);
    lost += others.filter(isLost).length;
    const own = others.find((other) => !isLost(other));
    const time = formatTimestamp(own?.createdAt ?? checkpoint.createdAt);
    return own === undefined
      ? null
      : wrong(`is another than the one that you have, of ${time}: the trail was rewritten, or ${restoredBackup}`);
  };

  const leaf: Verifier['leaf'] = (leaf) => {
    const { leaves, next }: Pick<OpenSegment, 'leaves' | 'next'> = open ?? { leaves: [], next: 0 };
    if (open === null || leaves[next] !== leaf) {
      // Something was done to the trail, or events before this one were deleted because of their age.
      const id = idIn(leaf);
      const isSame = (other: string) => idIn(other) === id;
      const ahead = leaves.slice(next).findIndex(isSame);
      if (open === null || (ahead === -1 && !leaves.some(isSame))) throw eventFault('added', id, 'put in');
      // Its position in the trail is not hashed, but its place in the chain is.
      if (ahead === -1) throw eventFault('changed', id, 'moved');
      skip(open, next + ahead);
      if (leaves[open.next] !== leaf) throw eventFault('changed', id, 'changed');
    }
    open.next += 1;
    events += 1;
  };

  return {
    segment({ number, leaves: text, checkpoint }) {
      close();
      if (number !== checkpoints + 1 || isEnding) {
        throw new TrailFault('chain', null, `Checkpoint ${checkpoints + 1} is missing.`);
      }
      if (text === null) {
        if (checkpoint === null || !(idBoundAt('AuditEvent', checkpoint.createdAt) < head.prunedBefore)) {
          throw new TrailFault('chain', null, `The hashes of the events up to checkpoint ${number} are missing.`);
        }
        pruned += checkpoint.size - size;
        size = checkpoint.size;
      }
      const leaves = leavesIn(text ?? '');
      size += leaves.length;
      const fault =
        checkpoint === null ? null : faultOf(checkpoint, text === null ? checkpoint.digest : digestOf(text));
      open = { leaves, fault, next: 0 };
      if (checkpoint === null) {
        unsigned = leaves.length;
        isEnding = true;
      } else {
        checkpoints = number;
        chainHead = checkpoint.head;
      }
    },
    leaf,
    event(record) {
      const [id, ofAccount] = record;
      leaf(ofAccount === accountId ? leafOf(id, JSON.stringify(record)) : `${id} `);
    },
    end(end) {
      close();
      const absent = kept.checkpoints.filter(({ number }) => number > checkpoints);
      lost += absent.filter(isLost).length;
      const missing = absent.find((checkpoint) => !isLost(checkpoint));
      if (missing !== undefined) {
        const time = formatTimestamp(missing.createdAt);
        const what = `The trail ends before checkpoint ${missing.number} of ${time}, which you have`;
        throw new TrailFault('chain', null, `${what}: its end was cut off, or ${restoredBackup}`);
      }
      if (end.size !== size || end.checkpoints !== checkpoints) {
        throw new TrailFault('chain', null, `The end is missing: ${size} of ${end.size} events are there.`);
      }
      return { events, pruned, checkpoints, lost, unsigned, head: chainHead, prunedBefore: head.prunedBefore };
    },
  };
}

/** What an unexpected end may mean that is no crime, and what to do then. */
const restoredBackup =
  'a backup from before that was restored, and later events are gone. If one was, say when it was made, and verify the rest: ' +
  `"${remedies.verifyRestored('<time>')}".`;

function idIn(leaf = ''): string {
  return leaf.slice(0, leaf.indexOf(' '));
}

function keyOf({ publicKey }: TrailHead, trusted: KeyObject | null): KeyObject {
  const own = readPublicKey(publicKey);
  if (own === null) throw new TrailFault('chain', null, 'The public key of the trail is not one.');
  if (trusted !== null && !createPublicKey(trusted.export({ format: 'pem', type: 'spki' })).equals(own)) {
    throw new TrailFault('chain', null, 'The trail is signed with another key than the one that you have.');
  }
  return own;
}

function checkPruning({ accountId, prunedBefore, prunedSignature }: TrailHead, key: KeyObject): void {
  if (prunedBefore === '' || isPruningSigned(accountId, prunedBefore, prunedSignature, key)) return;
  throw new TrailFault('chain', null, 'The statement about events that were deleted because of their age is forged.');
}

function checkKept(checkpoint: SignedCheckpoint, accountId: string, key: KeyObject): void {
  const { number } = checkpoint;
  const wrong = (what: string) => new TrailFault('chain', null, `The checkpoint ${number} that you have ${what}`);
  if (checkpoint.accountId !== accountId) throw wrong('is of another account.');
  if (!isSigned(checkpoint, key)) throw wrong('was not signed with the key of this trail.');
}
