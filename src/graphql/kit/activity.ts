// Activity and warnings, in GraphQL.

import {
  type ActivityRange,
  byHour,
  byMinute,
  type Counter,
  counters,
  type ActivityInterval as Interval,
  resolutionOf,
} from '../../domain/access/activity.ts';
import { type Warnings, minutesMax as warningMinutes } from '../../domain/access/warnings.ts';
import { invalid } from '../../domain/errors.ts';
import { forEveryKey } from '../wrappers/rights.ts';
import { batched, fieldPathOf } from './batch.ts';
import { builder } from './builder.ts';

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

const ActivityInterval = builder.objectRef<Interval>('ActivityInterval').implement({
  description: 'What happened within one interval, as counted by all servers.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When the interval began.', resolve: ({ at }) => at }),
    ...Object.fromEntries(
      counters.map((counter) => [
        counter,
        t.int({ description: counterDescriptions[counter], resolve: (interval) => interval[counter] }),
      ]),
    ),
  }),
});

const minutesMax = byHour.keptMinutes;
const everyMinutesMax = 24 * 60;
const ofHour = { minutes: 60, everyMinutes: 1 } as const satisfies ActivityRange;

builder.queryField('activity', (t) =>
  t.field({
    type: [ActivityInterval],
    nullable: true,
    description:
      'What happened in the last minutes, hours or days, oldest first, including intervals without activity. Kept by the minute for a day, and by the hour for 30 days. Each server adds what it has counted every ten seconds.',
    extensions: forEveryKey,
    args: {
      minutes: t.arg.int({
        defaultValue: ofHour.minutes,
        description: `Length of the range, which ends with the current interval; 1 to ${minutesMax}, defaults to ${ofHour.minutes}.`,
        extensions: { jsonSchema: { minimum: 1, maximum: minutesMax, default: ofHour.minutes } },
      }),
      everyMinutes: t.arg.int({
        defaultValue: ofHour.everyMinutes,
        description: `Length of each interval, of which the range must be a multiple; 1 to ${everyMinutesMax}, defaults to ${ofHour.everyMinutes}. In a range of more than ${byMinute.keptMinutes} minutes, a multiple of 60. Intervals are counted from 1970 on, in UTC.`,
        extensions: { jsonSchema: { minimum: 1, maximum: everyMinutesMax, default: ofHour.everyMinutes } },
      }),
    },
    complexity(args) {
      // Before the arguments are checked.
      const minutes = within(minutesMax, args.minutes ?? ofHour.minutes);
      const everyMinutes = within(everyMinutesMax, args.everyMinutes ?? ofHour.everyMinutes);
      const rows = minutes / resolutionOf({ everyMinutes }).minutes;
      return { field: 1 + Math.ceil(rows / 10), multiplier: Math.ceil(minutes / everyMinutes) };
    },
    resolve: (_root, { minutes, everyMinutes }, { readActivity }) =>
      readActivity(
        checkRange({ minutes: minutes ?? ofHour.minutes, everyMinutes: everyMinutes ?? ofHour.everyMinutes }),
      ),
  }),
);

const within = (most: number, value: number) => Math.min(Math.max(value, 1), most);

/** Checks that a range is kept, at the resolution that it asks for. Throws INVALID_INPUT. */
function checkRange(range: ActivityRange): ActivityRange {
  const { minutes, everyMinutes } = range;
  if (minutes < 1 || minutes > minutesMax) throw invalid('minutes', `must be from 1 to ${minutesMax}.`);
  if (everyMinutes < 1 || everyMinutes > everyMinutesMax) {
    throw invalid('everyMinutes', `must be from 1 to ${everyMinutesMax}.`);
  }
  if (minutes % everyMinutes !== 0) throw invalid('minutes', 'must be a multiple of everyMinutes.');
  if (minutes > byMinute.keptMinutes && resolutionOf(range) !== byHour) {
    throw invalid('everyMinutes', `must be a multiple of 60 for more than ${byMinute.keptMinutes} minutes.`);
  }
  return range;
}

const RestrictionWarnings = builder.objectRef<Warnings>('RestrictionWarnings').implement({
  description:
    'How often an IP restriction has warned: requests that it would have refused if it were enforced. Counted in memory since the start of the server, and by each server separately if several share a database.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: `Number of warnings within the last ${warningMinutes} minutes.` }),
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
      const load = (ids: readonly string[]) => context.warningsOf(ids, context.scope.now());
      return batched(context, fieldPathOf(info), load).load(id);
    },
  }),
);
