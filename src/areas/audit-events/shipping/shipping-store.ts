// Ships the trails of all accounts to a receiver of the operator, behind the write path. One of several servers does, the one with
// the lease; a position moves only once what is before it has been received.

import { setTimeout as pause } from 'node:timers/promises';
import { called } from '../../../domain/wording.ts';
import { type Receiver, type Rejection, ShippingFailure } from '../../../outgoing/shipping/receiver.ts';
import { recordOfEvent, type ShippedRecord } from '../../../outgoing/shipping/records.ts';
import { createSpareTime, largePieces } from '../../../outgoing/spare-time.ts';
import type { UpkeepScope } from '../../../storage/lifecycle/upkeep.ts';
import { nameableIn } from '../../../storage/objects/names.ts';
import { type AuditEvent, type Cursor, cursorOf } from '../../../storage/trail/event-reads.ts';
import { readRefusal } from '../rules.ts';
import {
  type AccountBehind,
  accountsBehind,
  type Lease,
  renewLease,
  renewMs,
  type Standing,
  storeProgress,
  takeLease,
} from './position-store.ts';

/** Most events of one batch, and most bytes of their states: some milliseconds of the event loop. */
const batchEventsMax = 128;
const batchBytesMax = 262_144;
/** Milliseconds between two looks at all accounts, for events that other processes have stored. */
const lookMs = 2_000;
/** Milliseconds from a change of this process to shipping it, so that much is shipped together. */
const gatherMs = 250;
/** Milliseconds between two looks for the lease of a receiver that another server ships to. */
const leaseMs = 2_000;
/** Milliseconds, and batches, after which the positions are stored. */
const storeMs = 500;
const unstoredMax = 4;
/** Milliseconds until the next attempt after a failure: twice as long after each, and at most as long as the receiver asks for. */
const retryMs = { first: 500, most: 60_000, asked: 300_000 };

/** Something that was sent, and counts as received if nothing fails for some time. */
interface Sent {
  readonly cursors: ReadonlyMap<string, Cursor>;
  readonly atMs: number;
}

/** Ships to a receiver until the signal fires. */
export async function ship(
  server: UpkeepScope,
  receiver: Receiver,
  now: () => Date,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const spare = createSpareTime(largePieces, signal);
  while (!signal.aborted) {
    try {
      const taken = await takeLease(server, receiver.name, now());
      if (taken !== null) await shipWhileHeld(server, receiver, taken, { now, signal, turn: spare.turn, onFailure });
    } catch (error) {
      if (!signal.aborted) onFailure(error);
    }
    await sleep(leaseMs, signal);
  }
}

/** What shipping needs besides. */
interface Shipping {
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Resolves when the server has time for a batch. */
  readonly turn: () => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

async function shipWhileHeld(
  server: UpkeepScope,
  receiver: Receiver,
  { lease, standing: before }: { readonly lease: Lease; readonly standing: Standing },
  { now, signal, turn, onFailure }: Shipping,
): Promise<void> {
  const lost = new AbortController();
  const over = AbortSignal.any([signal, lost.signal]);
  let standing = before;
  /** How far accounts have been sent beyond their stored positions. */
  const ahead = new Map<string, Cursor>();
  let sent: Sent[] = [];
  let failures = 0;
  /** Whether the receiver has ever taken anything: one that has not may be another one than was meant. */
  let hasTaken = before.shippedAt !== null;
  let storedMs = performance.now();
  let known = await receiver.known?.().catch(() => null);
  let isChanged = true;
  let wake = () => {};
  const changed = () => {
    isChanged = true;
    wake();
  };
  const renewing = setInterval(() => {
    renewLease(server, lease, now()).then((isHeld) => isHeld || lost.abort(), onFailure);
  }, renewMs).unref();
  server.database.changed.add(changed);

  const store = async (isEnd: boolean) => {
    const until = performance.now() - (isEnd ? 0 : receiver.doubtMs);
    const done = sent.filter(({ atMs }) => atMs <= until);
    const cursors = new Map(done.flatMap(({ cursors }) => [...cursors]));
    if (done.length > 0) standing = { ...standing, shippedAt: now(), failingSince: null, failure: null };
    if (!(await storeProgress(server, lease, standing, cursors, now()))) return lost.abort();
    storedMs = performance.now();
    sent = sent.filter(({ atMs }) => atMs > until);
  };
  const failed = async (error: unknown) => {
    if (!(error instanceof ShippingFailure)) throw error;
    // What was acknowledged is stored. Whatever else was sent and not stored as received is sent again.
    if (receiver.doubtMs === 0 && sent.length > 0) await store(false);
    ahead.clear();
    sent = [];
    failures += 1;
    if (failures === 1)
      onFailure(new Error(`The trail is not shipped (${receiver.name}): ${error.message}`, { cause: error }));
    standing = { ...standing, failingSince: standing.failingSince ?? now(), failure: error.message };
    await store(false);
    const backoffMs = Math.min(retryMs.most, retryMs.first * 2 ** Math.min(failures - 1, 10));
    await sleep(Math.min(retryMs.asked, Math.max(backoffMs, (error.retryAfterSeconds ?? 0) * 1000)), over);
  };
  /** Sends records; of those that are refused together, each by itself, as soon as the receiver has ever taken any. */
  const send = async (records: readonly ShippedRecord[]): Promise<void> => {
    const [first] = records;
    try {
      const rejection = await receiver.send(records, over);
      hasTaken ||= records.length > (rejection?.count ?? 0);
      if (rejection !== null) reject(rejection, records);
    } catch (error) {
      if (!(error instanceof ShippingFailure && error.isRefused) || first === undefined) throw error;
      if (records.length > 1) {
        const half = Math.ceil(records.length / 2);
        await send(records.slice(0, half));
        return send(records.slice(half));
      }
      if (!hasTaken) throw error;
      reject({ count: 1, message: error.message }, records);
    }
  };
  const reject = ({ count, message }: Rejection, records: readonly ShippedRecord[]) => {
    const ids = [...new Set([records[0]?.id, records.at(-1)?.id])].join(' to ');
    const rejection = `${count} of ${records.length} (${ids}): ${message}`;
    standing = { ...standing, rejected: standing.rejected + count, rejection };
    onFailure(new Error(`The receiver of the shipped trail (${receiver.name}) has rejected ${rejection}`));
  };
  /** Ships all that is there. */
  const round = async () => {
    let batch = createBatch();
    // The positions that are read next have all of it.
    if (sent.length === 0) ahead.clear();
    const flush = async () => {
      if (batch.records.length === 0) return;
      await turn();
      over.throwIfAborted();
      const held = known;
      await send(held == null ? batch.records : batch.records.filter(({ id }) => !held.has(id)));
      failures = 0;
      sent.push({ cursors: batch.cursors, atMs: performance.now() });
      for (const [accountId, cursor] of batch.cursors) ahead.set(accountId, cursor);
      batch = createBatch();
      const nowMs = performance.now();
      const isRipe = (count: number) => (sent[count - 1]?.atMs ?? nowMs + 1) <= nowMs - receiver.doubtMs;
      if (isRipe(unstoredMax) || (isRipe(1) && nowMs - storedMs >= storeMs)) await store(false);
    };
    for await (const account of accountsBehind(server, receiver.name)) {
      // What is stored meanwhile does not change what was read of the account.
      let after = ahead.get(account.id) ?? account.cursor;
      for (let hasMore = true; hasMore; ) {
        over.throwIfAborted();
        const most = batchEventsMax - batch.records.length;
        const page = await server.events.between(account.id, after, null, most, batchBytesMax - batch.bytes);
        batch.add(account, page.events);
        after = page.cursor;
        hasMore = page.hasMore;
        if (batch.records.length >= batchEventsMax || batch.bytes >= batchBytesMax || hasMore) await flush();
      }
    }
    await flush();
    // What was there before a crash has been passed.
    known = null;
  };

  try {
    let lookedMs = Number.NEGATIVE_INFINITY;
    while (!over.aborted) {
      try {
        if (isChanged || performance.now() - lookedMs >= lookMs) {
          isChanged = false;
          lookedMs = performance.now();
          await round();
        } else if (sent.length > 0) await receiver.send([], over);
        if (sent.length > 0) await store(false);
      } catch (error) {
        if (over.aborted) break;
        isChanged = true;
        await failed(error);
      }
      const woken = new AbortController();
      wake = () => woken.abort();
      if (!isChanged) await sleep(sent.length > 0 ? storeMs : lookMs, AbortSignal.any([over, woken.signal]));
      await sleep(gatherMs, over);
    }
  } finally {
    clearInterval(renewing);
    server.database.changed.delete(changed);
    const isWhole = await receiver.close().catch(() => false);
    if (!lost.signal.aborted) {
      await store(isWhole).catch(onFailure);
      await renewLease(server, lease, null).catch(onFailure);
    }
  }
}

/** Creates an empty batch, of events of several accounts. */
function createBatch() {
  const records: ShippedRecord[] = [];
  const cursors = new Map<string, Cursor>();
  const batch = {
    records,
    cursors,
    bytes: 0,
    add({ id, name }: AccountBehind, events: readonly AuditEvent[]) {
      for (const event of events) {
        records.push(recordOfEvent(event, { id, name }, nameOf(event)));
        cursors.set(id, cursorOf(event));
        batch.bytes += Buffer.byteLength(event.state);
      }
    },
  };
  return batch;
}

/** Returns what messages call the object of an event, or what was asked for in a refused request; null if it has no name. */
function nameOf({ action, objectId, state }: AuditEvent): string | null {
  if (action === 'refuse') {
    const { asked, code, reason } = readRefusal(state);
    return [asked, code, reason].filter((each) => each !== null).join(' ');
  }
  const nameable = nameableIn(objectId, JSON.parse(state));
  const name = called({ ...nameable, id: '' });
  return name.startsWith('"') ? name.slice(1, -1) : null;
}

/** Waits, and no longer than until the signal fires. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal, ref: false }).catch(() => {});
}
