// `migrate`, `backup`, `restore` and `secret`: the database as a whole.

import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { remedies } from '../domain/remedies.ts';
import { counted } from '../domain/wording.ts';
import type { CopyReport } from '../storage/engine.ts';
import { chooseEngine } from '../storage/lifecycle/choose-engine.ts';
import { appliedMigrations, pendingMigrations } from '../storage/lifecycle/migrate.ts';
import { applyMigrations, changeSecretKey, restoreDatabase } from '../storage/lifecycle/open.ts';
import { type CommonOptions, document, print } from './command.ts';
import { tell } from './output.ts';
import { reportingProgress } from './progress.ts';

const migrationExample = '20261120210000_init';
const copyExample = { bytes: 217_088, integrity: 'ok', secretCheck: true, tables: { Account: 1, ApiKey: 2 } };

/** Adds the commands for migrations. */
export function addMigrateCommands(program: Command): void {
  const migrate = program
    .command('migrate')
    .description('Show and apply migrations, which bring the database up to date.');

  document(migrate.command('status').description('Show which migrations have been applied, and which are pending.'), {
    example: 'migrate status',
    json: { database: './data/sallyport.db', applied: [migrationExample], pending: [] },
  }).action(async (options: CommonOptions) => {
    const engine = chooseEngine(readConfig(process.env).databaseUrl);
    const pending = await pendingMigrations(engine);
    const applied = await appliedMigrations(engine);
    const verdict =
      pending.length === 0
        ? 'The database is up to date.'
        : `The next start of the server applies the pending migrations, and so does "${remedies.migrate}".`;
    const lines = [...applied.map((name) => `applied  ${name}`), ...pending.map((name) => `pending  ${name}`)];
    await print(options, [...lines, verdict], { database: engine.name, applied, pending });
  });

  document(migrate.command('apply').description('Apply the pending migrations. Stop the server first.'), {
    example: 'migrate apply',
    json: { applied: [migrationExample] },
  }).action(async (options: CommonOptions) => {
    const applied = await applyMigrations(readConfig(process.env));
    const lines = applied.length === 0 ? ['The database is up to date.'] : applied.map((name) => `applied  ${name}`);
    await print(options, lines, { applied });
  });
}

/** Adds the commands for copies. */
export function addBackupCommands(program: Command): void {
  document(
    program
      .command('backup <file>')
      .description('Back up the database to a new file and verify it. The server may be running.'),
    {
      example: 'backup /var/backups/sallyport-2026-11-20.db',
      json: { backup: { file: '/var/backups/sallyport-2026-11-20.db', ...copyExample } },
    },
  ).action(async (file: string, options: CommonOptions) => {
    const { databaseUrl, secretKey } = readConfig(process.env);
    const engine = chooseEngine(databaseUrl);
    const progress = reportingProgress();
    const report = await engine.backUp(file, (part) => progress('copied', part));
    const key =
      secretKey === null && engine.keyFile !== null
        ? `its file ${engine.keyFile}`
        : `the value of ${remedies.setSecretKey}`;
    await print(
      options,
      [
        `Copied ${engine.name} to ${file}: ${describe(report)}`,
        ...rowLines(report),
        `The copy does not contain the secret key. Back up ${key} too, in another place: without it nobody can use the ` +
          'private keys in the copy; with it, anyone can.',
      ],
      { backup: { file, integrity: 'ok', ...report } },
    );
  });

  document(
    program
      .command('restore <file>')
      .description('Replace the database with a backup, and keep the old one. Stop the server first.'),
    {
      example: 'restore /var/backups/sallyport-2026-11-20.db',
      json: {
        restore: {
          file: '/var/backups/sallyport-2026-11-20.db',
          database: './data/sallyport.db',
          replaced: './data/sallyport.db.replaced-20261120T210000Z',
          pending: [],
          contents: 'unchanged',
          ...copyExample,
        },
      },
    },
  ).action(async (file: string, options: CommonOptions) => {
    const config = readConfig(process.env);
    const database = chooseEngine(config.databaseUrl).name;
    const report = await restoreDatabase(config, file, tell);
    const { isCompared, ...shown } = report;
    const { replaced, pending } = shown;
    await print(
      options,
      [
        `Restored ${database} from ${file}: ${describe(report)}`,
        ...rowLines(report),
        isCompared
          ? 'The contents are those of when the backup was made.'
          : 'The file has no digests, which backups of earlier versions lack: whether its contents were changed cannot be told.',
        replaced === null ? 'There was no previous database.' : `The previous database is kept as ${replaced}.`,
        'What was revoked after the copy was made is valid again: revoke those API keys and delete those host ' +
          'certificates again.',
        ...(pending.length === 0 ? [] : [`The next start of the server applies ${pending.join(', ')}.`]),
      ],
      { restore: { file, database, integrity: 'ok', contents: isCompared ? 'unchanged' : 'unknown', ...shown } },
    );
  });
}

/** Adds the commands for the secret key. */
export function addSecretCommands(program: Command): void {
  const secret = program.command('secret').description('Manage the secret key, which seals private keys.');
  document(
    secret
      .command('rotate')
      .description(
        'Seal all private keys with a new secret key. Stop the server first. If SECRET_KEY is set, set NEW_SECRET_KEY to ' +
          'the new key; a key file gets a random one.',
      ),
    { example: 'secret rotate', json: { sealed: 3 } },
  ).action(async (options: CommonOptions) => {
    const config = readConfig(process.env);
    const count = await changeSecretKey(config, config.newSecretKey);
    const { keyFile } = chooseEngine(config.databaseUrl);
    const next =
      config.newSecretKey === null && keyFile !== null
        ? `The new key is in ${keyFile}: back it up.`
        : `Set ${remedies.setSecretKey} to the value of ${remedies.setNewSecretKey}.`;
    await print(options, [`Sealed ${counted(count, 'private key')} with the new key. ${next}`], { sealed: count });
  });
}

function describe({ bytes }: CopyReport): string {
  return `${bytes} bytes, integrity check ok. Rows:`;
}

function rowLines({ tables }: CopyReport): string[] {
  return Object.entries(tables).map(([table, rows]) => `  ${table}  ${rows}`);
}
