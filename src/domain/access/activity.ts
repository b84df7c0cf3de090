// Counts recent activity by minute: events of each account, and warnings of each IP restriction. Each process counts in its own
// bounded memory. Pure: the caller passes the time.

/** The counters of an account. */
export const counters = [
  'requests',
  'failedRequests',
  'brokenRequests',
  'apiWarned',
  'gateAllowed',
  'gateWarned',
  'gateLogins',
  'gateRefused',
] as const;
export type Counter = (typeof counters)[number];

/** How many minutes are kept, including the current one. */
export const minutesMax = 60;

/** The counts of one minute. */
export type ActivityMinute = { readonly at: Date } & Readonly<Record<Counter, number>>;

/** How often an IP restriction has warned. */
export interface Warnings {
  /** Within the last `minutesMax` minutes. */
  readonly count: number;
  /** The last time, if it is still remembered; otherwise null. */
  readonly lastAt: Date | null;
}

/** The counters of one process. */
export interface Activity {
  /** Increments counters of an account. */
  count(accountId: string, what: readonly Counter[], now: Date): void;
  /** Counts a warning of each of some IP restrictions. */
  countWarnings(restrictionIds: readonly string[], now: Date): void;
  /**
   * Returns the last minutes of an account, the oldest first, including minutes in which nothing happened.
   *
   * @param length 1 to `minutesMax`
   */
  minutesOf(accountId: string, length: number, now: Date): ActivityMinute[];
  /** Returns how often a restriction has warned. */
  warningsOf(restrictionId: string, now: Date): Warnings;
}

/** Reads the counts of all processes behind one port. */
export interface ActivityReads {
  /** As `Activity.minutesOf`. */
  minutesOf(accountId: string, length: number, now: Date): Promise<ActivityMinute[]>;
  /** As `Activity.warningsOf`, for several restrictions. */
  warningsOf(restrictionIds: readonly string[], now: Date): Promise<Warnings[]>;
}

/** Creates the reads for a single process. */
export function readsOfOne(activity: Activity): ActivityReads {
  return {
    minutesOf: async (...asked) => activity.minutesOf(...asked),
    warningsOf: async (ids, now) => ids.map((id) => activity.warningsOf(id, now)),
  };
}

/** Adds up the counts of several processes for the same minutes. */
export function sumOfMinutes([first = [], ...others]: readonly (readonly ActivityMinute[])[]): ActivityMinute[] {
  return first.map((minute, index) => {
    const sumOf = (counter: Counter) =>
      others.reduce((sum, minutes) => sum + (minutes[index]?.[counter] ?? 0), minute[counter]);
    const numbers = counters.map((counter) => [counter, sumOf(counter)] as const);
    // Every counter is among them.
    return { at: minute.at, ...(Object.fromEntries(numbers) as Record<Counter, number>) };
  });
}

/** Adds up the warnings of one restriction that several processes have counted. */
export function sumOfWarnings(several: readonly Warnings[]): Warnings {
  const times = several.flatMap(({ lastAt }) => (lastAt === null ? [] : [lastAt.getTime()]));
  return {
    count: several.reduce((sum, { count }) => sum + count, 0),
    lastAt: times.length === 0 ? null : new Date(Math.max(...times)),
  };
}

/** Most accounts that are kept, at 2 KB each, and most restrictions, at 500 bytes each. */
const accountsMax = 2_000;
const restrictionsMax = 10_000;

const minuteMs = 60_000;

/** Creates the counters of a process. */
export function createActivity(): Activity {
  const accounts = createRings(accountsMax, counters.length);
  const restrictions = createRings(restrictionsMax, 1);
  const lastWarnings = new WeakMap<Ring, Date>();
  return {
    count(accountId, what, now) {
      const ring = accounts.at(accountId, minuteOf(now));
      for (const counter of what) ring.add(minuteOf(now), counters.indexOf(counter));
    },
    countWarnings(restrictionIds, now) {
      for (const id of restrictionIds) {
        const ring = restrictions.at(id, minuteOf(now));
        ring.add(minuteOf(now), 0);
        lastWarnings.set(ring, now);
      }
    },
    minutesOf(accountId, length, now) {
      const ring = accounts.find(accountId);
      return lastMinutes(length, now).map((minute) => {
        const numbers = counters.map((counter, index) => [counter, ring?.read(minute, index) ?? 0] as const);
        // Every counter is among them.
        return { at: new Date(minute * minuteMs), ...(Object.fromEntries(numbers) as Record<Counter, number>) };
      });
    },
    warningsOf(restrictionId, now) {
      const ring = restrictions.find(restrictionId);
      if (ring === undefined) return { count: 0, lastAt: null };
      const count = lastMinutes(minutesMax, now).reduce((sum, minute) => sum + ring.read(minute, 0), 0);
      return { count, lastAt: lastWarnings.get(ring) ?? null };
    },
  };
}

function minuteOf(time: Date): number {
  return Math.floor(time.getTime() / minuteMs);
}

function lastMinutes(length: number, now: Date): number[] {
  return Array.from({ length }, (_, index) => minuteOf(now) - length + 1 + index);
}

/** Counts for each of the last minutes; counts of a minute that has left the ring are 0. */
interface Ring {
  add(minute: number, column: number): void;
  read(minute: number, column: number): number;
}

function createRing(width: number): Ring {
  const minutes = new Uint32Array(minutesMax);
  const numbers = new Uint32Array(minutesMax * width);
  return {
    add(minute, column) {
      const slot = minute % minutesMax;
      if (minutes[slot] !== minute) {
        minutes[slot] = minute;
        numbers.fill(0, slot * width, (slot + 1) * width);
      }
      const index = slot * width + column;
      numbers[index] = (numbers[index] ?? 0) + 1;
    },
    read(minute, column) {
      const slot = minute % minutesMax;
      return minutes[slot] === minute ? (numbers[slot * width + column] ?? 0) : 0;
    },
  };
}

/** Creates a store with one ring per key, which evicts the ring that has gone longest without a count. */
function createRings(most: number, width: number) {
  const rings = new Map<string, { readonly ring: Ring; readonly usedIn: number }>();
  return {
    find: (key: string): Ring | undefined => rings.get(key)?.ring,
    at(key: string, minute: number): Ring {
      const known = rings.get(key);
      if (known?.usedIn === minute) return known.ring;
      const ring = known?.ring ?? createRing(width);
      // A map keeps its keys in insertion order. The order of keys within one minute does not matter.
      rings.delete(key);
      rings.set(key, { ring, usedIn: minute });
      const [oldest] = rings.keys();
      if (rings.size > most && oldest !== undefined) rings.delete(oldest);
      return ring;
    },
  };
}
