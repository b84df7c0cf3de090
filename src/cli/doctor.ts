// `doctor`: looks at everything that an operator would look at, and says what to do about each. It changes nothing.

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
import { type CommonOptions, document, print } from './command.ts';

const dayMs = 86_400_000;
/** Days before its end in which a host certificate is mentioned. */
const endingDays = 30;
/** Objects that are named in a line; the others are counted. */
const namedMax = 3;
/** Seconds by which the newest object may lie in the future: clocks of machines differ. */
const clockSecondsMax = 60;
/** No clock that is right shows an earlier year: this program is from then. */
const firstYear = 2026;

/** Adds the command. */
export function addDoctorCommand(program: Command): void {
  document(
    program
      .command('doctor')
      .description(
        'Check the configuration, the database, the secret key, the clock, the disk and OpenSSH, beside a running server ' +
          'or without one. Changes nothing. Exits with 1 when something fails.',
      ),
    {
      example: 'doctor',
      json: {
        ok: false,
        checks: [{ name: 'disk', level: 'fail', message: '12 MiB are free.', remedy: 'Make room on the disk.' }],
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
    return [fail('configuration', message, 'Correct the variables; docs/configuration.md describes each.')];
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
    return [...checks, fail('contents', messageOf(error), 'Restore the last copy: "sallyport restore <file>".')];
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
      `The server listens on ${host}, and takes the host of its URLs from each request.`,
      'Set BASE_URL to the address that clients use.',
    );
  }
  if (!local && metricsToken === null) {
    return warn(
      'configuration',
      `The server listens on ${host}, where everybody who reaches it can read /metrics.`,
      'Set METRICS_TOKEN, or keep the path out at the proxy.',
    );
  }
  return ok('configuration', 'Every variable is usable.');
}

async function checkMigrationsAndStructure(engine: Engine): Promise<Check[]> {
  try {
    const pending = await pendingMigrations(engine);
    const faults = await engine.structureFaults();
    const structure =
      faults.length === 0
        ? ok('integrity', 'The structure of the database is whole.')
        : fail(
            'integrity',
            `The database is damaged: ${faults.join('; ').replaceAll('\n', ' ')}`,
            'Stop the server and restore the last copy: "sallyport restore <file>".',
          );
    const migrations =
      pending.length === 0
        ? ok('migrations', 'All are applied.')
        : warn(
            'migrations',
            `${pending.length} are pending: ${pending.join(', ')}.`,
            'Start the server, or run "sallyport migrate apply", after a backup; then ask again for the other checks.',
          );
    return [structure, migrations];
  } catch (error) {
    return [fail('migrations', messageOf(error), 'The server will not start on this database.')];
  }
}

function checkSecretKey(engine: Engine, secretKey: Uint8Array | null, sealedCheck: Uint8Array | null): Check {
  const problem = secretKeyProblem(engine, secretKey, sealedCheck);
  if (problem !== null) return fail('secret key', problem, 'The server will not start without it.');
  if (sealedCheck === null) return ok('secret key', 'Nothing has been sealed yet; the first start makes a key.');
  const file = secretKey === null ? engine.keyFile : null;
  if (file !== null && existsSync(file) && (statSync(file).mode & 0o077) !== 0) {
    return warn('secret key', `Other users may read ${file}.`, `Run: chmod 600 ${file}`);
  }
  return ok('secret key', 'It opens what the database holds.');
}

function checkClock(now: Date, newestCreatedAt: Date | null): Check {
  const remedy = 'Set the clock, and keep it right with NTP: certificates are dated by it.';
  if (now.getUTCFullYear() < firstYear) return fail('clock', `The clock says ${formatTimestamp(now)}.`, remedy);
  const aheadSeconds = newestCreatedAt === null ? 0 : (newestCreatedAt.getTime() - now.getTime()) / 1000;
  if (newestCreatedAt !== null && aheadSeconds > clockSecondsMax) {
    return fail(
      'clock',
      `The clock says ${formatTimestamp(now)}, and the newest object is from ${formatTimestamp(newestCreatedAt)}.`,
      remedy,
    );
  }
  return ok('clock', `It says ${formatTimestamp(now)}, which is after everything that was made.`);
}

function checkAccess({ accounts, apiKeys }: Findings): Check {
  if (apiKeys === 0) {
    return warn('access', `Accounts: ${accounts}, and no API key: nobody can call.`, 'Run "sallyport key create".');
  }
  return ok('access', `Accounts: ${accounts}, API keys: ${apiKeys}.`);
}

/** Tells whether a version of OpenSSH, such as `9.2`, takes wildcards and refuses empty lists of principals. */
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
    version === undefined ? 'There is no OpenSSH here; clients have their own.' : `OpenSSH ${version} is here.`;
  const counts: string[] = [];
  if (withoutPrincipals > 0)
    counts.push(`${withoutPrincipals} host certificates name no principal: 10.3 and later refuse them`);
  if (withWildcards > 0)
    counts.push(`${withWildcards} have a principal with a wildcard: versions before 10.3 refuse it`);
  if (counts.length === 0) return ok('openssh', `${here} Every host certificate suits all versions.`);
  const concerned =
    version !== undefined && (isFrom103On(version) ? withoutPrincipals > 0 : withWildcards > 0)
      ? ' The one here is among those that refuse.'
      : '';
  return warn('openssh', `${here} ${counts.join('; ')}.${concerned}`, 'Sign them anew with the names of their hosts.');
}

function checkEnding({ ending }: Findings, now: Date): Check {
  if (ending.length === 0) return ok('certificates', `No host certificate ends within ${endingDays} days.`);
  const named = ending.slice(0, namedMax).map(({ id, validUntil }) => {
    const days = Math.floor((validUntil.getTime() - now.getTime()) / dayMs);
    return `${id} in ${days} days`;
  });
  return warn(
    'certificates',
    `${ending.length} host certificates end within ${endingDays} days: ${listed(named, ending.length)}.`,
    'Sign new ones, and put them on their hosts.',
  );
}

function checkRestrictions({ dangling }: Findings): Check {
  if (dangling.length === 0) return ok('restrictions', 'All refer to policies that exist.');
  const named = dangling.slice(0, namedMax).map(({ restrictionId, policyId }) => `${restrictionId} to ${policyId}`);
  return warn(
    'restrictions',
    `${dangling.length} references lead to deleted policies, which let nobody in: ${listed(named, dangling.length)}.`,
    'Give the restrictions other policies.',
  );
}

function listed(named: readonly string[], count: number): string {
  return count > named.length ? `${named.join(', ')} and ${count - named.length} more` : named.join(', ');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
