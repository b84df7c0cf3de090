// Reports the progress of a long command on standard error.

import { tell } from './output.ts';

/** Milliseconds before the first report. */
const quietMs = 2_000;
/** Milliseconds between two reports. */
const everyMs = 1_000;

/** Creates a reporter that writes once a second, if the work takes long: the step, the part done from 0 to 1, and of what. */
export function reportingProgress(): (step: string, part: number, of?: string) => void {
  let nextMs = performance.now() + quietMs;
  return (step, part, of) => {
    if (performance.now() < nextMs) return;
    nextMs = performance.now() + everyMs;
    tell(`${step} ${Math.floor(100 * part)} %${of === undefined ? '' : ` of ${of}`}`);
  };
}

/** Milliseconds between two reports of how long something has been going on. */
const sayMs = 5_000;

/**
 * Reports every five seconds for how long something has been going on of which nobody knows how much is left.
 *
 * @param step such as `Planning`
 */
export async function reportingTime<T>(step: string, work: Promise<T>): Promise<T> {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += sayMs / 1_000;
    tell(`${step}, ${seconds} seconds so far`);
  }, sayMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
