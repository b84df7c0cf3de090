// Looks a database over without changing it, beside a server or without one: what `doctor` tells operators.

import Database from 'better-sqlite3';
import { readSealedCheck } from './backup.ts';

/** An SSH host certificate that ends soon. */
export interface EndingCertificate {
  readonly id: string;
  readonly accountId: string;
  readonly validUntil: Date;
}

/** A restriction that refers to a policy which has been deleted. */
export interface DanglingReference {
  readonly restrictionId: string;
  readonly accountId: string;
  readonly policyId: string;
}

/** What was found. */
export interface Findings {
  readonly accounts: number;
  readonly apiKeys: number;
  /** Newest time of creation of anything; null when there is nothing. */
  readonly newestCreatedAt: Date | null;
  /** What the secret key is checked with. */
  readonly sealedCheck: Uint8Array | null;
  /** Certificates that still hold and name no principal. */
  readonly withoutPrincipals: number;
  /** Certificates that still hold and have a principal with a wildcard. */
  readonly withWildcards: number;
  /** Certificates that end before the moment asked for, soonest first. */
  readonly ending: readonly EndingCertificate[];
  readonly dangling: readonly DanglingReference[];
}

const busyTimeoutMs = 5000;

/** Checks the structure of a database file, without its indexes. Gives the first faults, none when it is whole. */
export function quickCheck(path: string): string[] {
  return reading(path, (database) => {
    const found = database.prepare<[], string>('PRAGMA quick_check(3)').pluck().all();
    return found.length === 1 && found[0] === 'ok' ? [] : found;
  });
}

/**
 * Looks over a database whose migrations are all applied.
 *
 * @param soon certificates that end before this moment are listed
 */
export function examine(path: string, now: Date, soon: Date): Findings {
  const text = (date: Date) => date.toISOString().replace('Z', '+00:00');
  return reading(path, (database) => {
    const count = (sql: string, ...values: string[]) =>
      database
        .prepare<string[], number>(sql)
        .pluck()
        .get(...values) ?? 0;
    const dated = database
      .prepare<[], string>(
        "SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'createdAt'",
      )
      .pluck()
      .all();
    const newest = dated
      .map((table) => database.prepare<[], string>(`SELECT max(createdAt) FROM "${table}"`).pluck().get())
      .filter((time) => typeof time === 'string')
      .sort()
      .at(-1);
    const holding = 'SELECT count(*) FROM SshHostCertificate WHERE validUntil > ?';
    return {
      accounts: count('SELECT count(*) FROM Account'),
      apiKeys: count('SELECT count(*) FROM ApiKey'),
      newestCreatedAt: newest === undefined ? null : new Date(newest),
      sealedCheck: readSealedCheck(database),
      withoutPrincipals: count(`${holding} AND json_array_length(principals) = 0`, text(now)),
      withWildcards: count(
        `${holding} AND EXISTS (SELECT 1 FROM json_each(principals) WHERE value GLOB '*[*?]*')`,
        text(now),
      ),
      ending: database
        .prepare<[string, string], { id: string; accountId: string; validUntil: string }>(
          `SELECT id, accountId, validUntil FROM SshHostCertificate
            WHERE validUntil > ? AND validUntil <= ? ORDER BY validUntil, id`,
        )
        .all(text(now), text(soon))
        .map((row) => ({ ...row, validUntil: new Date(row.validUntil) })),
      dangling: database
        .prepare<[], DanglingReference>(
          `SELECT ipRestrictionId AS restrictionId, accountId, ipPolicyId AS policyId FROM IpRestrictionPolicy r
            WHERE NOT EXISTS (SELECT 1 FROM IpPolicy p WHERE p.id = r.ipPolicyId AND p.accountId = r.accountId)
            ORDER BY ipRestrictionId, position`,
        )
        .all(),
    };
  });
}

function reading<T>(path: string, work: (database: Database.Database) => T): T {
  const database = new Database(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
