// Measures processor time, which other programs on the machine do not change.

/** Returns the processor time of this process while it does some work, in milliseconds, and the result of the work. */
export async function processorTime<T>(work: () => T | Promise<T>): Promise<{ ms: number; result: T }> {
  const start = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(start);
  return { ms: (user + system) / 1000, result };
}

/**
 * Returns how many times as long some work takes on a larger input: about as many times as the input is larger, unless the work
 * grows faster. The fastest of several runs counts, because the first ones are compiled while they run.
 */
export async function growth(small: () => unknown, large: () => unknown): Promise<number> {
  const least = async (work: () => unknown) => {
    const runs: number[] = [];
    for (let run = 0; run < 5; run += 1) runs.push((await processorTime(work)).ms);
    return Math.min(...runs);
  };
  // Less than that is not distinguishable from zero.
  return (await least(large)) / Math.max(await least(small), 0.1);
}
