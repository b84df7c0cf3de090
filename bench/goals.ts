// The goals for the ratios, on two cores: `npm run bench` fails if one is missed by more than noise.

import type { Finding, Goal } from './figures.ts';
import type { Measurement } from './load.ts';
import type { EngineName } from './places.ts';
import { type connectionCounts, type Kind, peerKinds } from './scenarios.ts';

/**
 * The servers that are compared. `rest` and `graphql` are the two surfaces of Sallyport; `by-hand` and `limit` are the opponents,
 * and `limit-audited` is `limit` with an audit row for each write; `sqlite` and `postgres` are `/graphql` on either engine,
 * compared with the peers `postgraphile` and `plain`.
 */
export type Contender =
  | ('rest' | 'graphql' | 'by-hand' | 'limit' | 'limit-audited')
  | ('sqlite' | 'postgres' | 'postgraphile' | 'plain');

/** A goal: a figure of a contender, as a multiple of the same figure of another. */
export interface RatioGoal {
  readonly kind: Kind;
  readonly connections: (typeof connectionCounts)[number];
  readonly contender: Contender;
  readonly against: Contender;
  readonly figure: keyof Measurement;
  readonly goal: Goal;
}

/** A goal for requests per second. */
const rate =
  (contender: Contender) =>
  (kind: Kind, connections: RatioGoal['connections'], against: Contender, atLeast: number): RatioGoal => ({
    kind,
    connections,
    contender,
    against,
    figure: 'requestsPerSecond',
    goal: { atLeast },
  });

const rest = rate('rest');
const graphql = rate('graphql');

/**
 * The goals against the opponents, and of GraphQL against REST. Changes are compared with (a) where it writes an audit row, too,
 * because a server without a trail does less; the tables have both.
 */
export const opponentGoals: Readonly<Record<EngineName, readonly RatioGoal[]>> = {
  SQLite: [
    rest('GET one', 32, 'by-hand', 5),
    rest('GET one', 32, 'limit', 0.95),
    rest('LIST 100', 32, 'by-hand', 2),
    rest('LIST 100', 32, 'limit', 0.8),
    rest('PATCH', 32, 'by-hand', 4),
    rest('PATCH', 32, 'limit-audited', 2),
    rest('POST create', 32, 'by-hand', 4),
    rest('POST create', 32, 'limit-audited', 2),
    rest('GET one', 1, 'by-hand', 3),
    rest('GET one', 1, 'limit', 0.4),
    rest('PATCH', 1, 'limit-audited', 0.8),
    rest('POST create', 1, 'limit-audited', 0.8),
    graphql('GET one', 1, 'rest', 0.7),
    graphql('GET one', 32, 'rest', 0.7),
    graphql('LIST 100', 1, 'rest', 0.8),
    graphql('LIST 100', 32, 'rest', 0.8),
  ],
  PostgreSQL: [
    rest('GET one', 32, 'by-hand', 4),
    rest('GET one', 32, 'limit', 1.3),
    rest('LIST 100', 32, 'limit', 0.7),
    rest('PATCH', 32, 'limit-audited', 0.8),
    rest('POST create', 32, 'limit-audited', 0.8),
  ],
};

/** The goals against PostGraphile with its PostgreSQL: no row with more processor time, or with fewer requests per second. */
export const peerGoals: readonly RatioGoal[] = peerKinds.flatMap((kind) =>
  ([1, 32] as const).flatMap((connections) => [
    rate('sqlite')(kind, connections, 'postgraphile', 1),
    {
      kind,
      connections,
      contender: 'sqlite',
      against: 'postgraphile',
      figure: 'processorMicroseconds',
      goal: { atMost: 1 },
    } satisfies RatioGoal,
  ]),
);

/** Memory of the server after all of the load, in MiB. */
export const residentGoal: Goal = { atMost: 200 };

/** Memory, as a share of that of PostGraphile with its PostgreSQL. */
export const peerMemoryGoal: Goal = { atMost: 0.5 };

/** Finds the goal for a ratio; null if there is none. */
export function goalOf(goals: readonly RatioGoal[], wanted: Omit<RatioGoal, 'goal'>): Finding['goal'] {
  const found = goals.find(
    ({ kind, connections, contender, against, figure }) =>
      kind === wanted.kind &&
      connections === wanted.connections &&
      contender === wanted.contender &&
      against === wanted.against &&
      figure === wanted.figure,
  );
  return found?.goal ?? null;
}
