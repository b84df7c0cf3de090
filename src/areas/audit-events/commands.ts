// `audit`: exports the trail of an account for archives and for searching, and restores objects from it.

import type { Command } from 'commander';
import { type CommonOptions, document, forceOption, print, withAccount } from '../../cli/command.ts';
import { defaultAccountName } from '../../cli/first-start.ts';
import { printLines } from '../../cli/output.ts';
import { reportingProgress } from '../../cli/progress.ts';
import { everyRight, impliedScopes } from '../../domain/access/key-scopes.ts';
import { idBoundAt } from '../../domain/values/ids.ts';
import { readJsonObject } from '../../domain/values/json.ts';
import { formatTimestamp } from '../../domain/values/time.ts';
import { called, counted } from '../../domain/wording.ts';
import { nameableIn } from '../../storage/objects/names.ts';
import { addVerifyCommand, exportVerifiable, readTime } from './chain/commands.ts';
import { actorIdOf, actorTypeOf, readRefusal } from './rules.ts';
import { auditEvents, type EventWithChanges, readTrail } from './store.ts';

type ExportOptions = CommonOptions & { account: string; from?: string; to?: string; verifiable?: true };

/** Adds the commands for the trail. */
export function addCommands(program: Command): void {
  const audit = program.command('audit').description('Work with the trail: who changed what.');

  document(
    audit
      .command('export')
      .description('Write the audit events of an account as JSON lines, oldest first. A server may be running.')
      .option('--account <id or name>', 'account whose events to write', defaultAccountName)
      .option('--from <time>', 'only events of this time or later, such as 2026-11-20T21:00:00Z', readBound)
      .option('--to <time>', 'only events before this time', readBound)
      .option('--verifiable', 'write all events in the form that "audit verify" verifies, with their hash chain'),
    {
      example: 'audit export --account branch-office --from 2026-11-01T00:00:00Z > november.jsonl',
      json: {
        id: 'evt_01m7...',
        createdAt: '2026-11-20T21:00:00Z',
        action: 'update',
        kind: 'IpPolicy',
        objectId: 'ipp_01m7...',
        version: 2,
        actor: { type: 'api_key', id: 'ak_01m7...', apiKeyId: 'ak_01m7...', description: 'dashboard' },
        surface: 'graphql',
        requestId: 'op_01m7...',
        clientAddress: '192.0.2.1',
        changes: [{ field: 'description', before: 'office', after: 'offices', shortened: false }],
        refusal: null,
        state: { description: 'offices', metadata: '', createdAt: '2026-11-20T20:00:00.000Z' },
      },
    },
  ).action(({ account, from, to, verifiable }: ExportOptions) => {
    if (verifiable) {
      if (from !== undefined || to !== undefined)
        throw new Error('--verifiable writes all events: leave --from and --to out.');
      return exportVerifiable(account);
    }
    return withAccount(account, async (scope) => {
      const progress = reportingProgress();
      const total = await auditEvents.count(scope, {}, { newerThan: from, olderThan: to });
      let done = 0;
      for await (const events of readTrail(scope, { newerThan: from, olderThan: to })) {
        // Waits for a slow reader, so that a long trail need not fit into memory.
        await printLines(events.map((event) => JSON.stringify(shown(event))));
        done += events.length;
        progress('written', Math.min(1, done / Math.max(1, total)), counted(total, 'event'));
      }
    });
  });
  addVerifyCommand(audit);

  document(
    forceOption(
      audit
        .command('restore <event-id>')
        .description(
          'Put an object back to what it was after the change of an audit event, or before it if that was its deletion. A server may ' +
            'be running.',
        )
        .option('--account <id or name>', 'account of the object', defaultAccountName),
    ),
    {
      example: 'audit restore evt_01m7xehb24efe8sfxqfz0dt6w9 --account branch-office',
      json: { restored: { kind: 'IpPolicy', id: 'ipp_01m7...', version: 4 } },
    },
  ).action((eventId: string, { account, force, ...options }: { account: string; force?: true } & CommonOptions) =>
    withAccount(
      account,
      async (scope) => {
        // Imported only here, because other commands do not need what areas load to read certificates and XML.
        const { restoreObject } = await import('./restore-store.ts');
        const event = await auditEvents.get(scope, eventId);
        // IP restrictions cannot lock out a user of the server's machine.
        const version = await restoreObject(
          { scope, trail: scope, lockout: null, rights: impliedScopes(everyRight), writes: () => {} },
          event,
          null,
        );
        const { kind, objectId: id } = event;
        const said = `The ${kind} ${called(nameableIn(id, readJsonObject(event.state)))} is what it was, and has version ${version}.`;
        await print(options, [said], { restored: { kind, id, version } });
      },
      force,
    ),
  );
}

/** Converts a time into an id bound. */
const readBound = (text: string) => idBoundAt('AuditEvent', readTime(text));

function shown({ actor, actorDescription, changes, state, createdAt, ...event }: EventWithChanges) {
  const { id, action, kind, objectId, version, surface, requestId, clientAddress } = event;
  const type = actorTypeOf(actor);
  return {
    id,
    createdAt: formatTimestamp(createdAt),
    action,
    kind,
    objectId,
    version,
    actor: { type, id: actorIdOf(actor), apiKeyId: type === 'api_key' ? actor : null, description: actorDescription },
    surface,
    requestId,
    clientAddress,
    changes: changes?.map(({ isShortened, ...change }) => ({ ...change, shortened: isShortened })) ?? null,
    refusal: action === 'refuse' ? readRefusal(state) : null,
    state: JSON.parse(state),
  };
}
