// Counts the warnings of each IP restriction by minute, in the bounded memory of a process. Pure: the caller passes the time.

/** How many minutes are kept, including the current one. */
export const minutesMax = 60;

/** How often an IP restriction has warned. */
export interface Warnings {
  /** Within the last `minutesMax` minutes. */
  readonly count: number;
  /** The last time, if it is still remembered; otherwise null. */
  readonly lastAt: Date | null;
}

export interface WarningCounts {
  count(restrictionIds: readonly string[], now: Date): void;
  of(restrictionIds: readonly string[], now: Date): Warnings[];
}

/** Returns how often each of some restrictions has warned, as counted by all processes behind one port. */
export type WarningsOf = (restrictionIds: readonly string[], now: Date) => Promise<Warnings[]>;

/** Adds up the warnings of one restriction that several processes have counted. */
export function sumOfWarnings(several: readonly Warnings[]): Warnings {
  const times = several.flatMap(({ lastAt }) => (lastAt === null ? [] : [lastAt.getTime()]));
  return {
    count: several.reduce((sum, { count }) => sum + count, 0),
    lastAt: times.length === 0 ? null : new Date(Math.max(...times)),
  };
}

/** Most restrictions that are kept, at 500 bytes each. */
const restrictionsMax = 10_000;

const minuteMs = 60_000;

/** Creates the counts of a process. Those of the restriction that has gone longest without a warning are dropped first. */
export function createWarningCounts(): WarningCounts {
  const rings = new Map<string, Ring>();
  const ringOf = (restrictionId: string): Ring => {
    const ring = rings.get(restrictionId) ?? createRing();
    // A map keeps its keys in insertion order.
    rings.delete(restrictionId);
    rings.set(restrictionId, ring);
    const [oldest] = rings.keys();
    if (rings.size > restrictionsMax && oldest !== undefined) rings.delete(oldest);
    return ring;
  };
  return {
    count(restrictionIds, now) {
      for (const id of restrictionIds) ringOf(id).add(now);
    },
    of: (restrictionIds, now) => restrictionIds.map((id) => rings.get(id)?.read(now) ?? { count: 0, lastAt: null }),
  };
}

interface Ring {
  add(now: Date): void;
  read(now: Date): Warnings;
}

function createRing(): Ring {
  // The minute that each slot counts, and its count.
  const minutes = new Uint32Array(minutesMax);
  const counts = new Uint32Array(minutesMax);
  let lastAt: Date | null = null;
  const minuteOf = (time: Date) => Math.floor(time.getTime() / minuteMs);
  return {
    add(now) {
      const minute = minuteOf(now);
      const slot = minute % minutesMax;
      counts[slot] = minutes[slot] === minute ? (counts[slot] ?? 0) + 1 : 1;
      minutes[slot] = minute;
      lastAt = now;
    },
    read(now) {
      const isRecent = (minute: number) => minute > minuteOf(now) - minutesMax && minute <= minuteOf(now);
      const count = counts.reduce((sum, some, slot) => sum + (isRecent(minutes[slot] ?? 0) ? some : 0), 0);
      return { count, lastAt };
    },
  };
}
