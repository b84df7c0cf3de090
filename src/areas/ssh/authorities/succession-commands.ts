// `ssh-authority announce`, `hand-over`, `retire` and `status`: replacing an authority.

import { type Command, Option } from 'commander';
import { type CommonOptions, document, forceOption, print, withAccount } from '../../../cli/command.ts';
import { defaultAccountName } from '../../../cli/first-start.ts';
import { formatTimestamp } from '../../../domain/values/time.ts';
import type { AccountScope } from '../../../storage/objects/account-scope.ts';
import type { Row } from '../../../storage/objects/collection.ts';
import { knownHostsLine } from '../rules.ts';
import { authorityExample, readKeySize, shownAuthority } from './authority-commands.ts';
import { nextStep, stateOf, type Unended } from './succession-rules.ts';
import { announceSuccessor, handOver, retire, successorOf, unendedCertificates } from './succession-store.ts';

type AccountOptions = CommonOptions & { account: string };
type AnnounceOptions = AccountOptions & { description: string; type?: string; curve?: string; bits?: string };
type RetireOptions = AccountOptions & { revokeCertificates?: boolean; force?: true };
type Authority = Row<'SshCertificateAuthority'>;

const statusExample = {
  ...authorityExample,
  knownHostsLine: '@cert-authority * ssh-ed25519 AAAA...',
  state: 'handed_over',
  successorId: 'sshca_01m8...',
  handedOverAt: '2026-11-22T21:00:00Z',
  retiredAt: null,
  certificatesLeft: 12,
  lastCertificateEndsAt: '2027-02-18T21:00:00Z',
  nextStep:
    'after the end of 12 host certificates, at 2027-02-18T21:00:00Z: sallyport ssh-authority retire sshca_01m7... --account acct_01m7...; or once their hosts have renewed: sallyport ssh-authority retire sshca_01m7... --account acct_01m7... --revoke-certificates',
};

/** Adds the commands that replace an authority, in order of use. */
export function addSshSuccessionCommands(authority: Command): void {
  const step = (name: string, description: string) =>
    authority
      .command(`${name} <id>`)
      .description(description)
      .option('--account <id or name>', 'account of the authority', defaultAccountName);
  const example = (name: string) => `ssh-authority ${name} sshca_01m7xehb24efe8sfxqfz0dt6w9 --account branch-office`;

  document(
    step(
      'announce',
      'Make the successor of an authority, with a new key, and print its public key. The old one goes on signing until it hands over.',
    )
      .option('--description <text>', 'what the successor is for', '')
      .addOption(
        new Option('--type <type>', 'key type; as that of the old one by default').choices(['ed25519', 'ecdsa', 'rsa']),
      )
      .addOption(new Option('--curve <curve>', 'curve of an ecdsa key').choices(['p256', 'p384', 'p521']))
      .addOption(new Option('--bits <number>', 'size of an rsa key').choices(['2048', '3072', '4096'])),
    { example: example('announce'), json: { sshAuthority: authorityExample } },
  ).action((id: string, { account, description, type, curve, bits, ...options }: AnnounceOptions) =>
    withAccount(account, async (scope) => {
      const kind = { privateKeyType: type, ellipticCurve: curve, keySize: readKeySize(bits) };
      const made = await announceSuccessor(scope, { id, description, ...kind });
      await print(options, [made.id, made.publicKey], { sshAuthority: shownAuthority(made) });
    }),
  );

  document(step('hand-over', 'Have the successor of an authority sign what is asked of it from now on.'), {
    example: example('hand-over'),
    json: { sshAuthority: statusExample },
  }).action((id: string, options: AccountOptions) => afterStep(options, (scope) => handOver(scope, { id })));

  document(
    forceOption(
      step(
        'retire',
        'Erase the private key of an authority that has handed over, once the last certificate that it has signed has ended.',
      ).option(
        '--revoke-certificates',
        'do not wait: revoke the certificates that have not ended. Clients refuse hosts that have not renewed by then',
      ),
    ),
    { example: example('retire'), json: { sshAuthority: statusExample } },
  ).action((id: string, { revokeCertificates: revokesCertificates = false, ...options }: RetireOptions) =>
    afterStep(options, (scope) => retire(scope, { id }, { revokesCertificates })),
  );

  document(
    authority
      .command('status')
      .description('Show how far each authority is on its way to being replaced, and what to do next.')
      .option('--account <id or name>', 'account whose authorities to show', defaultAccountName),
    { example: 'ssh-authority status --account branch-office', json: { sshAuthorities: [statusExample] } },
  ).action(({ account, ...options }: AccountOptions) =>
    withAccount(account, async (scope) => {
      const all = await scope.db.sshCertificateAuthority.findMany({ orderBy: { id: 'asc' } });
      const statuses = [];
      for (const one of all) statuses.push(await statusOf(scope, one, await unendedCertificates(scope, one.id)));
      await print(options, statuses.flatMap(linesOf), { sshAuthorities: statuses });
    }),
  );
}

/** Runs a step of the replacement, and prints the resulting status of the authority. */
function afterStep(
  { account, force, ...options }: AccountOptions & { force?: true },
  take: (scope: AccountScope) => Promise<Authority>,
): Promise<void> {
  return withAccount(
    account,
    async (scope) => {
      const authority = await take(scope);
      const status = await statusOf(scope, authority, await unendedCertificates(scope, authority.id));
      await print(options, linesOf(status), { sshAuthority: status });
    },
    force,
  );
}

async function statusOf(scope: AccountScope, authority: Authority, left: Unended) {
  const { successorId, handedOverAt, retiredAt, publicKey } = authority;
  return {
    ...shownAuthority(authority),
    knownHostsLine: knownHostsLine('*', publicKey),
    state: stateOf(authority),
    successorId,
    handedOverAt: handedOverAt === null ? null : formatTimestamp(handedOverAt),
    retiredAt: retiredAt === null ? null : formatTimestamp(retiredAt),
    certificatesLeft: left.count,
    lastCertificateEndsAt: left.until === null ? null : formatTimestamp(left.until),
    nextStep: nextStep(authority, await successorOf(scope, authority), left),
  };
}

function linesOf(status: Awaited<ReturnType<typeof statusOf>>): string[] {
  const { id, state, description, certificatesLeft, lastCertificateEndsAt } = status;
  const left =
    certificatesLeft === 0
      ? 'no certificates left'
      : `certificates left: ${certificatesLeft}, until ${lastCertificateEndsAt}`;
  return [
    `${id}  ${state}  ${left}  ${description}`.trimEnd(),
    `  ${status.knownHostsLine}`,
    `  next: ${status.nextStep}`,
  ];
}
