// The activity of accounts: what each server has counted is added to rows that all of them share, and that expire by themselves.

import {
  type ActivityInterval,
  type ActivityRange,
  beginOfRange,
  type Counter,
  counters,
  createTally,
  intervalsOf,
  intervalsToStore,
  resolutionOf,
  type StoredInterval,
} from '../domain/access/activity.ts';
import { forgetUntil } from './lifecycle/forgetting.ts';
import type { AreaUpkeep } from './lifecycle/upkeep.ts';
import type { Changes, RowWriter } from './objects/changes.ts';
import type { ServerReads } from './objects/server-scope.ts';
import type { Dialect } from './sql/dialect.ts';
import { joined, sql, verbatim } from './sql/statement.ts';
import { storedTime } from './sql/times.ts';

/** Counts what happens in accounts, stores it and reads it. */
export interface Activity {
  /** Increments counters of an account, in memory. */
  count(accountId: string, what: readonly Counter[], now: Date): void;
  /**
   * Adds what was counted since the last call to the database. Called from time to time, and before the end. What cannot be stored
   * is kept for the next call. Callers during a call share it, and its failure.
   */
  store(): Promise<void>;
  /** Reads what all servers have stored, the oldest first, including intervals in which nothing happened. Throws UNAVAILABLE. */
  read(accountId: string, range: ActivityRange, now: Date): Promise<ActivityInterval[]>;
}

interface ActivityDatabase {
  readonly reads: ServerReads;
  readonly rowWriter: RowWriter;
  readonly changes: Changes;
  readonly dialect: Dialect;
}

/** Intervals that one statement adds to: SQLite takes some 10 ms for as many, and an account rarely has more than two. */
const intervalsAtOnce = 1_000;

const table = verbatim('"ActivityInterval"');
const columns = joined(counters.map((counter) => verbatim(`"${counter}"`)));

/** Creates the activity of a process. */
export function createActivity({ reads, rowWriter, changes, dialect }: ActivityDatabase): Activity {
  const tally = createTally();
  const { entries, stored } = dialect.json;

  /** The values of an interval as JSON, in the order of the columns. */
  const valuesOf = ({ accountId, minutes, at, keptUntil, counts }: StoredInterval) => [
    accountId,
    minutes,
    storedTime(at),
    storedTime(keptUntil),
    ...counters.map((counter) => counts[counter]),
  ];
  const text = (index: number) => `e.value ->> ${index}`;
  const number = (index: number) => stored.Int(text(index));
  const time = (index: number) => stored.DateTime(text(index));
  const values = [text(0), number(1), time(2), time(3), ...counters.map((_, index) => number(index + 4))];
  const sums = counters.map((counter) => `"${counter}" = "ActivityInterval"."${counter}" + excluded."${counter}"`);

  const add = (intervals: readonly StoredInterval[]) =>
    // The condition tells SQLite that ON belongs to the INSERT and not to a join
    // (https://www.sqlite.org/lang_upsert.html, "Parsing Ambiguity").
    sql`INSERT INTO ${table} ("accountId", "minutes", "at", "keptUntil", ${columns})
      SELECT ${verbatim(values.join(', '))} FROM ${entries(JSON.stringify(intervals.map(valuesOf)))} AS e WHERE true
      ON CONFLICT ("accountId", "minutes", "at") DO UPDATE SET ${verbatim(sums.join(', '))} RETURNING "minutes"`;

  const storeAll = async () => {
    const counted = tally.take();
    const intervals = intervalsToStore(counted);
    const statements: ReturnType<RowWriter>[] = [];
    for (let start = 0; start < intervals.length; start += intervalsAtOnce) {
      statements.push(rowWriter(add(intervals.slice(start, start + intervalsAtOnce))));
    }
    const [write, ...after] = statements;
    if (write === undefined) return;
    try {
      await changes.apply({ write, after });
    } catch (error) {
      // A write whose outcome is unknown is repeated as well: a minute that counts twice misleads less than one that is missing.
      tally.putBack(counted);
      throw error;
    }
  };
  let underWay: Promise<void> | null = null;
  return {
    count: tally.count,
    store() {
      underWay ??= storeAll().finally(() => {
        underWay = null;
      });
      return underWay;
    },
    async read(accountId, range, now) {
      const { minutes } = resolutionOf(range);
      const rows = await reads.rows(
        sql`SELECT "at", ${columns} FROM ${table}
          WHERE "accountId" = ${accountId} AND "minutes" = ${minutes} AND "at" >= ${beginOfRange(range, now)}`,
      );
      return intervalsOf(
        range,
        now,
        rows.map(([at, ...counts]) => ({ at: reads.decode.DateTime(at), ...named(counts) })),
      );
    },
  };
}

function named(values: readonly unknown[]): Record<Counter, number> {
  // Every counter is among them.
  return Object.fromEntries(counters.map((counter, index) => [counter, Number(values[index])])) as Record<
    Counter,
    number
  >;
}

/** The upkeep of activity: intervals that nobody can ask for any more are deleted. */
export const activityUpkeep: AreaUpkeep = {
  hourly: (scope, now, signal) =>
    forgetUntil(
      scope,
      { table: 'ActivityInterval', key: ['accountId', 'minutes', 'at'], time: 'keptUntil' },
      now,
      signal,
    ),
};
