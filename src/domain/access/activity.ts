// What happens in an account, by interval of time: the counters, the ranges that can be asked for, and the counts that a process has
// not stored yet. Pure: the caller passes the time.

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

export type Counts = Readonly<Record<Counter, number>>;

export type ActivityInterval = Counts & { readonly at: Date };

/** A range of time that ends with the current interval. */
export interface ActivityRange {
  /** How long it is. */
  readonly minutes: number;
  /** The length of its intervals, of which it is a multiple. */
  readonly everyMinutes: number;
}

/** The intervals that are stored: their length, and how long they are kept, in minutes. */
export const byMinute = { minutes: 1, keptMinutes: 24 * 60 } as const;
export const byHour = { minutes: 60, keptMinutes: 30 * 24 * 60 } as const;

const minuteMs = 60_000;

/** Returns the intervals that a range adds up: those of an hour, if its own are made of whole hours. */
export const resolutionOf = ({ everyMinutes }: Pick<ActivityRange, 'everyMinutes'>) =>
  everyMinutes % byHour.minutes === 0 ? byHour : byMinute;

/** Returns when the interval of a length began that a moment is in. Intervals are counted from 1970 on, in UTC. */
function beginOf(at: Date, minutes: number): Date {
  const lengthMs = minutes * minuteMs;
  return new Date(Math.floor(at.getTime() / lengthMs) * lengthMs);
}

/** Returns the beginnings of the intervals of a range, the oldest first. */
function beginsOf({ minutes, everyMinutes }: ActivityRange, now: Date): Date[] {
  const last = beginOf(now, everyMinutes).getTime();
  const count = minutes / everyMinutes;
  return Array.from({ length: count }, (_, index) => new Date(last - (count - 1 - index) * everyMinutes * minuteMs));
}

/** Returns when a range begins. */
export const beginOfRange = (range: ActivityRange, now: Date): Date => beginsOf(range, now)[0] ?? now;

/** Adds up stored intervals to those of a range, the oldest first, including those in which nothing happened. */
export function intervalsOf(range: ActivityRange, now: Date, stored: readonly ActivityInterval[]): ActivityInterval[] {
  const sums = new Map(beginsOf(range, now).map((at) => [at.getTime(), createCounts()]));
  for (const { at, ...counts } of stored) {
    const sum = sums.get(beginOf(at, range.everyMinutes).getTime());
    for (const counter of counters) if (sum !== undefined) sum[counter] += counts[counter];
  }
  return [...sums].map(([at, counts]) => ({ at: new Date(at), ...counts }));
}

function createCounts(): Record<Counter, number> {
  // Every counter is among them.
  return Object.fromEntries(counters.map((counter) => [counter, 0])) as Record<Counter, number>;
}

/** What happened in an account within a minute. */
export interface CountedMinute {
  readonly accountId: string;
  readonly at: Date;
  readonly counts: Counts;
}

/** What a process has counted and not stored. */
export interface Tally {
  count(accountId: string, what: readonly Counter[], now: Date): void;
  /** Takes all that was counted. */
  take(): CountedMinute[];
  /** Adds what was taken and could not be stored. */
  putBack(counted: readonly CountedMinute[]): void;
}

interface CountingMinute extends CountedMinute {
  readonly counts: Record<Counter, number>;
}

/** Most minutes of accounts that are kept, at 300 bytes each: those that were counted first are dropped. */
const minutesMax = 10_000;

/** Creates the tally of a process. */
export function createTally(): Tally {
  let minutes = new Map<string, CountingMinute>();
  // What is counted next is mostly in the same one, and to put its key together costs more than to count.
  let last: CountingMinute | undefined;
  const minuteOf = (accountId: string, at: Date): CountingMinute => {
    const key = `${accountId} ${at.getTime()}`;
    const known = minutes.get(key);
    if (known !== undefined) return known;
    const [oldest] = minutes.keys();
    if (minutes.size >= minutesMax && oldest !== undefined) minutes.delete(oldest);
    last = { accountId, at, counts: createCounts() };
    minutes.set(key, last);
    return last;
  };
  return {
    count(accountId, what, now) {
      const at = beginOf(now, byMinute.minutes);
      if (last?.accountId !== accountId || last.at.getTime() !== at.getTime()) last = minuteOf(accountId, at);
      for (const counter of what) last.counts[counter] += 1;
    },
    take() {
      const taken = [...minutes.values()];
      minutes = new Map();
      last = undefined;
      return taken;
    },
    putBack(counted) {
      for (const { accountId, at, counts } of counted) {
        const minute = minuteOf(accountId, at);
        for (const counter of counters) minute.counts[counter] += counts[counter];
      }
    },
  };
}

export interface StoredInterval extends CountedMinute {
  /** The length of the interval. */
  readonly minutes: number;
  /** From when on nobody can ask for it. */
  readonly keptUntil: Date;
}

/**
 * Returns the intervals to add counted minutes to: the minute and the hour of each. Always in the same order, so that servers which
 * add to the same ones do not wait for each other in a circle.
 */
export function intervalsToStore(counted: readonly CountedMinute[]): StoredInterval[] {
  const intervals = new Map<string, StoredInterval & { readonly counts: Record<Counter, number> }>();
  for (const { accountId, at: minute, counts } of counted) {
    for (const { minutes, keptMinutes } of [byMinute, byHour]) {
      const at = beginOf(minute, minutes);
      const key = `${accountId} ${minutes} ${at.toISOString()}`;
      const keptUntil = new Date(at.getTime() + keptMinutes * minuteMs);
      const known = intervals.get(key) ?? { accountId, minutes, at, keptUntil, counts: createCounts() };
      for (const counter of counters) known.counts[counter] += counts[counter];
      intervals.set(key, known);
    }
  }
  return [...intervals].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, interval]) => interval);
}
