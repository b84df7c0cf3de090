// Open transactions that hold live streams back: streams wait for every transaction of the database server that has a number.

import { counted } from '../../domain/wording.ts';
import type { Check } from '../engine.ts';
import type { Gauge } from '../lifecycle/gauges.ts';
import { ok, warn } from '../lifecycle/health.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { sql } from '../sql/statement.ts';

/** A transaction that has written something, or is about to. */
interface OpenTransaction {
  readonly number: string;
  /** Null if the transaction is prepared (PREPARE TRANSACTION). */
  readonly pid: string | null;
  readonly preparedAs: string;
  readonly database: string;
  readonly application: string;
  /** Null if the role may not see it. */
  readonly seconds: number | null;
}

const transactionsMax = 20;
const reportedSeconds = 10;

/**
 * Reads the open transactions of all databases, the oldest first. Every role sees their locks, but only some see since when the
 * transactions of others are open (`pg_read_all_stats`).
 */
async function openTransactions({ rows }: Pick<ServerReads, 'rows'>): Promise<OpenTransaction[]> {
  const found = await rows(
    sql`SELECT t.number, t.pid, coalesce(p.gid, ''), coalesce(a.datname, p.database, ''), coalesce(a.application_name, ''),
        extract(epoch FROM clock_timestamp() - coalesce(a.xact_start, p.prepared))::float8
      FROM (SELECT l.transactionid::text AS number, l.pid::text AS pid, l.transactionid FROM pg_locks l
        WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted
          AND l.pid IS DISTINCT FROM pg_backend_pid() ORDER BY age(l.transactionid) DESC LIMIT ${transactionsMax}) t
      LEFT JOIN pg_stat_activity a ON a.pid::text = t.pid
      LEFT JOIN pg_prepared_xacts p ON p.transaction = t.transactionid ORDER BY age(t.transactionid) DESC`,
  );
  return found.map(([number, pid, preparedAs, database, application, seconds]) => ({
    number: String(number),
    pid: pid === null ? null : String(pid),
    preparedAs: String(preparedAs),
    database: String(database),
    application: String(application),
    seconds: seconds === null ? null : Number(seconds),
  }));
}

/** Creates the gauge of the oldest open transaction. */
export function createTransactionGauge(): Gauge {
  let firstSeen = new Map<string, number>();
  return {
    name: 'sallyport_oldest_transaction_seconds',
    help: 'Age of the oldest transaction that has written, in any database of the PostgreSQL server; live streams wait for it. Counted at most once a minute.',
    labels: [],
    async count(database, now) {
      const open = await openTransactions(database);
      // If the role may not see the age, it is what was seen of it.
      firstSeen = new Map(open.map(({ number }) => [number, firstSeen.get(number) ?? now.getTime()]));
      const ages = open.map(({ number, seconds }) => {
        return seconds ?? (now.getTime() - (firstSeen.get(number) ?? now.getTime())) / 1000;
      });
      return [{ labels: {}, count: Math.max(0, ...ages) }];
    },
  };
}

/** Looks for transactions that have been open for long. */
export async function checkTransactions(database: Pick<ServerReads, 'rows'>): Promise<Check> {
  const name = 'live streams';
  const open = await openTransactions(database);
  const old = open.filter(({ seconds }) => seconds === null || seconds >= reportedSeconds);
  if (old.length === 0) return ok(name, 'No open transaction holds them up.');
  const [first] = old as [OpenTransaction]; // not empty
  const since =
    first.seconds === null ? 'a time that this role may not see' : counted(Math.floor(first.seconds), 'second');
  const who =
    first.pid === null
      ? `the prepared transaction '${first.preparedAs}'`
      : `pid ${first.pid}, application "${first.application}"`;
  const others = old.length === 1 ? '' : `, and ${old.length - 1} more`;
  return warn(
    name,
    `They wait for a transaction that has been open for ${since}: ${who}, in the database ${first.database}${others}.`,
    first.pid === null
      ? `Let its coordinator end it, or run in that database: ROLLBACK PREPARED '${first.preparedAs.replaceAll("'", "''")}'`
      : `Let its program end it, or run as an administrator: SELECT pg_terminate_backend(${first.pid})`,
  );
}
