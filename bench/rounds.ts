// Takes figures in turn, round after round.

/** What is measured in each round: requests per second, or memory in MiB. */
export interface Probe {
  readonly name: string;
  readonly measure: () => Promise<number>;
}

/**
 * Takes the figures of the probes round by round, every other round in reverse, and after them those of the readings. The first
 * round warms up and does not count.
 */
export async function inRounds(
  probes: readonly Probe[],
  readings: readonly Probe[],
  rounds: number,
  log: (message: string) => void,
): Promise<Map<string, number[]>> {
  const figures = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    log(round === 0 ? 'Warming up.' : `Round ${round} of ${rounds}.`);
    const order = round % 2 === 0 ? probes : [...probes].reverse();
    for (const probe of [...order, ...readings]) {
      const figure = await probe.measure();
      if (round > 0) figures.set(probe.name, [...(figures.get(probe.name) ?? []), figure]);
    }
  }
  return figures;
}
