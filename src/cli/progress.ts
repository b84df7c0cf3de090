// How far a long command is, on standard error.

/** Milliseconds after which somebody who waits wants to see progress. */
const quietMs = 2_000;
/** Milliseconds between two reports. */
const everyMs = 1_000;

/** Reports progress once a second, if the work takes long: what is being done, how much of it from 0 to 1, and of what. */
export function reportingProgress(): (step: string, part: number, of?: string) => void {
  let nextMs = performance.now() + quietMs;
  return (step, part, of) => {
    if (performance.now() < nextMs) return;
    nextMs = performance.now() + everyMs;
    process.stderr.write(`${step} ${Math.floor(100 * part)} %${of === undefined ? '' : ` of ${of}`}\n`);
  };
}
