// What a second worker adds: `WORKERS=2` against `WORKERS=1`, both under the load of the same number of clients, and what the
// processors leave room for.

import { availableParallelism } from 'node:os';
import { type Finding, ratios, spreadOf } from './figures.ts';
import { type Measurement, measure, type Pace } from './load.ts';
import type { Place } from './places.ts';
import { processorSecondsOfChildren } from './processes.ts';
import { type Kind, restCall } from './scenarios.ts';
import { type Server, startSallyport } from './servers.ts';
import { showFinding, table } from './tables.ts';
import { makeTemplate } from './template.ts';

const policyCount = 1_000;
const connections = 64;
const workerKinds: readonly Kind[] = ['GET one', 'LIST 100', 'POST create'];

/** A second worker is to bring nearly all of the requests per second that the cores leave room for. */
const goal = { atLeast: 0.8 };

/** The results of the comparison. */
export interface WorkersMeasured {
  /** Cores of the machine, which Sallyport, PostgreSQL and the load generator share. */
  readonly coreCount: number;
  readonly kinds: readonly KindMeasured[];
}

/** One kind of request, with one measurement per round. */
interface KindMeasured {
  readonly kind: Kind;
  readonly one: readonly Measurement[];
  readonly two: readonly Measurement[];
}

/**
 * Measures one worker and two, side by side.
 *
 * @throws Error if an answer fails, or one of the two workers gets next to nothing to do
 */
export async function measureWorkers(
  place: Place,
  { seconds, rounds }: Pace,
  log: (message: string) => void,
): Promise<WorkersMeasured> {
  const template = await makeTemplate(place, 'workers', policyCount);
  const otherUrl = await place.copy(template.url, 'workers_two');
  const running: Server[] = [];
  try {
    const one = await startSallyport(template.url, template.secretKey);
    running.push(one);
    const two = await startSallyport(otherUrl, template.secretKey, { workers: 2 });
    running.push(two);
    const kinds = workerKinds.map((kind) => ({ kind, one: [] as Measurement[], two: [] as Measurement[] }));
    for (let round = 0; round <= rounds; round += 1) {
      log(round === 0 ? 'Warming up.' : `Round ${round} of ${rounds}.`);
      for (const { kind, ...series } of kinds) {
        const order = [
          { server: one, measurements: series.one },
          { server: two, measurements: series.two },
        ];
        for (const { server, measurements } of round % 2 === 0 ? order : order.reverse()) {
          const callOf = (n: number) => restCall(kind, template, n);
          const answered = { ...server, database: place.database };
          const measurement = await measure(answered, callOf, connections, seconds);
          if (round > 0) measurements.push(measurement);
        }
      }
    }
    checkShared(two);
    return { coreCount: availableParallelism(), kinds };
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
}

/** Checks that both workers had work. Throws Error if not. */
function checkShared({ pid }: Server): void {
  const [less = 0, more = 0] = processorSecondsOfChildren(pid).sort((a, b) => a - b);
  if (less < more / 4) throw new Error(`One worker took ${more} s of processor time, the other ${less} s.`);
}

/** Writes the table. */
export function workersSection({ coreCount, kinds }: WorkersMeasured): string {
  const rate = (measurements: readonly Measurement[]) =>
    spreadOf(measurements.map(({ requestsPerSecond }) => requestsPerSecond)).median.toFixed(0);
  const cores = (measurements: readonly Measurement[]) =>
    (['server', 'database', 'load'] as const)
      .map((who) => spreadOf(measurements.map((measurement) => coresOf(measurement)[who])).median.toFixed(2))
      .join(' + ');
  const heads = ['Request', '`WORKERS=1`, req/s', '`WORKERS=2`, req/s', 'two against one', 'of what is possible'];
  const rows = kinds.map(({ kind, one, two }) => [
    kind,
    rate(one),
    rate(two),
    showFinding({ what: '', spread: spreadOf(gainsOf(one, two)), goal: null }),
    showFinding(findingOf({ kind, one, two }, coreCount)),
    cores(one),
    cores(two),
  ]);
  return `## Two workers

REST at ${connections} connections, to one server with \`WORKERS=1\` and to one with \`WORKERS=2\`, on databases of their own. Cores are those
that Sallyport, PostgreSQL and the load generator took, of the ${coreCount} that all of them share. Two workers can bring at best twice as
much as one, or as much as fits into the cores when one worker leaves some of them free: "of what is possible" is the share of that.

${table([...heads, 'cores with one', 'cores with two'], rows)}`;
}

/** Returns the findings that have a goal. */
export function workerFindings({ coreCount, kinds }: WorkersMeasured): Finding[] {
  return kinds.map((measured) => findingOf(measured, coreCount));
}

function findingOf({ kind, one, two }: KindMeasured, coreCount: number): Finding {
  const shares = gainsOf(one, two).map((gain, round) => {
    const { server, database, load } = coresOf(one[round]);
    return gain / possibleGain(coreCount, server + database + load);
  });
  // The cores of a database server that the benchmark did not start are unknown.
  const isKnown = one.some(({ databaseMicroseconds }) => databaseMicroseconds > 0);
  return { what: `${kind}: two workers, of what is possible`, spread: spreadOf(shares), goal: isKnown ? goal : null };
}

function gainsOf(one: readonly Measurement[], two: readonly Measurement[]): number[] {
  const rates = (measurements: readonly Measurement[]) => measurements.map((each) => each.requestsPerSecond);
  return ratios(rates(two), rates(one));
}

/**
 * Returns how many times as many requests two workers can answer as one, if one takes `coresTaken` with its database and its load.
 */
export function possibleGain(cores: number, coresTaken: number): number {
  return Math.min(2, Math.max(1, cores / coresTaken));
}

/** Returns how many cores were at work, and for which program. */
function coresOf(measurement: Measurement | undefined) {
  const {
    requestsPerSecond = Number.NaN,
    processorMicroseconds = Number.NaN,
    databaseMicroseconds = Number.NaN,
    senderShare = Number.NaN,
  } = measurement ?? {};
  const cores = (microseconds: number) => (requestsPerSecond * microseconds) / 1e6;
  const database = cores(databaseMicroseconds);
  return { server: cores(processorMicroseconds) - database, database, load: senderShare };
}
