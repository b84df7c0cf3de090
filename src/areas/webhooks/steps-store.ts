// Keeps how far the lanes of a server have come, and stores that for all of them together: a write for each step of each lane would
// take the commits of everybody else.

import type { UpkeepScope } from '../../storage/lifecycle/upkeep.ts';
import { type DeliveryResult, type Step, storeSteps } from './lane-store.ts';

/** Milliseconds for which what was accepted is only kept in memory. A server that is killed meanwhile sends it again. */
const storeMs = 1_000;

/** A lane, as it is when it is stored. */
type SteppingLane = Omit<Step, 'results'> & { renewedMs: number };

/** Keeps the steps of lanes. */
export interface Steps<Lane> {
  /** Stores all steps, one write after the other, so that no position goes back. Fails if it cannot; they are kept. */
  store(): Promise<void>;
  /** Notes that a lane has moved on, and what became of messages. */
  add(lane: Lane, results: readonly DeliveryResult[]): void;
  /** Stores the steps if some have waited for their time. */
  storeIfDue(): Promise<void>;
}

/**
 * Creates what keeps the steps of lanes.
 *
 * @param onLost called when leases were lost, whose steps changed nothing
 */
export function createSteps<Lane extends SteppingLane>(
  server: UpkeepScope,
  now: () => Date,
  onLost: () => void,
): Steps<Lane> {
  /** What became of messages; a lane without any has moved on. */
  const unstored = new Map<Lane, readonly DeliveryResult[]>();
  let storing: Promise<void> = Promise.resolve();
  let storedMs = 0;
  const storeNow = async () => {
    const taken = [...unstored];
    unstored.clear();
    storedMs = performance.now();
    for (const [lane] of taken) lane.renewedMs = storedMs;
    if (taken.length === 0) return;
    try {
      const steps = taken.map(([lane, results]) => ({ ...lane, results }));
      if (!(await storeSteps(server, steps, now()))) onLost();
    } catch (error) {
      for (const [lane, results] of taken) unstored.set(lane, [...results, ...(unstored.get(lane) ?? [])]);
      throw error;
    }
  };
  const store = () => {
    storing = storing.catch(() => {}).then(storeNow);
    return storing;
  };
  return {
    store,
    add(lane, results) {
      unstored.set(lane, [...(unstored.get(lane) ?? []), ...results]);
    },
    async storeIfDue() {
      if (unstored.size > 0 && performance.now() - storedMs >= storeMs) await store();
    },
  };
}
