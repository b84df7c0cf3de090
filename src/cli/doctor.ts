// `doctor`: checks everything that an operator would check, and says what to do about it. It changes nothing.

import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { formatTimestamp } from '../domain/time.ts';
import { chooseEngine } from '../storage/choose-engine.ts';
import type { Check, Engine } from '../storage/engine.ts';
import { examine, type Findings, fail, ok, warn } from '../storage/health.ts';
import { pendingMigrations } from '../storage/migrate.ts';
import { secretKeyProblem } from '../storage/secret-key.ts';
import { type CommonOptions, counted, document, print } from './command.ts';

const dayMs = 86_400_000;
/** Days before its expiry from which a host certificate is mentioned. */
const endingDays = 30;
/** Most objects that a line names; the others are counted. */
const namedMax = 3;
/** Seconds by which the newest object may be in the future: clocks of machines differ. */
const clockSecondsMax = 60;
/** A correct clock shows no earlier year: this program was written then. */
const firstYear = 2026;

/** Adds the command. */
export function addDoctorCommand(program: Command): void {
  document(
    program
      .command('doctor')
      .description(
        'Check the configuration, the database, the secret key, the clock, the disk and OpenSSH. Changes nothing; the ' +
          'server may be running. Exits with 1 if a check fails or there is no database.',
      ),
    {
      example: 'doctor',
      json: {
        ok: false,
        checks: [
          {
            name: 'disk',
            level: 'fail',
            message: '12 MiB are free on the disk of the database.',
            remedy: 'Free disk space: writes fail when the disk is full.',
          },
        ],
      },
    },
  ).action(async (options: CommonOptions) => {
    const checks = await examineAll(process.env, new Date());
    const failed = checks.some(({ level }) => level === 'fail');
    print(
      options,
      checks.map(
        ({ name, level, message, remedy }) =>
          `${level.padEnd(4)}  ${name}: ${message}${remedy === null ? '' : ` ${remedy}`}`,
      ),
      { ok: !failed, checks },
    );
    if (failed) process.exitCode = 1;
  });
}

async function examineAll(env: NodeJS.ProcessEnv, now: Date): Promise<Check[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    const message = messageOf(error).replace(/\n\s*/g, ' ');
    return [fail('configuration', message, 'Correct the variables; docs/configuration.md describes them.')];
  }
  const engine = chooseEngine(config.databaseUrl);
  const checks = [checkConfig(config), ...(await engine.checkSurroundings())];
  if (!(await engine.exists())) {
    checks.push(
      fail(
        'database',
        `There is no database at ${engine.name}.`,
        "Set DATABASE_URL to the server's database, or start the server: its first start creates one.",
      ),
    );
    return [...checks, checkClock(now, null)];
  }
  checks.push(...(await checkMigrationsAndStructure(engine)));
  if (checks.some(({ name, level }) => name === 'migrations' && level !== 'ok')) {
    return [...checks, checkClock(now, null)];
  }
  let findings: Findings;
  try {
    findings = await examine(engine, now, new Date(now.getTime() + endingDays * dayMs));
  } catch (error) {
    return [...checks, fail('contents', messageOf(error), 'Restore the last backup: "sallyport restore <file>".')];
  }
  return [
    ...checks,
    checkSecretKey(engine, config.secretKey, findings.sealedCheck),
    checkClock(now, findings.newestCreatedAt),
    checkAccess(findings),
    await checkOpenSsh(findings),
    checkEnding(findings, now),
    checkRestrictions(findings),
  ];
}

function checkConfig({ host, baseUrl, metricsToken, trustProxy }: Config): Check {
  const local = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
  if (!local && baseUrl === null && !trustProxy) {
    return warn(
      'configuration',
      `The server listens on ${host} and takes the host of its URLs from each request.`,
      'Set BASE_URL to the address that clients use.',
    );
  }
  if (!local && metricsToken === null) {
    return warn(
      'configuration',
      `The server listens on ${host}, where everybody who can reach it can read /metrics.`,
      'Set METRICS_TOKEN, or block the path at the proxy.',
    );
  }
  return ok('configuration', 'All variables are valid.');
}

async function checkMigrationsAndStructure(engine: Engine): Promise<Check[]> {
  try {
    const pending = await pendingMigrations(engine);
    const faults = await engine.structureFaults();
    const structure =
      faults.length === 0
        ? ok('integrity', 'The structure of the database is intact.')
        : fail(
            'integrity',
            `The database is damaged: ${faults.join('; ').replaceAll('\n', ' ')}`,
            'Stop the server and restore the last backup: "sallyport restore <file>".',
          );
    const migrations =
      pending.length === 0
        ? ok('migrations', 'All have been applied.')
        : warn(
            'migrations',
            `${counted(pending.length, 'pending migration')}: ${pending.join(', ')}.`,
            'Back up, then start the server or run "sallyport migrate apply". Run doctor again for the other checks.',
          );
    return [structure, migrations];
  } catch (error) {
    return [fail('migrations', messageOf(error), 'The server will not start on this database.')];
  }
}

function checkSecretKey(engine: Engine, secretKey: Uint8Array | null, sealedCheck: Uint8Array | null): Check {
  const problem = secretKeyProblem(engine, secretKey, sealedCheck);
  if (problem !== null) return fail('secret key', problem, 'The server will not start without it.');
  if (sealedCheck === null) return ok('secret key', 'Nothing has been sealed yet; the first start creates a key.');
  const file = secretKey === null ? engine.keyFile : null;
  if (file !== null && existsSync(file) && (statSync(file).mode & 0o077) !== 0) {
    return warn('secret key', `Other users can read ${file}.`, `Run: chmod 600 ${file}`);
  }
  return ok('secret key', 'It opens the sealed keys in the database.');
}

function checkClock(now: Date, newestCreatedAt: Date | null): Check {
  const remedy = 'Set the clock, and keep it correct with NTP: certificates get their dates from it.';
  if (now.getUTCFullYear() < firstYear) return fail('clock', `The clock says ${formatTimestamp(now)}.`, remedy);
  const aheadSeconds = newestCreatedAt === null ? 0 : (newestCreatedAt.getTime() - now.getTime()) / 1000;
  if (newestCreatedAt !== null && aheadSeconds > clockSecondsMax) {
    return fail(
      'clock',
      `The clock says ${formatTimestamp(now)}, but the newest object is from ${formatTimestamp(newestCreatedAt)}.`,
      remedy,
    );
  }
  return ok('clock', `It says ${formatTimestamp(now)}, later than every object.`);
}

function checkAccess({ accounts, apiKeys }: Findings): Check {
  if (apiKeys === 0) {
    return warn(
      'access',
      `Accounts: ${accounts}. There is no API key: nobody can make requests.`,
      'Run "sallyport key create".',
    );
  }
  return ok('access', `Accounts: ${accounts}, API keys: ${apiKeys}.`);
}

/** Tells whether a version of OpenSSH, such as `9.2`, accepts wildcards and refuses empty lists of principals. */
function isFrom103On(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 10 || (major === 10 && minor >= 3);
}

async function checkOpenSsh({ withoutPrincipals, withWildcards }: Findings): Promise<Check> {
  const printed = await promisify(execFile)('ssh', ['-V'], { timeout: 5_000 }).then(
    ({ stdout, stderr }) => stdout + stderr,
    () => '',
  );
  const version = /OpenSSH_(\d+\.\d+)/.exec(printed)?.[1];
  const here =
    version === undefined
      ? 'OpenSSH is not installed here; clients have their own.'
      : `OpenSSH ${version} is installed here.`;
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

function checkEnding({ ending }: Findings, now: Date): Check {
  if (ending.length === 0) return ok('certificates', `No host certificate expires within ${endingDays} days.`);
  const named = ending.slice(0, namedMax).map(({ id, validUntil }) => {
    const days = Math.floor((validUntil.getTime() - now.getTime()) / dayMs);
    return `${id} in ${counted(days, 'day')}`;
  });
  return warn(
    'certificates',
    `${counted(ending.length, 'host certificate')} expiring within ${endingDays} days: ${listed(named, ending.length)}.`,
    'Sign new ones and install them on their hosts.',
  );
}

function checkRestrictions({ dangling }: Findings): Check {
  if (dangling.length === 0) return ok('restrictions', 'All refer to existing policies.');
  const named = dangling.slice(0, namedMax).map(({ restrictionId, policyId }) => `${restrictionId} to ${policyId}`);
  return warn(
    'restrictions',
    `${counted(dangling.length, 'reference')} to deleted policies, which let nobody in: ${listed(named, dangling.length)}.`,
    'Give the restrictions other policies.',
  );
}

function listed(named: readonly string[], count: number): string {
  return count > named.length ? `${named.join(', ')} and ${count - named.length} more` : named.join(', ');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
