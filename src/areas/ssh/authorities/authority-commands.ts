// `ssh-authority`: for operators who set up hosts and have no API client at hand.

import { type Command, Option } from 'commander';
import { type CommonOptions, document, print, withAccount } from '../../../cli/command.ts';
import { defaultAccountName } from '../../../cli/first-start.ts';
import { formatTimestamp } from '../../../domain/values/time.ts';
import type { Row } from '../../../storage/objects/collection.ts';
import { createSshCertificateAuthority } from './authority-store.ts';

type CreateOptions = CommonOptions & {
  account: string;
  description: string;
  type?: string;
  curve?: string;
  bits?: string;
};

export const authorityExample = {
  id: 'sshca_01m7...',
  accountId: 'acct_01m7...',
  description: 'data centre',
  createdAt: '2026-11-20T21:00:00Z',
  keyType: 'ed25519',
  publicKey: 'ssh-ed25519 AAAA...',
};

/** Returns what commands print about an authority with `--json`. */
export function shownAuthority({
  id,
  accountId,
  description,
  createdAt,
  keyType,
  publicKey,
}: Row<'SshCertificateAuthority'>) {
  return { id, accountId, description, createdAt: formatTimestamp(createdAt), keyType, publicKey };
}

/** Parses a key size, which commander has validated. */
export function readKeySize(bits: string | undefined): number | undefined {
  return bits === undefined ? undefined : Number(bits);
}

/** Adds the commands for SSH certificate authorities, and returns their group, to which other files add more. */
export function addSshAuthorityCommands(program: Command): Command {
  const authority = program
    .command('ssh-authority')
    .description('Manage SSH certificate authorities, which sign host certificates.');

  document(
    authority
      .command('create')
      .description('Create an authority and print its public key. The private key never leaves the server.')
      .option('--account <id or name>', 'account of the authority', defaultAccountName)
      .option('--description <text>', 'what the authority is for', '')
      .addOption(new Option('--type <type>', 'key type').choices(['ed25519', 'ecdsa', 'rsa']))
      .addOption(new Option('--curve <curve>', 'curve of an ecdsa key').choices(['p256', 'p384', 'p521']))
      .addOption(new Option('--bits <number>', 'size of an rsa key').choices(['2048', '3072', '4096'])),
    { example: 'ssh-authority create --description "data centre"', json: { sshAuthority: authorityExample } },
  ).action(({ account, description, type, curve, bits, ...options }: CreateOptions) =>
    withAccount(account, async (scope) => {
      const made = await createSshCertificateAuthority(scope, {
        description,
        privateKeyType: type,
        ellipticCurve: curve,
        keySize: readKeySize(bits),
      });
      await print(options, [made.id, made.publicKey], { sshAuthority: shownAuthority(made) });
    }),
  );

  document(
    authority
      .command('list')
      .description('List the authorities of an account.')
      .option('--account <id or name>', 'account whose authorities to list', defaultAccountName),
    { example: 'ssh-authority list --account branch-office', json: { sshAuthorities: [authorityExample] } },
  ).action(({ account, ...options }: { account: string } & CommonOptions) =>
    withAccount(account, async (scope) => {
      const all = (await scope.db.sshCertificateAuthority.findMany({ orderBy: { id: 'asc' } })).map(shownAuthority);
      await print(
        options,
        all.map(({ id, createdAt, publicKey, description }) => `${id}  ${createdAt}  ${publicKey}  ${description}`),
        { sshAuthorities: all },
      );
    }),
  );
  return authority;
}
