// Recent activity, in GraphQL.

import {
  type Counter,
  counters,
  type ActivityMinute as Minute,
  minutesMax,
  type Warnings,
} from '../../domain/access/activity.ts';
import { keptOnce } from '../../domain/concurrency/kept-with.ts';
import { invalid } from '../../domain/errors.ts';
import { forEveryKey } from '../wrappers/rights.ts';
import { batched, fieldPathOf } from './batch.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';

const counterDescriptions: Readonly<Record<Counter, string>> = {
  requests: 'Requests to the REST and GraphQL APIs by API keys and dashboard sessions of the account.',
  failedRequests: 'How many of these failed with a client error: status 400 to 499.',
  brokenRequests: 'How many of these failed with a server error: status 500 or above.',
  apiWarned: 'How many of these a warning-only IP restriction would have refused.',
  gateAllowed: 'Requests that the gate let pass.',
  gateWarned: 'How many of these a warning-only IP restriction would have refused.',
  gateLogins: 'Requests that the gate redirected to a login, or back from one.',
  gateRefused: 'Requests that the gate refused.',
};

const ActivityMinute = builder.objectRef<Minute>('ActivityMinute').implement({
  description: 'What happened within one minute, as counted by the answering server.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When the minute began.', resolve: ({ at }) => at }),
    ...Object.fromEntries(
      counters.map((counter) => [
        counter,
        t.int({ description: counterDescriptions[counter], resolve: (minute) => minute[counter] }),
      ]),
    ),
  }),
});

const inMemory =
  'Counted in memory since the start of the server, and by each server separately if several share a database.';

builder.queryField('activity', (t) =>
  t.field({
    type: [ActivityMinute],
    nullable: true,
    description: `What happened in the last minutes, oldest first, including minutes without activity. ${inMemory}`,
    extensions: forEveryKey,
    args: {
      minutes: t.arg.int({
        defaultValue: minutesMax,
        description: `How many minutes, including the current one; 1 to ${minutesMax}, defaults to ${minutesMax}.`,
        extensions: { jsonSchema: { minimum: 1, maximum: minutesMax, default: minutesMax } },
      }),
    },
    complexity: ({ minutes }) => ({ field: 1, multiplier: minutes ?? minutesMax }),
    resolve: async (_root, args, context) => {
      const minutes = args.minutes ?? minutesMax;
      if (minutes < 1 || minutes > minutesMax) throw invalid('minutes', `must be from 1 to ${minutesMax}.`);
      return (await lastMinutes(context)).slice(-minutes);
    },
  }),
);

/** Reads the last minutes of the account, once for all aliases in a document: there may be 250 of them. */
const lastMinutes = keptOnce(
  ({ activity, scope }: Context): Promise<Minute[]> => activity.minutesOf(scope.accountId, minutesMax, scope.now()),
);

const RestrictionWarnings = builder.objectRef<Warnings>('RestrictionWarnings').implement({
  description: `How often an IP restriction has warned: requests that it would have refused if it were enforced. ${inMemory}`,
  fields: (t) => ({
    count: t.exposeInt('count', { description: `Number of warnings within the last ${minutesMax} minutes.` }),
    lastAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last warning; null if the server remembers none.',
      resolve: ({ lastAt }) => lastAt,
    }),
  }),
});

builder.prismaObjectField('IpRestriction', 'warnings', (t) =>
  t.field({
    type: RestrictionWarnings,
    description: 'How often the restriction has warned recently.',
    resolve: ({ id }, _args, context, info) => {
      const load = (ids: readonly string[]) => context.activity.warningsOf(ids, context.scope.now());
      return batched(context, fieldPathOf(info), load).load(id);
    },
  }),
);
