#!/usr/bin/env node
// The command line: accounts, API keys and the secret key, beside a running server or without one.

import { Command } from 'commander';
import { createApiKey, revokeApiKey } from './areas/api-keys/store.ts';
import { readConfig } from './config.ts';
import { SallyportError } from './domain/errors.ts';
import { formatTimestamp } from './domain/time.ts';
import { defaultAccountName } from './first-start.ts';
import { changeSecretKey, visitDatabase } from './open-database.ts';
import type { AccountScope } from './storage/account-scope.ts';
import { keyFileOf } from './storage/secret-key.ts';
import type { Storage } from './storage/storage.ts';

const program = new Command('sallyport').description(
  'Manages accounts, API keys and the secret key of a Sallyport database.',
);

const account = program.command('account').description('Accounts: every object belongs to exactly one.');
account
  .command('create <name>')
  .description('Make an account.')
  .action((name: string) =>
    withStorage(async ({ accounts }) => {
      const { id } = await accounts.create(name);
      print([`${id}  ${name}`]);
    }),
  );
account
  .command('list')
  .description('List all accounts.')
  .action(() =>
    withStorage(async ({ accounts }) => {
      const all = await accounts.list();
      print(all.map(({ id, name, createdAt }) => `${id}  ${formatTimestamp(createdAt)}  ${name}`));
    }),
  );

const key = program.command('key').description('API keys: credentials of an account.');
key
  .command('create')
  .description('Make an API key and print its token, which cannot be shown again.')
  .option('--account <id or name>', 'account that the key is for', defaultAccountName)
  .option('--description <text>', 'what the key is for', '')
  .action(({ account, description }: { account: string; description: string }) =>
    withAccount(account, async (scope) => {
      const { id, token } = await createApiKey(scope, { description });
      print([id, token]);
    }),
  );
key
  .command('list')
  .description('List the API keys of an account.')
  .option('--account <id or name>', 'account whose keys to list', defaultAccountName)
  .action(({ account }: { account: string }) =>
    withAccount(account, async (scope) => {
      const all = await scope.db.apiKey.findMany({ orderBy: { id: 'asc' } });
      print(
        all.map(({ id, createdAt, lastUsedAt, description }) => {
          const used = lastUsedAt === null ? 'never used' : `last used ${formatTimestamp(lastUsedAt)}`;
          return `${id}  ${formatTimestamp(createdAt)}  ${used}  ${description}`;
        }),
      );
    }),
  );
key
  .command('revoke <id>')
  .description('Revoke an API key. A running server stops taking it within 5 seconds.')
  .option('--account <id or name>', 'account that the key is of', defaultAccountName)
  .action((id: string, { account }: { account: string }) =>
    withAccount(account, async (scope) => {
      await revokeApiKey(scope, id);
      print([`${id} is revoked.`]);
    }),
  );

const secret = program.command('secret').description('The key that private keys are sealed under.');
secret
  .command('rotate')
  .description(
    'Seal all private keys under a new key; the server must be stopped. Where SECRET_KEY gives the key, NEW_SECRET_KEY ' +
      'gives the next one; a key file gets a random key.',
  )
  .action(async () => {
    const config = readConfig(process.env);
    const count = await changeSecretKey(config, config.newSecretKey);
    const next =
      config.newSecretKey === null
        ? `The new key is in ${keyFileOf(config.databasePath)}: back it up.`
        : 'Set SECRET_KEY to what NEW_SECRET_KEY was.';
    print([`${count} private keys are sealed under the new key. ${next}`]);
  });

async function withStorage(work: (storage: Storage) => Promise<void>): Promise<void> {
  const storage = await visitDatabase(readConfig(process.env));
  try {
    await work(storage);
  } finally {
    await storage.close();
  }
}

function withAccount(idOrName: string, work: (scope: AccountScope) => Promise<void>): Promise<void> {
  return withStorage(async (storage) => {
    const found = await storage.accounts.find(idOrName);
    if (found === null) throw new Error(`There is no account "${idOrName}". "account list" shows those that exist.`);
    await work(storage.forAccount(found.id));
  });
}

function print(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

program.parseAsync().catch((error: unknown) => {
  const field = error instanceof SallyportError && error.field !== undefined ? `${error.field} ` : '';
  process.stderr.write(`${field}${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
