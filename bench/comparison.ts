// Sallyport against the two opponents, in one run: every kind of request, on both surfaces, in interleaved rounds.

import { type Finding, ratios, type Spread, spreadOf } from './figures.ts';
import { type Measurement, measure, type Pace } from './load.ts';
import type { EngineName, Place } from './places.ts';
import { checkSameWork } from './same-work.ts';
import {
  type Contender,
  connectionCounts,
  contenders,
  graphqlCall,
  type Kind,
  ratioGoals,
  restCall,
} from './scenarios.ts';
import { type Server, startOpponent, startSallyport } from './servers.ts';
import { makeTemplate, type Template } from './template.ts';

/** One contender with one kind of request: a measurement of each round. */
export interface Series {
  readonly kind: Kind;
  readonly connections: number;
  readonly contender: Contender;
  readonly measurements: readonly Measurement[];
}

/** What the comparison gave. */
export interface Comparison {
  readonly engine: EngineName;
  readonly series: readonly Series[];
  /** Memory of each server after all of the load, in MiB. */
  readonly residentMiB: Readonly<Record<'sallyport' | 'by-hand' | 'limit', number>>;
}

/** How many policies there are at the start. */
const policyCount = 1_000;

/**
 * Measures. Every contender has its turn with a request before the next request comes, so that whatever else the machine
 * does meanwhile is much the same for all; who is first changes from round to round.
 *
 * @throws Error when a server does not do the same work, or an answer fails
 */
export async function compare(
  place: Place,
  kinds: readonly Kind[],
  { seconds, rounds }: Pace,
  log: (message: string) => void,
): Promise<Comparison> {
  const template = await makeTemplate(place, 'template', policyCount);
  const copy = (name: string) => place.copy(template.url, name);
  const running: Server[] = [];
  const keep = async (starting: Promise<Server>) => {
    const server = await starting;
    running.push(server);
    return server;
  };
  try {
    const sallyport = await keep(startSallyport(await copy('sallyport'), template.secretKey));
    const byHand = await keep(startOpponent('by-hand', await copy('by_hand')));
    const limit = await keep(startOpponent('limit', await copy('limit')));
    await checkSameWork(sallyport, [byHand, limit], template);

    const servers = { rest: sallyport, graphql: sallyport, 'by-hand': byHand, limit };
    const series = kinds.flatMap((kind) =>
      connectionCounts.flatMap((connections) =>
        contenders.map((contender) => ({ kind, connections, contender, measurements: [] as Measurement[] })),
      ),
    );
    for (let round = 0; round <= rounds; round += 1) {
      log(round === 0 ? 'Warming up.' : `Round ${round} of ${rounds}.`);
      for (const { kind, connections, contender, measurements } of inOrderOf(round, series)) {
        const callOf = callsOf(contender, kind, template);
        const measurement = await measure(servers[contender], callOf, connections, seconds);
        if (round > 0) measurements.push(measurement);
      }
    }
    const residentMiB = {
      sallyport: sallyport.residentMiB(),
      'by-hand': byHand.residentMiB(),
      limit: limit.residentMiB(),
    };
    return { engine: place.engine, series, residentMiB };
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
}

function callsOf(contender: Contender, kind: Kind, template: Template) {
  const call = contender === 'graphql' ? graphqlCall : restCall;
  return (n: number) => call(kind, template, n);
}

/** Turns the contenders of each request by one place for each round. */
function inOrderOf<T>(round: number, series: readonly T[]): T[] {
  const size = contenders.length;
  return series.map((_, place) => {
    const first = place - (place % size);
    // The remainder is a place within the list.
    return series[first + ((place + round) % size)] as T;
  });
}

/** Sums up one figure of a contender. */
export function figureOf(
  { series }: Comparison,
  wanted: Pick<Series, 'kind' | 'connections' | 'contender'>,
  figure: keyof Measurement,
): Spread {
  return spreadOf(figuresOf(series, wanted, figure));
}

/** Compares the requests per second of two contenders, round by round, and finds the goal for that. */
export function ratioOf(
  { engine, series }: Comparison,
  wanted: Pick<Series, 'kind' | 'connections' | 'contender'>,
  against: Contender,
): Finding {
  const { kind, connections, contender } = wanted;
  const own = figuresOf(series, wanted, 'requestsPerSecond');
  const others = figuresOf(series, { ...wanted, contender: against }, 'requestsPerSecond');
  const goal = ratioGoals[engine].find(
    (candidate) =>
      candidate.kind === kind &&
      candidate.connections === connections &&
      candidate.contender === contender &&
      candidate.against === against,
  );
  return {
    what: `${kind}, connections: ${connections}, ${contender} against ${against}`,
    spread: spreadOf(ratios(own, others)),
    goal: goal?.goal ?? null,
  };
}

/** Gives all ratios that have a goal and were measured. */
export function findingsWithGoals(comparison: Comparison): Finding[] {
  const measured = ratioGoals[comparison.engine].filter(({ kind }) =>
    comparison.series.some((series) => series.kind === kind),
  );
  return measured.map((goal) => ratioOf(comparison, goal, goal.against));
}

function figuresOf(
  series: readonly Series[],
  { kind, connections, contender }: Pick<Series, 'kind' | 'connections' | 'contender'>,
  figure: keyof Measurement,
): number[] {
  const found = series.find(
    (candidate) =>
      candidate.kind === kind && candidate.connections === connections && candidate.contender === contender,
  );
  return found?.measurements.map((measurement) => measurement[figure]) ?? [];
}
