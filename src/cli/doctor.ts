// `doctor`: checks everything that an operator would check, and says what to do about problems. It changes nothing.

import { existsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { type Config, misspeltVariables, proxyProblem, readConfig } from '../config.ts';
import { remedies } from '../domain/remedies.ts';
import { formatTimestamp } from '../domain/values/time.ts';
import { counted, listed, messageOf } from '../domain/wording.ts';
import { createOutgoing } from '../outgoing/outgoing.ts';
import { createReceivers } from '../outgoing/shipping/receivers.ts';
import type { Check, Engine } from '../storage/engine.ts';
import { secretKeyProblem } from '../storage/keys/secret-key.ts';
import { chooseEngine } from '../storage/lifecycle/choose-engine.ts';
import { checkCounts } from '../storage/lifecycle/count-check.ts';
import { examine, type Findings, fail, noDatabase, ok, warn, whereDatabaseIs } from '../storage/lifecycle/health.ts';
import { pendingMigrations } from '../storage/lifecycle/migrate.ts';
import { checkPairs } from '../storage/lifecycle/pairs-check.ts';
import { readVersion } from '../telemetry/version.ts';
import { type CommonOptions, document, print } from './command.ts';
import { defaultAccountName } from './first-start.ts';
import { serverUpkeep } from './upkeep.ts';

/** Most seconds by which the newest object may be in the future, because the clocks of machines differ. */
const clockSecondsMax = 60;
/** The year in which this program was written: a correct clock shows no earlier one. */
const firstYear = 2026;

/** Adds the command. */
export function addDoctorCommand(program: Command): void {
  document(
    program
      .command('doctor')
      .description(
        'Check the configuration, the database, the secret key, the clock, the disk, OpenSSH and the agents that sign. Changes nothing; the ' +
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
    await print(
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
  const checks = [checkConfig(config), ...checkSpelling(env)];
  try {
    checks.push(...(await engine.checkSurroundings()));
  } catch (error) {
    const remedy = `Check ${remedies.setDatabaseUrl}, and that the database server runs and accepts this role from this machine.`;
    const reason = messageOf(error);
    const message = reason.includes(engine.name) ? reason : `${engine.name}: ${reason}`;
    return [...checks, fail('database', `${message}.`, remedy), checkClock(now, null)];
  }
  if (!(await engine.exists())) {
    checks.push(fail('database', noDatabase(engine), whereDatabaseIs));
    return [...checks, checkClock(now, null)];
  }
  checks.push(...(await checkMigrationsAndStructure(engine)));
  if (checks.some(({ name, level }) => name === 'migrations' && level !== 'ok')) {
    return [...checks, checkClock(now, null)];
  }
  let findings: Findings;
  try {
    findings = await examine(engine, now, async (database) => {
      const checks: Check[] = [await checkPairs(database)];
      const receivers = createReceivers(config.shipping, readVersion(), () => now, false);
      for (const { check } of await serverUpkeep({ ...config, outgoing: createOutgoing(config), receivers }))
        checks.push(...((await check?.(database, now)) ?? []));
      // The last, because it may fail by itself, and nothing can be read after that in the same transaction.
      return [...checks, await checkCounts(database)];
    });
  } catch (error) {
    return [
      ...checks,
      fail('contents', messageOf(error), `Restore the last backup: "${remedies.restoreBackup('<file>')}".`),
    ];
  }
  return [
    ...checks,
    checkSecretKey(engine, config, findings.sealedCheck),
    checkClock(now, findings.newestCreatedAt),
    checkAccess(findings),
    ...findings.areaChecks,
  ];
}

function checkConfig(config: Config): Check {
  const { host, baseUrl, metricsToken, trustProxy } = config;
  const problem = proxyProblem(config);
  if (problem !== null) return warn('configuration', ...problem);
  const local = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
  if (!local && baseUrl === null && trustProxy === 0) {
    return warn(
      'configuration',
      `The server listens on ${host} and takes the host of its URLs from each request.`,
      `Set ${remedies.setBaseUrl} to the address that clients use.`,
    );
  }
  if (!local && metricsToken === null) {
    return warn(
      'configuration',
      `The server listens on ${host}, where everybody who can reach it can read /metrics.`,
      `Set ${remedies.setMetricsToken}, or block the path at the proxy.`,
    );
  }
  return ok('configuration', 'All variables are valid.');
}

function checkSpelling(env: NodeJS.ProcessEnv): Check[] {
  return misspeltVariables(env).map((sentence) =>
    warn('configuration', sentence, 'Rename the variable, or remove it.'),
  );
}

async function checkMigrationsAndStructure(engine: Engine): Promise<Check[]> {
  try {
    const pending = await pendingMigrations(engine);
    const { faults, unread } = await engine.examineStructure();
    const large = listed(unread, (table) => table);
    const structure =
      faults.length === 0
        ? ok(
            'integrity',
            unread.length === 0
              ? 'The structure of the database is intact.'
              : `The structure of the database is intact, without ${large}, which are too large to be read here: the server and every backup check them.`,
          )
        : fail(
            'integrity',
            `The database is damaged: ${faults.join('; ').replaceAll('\n', ' ')}`,
            `Stop the server and restore the last backup: "${remedies.restoreBackup('<file>')}".`,
          );
    const migrations =
      pending.length === 0
        ? ok('migrations', 'All have been applied.')
        : warn(
            'migrations',
            `${counted(pending.length, 'pending migration')}: ${pending.join(', ')}.`,
            `Back up, then start the server or run "${remedies.migrate}". Run doctor again for the other checks.`,
          );
    return [structure, migrations];
  } catch (error) {
    return [fail('migrations', messageOf(error), 'The server will not start on this database.')];
  }
}

function checkSecretKey(
  engine: Engine,
  { secretKey, secretKeySource }: Pick<Config, 'secretKey' | 'secretKeySource'>,
  sealedCheck: Uint8Array | null,
): Check {
  const problem = secretKeyProblem(engine, secretKey, sealedCheck);
  if (problem !== null) return fail('secret key', problem, 'The server will not start without it.');
  if (sealedCheck === null) return ok('secret key', 'Nothing has been sealed yet; the first start creates a key.');
  const file = secretKey === null ? engine.keyFile : null;
  if (file !== null && existsSync(file) && (statSync(file).mode & 0o077) !== 0) {
    return warn('secret key', `Other users can read ${file}.`, `Run: ${remedies.keepToOwner(file)}`);
  }
  return ok('secret key', `It opens the sealed keys in the database. It is from ${file ?? secretKeySource}.`);
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

function checkAccess({ accounts, firstAccount, apiKeys }: Findings): Check {
  if (apiKeys === 0) {
    return warn(
      'access',
      `Accounts: ${accounts}. There is no valid API key: nobody can make requests.`,
      firstAccount === null
        ? `Start the server, which makes an account and a key, or run "${remedies.createAccount(defaultAccountName)}".`
        : `Run "${remedies.createKey(firstAccount)}".`,
    );
  }
  return ok('access', `Accounts: ${accounts}, API keys: ${apiKeys}.`);
}
