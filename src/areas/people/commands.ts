// `sign-in`: the way back to the dashboard for operators whose provider is broken.

import type { Command } from 'commander';
import { type CommonOptions, document, print, withAccount } from '../../cli/command.ts';
import { defaultAccountName } from '../../cli/first-start.ts';
import { readConfig } from '../../config.ts';
import { remedies } from '../../domain/remedies.ts';
import { messageOf } from '../../domain/wording.ts';
import { createOpenIdProviders } from '../../outgoing/openid-providers.ts';
import { createOutgoing } from '../../outgoing/outgoing.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { examineStored } from './protocol-store.ts';
import { suspendSignIn } from './provider-store.ts';
import { providersMax } from './role-store.ts';

/** How a provider has answered; null for one that can be used. */
interface Tested {
  readonly id: string;
  readonly name: string;
  readonly failure: string | null;
}

/** Asks all providers of an account what they say about themselves; of those by SAML, the metadata says it. */
async function testProviders(scope: AccountView): Promise<Tested[]> {
  const config = readConfig(process.env);
  const clock = () => ({ now: scope.now(), skewMs: config.clockSkewSeconds * 1000 });
  const providers = createOpenIdProviders({ outgoing: createOutgoing(config), clock });
  const rows = await scope.db.signInProvider.findMany({ orderBy: { id: 'asc' }, take: providersMax });
  const tested: Tested[] = [];
  for (const row of rows) {
    const failure = await examineStored(scope, row, providers.examine).then(
      () => null,
      (error: unknown) => messageOf(error),
    );
    tested.push({ id: row.id, name: row.name, failure });
  }
  return tested;
}

/** Adds the commands for signing in. */
export function addCommands(program: Command): void {
  const signIn = program.command('sign-in').description('Manage how people sign in to the dashboard, without the API.');

  document(
    signIn
      .command('test')
      .description(
        'Ask all sign-in providers of an account what they say about themselves, as a sign-in does first. Changes nothing. Exits with 1 ' +
          'if one cannot be used, or there is none.',
      )
      .option('--account <id or name>', 'account of the providers', defaultAccountName),
    {
      example: 'sign-in test --account branch-office',
      json: { providers: [{ id: 'sip_01m7...', name: 'Keycloak', failure: null }] },
    },
  ).action(({ account, ...options }: { account: string } & CommonOptions) =>
    withAccount(account, async (scope) => {
      const providers = await testProviders(scope);
      if (providers.length === 0) throw new Error(`The account ${account} has no sign-in provider.`);
      await print(
        options,
        providers.map(({ name, failure }) =>
          failure === null
            ? `The sign-in provider "${name}" answers.`
            : `The sign-in provider "${name}" cannot be used: ${failure}`,
        ),
        { providers },
      );
      if (providers.some(({ failure }) => failure !== null)) process.exitCode = 1;
    }),
  );

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
