// The upkeep of SSH: forgets revocations that are no longer needed, and reports certificates that need attention.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { dayMs } from '../../domain/values/time.ts';
import { counted } from '../../domain/wording.ts';
import type { Check } from '../../storage/engine.ts';
import type { Counted } from '../../storage/lifecycle/gauges.ts';
import { ok, warn } from '../../storage/lifecycle/health.ts';
import type { AreaUpkeep, UpkeepSettings } from '../../storage/lifecycle/upkeep.ts';
import { countThrough, lookThrough, type ServerReads, type ServerScope } from '../../storage/objects/server-scope.ts';
import type { SliceSizes } from '../../storage/sql/read-slices.ts';
import { joined, type Sql, sql, verbatim } from '../../storage/sql/statement.ts';
import { checkAgents } from './agents/upkeep.ts';
import { checkStandings } from './certificates/standing-store.ts';
import { blobOfLine, fingerprint } from './keys/public-key.ts';
import { sshChallengeUpkeep } from './renewal/challenge-upkeep.ts';
import { forgetDeletedAuthorities, forgetExpiredRevocations } from './revocation/upkeep.ts';
import { daysLeftRanges, endOfRange, lateDaysMax, standings } from './rules.ts';

/** Number of days before expiry from which `doctor` and the metrics by authority take a host certificate into account. */
const reportedDays = 30;
/** Maximum number of authorities with separate metrics, so that the number of time series stays small. */
const authoritiesMax = 20;

/** The upkeep of the area. */
export const upkeep = ({ signingAgents }: UpkeepSettings): readonly AreaUpkeep[] => [
  sshUpkeep,
  sshChallengeUpkeep,
  { check: (database) => checkAgents(database, signingAgents) },
];

/** The upkeep of certificates and revocations. */
export const sshUpkeep: AreaUpkeep = {
  catchUp: fillFingerprints,
  hourly: async (scope, now, signal) => {
    await forgetExpiredRevocations(scope, now, signal);
    await forgetDeletedAuthorities(scope, signal);
  },
  gauges: [
    {
      name: 'sallyport_ssh_host_certificates',
      help: 'SSH host certificates that no renewal has replaced, by days until they expire, counted at most once a minute.',
      labels: ['days_left'],
      count: countByDaysLeft,
    },
    {
      name: 'sallyport_ssh_host_certificates_by_authority',
      help: `The same for the ${authoritiesMax} authorities with the most that expire within ${reportedDays} days or have expired; "other" is the rest.`,
      labels: ['authority', 'days_left'],
      count: countByAuthority,
    },
    {
      name: 'sallyport_ssh_host_certificates_by_state',
      help: 'SSH host certificates that nothing has replaced, by state: on_time, late to be renewed, or ended.',
      labels: ['state'],
      count: countByState,
    },
  ],
  check: async (database, now) => [await checkOpenSsh(database, now), await checkStandings(database, now)],
};

/** Certificates whose fingerprint is filled in together. */
const fingerprintSlices: SliceSizes = { first: 50, most: 200, waits: true, loads: true };

/** Fills in the fingerprint of certificates that were signed before its column existed. Until then, they are not found by it. */
async function fillFingerprints(scope: ServerScope, signal: AbortSignal): Promise<void> {
  const fill = async (most: number) => {
    // By account, along the index that begins with the fingerprint and the account.
    const found = await scope.rows(
      sql`SELECT c."id", c."publicKey" FROM "Account" a
        JOIN "SshHostCertificate" c ON c."accountId" = a."id" AND c."fingerprint" IS NULL LIMIT ${most}`,
    );
    const [first, ...others] = found.map(([id, publicKey]) => {
      const value = fingerprint(blobOfLine(String(publicKey)));
      return sql`UPDATE "SshHostCertificate" SET "fingerprint" = ${value} WHERE "id" = ${id}`;
    });
    if (first !== undefined) await scope.change(first, ...others);
    return { value: undefined, entries: found.length, isLast: found.length < most || signal.aborted };
  };
  for await (const _ of scope.slices(fingerprintSlices, fill));
}

/** The current certificates of an authority: for each range of days, all that expire up to its end; and those late and ended. */
interface Tally {
  readonly upTo: number[];
  late: number;
  ended: number;
}

const newTally = (): Tally => ({ upTo: daysLeftRanges.map(() => 0), late: 0, ended: 0 });

function add(sum: Tally, { upTo, late, ended }: Tally): Tally {
  for (const [index, count] of upTo.entries()) sum.upTo[index] = (sum.upTo[index] ?? 0) + count;
  sum.late += late;
  sum.ended += ended;
  return sum;
}

const tallies = new WeakMap<ServerReads, Promise<ReadonlyMap<string, Tally>>>();

/** Returns the tallies by authority. The gauges of a scrape share them: the whole table is looked through. */
function tallyOf(database: ServerReads, now: Date): Promise<ReadonlyMap<string, Tally>> {
  const underWay = tallies.get(database);
  if (underWay !== undefined) return underWay;
  const tally = readTally(database, now).finally(() => tallies.delete(database));
  tallies.set(database, tally);
  return tally;
}

async function readTally(database: ServerReads, now: Date): Promise<ReadonlyMap<string, Tally>> {
  const isCurrent = sql`"replacedById" IS NULL`;
  const countOf = (condition: Sql) => sql`count(CASE WHEN ${isCurrent} AND ${condition} THEN 1 END)`;
  const counts = [
    ...daysLeftRanges.map((range) => {
      const end = endOfRange(range, now);
      return end === null ? sql`count(CASE WHEN ${isCurrent} THEN 1 END)` : countOf(sql`"validUntil" <= ${end}`);
    }),
    countOf(lateAt(database, now)),
    countOf(sql`"validUntil" <= ${now}`),
  ];
  const select = (
    within: (column: string) => Sql,
  ) => sql`SELECT "sshCertificateAuthorityId", ${joined(counts)} FROM "SshHostCertificate"
    WHERE ${within('"id"')} GROUP BY "sshCertificateAuthorityId"`;
  const all = new Map<string, Tally>();
  for await (const found of lookThrough(database, 'SshHostCertificate', select)) {
    for (const [authority, ...counted] of found) {
      const numbers = counted.map(Number);
      const [late = 0, ended = 0] = numbers.splice(daysLeftRanges.length);
      all.set(String(authority), add(all.get(String(authority)) ?? newTally(), { upTo: numbers, late, ended }));
    }
  }
  return all;
}

/** Converts the numbers up to the end of each range into the numbers in each range. */
function inRanges(upTo: readonly number[]): number[] {
  return daysLeftRanges.map((_, index) => (upTo[index] ?? 0) - (upTo[index - 1] ?? 0));
}

async function countAll(database: ServerReads, now: Date): Promise<Tally> {
  return [...(await tallyOf(database, now)).values()].reduce(add, newTally());
}

async function countByDaysLeft(database: ServerReads, now: Date): Promise<Counted[]> {
  const { upTo } = await countAll(database, now);
  return inRanges(upTo).map((count, index) => ({ labels: { days_left: labelAt(index) }, count }));
}

async function countByAuthority(database: ServerReads, now: Date): Promise<Counted[]> {
  const ending = daysLeftRanges.findIndex(({ days }) => days === reportedDays);
  const authorities = [...(await tallyOf(database, now))]
    .map(([id, { upTo }]) => ({ id, ending: upTo[ending] ?? 0, counts: inRanges(upTo) }))
    .filter(({ counts }) => counts.some((count) => count > 0))
    .sort((one, other) => other.ending - one.ending || (one.id < other.id ? -1 : 1));
  const rest = authorities.slice(authoritiesMax);
  const other = daysLeftRanges.map((_, index) => rest.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0));
  return [...authorities.slice(0, authoritiesMax), { id: 'other', counts: other }].flatMap(({ id, counts }) =>
    counts.map((count, index) => ({ labels: { authority: id, days_left: labelAt(index) }, count })),
  );
}

/** Returns the condition for a certificate that nothing has replaced to be late, as `standingOf`. */
function lateAt({ seconds }: ServerReads, now: Date): Sql {
  const [end, begin] = [seconds('"validUntil"'), seconds('"validAfter"')];
  const latest = new Date(now.getTime() + lateDaysMax * dayMs);
  const nowSeconds = verbatim(String(now.getTime() / 1000));
  return sql`"validUntil" > ${now} AND "validUntil" <= ${latest} AND (${end} - ${nowSeconds}) * 6 < ${end} - ${begin}`;
}

async function countByState(database: ServerReads, now: Date): Promise<Counted[]> {
  const { upTo, late, ended } = await countAll(database, now);
  const counts = { on_time: (upTo.at(-1) ?? 0) - late - ended, late, ended };
  return standings.map((state) => ({ labels: { state }, count: counts[state] }));
}

function labelAt(index: number): string {
  return daysLeftRanges[index]?.label ?? '';
}

/** Returns whether a version of OpenSSH, such as `9.2`, accepts wildcards and rejects empty lists of principals. */
function isFrom103On(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 10 || (major === 10 && minor >= 3);
}

/** Looks for certificates that not every version of OpenSSH accepts. */
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
  // The JSON text of a list contains each of its strings verbatim.
  const principals = sql`CAST("principals" AS TEXT)`;
  const countValid = (condition: Sql) =>
    countThrough(database, 'SshHostCertificate', sql`"validUntil" > ${now} AND ${condition}`);
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
