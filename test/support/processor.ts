// Processor time, which other programs on the machine do not change.

/** Gives the milliseconds that this process has a processor while it does some work, and what comes of the work. */
export async function processorTime<T>(work: () => T | Promise<T>): Promise<{ ms: number; result: T }> {
  const start = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(start);
  return { ms: (user + system) / 1000, result };
}

/**
 * Tells how many times as long some work takes on something that is larger: about as many times as it is larger, unless the
 * work grows faster. The least of some runs counts: the first ones are compiled while they run.
 */
export async function growth(small: () => unknown, large: () => unknown): Promise<number> {
  const least = async (work: () => unknown) => {
    const runs: number[] = [];
    for (let run = 0; run < 5; run += 1) runs.push((await processorTime(work)).ms);
    return Math.min(...runs);
  };
  // Less cannot be told from nothing.
  return (await least(large)) / Math.max(await least(small), 0.1);
}
