// `ssh-authority agents` and `ssh-authority add`: authorities whose key is in an agent.

import type { Command } from 'commander';
import { type CommonOptions, document, print, withAccount } from '../../../cli/command.ts';
import { defaultAccountName } from '../../../cli/first-start.ts';
import { remedies } from '../../../domain/remedies.ts';
import { authorityExample, shownAuthority } from '../authorities/authority-commands.ts';
import { addSshCertificateAuthority, offeredAgents } from './agent-store.ts';

type AccountOptions = CommonOptions & { account: string };
type AddOptions = AccountOptions & { agent: string; key?: string; description: string };

const agentExample = {
  name: 'hsm',
  keys: [
    {
      publicKey: 'ecdsa-sha2-nistp256 AAAA...',
      keyType: 'ecdsa',
      fingerprint: 'SHA256:RgZ...',
      comment: 'Hosts',
    },
  ],
  problem: null,
};

/** Adds the commands for authorities whose key is in an agent. */
export function addSshAgentCommands(authority: Command): void {
  document(
    authority
      .command('agents')
      .description(
        `List the agents that ${remedies.setSigningAgents} names for an account, with the keys that they offer.`,
      )
      .option('--account <id or name>', 'account of the authorities', defaultAccountName),
    { example: 'ssh-authority agents', json: { agents: [agentExample] } },
  ).action(({ account, ...options }: AccountOptions) =>
    withAccount(account, async (scope) => {
      const agents = await offeredAgents(scope);
      const lines = agents.flatMap(({ name, keys, problem }) => [
        ...(keys.length > 0 ? [] : [`${name}  ${problem ?? 'It offers no keys: it is empty or locked.'}`]),
        ...keys.map((key) => `${name}  ${key.fingerprint}  ${key.keyType}  ${key.comment}`),
      ]);
      await print(options, lines, { agents });
    }),
  );

  document(
    authority
      .command('add')
      .description(
        'Make an authority whose private key stays in an agent, such as one with a token of hardware, and print its public key.',
      )
      .requiredOption('--agent <name>', `name of the agent in ${remedies.setSigningAgents}`)
      .option('--key <fingerprint or public key>', 'which key of the agent, if it offers several')
      .option('--account <id or name>', 'account of the authority', defaultAccountName)
      .option('--description <text>', 'what the authority is for', ''),
    {
      example: 'ssh-authority add --agent hsm --description "data centre"',
      json: { sshAuthority: { ...authorityExample, signingAgent: 'hsm' } },
    },
  ).action(({ account, agent, key, description, ...options }: AddOptions) =>
    withAccount(account, async (scope) => {
      const made = await addSshCertificateAuthority(scope, { description, signingAgent: agent, key });
      await print(options, [made.id, made.publicKey], {
        sshAuthority: { ...shownAuthority(made), signingAgent: agent },
      });
    }),
  );
}
