// The two clocks of a service, on which tests let hours pass: the wall clock, which can be set, and the monotonic clock.

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
