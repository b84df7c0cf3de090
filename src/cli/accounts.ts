// `account`: whose objects there are.

import type { Command } from 'commander';
import { formatTimestamp } from '../domain/values/time.ts';
import { commandLine } from '../storage/trail/origin.ts';
import { type CommonOptions, document, print, withStorage } from './command.ts';

const accountExample = { id: 'acct_01m7...', name: 'branch-office', createdAt: '2026-11-20T21:00:00Z' };

/** Adds the commands for accounts. */
export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('Manage accounts: every object belongs to exactly one.');
  const shown = ({ id, name, createdAt }: { id: string; name: string; createdAt: Date }) => ({
    id,
    name,
    createdAt: formatTimestamp(createdAt),
  });

  document(account.command('create <name>').description('Create an account.'), {
    example: 'account create branch-office',
    json: { account: accountExample },
  }).action((name: string, options: CommonOptions) =>
    withStorage(async ({ accounts }) => {
      const made = await accounts.create(name, commandLine);
      await print(options, [`${made.id}  ${name}`], { account: shown(made) });
    }),
  );

  document(account.command('list').description('List all accounts.'), {
    example: 'account list',
    json: { accounts: [accountExample] },
  }).action((options: CommonOptions) =>
    withStorage(async ({ accounts }) => {
      const all = (await accounts.list()).map(shown);
      await print(
        options,
        all.map(({ id, name, createdAt }) => `${id}  ${createdAt}  ${name}`),
        { accounts: all },
      );
    }),
  );
}
