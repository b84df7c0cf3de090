// `ssh-enrollment-token`: for operators who set up hosts and have no API client at hand.

import { type Command, Option } from 'commander';
import { type CommonOptions, document, forceOption, print, printSecret, withAccount } from '../../../cli/command.ts';
import { defaultAccountName } from '../../../cli/first-start.ts';
import { remedies } from '../../../domain/remedies.ts';
import { readTextList } from '../../../domain/values/decode.ts';
import { formatTimestamp } from '../../../domain/values/time.ts';
import type { Row } from '../../../storage/objects/collection.ts';
import { sshEnrollmentTokens } from '../collections-store.ts';
import { type KeyType, keyTypes } from '../keys/public-key.ts';
import { createSshEnrollmentToken, endlessMaker } from './enrollment-token-store.ts';

type CreateOptions = CommonOptions & {
  account: string;
  authority: string;
  principal: string[];
  description: string;
  keyType?: KeyType[];
  maxValidity?: number;
  maxUses?: number;
  expires?: string;
  force?: true;
};

const example = {
  id: 'sshenr_01m7...',
  accountId: 'acct_01m7...',
  sshCertificateAuthorityId: 'sshca_01m7...',
  description: 'database hosts',
  createdAt: '2026-11-20T21:00:00Z',
  principals: ['*.db.example.com', '10.1.0.0/16'],
  keyTypes: ['ed25519'],
  maxValidity: 7_776_000,
  maxUses: 20,
  uses: 0,
  expiresAt: '2026-11-21T21:00:00Z',
};

/** Adds the commands for tokens that enroll hosts. */
export function addSshEnrollmentTokenCommands(program: Command): void {
  const token = program
    .command('ssh-enrollment-token')
    .description('Manage enrollment tokens, with which hosts get their first SSH certificates.');
  const shown = ({
    principals,
    keyTypes,
    createdAt,
    expiresAt,
    validitySeconds,
    ...row
  }: Row<'SshEnrollmentToken'>) => ({
    id: row.id,
    accountId: row.accountId,
    sshCertificateAuthorityId: row.sshCertificateAuthorityId,
    description: row.description,
    createdAt: formatTimestamp(createdAt),
    principals: readTextList(principals),
    keyTypes: readTextList(keyTypes),
    maxValidity: validitySeconds,
    maxUses: row.maxUses,
    uses: row.uses,
    expiresAt: formatTimestamp(expiresAt),
  });

  document(
    forceOption(
      token
        .command('create')
        .description('Create an enrollment token and print its secret, which cannot be shown again.')
        .option('--account <id or name>', 'account of the token', defaultAccountName)
        .requiredOption('--authority <id>', 'authority that signs the certificates')
        .requiredOption(
          '--principal <names...>',
          'what hosts may ask to be called: names, wildcards such as "*.db.example.com", and address ranges',
        )
        .option('--description <text>', 'what the token is for', '')
        .addOption(
          new Option('--key-type <types...>', 'types of host keys to certify; all by default').choices(keyTypes),
        )
        .option('--max-validity <seconds>', 'longest validity of a certificate; 90 days by default', Number)
        .option('--max-uses <number>', 'how many certificates the token is good for; one by default', Number)
        .option('--expires <time>', 'when the token ends, such as 2027-05-31T00:00:00Z; in 24 hours by default'),
    ),
    {
      example:
        'ssh-enrollment-token create --authority sshca_01m7xehb24efe8sfxqfz0dt6w9 --principal "*.db.example.com" --max-uses 20',
      json: { sshEnrollmentToken: { ...example, token: 'sshet_...' } },
    },
  ).action(
    ({
      account,
      authority,
      principal,
      keyType,
      expires,
      description,
      maxValidity,
      maxUses,
      force,
      ...options
    }: CreateOptions) =>
      withAccount(
        account,
        async (scope) => {
          const made = await createSshEnrollmentToken(
            scope,
            {
              sshCertificateAuthorityId: authority,
              principals: principal,
              description,
              keyTypes: keyType,
              maxValidity,
              maxUses,
              expiresAt: expires,
            },
            endlessMaker,
          );
          const lost = {
            made: `The enrollment token ${made.id}`,
            undo: remedies.deleteEnrollmentToken(made.id, made.accountId),
          };
          const value = { sshEnrollmentToken: { ...shown(made), token: made.token } };
          await printSecret(lost, options, [made.id, made.token], value);
        },
        force,
      ),
  );

  document(
    token
      .command('list')
      .description('List the enrollment tokens of an account, also those that have ended.')
      .option('--account <id or name>', 'account whose tokens to list', defaultAccountName),
    { example: 'ssh-enrollment-token list --account branch-office', json: { sshEnrollmentTokens: [example] } },
  ).action(({ account, ...options }: { account: string } & CommonOptions) =>
    withAccount(account, async (scope) => {
      const all = (await scope.db.sshEnrollmentToken.findMany({ orderBy: { id: 'asc' } })).map(shown);
      await print(
        options,
        all.map(({ id, uses, maxUses, expiresAt, principals, description }) => {
          const ends = scope.now().getTime() < Date.parse(expiresAt) ? 'ends' : 'ended';
          return `${id}  used ${uses} of ${maxUses}  ${ends} ${expiresAt}  ${principals.join(' ')}  ${description}`;
        }),
        { sshEnrollmentTokens: all },
      );
    }),
  );

  document(
    forceOption(
      token
        .command('delete <id>')
        .description(
          'Delete an enrollment token, which ends at once. Hosts that were enrolled with it keep their certificates.',
        )
        .option('--account <id or name>', 'account of the token', defaultAccountName),
    ),
    {
      example: 'ssh-enrollment-token delete sshenr_01m7xehb24efe8sfxqfz0dt6w9',
      json: { deleted: 'sshenr_01m7...' },
    },
  ).action((id: string, { account, force, ...options }: { account: string; force?: true } & CommonOptions) =>
    withAccount(
      account,
      async (scope) => {
        await sshEnrollmentTokens.remove(scope, id, undefined);
        await print(options, [`${id} is deleted.`], { deleted: id });
      },
      force,
    ),
  );
}
