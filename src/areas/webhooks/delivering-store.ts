// Sends the messages of webhooks behind the write path: each webhook has a lane of its own, with its position in the trail, and one
// server works on it. A crash between an attempt and its commit sends the message again, under the same id.

import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import { createSpareTime, smallPieces } from '../../outgoing/spare-time.ts';
import { ownerOf } from '../../storage/keys/secrets.ts';
import type { UpkeepScope } from '../../storage/lifecycle/upkeep.ts';
import type { EventHead } from '../../storage/trail/event-reads.ts';
import { wasSeen } from '../../storage/trail/seen.ts';
import {
  countWaiting,
  leaseSeconds,
  readLanes,
  releaseLeases,
  renewLeases,
  type StoredLane,
  takeLease,
  webhooksWithDue,
} from './lane-store.ts';
import { createPages } from './pages-store.ts';
import { typeOf, wanting } from './rules.ts';
import { shownMax } from './sending-store.ts';
import { type Lane, step } from './step-store.ts';
import { createSteps } from './steps-store.ts';
import { deliveryOf } from './waking-store.ts';

/** Milliseconds between two looks for events that other processes have stored, and for messages that are due. */
const lookMs = 250;
const dueMs = 1_000;
/** Milliseconds between two looks for webhooks that other processes have changed. */
const hooksMs = 5_000;
/** Milliseconds after which a lease is prolonged. */
const renewMs = (leaseSeconds * 1_000) / 3;
/** Milliseconds from a change of this process to reading its events, so that many are read together: after a pause, and while they follow. */
const gatherMs = { first: 10, further: 100 };
/** Lanes that one statement asks for events after their positions. */
const lanesAtOnce = 100;

/** Sends messages until the signal fires. */
export async function deliver(
  server: UpkeepScope,
  outgoing: Outgoing,
  now: () => Date,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  // Every message that is under way listens for the end of the server.
  setMaxListeners(0, signal);
  const lanes = new Map<string, Lane>();
  /** The lease numbers that this process took: what it lost by a failure, it may take again at once. */
  const own = new Map<string, number>();
  const running = new Set<Promise<void>>();
  let wake = () => {};
  let hooksDueMs = 0;
  let duesDueMs = 0;
  const spare = createSpareTime(smallPieces, signal);
  const steps = createSteps<Lane>(server, now, () => {
    hooksDueMs = 0;
  });
  const stepping = { outgoing, now, signal, turn: spare.turn, pages: createPages(server), steps };
  const drop = (lane: Lane) => {
    lane.isLost = true;
    if (lanes.get(lane.webhookId) === lane) lanes.delete(lane.webhookId);
  };

  const isPaused = ({ standing: { pausedUntil } }: Lane) => pausedUntil !== null && pausedUntil > now();
  const run = (lane: Lane) => {
    lane.isStale = true;
    if (lane.isRunning) return;
    lane.isRunning = true;
    const work = runLane(lane)
      .catch((error: unknown) => {
        drop(lane);
        if (!signal.aborted) onFailure(error);
      })
      .finally(() => {
        lane.isRunning = false;
        running.delete(work);
      });
    running.add(work);
  };
  const runLane = async (lane: Lane) => {
    while (lane.isStale && !signal.aborted && !lane.isLost && !isPaused(lane)) {
      lane.isStale = false;
      const hasMore = await step(server, lane, stepping);
      if (hasMore) lane.isStale = true;
      if (hasMore !== null) continue;
      hooksDueMs = 0;
      lane.isLost = true;
    }
    if (lane.isLost) drop(lane);
  };

  const configure = (stored: StoredLane) => {
    const { secrets } = server.actingFor(stored.accountId);
    const [isWanted, { seen }] = [wanting(stored), stored];
    const owner = ownerOf('Webhook', stored.webhookId);
    const opened = [{ bytes: secrets.open(stored.sealedSecret, owner), until: null }];
    const former = stored.sealedFormerSecret;
    return {
      wants: (head: EventHead) => isWanted(typeOf(head), head.objectId) && !(seen !== null && wasSeen(seen, head)),
      secrets:
        former === null
          ? opened
          : [...opened, { bytes: secrets.open(former, owner), until: stored.formerSecretUntil ?? now() }],
    };
  };
  const lookForHooks = async () => {
    const found = await readLanes(server);
    const byId = new Set(found.map(({ webhookId }) => webhookId));
    for (const [id, lane] of lanes) {
      if (!byId.has(id)) drop(lane);
    }
    const failures: unknown[] = [];
    for (const stored of found) {
      // One that cannot be read holds up no other.
      await lookAtHook(stored).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) onFailure(failures[0]);
  };
  const lookAtHook = async (stored: StoredLane) => {
    const { webhookId, version, leaseNumber, leaseUntil } = stored;
    const known = lanes.get(webhookId);
    if (known?.leaseNumber === leaseNumber) {
      if (known.version === version) return;
      // Another receiver is not to blame for the failures of the one before.
      const standing = known.url === stored.url ? known.standing : stored.standing;
      Object.assign(known, configure(stored), {
        version,
        url: stored.url,
        format: stored.format,
        standing,
        description: stored.description,
      });
      run(known);
      return;
    }
    if (known !== undefined) drop(known);
    const isFree = leaseUntil <= now() || leaseUntil.getTime() > now().getTime() + 10 * leaseSeconds * 1000;
    if (!isFree && own.get(webhookId) !== leaseNumber) return;
    const configured = configure(stored);
    const taken = await takeLease(server, stored, now());
    if (taken === null) return;
    own.set(webhookId, taken);
    const atMs = performance.now();
    const lane: Lane = {
      ...stored,
      ...configured,
      leaseNumber: taken,
      waiting: await countWaiting(server, webhookId),
      hasDue: false,
      isRunning: false,
      isStale: false,
      isLost: false,
      renewedMs: atMs,
      shown: { left: shownMax, atMs },
    };
    lanes.set(webhookId, lane);
    run(lane);
  };
  const look = async () => {
    const atMs = performance.now();
    if (atMs >= hooksDueMs) {
      hooksDueMs = atMs + hooksMs;
      await lookForHooks();
    }
    // The look at webhooks that were changed does not wait for it.
    void steps.storeIfDue().catch(onFailure);
    if (lanes.size === 0) return;
    const ready = [...lanes.values()].filter((lane) => !isPaused(lane));
    if (atMs >= duesDueMs) {
      duesDueMs = atMs + dueMs;
      const ids = ready.map(({ webhookId }) => webhookId);
      for (const id of await webhooksWithDue(server, ids, now())) {
        const lane = lanes.get(id);
        if (lane === undefined) continue;
        lane.hasDue = true;
        run(lane);
      }
    }
    const idle = ready.filter((lane) => !lane.isRunning);
    for (let start = 0; start < idle.length; start += lanesAtOnce) {
      const some = idle.slice(start, start + lanesAtOnce);
      const behind = new Set(
        await server.events.withMore(some.map(({ accountId, cursor }) => ({ accountId, ...cursor }))),
      );
      for (const lane of some) if (behind.has(lane.accountId)) run(lane);
    }
    const ending = [...lanes.values()].filter((lane) => atMs - lane.renewedMs >= renewMs);
    for (const lane of ending) lane.renewedMs = atMs;
    // Which of them were lost is looked at with the webhooks.
    if (ending.length > 0 && !(await renewLeases(server, ending, now()))) hooksDueMs = 0;
  };

  const stale = new Set<string>();
  let gathering: NodeJS.Timeout | undefined;
  let gatheredMs = 0;
  const changed = (accountId: string) => {
    if (lanes.size === 0) return;
    stale.add(accountId);
    if (gathering !== undefined) return;
    const isFirst = performance.now() - gatheredMs > gatherMs.further;
    const gather = () => {
      gathering = undefined;
      gatheredMs = performance.now();
      for (const accountId of stale) stepping.pages.changed(accountId);
      for (const lane of lanes.values()) if (stale.has(lane.accountId)) run(lane);
      stale.clear();
    };
    gathering = setTimeout(gather, isFirst ? gatherMs.first : gatherMs.further).unref();
  };
  server.database.changed.add(changed);
  deliveryOf(server).wake = () => {
    hooksDueMs = 0;
    duesDueMs = 0;
    wake();
  };
  try {
    while (!signal.aborted) {
      await look().catch(onFailure);
      const woken = new AbortController();
      wake = () => woken.abort();
      const ms = lanes.size === 0 ? hooksMs : lookMs;
      if (hooksDueMs > 0)
        await pause(ms, undefined, { signal: AbortSignal.any([signal, woken.signal]), ref: false }).catch(() => {});
    }
  } finally {
    clearTimeout(gathering);
    server.database.changed.delete(changed);
    await Promise.all(running);
    await steps.store().catch(onFailure);
    await releaseLeases(server, [...lanes.values()]).catch(onFailure);
  }
}
