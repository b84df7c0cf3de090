// How Sallyport performs with a thousand times the objects: pages of lists at any depth, their count, memory, and startup time.

import { type Finding, type Goal, ratios, spreadOf } from './figures.ts';
import { type Call, measure, type Pace } from './load.ts';
import type { Place } from './places.ts';
import { inRounds, type Probe } from './rounds.ts';
import { ask } from './same-work.ts';
import { graphqlHeaders, restCall, restHeaders } from './scenarios.ts';
import { type Server, startSallyport } from './servers.ts';
import { addPolicies, makeTemplate, type Template } from './template.ts';

const smallCount = 1_000;
const largeCount = 1_000_000;
const pageSize = 100;
const connections = 32;
/** Starts of each server that are timed. */
const startCount = 3;

/** Objects are counted when they are written. */
const countGoal = { atLeast: 0.67 };
/** A page may take twice as long as the first page of the small list. */
const pageGoal = { atLeast: 0.5 };
/** SQLite keeps up to 16 MB of the file in each of its two connections, which a small file does not fill. */
const memoryGoal = { atMost: 1.25 };
const startSecondsGoal = { atMost: 0.5 };

/** The text above the table. */
export const growthWords = 'REST at 32 connections; ratios of requests per second and of memory.';

/**
 * Measures one server with few objects and one with many, side by side.
 *
 * @throws Error if an answer fails
 */
export async function measureGrowth(place: Place, pace: Pace, log: (message: string) => void): Promise<Finding[]> {
  log(`Making ${largeCount} IP policies.`);
  const small = await makeTemplate(place, 'small', smallCount);
  const large = await addPolicies(place, await makeTemplate(place, 'large', 1), largeCount - 1);

  const startSeconds = { small: [] as number[], large: [] as number[] };
  for (let n = 0; n < startCount; n += 1) {
    startSeconds.small.push(await timeStart(small));
    startSeconds.large.push(await timeStart(large));
  }

  const running: Server[] = [];
  try {
    const onSmall = await startSallyport(small.url, small.secretKey);
    running.push(onSmall);
    const onLarge = await startSallyport(large.url, large.secretKey);
    running.push(onLarge);
    const rate = (name: string, server: Server, callOf: (n: number) => Call): Probe => ({
      name,
      measure: async () => (await measure(server, callOf, connections, pace.seconds)).requestsPerSecond,
    });
    const figures = await inRounds(
      [
        rate('get small', onSmall, getCalls(small)),
        rate('get large', onLarge, getCalls(large)),
        rate('count small', onSmall, countCalls(small)),
        rate('count large', onLarge, countCalls(large)),
        rate('first small', onSmall, pageCalls(small, smallCount)),
        rate('first large', onLarge, pageCalls(large, largeCount)),
        rate('middle large', onLarge, pageCalls(large, largeCount / 2)),
        rate('last large', onLarge, pageCalls(large, pageSize)),
        // Not reported: both servers get the same load, or their memory could not be compared.
        rate('middle small', onSmall, pageCalls(small, smallCount / 2)),
        rate('last small', onSmall, pageCalls(small, pageSize)),
      ],
      [
        { name: 'memory small', measure: async () => onSmall.residentMiB() },
        { name: 'memory large', measure: async () => onLarge.residentMiB() },
      ],
      pace.rounds,
      log,
    );
    const compared = (what: string, name: string, other: string, goal: Goal | null): Finding => ({
      what,
      spread: spreadOf(ratios(figures.get(name) ?? [], figures.get(other) ?? [])),
      goal,
    });
    const plain = (what: string, values: readonly number[], goal: Goal | null) => ({
      what,
      spread: spreadOf(values),
      goal,
    });
    return [
      compared('First page of 1,000,000, against the first of 1,000', 'first large', 'first small', pageGoal),
      compared('Page in the middle of 1,000,000, against the same', 'middle large', 'first small', pageGoal),
      compared('Last page of 1,000,000, against the same', 'last large', 'first small', pageGoal),
      compared('GET one of 1,000,000, against one of 1,000', 'get large', 'get small', null),
      compared('`totalCount` of 1,000,000, against that of 1,000', 'count large', 'count small', countGoal),
      compared('Memory with 1,000,000, against that with 1,000', 'memory large', 'memory small', memoryGoal),
      plain('Memory with 1,000, in MiB', figures.get('memory small') ?? [], null),
      plain('Memory with 1,000,000, in MiB', figures.get('memory large') ?? [], null),
      plain('Start to first answer with 1,000, in seconds', startSeconds.small, startSecondsGoal),
      plain('Start to first answer with 1,000,000, in seconds', startSeconds.large, startSecondsGoal),
    ];
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
}

/** Returns the seconds from the start of the process to its answer to a first request for an object. */
async function timeStart(template: Template): Promise<number> {
  const begun = performance.now();
  const server = await startSallyport(template.url, template.secretKey);
  try {
    const { status } = await ask(server, restCall('GET one', template, 0));
    if (status !== 200) throw new Error(`The first answer is a ${status}.`);
    return (performance.now() - begun) / 1000;
  } finally {
    await server.stop();
  }
}

/** Reads objects spread over the whole list, the same number in both lists: a cache of ids would help both alike. */
function getCalls({ token, ids }: Template) {
  const step = Math.floor(ids.length / smallCount);
  const spread = ids.filter((_, index) => index % step === 0);
  return (n: number) => restCall('GET one', { token, ids: spread }, n);
}

/** Counts all objects. */
function countCalls({ token }: Template) {
  const body = JSON.stringify({ query: '{ ipPolicies { totalCount } }' });
  return (): Call => ({ method: 'POST', path: '/graphql', headers: graphqlHeaders(token), body });
}

/** Reads one page. Its newest object has `depth` objects from itself to the oldest. */
function pageCalls({ token, ids }: Template, depth: number) {
  const newer = ids[depth];
  const path = `/ip_policies?limit=${pageSize}${newer === undefined ? '' : `&before_id=${newer}`}`;
  return (): Call => ({ method: 'GET', path, headers: restHeaders(token) });
}
