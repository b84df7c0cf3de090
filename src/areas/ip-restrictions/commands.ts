// `restrictions`: the way back in for operators who have locked themselves out.

import { type Command, Option } from 'commander';
import { type CommonOptions, document, print, withAccount } from '../../cli/command.ts';
import { defaultAccountName } from '../../cli/first-start.ts';
import { type RestrictionType, restrictionTypes } from '../../domain/ip/restriction-types.ts';
import { remedies } from '../../domain/remedies.ts';
import { called } from '../../domain/wording.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { suspendIpRestrictions } from './store.ts';

type SuspendOptions = CommonOptions & { account: string; type?: RestrictionType };

/** The types that can keep an operator out of Sallyport itself. */
const ownTypes: readonly RestrictionType[] = ['api', 'dashboard'];

/** Adds the commands for IP restrictions. */
export function addCommands(program: Command): void {
  const restrictions = program.command('restrictions').description('Manage IP restrictions without the API.');

  document(
    restrictions
      .command('suspend')
      .description(
        'Stop enforcing all IP restrictions that guard the API and the dashboard: they only warn from then on. A running server ' +
          'obeys within a second. Exits with 1 if none was enforced.',
      )
      .option('--account <id or name>', 'account of the restrictions', defaultAccountName)
      .addOption(
        new Option('--type <type>', 'only those of one type of traffic; api and dashboard by default').choices(
          restrictionTypes,
        ),
      ),
    {
      example: 'restrictions suspend --account branch-office',
      json: { suspended: [{ id: 'ipx_01m7...', type: 'api', description: 'offices only' }] },
    },
  ).action(({ account, type, ...options }: SuspendOptions) =>
    withAccount(account, async (scope) => {
      const types = type === undefined ? ownTypes : [type];
      const ofEach = types.map(async (type) =>
        (await suspendIpRestrictions(scope, type)).map((one) => ({ ...one, type })),
      );
      const suspended = (await Promise.all(ofEach)).flat();
      if (suspended.length === 0) throw new Error(await nothingToSuspend(scope, account, types));
      await print(
        options,
        [
          ...suspended.map(
            (one) => `The IP restriction ${called(one)}, of type ${one.type}, is not enforced any more.`,
          ),
          'To enforce one again, set its "enforced" to true over the API.',
        ],
        { suspended: suspended.map(({ id, type, description }) => ({ id, type, description })) },
      );
    }),
  );
}

/** Says that nothing was changed, and where there would be something to change. */
async function nothingToSuspend(scope: AccountScope, account: string, types: readonly string[]): Promise<string> {
  const enforced = await scope.db.ipRestriction.findMany({ where: { enforced: true }, select: { type: true } });
  const others = [...new Set(enforced.map(({ type }) => type))].sort();
  const none = `No IP restriction of type ${types.join(' or ')} is enforced in the account ${account}: nothing was changed.`;
  return others.length === 0
    ? `${none} "${remedies.listAccounts}" shows all accounts.`
    : `${none} Others are: ${others.map((type) => `"${remedies.suspendRestrictions(scope.accountId, type)}"`).join(', ')}.`;
}
