// What a second worker adds: `WORKERS=2` against `WORKERS=1`, both under the load of as many clients, and what the processors leave for it.

import { availableParallelism } from 'node:os';
import { type Finding, ratios, spreadOf } from './figures.ts';
import { type Measurement, measure, type Pace } from './load.ts';
import type { Place } from './places.ts';
import { processorSecondsOfChildren } from './processes.ts';
import { inRounds } from './rounds.ts';
import { type Kind, restCall } from './scenarios.ts';
import { type Server, startSallyport } from './servers.ts';
import { makeTemplate } from './template.ts';

const policyCount = 1_000;
const connections = 64;
const kinds: readonly Kind[] = ['GET one', 'LIST 100', 'POST create'];
const cores = availableParallelism();

/** Of the requests per second that the processors leave room for, a second worker is to bring nearly all. */
const goal = { atLeast: 0.8 };

/** What the table says beside its figures. */
export const workersWords = `REST at ${connections} connections, to one server with \`WORKERS=1\` and to one with \`WORKERS=2\`, on databases of their own. PostgreSQL and
the load generator are on the same ${cores} cores: "cores taken" counts all three with one worker. Two workers can at best bring twice as
much, or as many times as much as there are cores for what one worker takes: "of what is possible" is the share of that. With two
cores, that is little more than with one worker; the figures show that the second worker is no loss, and no more.`;

/**
 * Measures one worker and two, side by side.
 *
 * @throws Error when an answer fails, or the second worker gets nothing to do
 */
export async function measureWorkers(place: Place, pace: Pace, log: (message: string) => void): Promise<Finding[]> {
  const template = await makeTemplate(place, 'workers', policyCount);
  const otherUrl = await place.copy(template.url, 'workers_two');
  const running: Server[] = [];
  try {
    const one = await startSallyport(template.url, template.secretKey, 1);
    running.push(one);
    const two = await startSallyport(otherUrl, template.secretKey, 2);
    running.push(two);
    const coresTaken = new Map<Kind, number[]>();
    const rate = async (kind: Kind, server: Server) => {
      const processorSeconds = () => server.processorSeconds() + (place.database?.processorSeconds() ?? 0);
      const measurement = await measure(
        { url: server.url, processorSeconds },
        (n) => restCall(kind, template, n),
        connections,
        pace.seconds,
      );
      if (server === one) coresTaken.set(kind, [...(coresTaken.get(kind) ?? []), coresOf(measurement)]);
      return measurement.requestsPerSecond;
    };
    const figures = await inRounds(
      kinds.flatMap((kind) => [
        { name: `${kind} one`, measure: () => rate(kind, one) },
        { name: `${kind} two`, measure: () => rate(kind, two) },
      ]),
      [],
      pace.rounds,
      log,
    );
    checkShared(two);
    return kinds.flatMap((kind) => {
      // The first is that of the warm-up.
      const [, ...taken] = coresTaken.get(kind) ?? [];
      const gained = ratios(figures.get(`${kind} two`) ?? [], figures.get(`${kind} one`) ?? []);
      const finding = (what: string, values: readonly number[], held: typeof goal | null = null): Finding => ({
        what: `${kind}: ${what}`,
        spread: spreadOf(values),
        goal: held,
      });
      const measured = [
        finding('requests per second, `WORKERS=1`', figures.get(`${kind} one`) ?? []),
        finding('requests per second, `WORKERS=2`', figures.get(`${kind} two`) ?? []),
        finding('two against one', gained),
      ];
      // What a database server takes that somebody else has started cannot be seen.
      if (place.database === null) return measured;
      return [
        ...measured,
        finding('cores taken with one worker', taken),
        finding(
          'of what is possible',
          gained.map((ratio, round) => ratio / possibleGain(cores, taken[round] ?? Number.NaN)),
          goal,
        ),
      ];
    });
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
}

/** Checks that both workers had work. Throws Error. */
function checkShared({ pid }: Server): void {
  const [less = 0, more = 0] = processorSecondsOfChildren(pid).sort((a, b) => a - b);
  if (less < more / 4) throw new Error(`One worker took ${more} s of processor time, the other ${less} s.`);
}

/** Tells how many times as much two workers can answer as one, where one takes so many cores with its database and its load. */
export function possibleGain(coreCount: number, coresTaken: number): number {
  return Math.min(2, Math.max(1, coreCount / coresTaken));
}

/** The cores that were at work: of the server, of its database, and of the load. */
function coresOf({ requestsPerSecond, processorMicroseconds, senderShare }: Measurement): number {
  return (requestsPerSecond * processorMicroseconds) / 1e6 + senderShare;
}
