// The clocks of a service, on which tests let time pass: the wall clock, which can be set, the monotonic clock of its storage, and
// that of the process.

import { setTimeout as pause } from 'node:timers/promises';
import { startTime, type TestService } from './service.ts';

const hourMs = 3_600_000;

/** Returns the time some hours after every test service starts. */
export function afterHours(hours: number): Date {
  return new Date(startTime.getTime() + hours * hourMs);
}

/** Creates the monotonic clock for `startService`, with functions that move both clocks. */
export function createClocks() {
  let monotonicMs = 0;
  const clocks = {
    monotonicMs: () => monotonicMs,
    /** Sets both clocks to some hours after the start. */
    set(service: TestService, hour: number) {
      service.setTime(afterHours(hour));
      monotonicMs = hour * hourMs;
    },
    /** Lets hours pass on both clocks, with a round of upkeep in each. */
    async pass(service: TestService, from: number, to: number) {
      for (let hour = from; hour <= to; hour++) {
        clocks.set(service, hour);
        await service.storage.upkeep();
      }
    },
  };
  return clocks;
}

let aheadMs = 0;

/**
 * Lets time pass at once for what all servers of this process have read and still believe. The clock of the process stays ahead after
 * the test, because it never goes back.
 */
export async function passMs(ms: number): Promise<void> {
  if (aheadMs === 0) {
    const real = performance.now.bind(performance);
    performance.now = () => real() + aheadMs;
  }
  aheadMs += ms;
  // Caches look at the clock once in a millisecond, and reads in one turn of the event loop share their result.
  await pause(2);
}
