// `sign-in`: the way back to the dashboard for operators whose provider is broken.

import type { Command } from 'commander';
import { type CommonOptions, document, print, withAccount } from '../../cli/command.ts';
import { defaultAccountName } from '../../cli/first-start.ts';
import { remedies } from '../../domain/remedies.ts';
import { suspendSignIn } from './provider-store.ts';

/** Adds the commands for signing in. */
export function addCommands(program: Command): void {
  const signIn = program.command('sign-in').description('Manage how people sign in to the dashboard, without the API.');

  document(
    signIn
      .command('suspend')
      .description(
        'Disable all sign-in providers of an account: people who signed in there are signed out, and API keys sign in to the dashboard ' +
          'again. A running server obeys within a second. Exits with 1 if none was enabled.',
      )
      .option('--account <id or name>', 'account of the providers', defaultAccountName),
    {
      example: 'sign-in suspend --account branch-office',
      json: { suspended: [{ id: 'sip_01m7...', name: 'Keycloak' }] },
    },
  ).action(({ account, ...options }: { account: string } & CommonOptions) =>
    withAccount(account, async (scope) => {
      const suspended = await suspendSignIn(scope);
      if (suspended.length === 0) {
        throw new Error(
          `No sign-in provider is enabled in the account ${account}: nothing was changed. "${remedies.listAccounts}" shows all accounts.`,
        );
      }
      await print(
        options,
        [
          ...suspended.map(({ name }) => `The sign-in provider "${name}" is disabled.`),
          'To enable one again, set its "enabled" to true over the API.',
        ],
        { suspended },
      );
    }),
  );
}
