// What has happened lately, minute by minute: of each account, and how often each IP restriction has warned. It is counted in memory,
// by each process for itself, and bounded. Pure: whoever counts or asks says what time it is.

/** What is counted of an account. */
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

/** Minutes that are remembered, the one under way among them. */
export const minutesMax = 60;

/** What has happened in a minute. */
export type ActivityMinute = { readonly at: Date } & Readonly<Record<Counter, number>>;

/** How often an IP restriction has warned. */
export interface Warnings {
  /** In the last `minutesMax` minutes. */
  readonly count: number;
  /** The last time, as far back as this is remembered; null if there was none. */
  readonly lastAt: Date | null;
}

/** Counts what happens. */
export interface Activity {
  /** Counts something of an account. */
  count(accountId: string, what: readonly Counter[], now: Date): void;
  /** Counts that IP restrictions have warned. */
  countWarnings(restrictionIds: readonly string[], now: Date): void;
  /**
   * Gives the last minutes of an account, the oldest first: also those in which nothing happened.
   *
   * @param length 1 to `minutesMax`
   */
  minutesOf(accountId: string, length: number, now: Date): ActivityMinute[];
  /** Tells how often a restriction has warned. */
  warningsOf(restrictionId: string, now: Date): Warnings;
}

/** Reads what all processes behind one port have counted. */
export interface ActivityReads {
  /** As `Activity.minutesOf`. */
  minutesOf(accountId: string, length: number, now: Date): Promise<ActivityMinute[]>;
  /** As `Activity.warningsOf`, of each of some restrictions. */
  warningsOf(restrictionIds: readonly string[], now: Date): Promise<Warnings[]>;
}

/** Reads what one process has counted. */
export function readsOfOne(activity: Activity): ActivityReads {
  return {
    minutesOf: async (...asked) => activity.minutesOf(...asked),
    warningsOf: async (ids, now) => ids.map((id) => activity.warningsOf(id, now)),
  };
}

/** Adds up what several processes have counted of the same minutes. */
export function sumOfMinutes([first = [], ...others]: readonly (readonly ActivityMinute[])[]): ActivityMinute[] {
  return first.map((minute, place) => {
    const sumOf = (counter: Counter) =>
      others.reduce((sum, minutes) => sum + (minutes[place]?.[counter] ?? 0), minute[counter]);
    const numbers = counters.map((counter) => [counter, sumOf(counter)] as const);
    // Every counter is among them.
    return { at: minute.at, ...(Object.fromEntries(numbers) as Record<Counter, number>) };
  });
}

/** Adds up how often several processes have seen a restriction warn. */
export function sumOfWarnings(several: readonly Warnings[]): Warnings {
  const times = several.flatMap(({ lastAt }) => (lastAt === null ? [] : [lastAt.getTime()]));
  return {
    count: several.reduce((sum, { count }) => sum + count, 0),
    lastAt: times.length === 0 ? null : new Date(Math.max(...times)),
  };
}

/** Most accounts that are remembered, each with 2 KB, and most restrictions, each with 500 bytes. */
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
        const numbers = counters.map((counter, place) => [counter, ring?.read(minute, place) ?? 0] as const);
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
  return Array.from({ length }, (_, place) => minuteOf(now) - length + 1 + place);
}

/** Numbers for each of the last minutes; those of a minute that has left the ring are 0. */
interface Ring {
  add(minute: number, place: number): void;
  read(minute: number, place: number): number;
}

function createRing(width: number): Ring {
  const minutes = new Uint32Array(minutesMax);
  const numbers = new Uint32Array(minutesMax * width);
  return {
    add(minute, place) {
      const slot = minute % minutesMax;
      if (minutes[slot] !== minute) {
        minutes[slot] = minute;
        numbers.fill(0, slot * width, (slot + 1) * width);
      }
      const index = slot * width + place;
      numbers[index] = (numbers[index] ?? 0) + 1;
    },
    read(minute, place) {
      const slot = minute % minutesMax;
      return minutes[slot] === minute ? (numbers[slot * width + place] ?? 0) : 0;
    },
  };
}

/** Keeps a ring for each key, and forgets those that were not counted in for longest. */
function createRings(most: number, width: number) {
  const rings = new Map<string, { readonly ring: Ring; readonly usedIn: number }>();
  return {
    find: (key: string): Ring | undefined => rings.get(key)?.ring,
    at(key: string, minute: number): Ring {
      const known = rings.get(key);
      if (known?.usedIn === minute) return known.ring;
      const ring = known?.ring ?? createRing(width);
      // A map gives its keys in the order in which they came; those of this minute need not be put in order.
      rings.delete(key);
      rings.set(key, { ring, usedIn: minute });
      const [oldest] = rings.keys();
      if (rings.size > most && oldest !== undefined) rings.delete(oldest);
      return ring;
    },
  };
}
