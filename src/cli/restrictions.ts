// `restrictions`: the way back in for operators who have locked themselves out.

import { type Command, Option } from 'commander';
import { type RestrictionType, restrictionTypes } from '../areas/ip-restrictions/rules.ts';
import { suspendIpRestrictions } from '../areas/ip-restrictions/store.ts';
import { type CommonOptions, document, print, withAccount } from './command.ts';
import { defaultAccountName } from './first-start.ts';

type SuspendOptions = CommonOptions & { account: string; type: RestrictionType };

/** Adds the commands for IP restrictions. */
export function addRestrictionCommands(program: Command): void {
  const restrictions = program.command('restrictions').description('Manage IP restrictions without the API.');

  document(
    restrictions
      .command('suspend')
      .description(
        'Stop enforcing all IP restrictions of one type: they only warn from then on. A running server obeys within a second.',
      )
      .option('--account <id or name>', 'account of the restrictions', defaultAccountName)
      .addOption(new Option('--type <type>', 'type of traffic').choices(restrictionTypes).default('api')),
    {
      example: 'restrictions suspend --account branch-office',
      json: { suspended: [{ id: 'ipx_01m7...', type: 'api', description: 'offices only' }] },
    },
  ).action(({ account, type, ...options }: SuspendOptions) =>
    withAccount(account, async (scope) => {
      const suspended = await suspendIpRestrictions(scope, type);
      const lines = suspended.map(({ id, description }) => `${id} is not enforced any more.  ${description}`.trimEnd());
      const none = `No IP restriction of type ${type} is enforced for this account.`;
      const back = 'To enforce one again, set its "enforced" to true over the API.';
      await print(options, lines.length === 0 ? [none] : [...lines, back], {
        suspended: suspended.map(({ id, description }) => ({ id, type, description })),
      });
    }),
  );
}
