// What SSH brings to the care of the server: revocations that are of no more use, and certificates that need attention.

import { execFile } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { counted } from '../../domain/wording.ts';
import type { Check } from '../../storage/engine.ts';
import { checkExpiring, ok, warn } from '../../storage/health.ts';
import type { ServerReads, ServerScope } from '../../storage/server-scope.ts';
import { joined, type Sql, sql } from '../../storage/statement.ts';
import type { AreaUpkeep } from '../../storage/upkeep.ts';

const dayMs = 86_400_000;
/** Upper ends of the ranges that host certificates are counted in, in days left, with their labels. */
const daysLeft = [
  [0, 'ended'],
  [1, '0-1'],
  [7, '1-7'],
  [30, '7-30'],
  [90, '30-90'],
] as const;
const daysLeftBeyond = '90+';
/** Days before its expiry from which `doctor` mentions a host certificate. */
const endingDays = 30;

/** What SSH brings to the care of the server. */
export const sshUpkeep: AreaUpkeep = {
  hourly: forgetExpiredRevocations,
  gauges: [
    {
      name: 'sallyport_ssh_host_certificates',
      help: 'SSH host certificates by days until they expire, counted at most once a minute.',
      label: 'days_left',
      count: countByDaysLeft,
    },
  ],
  check: async (database, now) => [await checkOpenSsh(database, now), await checkEnding(database, now)],
};

/** Revocations that are looked through, and deleted at most, in one turn of the event loop and by one statement. */
const revocationsAtOnce = 500;

/**
 * Takes certificates that have expired off the revocation lists; nothing else does, but the end of their authority. A serial
 * that is gone is trusted again by every client whose own clock is behind, and cannot be put back: `now` must be a clock that
 * is believed. The versions of those lists count up, so that they are written anew. Everybody else gets a turn after each
 * slice, so that a list may be written in between.
 */
async function forgetExpiredRevocations(scope: ServerScope, now: Date, signal: AbortSignal): Promise<void> {
  let after = sql`("sshCertificateAuthorityId", "serial") > ('', 0)`;
  while (!signal.aborted) {
    const last = await lastOfSlice(scope, after);
    const slice =
      last === null
        ? after
        : sql`${after} AND ("sshCertificateAuthorityId", "serial") <= (${last.authority}, ${last.serial})`;
    await forget(scope, sql`${slice} AND "validUntil" <= ${now}`);
    if (last === null) return;
    after = sql`("sshCertificateAuthorityId", "serial") > (${last.authority}, ${last.serial})`;
    await nextTurn();
  }
}

/** Finds the last revocation of the slice that comes next; null when it is the last slice. */
async function lastOfSlice(scope: ServerScope, after: Sql) {
  const [last] = await scope.rows(
    sql`SELECT "sshCertificateAuthorityId", "serial" FROM "SshRevocation" WHERE ${after}
      ORDER BY "sshCertificateAuthorityId", "serial" LIMIT 1 OFFSET ${revocationsAtOnce - 1}`,
  );
  return last === undefined ? null : { authority: String(last[0]), serial: BigInt(String(last[1])) };
}

async function forget(scope: ServerScope, expired: Sql): Promise<void> {
  const authorities = await scope.rows(
    sql`SELECT DISTINCT "sshCertificateAuthorityId" FROM "SshRevocation" WHERE ${expired}`,
  );
  if (authorities.length === 0) return;
  const ids = joined(authorities.map(([id]) => String(id)));
  // Wholes before parts, as every change locks them.
  await scope.change(
    sql`UPDATE "SshCertificateAuthority" SET "revocationCount" = "revocationCount" + 1 WHERE "id" IN (${ids})`,
    sql`DELETE FROM "SshRevocation" WHERE ${expired}`,
  );
}

async function countByDaysLeft(database: ServerReads, now: Date): Promise<Record<string, number>> {
  const columns = daysLeft.map(([days]) => {
    const moment = new Date(now.getTime() + days * dayMs);
    return sql`count(CASE WHEN "validUntil" <= ${moment} THEN 1 END)`;
  });
  const [counts = []] = await database.rows(
    sql`SELECT ${joined([...columns, sql`count(*)`])} FROM "SshHostCertificate"`,
  );
  const labels = [...daysLeft.map(([, label]) => label), daysLeftBeyond];
  return Object.fromEntries(
    labels.map((label, place) => [label, Number(counts[place] ?? 0) - Number(counts[place - 1] ?? 0)]),
  );
}

/** Tells whether a version of OpenSSH, such as `9.2`, accepts wildcards and refuses empty lists of principals. */
function isFrom103On(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 10 || (major === 10 && minor >= 3);
}

/** Looks for certificates that not every version of OpenSSH takes. */
async function checkOpenSsh(database: ServerReads, now: Date): Promise<Check> {
  const printed = await promisify(execFile)('ssh', ['-V'], { timeout: 5_000 }).then(
    ({ stdout, stderr }) => stdout + stderr,
    () => '',
  );
  const version = /OpenSSH_(\d+\.\d+)/.exec(printed)?.[1];
  const here =
    version === undefined
      ? 'OpenSSH is not installed here; clients have their own.'
      : `OpenSSH ${version} is installed here.`;
  // In the text of a list, each of its texts stands as it is.
  const principals = sql`CAST("principals" AS TEXT)`;
  const countValid = async (condition: Sql) => {
    const [row] = await database.rows(
      sql`SELECT count(*) FROM "SshHostCertificate" WHERE "validUntil" > ${now} AND ${condition}`,
    );
    return Number(row?.[0]);
  };
  const withoutPrincipals = await countValid(sql`${principals} = '[]'`);
  const withWildcards = await countValid(sql`(${principals} LIKE '%*%' OR ${principals} LIKE '%?%')`);
  const counts: string[] = [];
  if (withoutPrincipals > 0)
    counts.push(`${counted(withoutPrincipals, 'host certificate')} without principals, which 10.3 and later refuse`);
  if (withWildcards > 0)
    counts.push(
      `${counted(withWildcards, 'host certificate')} with a wildcard principal, which versions before 10.3 refuse`,
    );
  if (counts.length === 0) return ok('openssh', `${here} All host certificates work with every version.`);
  const concerned =
    version !== undefined && (isFrom103On(version) ? withoutPrincipals > 0 : withWildcards > 0)
      ? ' The version here is one of those.'
      : '';
  return warn('openssh', `${here} ${counts.join('; ')}.${concerned}`, 'Sign new ones that name their hosts.');
}

/** Looks for certificates that expire soon. */
function checkEnding(database: ServerReads, now: Date): Promise<Check> {
  return checkExpiring(database, now, {
    check: 'certificates',
    kind: 'host certificate',
    table: 'SshHostCertificate',
    end: 'validUntil',
    days: endingDays,
    remedy: 'Sign new ones and install them on their hosts.',
  });
}
