// One step of a lane: reads what comes next for a webhook, sends it, and notes what became of it.

import type { Outgoing } from '../../outgoing/outgoing.ts';
import type { UpkeepScope } from '../../storage/lifecycle/upkeep.ts';
import { type Cursor, comesAfter, type EventHead } from '../../storage/trail/event-reads.ts';
import { countWaiting, isHeld, readDue, type StoredLane } from './lane-store.ts';
import type { Pages } from './pages-store.ts';
import { waitingMax } from './rules.ts';
import { type Receiver, type Shown, sendAll, takeShown, unsent, withBodies } from './sending-store.ts';
import type { Steps } from './steps-store.ts';
import { disableWebhook } from './store.ts';

/** A webhook whose messages this process sends. */
export interface Lane extends Omit<StoredLane, 'leaseUntil'> {
  cursor: Cursor;
  standing: StoredLane['standing'];
  wants: (head: EventHead) => boolean;
  secrets: Receiver['secrets'];
  /** The numbers of messages that wait, by object. */
  waiting: ReadonlyMap<string, number>;
  hasDue: boolean;
  isRunning: boolean;
  isStale: boolean;
  isLost: boolean;
  renewedMs: number;
  readonly shown: Shown;
}

/** What a step needs besides. */
export interface Stepping {
  readonly outgoing: Outgoing;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Resolves when the server has time for a message. */
  readonly turn: () => Promise<void>;
  readonly pages: Pages;
  readonly steps: Steps<Lane>;
}

/**
 * Sends some of the messages of a lane.
 *
 * @returns whether there may be more to send now; null if the lane is not this server's any more, and nothing was sent
 */
export async function step(server: UpkeepScope, lane: Lane, stepping: Stepping): Promise<boolean | null> {
  const { webhookId, accountId } = lane;
  const { now, pages, steps, ...sending } = stepping;
  const begun = now();
  const due = lane.hasDue || lane.waiting.size > 0 ? await readDue(server, webhookId, begun) : [];
  lane.hasDue = false;
  let held = 0;
  for (const count of lane.waiting.values()) held += count;
  const page = held >= waitingMax ? null : await pages.after(accountId, lane.cursor, lane.wants, begun);
  const fresh = page?.messages ?? [];
  if (due.length + fresh.length > 0 && !(await isHeld(server, lane))) return null;
  const first = [
    ...(await withBodies(server, accountId, due)),
    ...fresh.filter(({ objectId }) => !lane.waiting.has(objectId)),
  ];
  // What waits behind others of its object is stored with them, without an attempt.
  const behind = fresh.filter(({ objectId }) => lane.waiting.has(objectId));
  const { results, accepted, standing, isGone } = await sendAll(lane, first, {
    ...sending,
    now,
    isOver: () => lane.isLost,
  });
  if (isGone) await disableWebhook(server.actingFor(accountId), webhookId);
  for (const message of behind) results.push(unsent(message, begun));
  const cursor = page !== null && comesAfter(page.cursor, lane.cursor) ? page.cursor : lane.cursor;
  if (results.length === 0 && accepted.length === 0 && cursor === lane.cursor) return page?.hasMore === true;
  lane.cursor = cursor;
  lane.standing = standing;
  const shown = accepted.slice(-takeShown(lane.shown, accepted.length) || accepted.length);
  steps.add(lane, [...results, ...accepted.filter((each) => each.isStored || shown.includes(each))]);
  if (results.length > 0 || due.length > 0) {
    // The next step reads what waits.
    await steps.store();
    lane.waiting = await countWaiting(server, webhookId);
  }
  return page?.hasMore === true || due.length > 0 || behind.length > 0;
}
