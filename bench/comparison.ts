// Compares contenders side by side: every kind of request, at every number of connections, in interleaved rounds.

import { type Finding, ratios, type Spread, spreadOf } from './figures.ts';
import { type Contender, goalOf, type RatioGoal } from './goals.ts';
import { type Call, type Measured, type Measurement, measure, type Pace } from './load.ts';
import { connectionCounts, type Kind } from './scenarios.ts';

/** A contender, and what is sent to it. */
export interface Entry<K extends Kind = Kind> {
  readonly contender: Contender;
  readonly server: Measured;
  /** Returns the nth request of a kind. */
  readonly callOf: (kind: K, n: number) => Call;
  /** Returns whether the contender takes part in a kind. */
  readonly answers: (kind: K) => boolean;
}

/** One contender, with one kind of request at one number of connections. */
export interface Question {
  readonly kind: Kind;
  readonly connections: (typeof connectionCounts)[number];
  readonly contender: Contender;
}

/** The measurements, one per round. */
export interface Series extends Question {
  readonly measurements: readonly Measurement[];
}

/**
 * Measures. Every contender has its turn with a request before the next request comes, so that other load on the machine affects
 * all much the same; the first contender changes from round to round.
 *
 * @param take takes one measurement; a test supplies figures of its own
 * @throws Error if an answer fails
 */
export async function measureInTurn<K extends Kind>(
  entries: readonly Entry<K>[],
  kinds: readonly K[],
  { seconds, rounds }: Pace,
  log: (message: string) => void,
  take: typeof measure = measure,
): Promise<Series[]> {
  const series = new Map<string, Series & { readonly measurements: Measurement[] }>();
  for (let round = 0; round <= rounds; round += 1) {
    log(round === 0 ? 'Warming up.' : `Round ${round} of ${rounds}.`);
    for (const kind of kinds) {
      const answering = entries.filter(({ answers }) => answers(kind));
      const first = round % answering.length;
      for (const connections of connectionCounts) {
        for (const { contender, server, callOf } of [...answering.slice(first), ...answering.slice(0, first)]) {
          const measurement = await take(server, (n) => callOf(kind, n), connections, seconds);
          if (round === 0) continue;
          const key = `${kind} ${connections} ${contender}`;
          const one = series.get(key) ?? { kind, connections, contender, measurements: [] };
          one.measurements.push(measurement);
          series.set(key, one);
        }
      }
    }
  }
  return [...series.values()];
}

/** Summarizes one figure of a contender. */
export function figureOf(series: readonly Series[], question: Question, figure: keyof Measurement): Spread {
  return spreadOf(figuresOf(series, question, figure));
}

/** Compares a figure of two contenders, round by round, and finds the goal for it. */
export function ratioOf(
  series: readonly Series[],
  goals: readonly RatioGoal[],
  question: Question,
  against: Contender,
  figure: keyof Measurement = 'requestsPerSecond',
): Finding {
  const { kind, connections, contender } = question;
  const own = figuresOf(series, question, figure);
  const others = figuresOf(series, { ...question, contender: against }, figure);
  const what = figure === 'requestsPerSecond' ? '' : `, ${figure}`;
  return {
    what: `${kind}, connections: ${connections}, ${contender} against ${against}${what}`,
    spread: spreadOf(ratios(own, others)),
    goal: goalOf(goals, { kind, connections, contender, against, figure }),
  };
}

/** Returns all ratios that have a goal and were measured. */
export function findingsWithGoals(series: readonly Series[], goals: readonly RatioGoal[]): Finding[] {
  return goals
    .filter(({ kind }) => series.some((one) => one.kind === kind))
    .map((goal) => ratioOf(series, goals, goal, goal.against, goal.figure));
}

function figuresOf(series: readonly Series[], question: Question, figure: keyof Measurement): number[] {
  const { kind, connections, contender } = question;
  const found = series.find(
    (one) => one.kind === kind && one.connections === connections && one.contender === contender,
  );
  return found?.measurements.map((measurement) => measurement[figure]) ?? [];
}
