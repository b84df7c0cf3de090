// The command with which whoever runs the server ends the approvals of an account: the command line waits for nobody.

import type { Command } from 'commander';
import { type CommonOptions, document, print, withAccount } from '../../cli/command.ts';
import { defaultAccountName } from '../../cli/first-start.ts';
import { isRequired, setRequired } from './settings-store.ts';

/** Adds the command. */
export function addCommands(program: Command): void {
  const approvals = program
    .command('approvals')
    .description('Changes that wait for a second person. Commands wait for nobody.');
  document(
    approvals
      .command('suspend')
      .description(
        'Have no change of an account wait for a second person any more, such as when nobody is left who could approve. Exits with 1 if ' +
          'none did.',
      )
      .option('--account <id or name>', 'account of the changes', defaultAccountName),
    { example: 'approvals suspend --account branch-office', json: { required: false } },
  ).action(({ account, ...options }: { account: string } & CommonOptions) =>
    withAccount(account, async (scope) => {
      if (!(await isRequired(scope))) {
        throw new Error(`No change waits for a second person in the account ${account}: nothing was changed.`);
      }
      await setRequired(scope, false, null);
      await print(options, ['Changes wait for a second person no longer.'], { required: false });
    }),
  );
}
