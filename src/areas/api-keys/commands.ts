// `key`: the keys that may use the server.

import type { Command } from 'commander';
import { type CommonOptions, document, print, printSecret, withAccount } from '../../cli/command.ts';
import { defaultAccountName } from '../../cli/first-start.ts';
import { readScopes } from '../../domain/access/key-scopes.ts';
import { SallyportError } from '../../domain/errors.ts';
import { remedies } from '../../domain/remedies.ts';
import { formatTimestamp } from '../../domain/values/time.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { unlimited } from './rules.ts';
import { createApiKey, deleteApiKeys } from './store.ts';

interface CreateOptions extends CommonOptions {
  readonly account: string;
  readonly description: string;
  readonly scope?: string[];
  readonly expires?: string;
  readonly passGroup?: string[];
  readonly passAt?: string;
}

/** Adds the commands for API keys. */
export function addCommands(program: Command): void {
  const key = program.command('key').description('Manage API keys, the credentials of an account.');
  const keyExample = {
    id: 'ak_01m7...',
    accountId: 'acct_01m7...',
    description: 'dashboard',
    scopes: ['read', 'ssh:write'],
    createdAt: '2026-11-20T21:00:00Z',
    expiresAt: '2027-05-31T00:00:00Z',
  };
  const shown = ({ id, accountId, description, scopes, createdAt, expiresAt }: Row<'ApiKey'>) => ({
    id,
    accountId,
    description,
    scopes: readScopes(scopes),
    createdAt: formatTimestamp(createdAt),
    expiresAt: expiresAt === null ? null : formatTimestamp(expiresAt),
  });

  document(
    key
      .command('create')
      .description('Create an API key and print its token, which cannot be shown again.')
      .option('--account <id or name>', 'account of the key', defaultAccountName)
      .option('--description <text>', 'what the key is for', '')
      .option('--scope <scopes...>', 'what the key may do, such as "read" or "ssh:write"; everything by default')
      .option('--expires <time>', 'when the key ends, such as 2027-05-31T00:00:00Z; never by default')
      .option('--pass-group <groups...>', 'with the scope gate:pass, the groups of the program; none by default')
      .option('--pass-at <id>', 'with the scope gate:pass, the HTTPS edge or route that it is limited to'),
    {
      example: 'key create --account branch-office --description "dashboard" --scope read ssh:write',
      json: { key: { ...keyExample, token: 'sallyport_...' } },
    },
  ).action(
    ({ account, description, scope: scopes, expires: expiresAt, passGroup, passAt, ...options }: CreateOptions) =>
      withAccount(account, async (scope) => {
        const settings = { description, scopes, expiresAt, passGroups: passGroup, passAt };
        const key = await createApiKey(scope, settings, unlimited);
        const lost = { made: `The API key ${key.id}`, undo: remedies.revokeKey(key.id, key.accountId) };
        const value = { key: { ...shown(key), token: key.token } };
        await printSecret(lost, options, [key.id, key.token], value);
      }),
  );

  document(
    key
      .command('list')
      .description('List the API keys of an account.')
      .option('--account <id or name>', 'account whose keys to list', defaultAccountName),
    {
      example: 'key list --account branch-office',
      json: { keys: [{ ...keyExample, lastUsedAt: '2026-11-20T21:05:00Z' }] },
    },
  ).action(({ account, ...options }: { account: string } & CommonOptions) =>
    withAccount(account, async (scope) => {
      const all = await scope.db.apiKey.findMany({ orderBy: { id: 'asc' } });
      const keys = all.map((key) => ({
        ...shown(key),
        lastUsedAt: key.lastUsedAt === null ? null : formatTimestamp(key.lastUsedAt),
      }));
      await print(
        options,
        keys.map(({ id, createdAt, lastUsedAt, scopes, expiresAt, description }) => {
          const used = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt}`;
          const ends = expiresAt === null ? 'never expires' : `expires ${expiresAt}`;
          return `${id}  ${createdAt}  ${used}  ${scopes.join(' ')}  ${ends}  ${description}`;
        }),
        { keys },
      );
    }),
  );

  document(
    key
      .command('revoke <id>')
      .description('Revoke an API key. A running server stops accepting it within a second.')
      .option('--account <id or name>', 'account of the key', defaultAccountName)
      .option('--force', 'revoke even the last valid key of the account with all rights'),
    { example: 'key revoke ak_01m7xehb24efe8sfxqfz0dt6w9 --account branch-office', json: { revoked: 'ak_01m7...' } },
  ).action((id: string, { account, force, ...options }: { account: string; force?: true } & CommonOptions) =>
    withAccount(account, async (scope) => {
      await deleteApiKeys(scope, [{ id }], { own: null, force }).catch((error: unknown) => {
        throw explainedHere(error, id, scope.accountId);
      });
      await print(options, [`${id} is revoked.`], { revoked: id });
    }),
  );
}

/** Says of a revocation that failed what an operator can do, who has neither the API's fields nor its headers. */
function explainedHere(error: unknown, id: string, accountId: string): unknown {
  const code = error instanceof SallyportError ? error.code : null;
  if (code === 'NOT_FOUND') {
    return new Error(`There is no API key ${id} in the account. "${remedies.listKeys(accountId)}" shows its keys.`);
  }
  if (code === 'LOCKOUT') {
    return new Error(
      `${id} is the last valid API key of the account with all rights. Make another one first with ` +
        `"${remedies.createKey(accountId)}", or revoke it anyway: "${remedies.revokeKeyAnyway(id, accountId)}".`,
    );
  }
  return error;
}
