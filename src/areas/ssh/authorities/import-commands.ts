// `ssh-authority import`: for operators who have been signing with `ssh-keygen -s`.

import type { Command } from 'commander';
import { type CommonOptions, document, print, withAccount } from '../../../cli/command.ts';
import { defaultAccountName } from '../../../cli/first-start.ts';
import { askPassphrase, readPassphrase } from '../../../cli/passphrase.ts';
import { invalid } from '../../../domain/errors.ts';
import { remedies } from '../../../domain/remedies.ts';
import { needsPassphrase, privateKeyCharactersMax } from '../keys/private-key.ts';
import { authorityExample, shownAuthority } from './authority-commands.ts';
import { importSshCertificateAuthority } from './import-store.ts';

type ImportOptions = CommonOptions & { account: string; description: string; passphrase?: string };

/** Adds the command that creates an authority from an existing private key. */
export function addSshImportCommand(authority: Command): void {
  document(
    authority
      .command('import')
      .description(
        'Make an authority with an existing private key, which is read from standard input: as ssh-keygen or openssl writes it. ' +
          'Hosts and clients stay as they are.',
      )
      .option('--account <id or name>', 'account of the authority', defaultAccountName)
      .option('--description <text>', 'what the authority is for', '')
      .option(
        '--passphrase <source>',
        "where the key's passphrase is: env:NAME, file:PATH or fd:NUMBER; otherwise it is asked for on the terminal",
      ),
    {
      example: 'ssh-authority import --description "data centre" --passphrase file:/root/ca.pass < /root/ca_key',
      json: { sshAuthority: authorityExample },
    },
  ).action(async ({ account, description, passphrase: source, ...options }: ImportOptions) => {
    const privateKey = await readKey();
    // Before the database is opened, because the user may have to be asked.
    const passphrase = needsPassphrase(privateKey) ? await findPassphrase(source) : '';
    await withAccount(account, async (scope) => {
      const made = await importSshCertificateAuthority(scope, { description, privateKey, passphrase });
      await print(options, [made.id, made.publicKey], { sshAuthority: shownAuthority(made) });
    });
  });
}

function findPassphrase(source: string | undefined): string | Promise<string> {
  return source === undefined ? askPassphrase('Passphrase of the private key: ') : readPassphrase(source);
}

/** Reads standard input, but stops once it is longer than any key. */
async function readKey(): Promise<string> {
  if (process.stdin.isTTY) {
    throw invalid('privateKey', `is read from standard input: ${remedies.importAuthority('FILE')}`);
  }
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part;
    if (text.length > privateKeyCharactersMax) break;
  }
  return text;
}
