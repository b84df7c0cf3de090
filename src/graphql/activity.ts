// Recent activity, in GraphQL.

import {
  type Counter,
  counters,
  type ActivityMinute as Minute,
  minutesMax,
  type Warnings,
} from '../domain/activity.ts';
import { invalid } from '../domain/errors.ts';
import { keptOnce } from '../domain/kept-with.ts';
import { batched, placeOf } from './batch.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { forEveryKey } from './rights.ts';

const counterDescriptions: Readonly<Record<Counter, string>> = {
  requests: 'Requests to the REST and GraphQL APIs by keys of the account and by sessions of the dashboard.',
  failedRequests: 'Of these, those that were answered with an error of the client: a status from 400 to 499.',
  brokenRequests: 'Of these, those that were answered with an error of the server: a status of 500 or above.',
  apiWarned: 'Of these, those that an IP restriction which only warns would have refused.',
  gateAllowed: 'Requests that the gate let pass.',
  gateWarned: 'Of these, those that an IP restriction which only warns would have refused.',
  gateLogins: 'Requests that the gate sent to log in, or back from there.',
  gateRefused: 'Requests that the gate refused.',
};

const ActivityMinute = builder.objectRef<Minute>('ActivityMinute').implement({
  description: 'What has happened in a minute, as far as the server knows that answers.',
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
  'It is counted in memory: from the start of the server on, and by each server for itself where several share a database.';

builder.queryField('activity', (t) =>
  t.field({
    type: [ActivityMinute],
    nullable: true,
    description: `What has happened in the last minutes, the oldest first; also those in which nothing has. ${inMemory}`,
    extensions: forEveryKey,
    args: {
      minutes: t.arg.int({
        defaultValue: minutesMax,
        description: `How many minutes, the one under way among them; 1 to ${minutesMax}, defaults to ${minutesMax}.`,
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
    count: t.exposeInt('count', { description: `How many requests there were within the last ${minutesMax} minutes.` }),
    lastAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the last one was; null if the server remembers none.',
      resolve: ({ lastAt }) => lastAt,
    }),
  }),
});

builder.prismaObjectField('IpRestriction', 'warnings', (t) =>
  t.field({
    type: RestrictionWarnings,
    description: 'How often the restriction has warned lately.',
    resolve: ({ id }, _args, context, info) => {
      const load = (ids: readonly string[]) => context.activity.warningsOf(ids, context.scope.now());
      return batched(context, placeOf(info), load).load(id);
    },
  }),
);
