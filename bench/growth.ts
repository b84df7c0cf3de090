// How Sallyport performs when it has become old, with a million objects and millions of events: every kind of read and write, memory
// and start, against a server that has next to nothing.

import { type Finding, type Goal, ratios, spreadOf } from './figures.ts';
import { type Call, measure, type Pace } from './load.ts';
import { lengthenTrail } from './long-trail.ts';
import { createPostgresPlace, type Place } from './places.ts';
import { inRounds, type Probe } from './rounds.ts';
import { ask } from './same-work.ts';
import { graphqlHeaders, restCall, restHeaders } from './scenarios.ts';
import { type Server, startSallyport } from './servers.ts';
import { findingsSection } from './tables.ts';
import { addPolicies, makeTemplate, type Template } from './template.ts';

const smallCount = 1_000;
const largeCount = 1_000_000;
const pageSize = 100;
const connections = 32;
/** Starts of each server that are timed. */
const startCount = 3;

/** Whatever is asked may take one and a half times as long as with next to nothing. */
const rateGoal = { atLeast: 0.67 };
/** SQLite keeps up to 16 MB of the file in each of its two connections, which a small file does not fill. */
const memoryGoal = { atMost: 1.25 };
const startSecondsGoal = { atMost: 0.5 };

/** A database, and how many policies it has. */
type Subject = Template & { readonly count: number };

/** What is measured on both servers, and with what of the small one a figure of the large one is compared. */
const requests: readonly { readonly name: string; readonly against?: string; callOf(subject: Subject): CallOf }[] = [
  { name: 'GET one', callOf: getCalls },
  { name: 'The first page of policies', callOf: (subject) => pageCalls(subject, subject.count) },
  {
    name: 'A page in the middle',
    against: 'The first page of policies',
    callOf: (subject) => pageCalls(subject, subject.count / 2),
  },
  {
    name: 'The last page',
    against: 'The first page of policies',
    callOf: (subject) => pageCalls(subject, pageSize),
  },
  { name: 'The first page of events', callOf: (subject) => getPath(subject, `/audit_events?limit=${pageSize}`) },
  { name: '`totalCount` of policies', callOf: (subject) => countCalls(subject, 'ipPolicies') },
  { name: '`totalCount` of events', callOf: (subject) => countCalls(subject, 'auditEvents') },
  { name: 'PATCH', callOf: (subject) => (n) => restCall('PATCH', subject, n) },
  { name: 'POST create', callOf: (subject) => (n) => restCall('POST create', subject, n) },
];

type CallOf = (n: number) => Call;

/** Measures on both engines. Throws Error if an answer fails. */
export async function measureGrowths(sqlite: Place, events: number, pace: Pace, log: (message: string) => void) {
  const postgres = await createPostgresPlace(undefined);
  try {
    const measured = [];
    for (const place of [sqlite, postgres]) {
      const findings = await measureGrowth(place, events, pace, (message) => log(`${place.engine}: ${message}`));
      measured.push({ title: `Growth on ${place.engine}`, findings });
    }
    const words = `${largeCount.toLocaleString('en')} policies and ${events.toLocaleString('en')} events, against ${smallCount.toLocaleString('en')} of each: ratios of requests per
second at ${connections} connections, over REST, and over GraphQL for counts; and of memory.`;
    return {
      section: measured.map(({ title, findings }) => findingsSection(title, words, findings)).join('\n\n'),
      findings: measured.flatMap(({ title, findings }) =>
        findings.map((finding) => ({ ...finding, what: `${title}: ${finding.what}` })),
      ),
    };
  } finally {
    await postgres.remove();
  }
}

async function measureGrowth(
  place: Place,
  events: number,
  pace: Pace,
  log: (message: string) => void,
): Promise<Finding[]> {
  log(`Making ${largeCount} IP policies and ${events} events.`);
  const small = { ...(await makeTemplate(place, 'small', smallCount)), count: smallCount };
  const large = {
    ...(await addPolicies(place, await makeTemplate(place, 'large', 1), largeCount - 1)),
    count: largeCount,
  };
  await lengthenTrail(place, large, events);

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
    const rate = (name: string, server: Server, callOf: CallOf): Probe => ({
      name,
      measure: async () => (await measure(server, callOf, connections, pace.seconds)).requestsPerSecond,
    });
    const figures = await inRounds(
      // Both get the same load, or their memory could not be compared.
      requests.flatMap(({ name, callOf }) => [
        rate(`${name}, small`, onSmall, callOf(small)),
        rate(`${name}, large`, onLarge, callOf(large)),
      ]),
      [
        { name: 'memory, small', measure: async () => onSmall.residentMiB() },
        { name: 'memory, large', measure: async () => onLarge.residentMiB() },
      ],
      pace.rounds,
      log,
    );
    const taken = (name: string) => figures.get(name) ?? [];
    const compared = (what: string, name: string, other: string, goal: Goal): Finding => ({
      what,
      spread: spreadOf(ratios(taken(`${name}, large`), taken(`${other}, small`))),
      goal,
    });
    const plain = (what: string, values: readonly number[], goal: Goal | null): Finding => ({
      what,
      spread: spreadOf(values),
      goal,
    });
    return [
      ...requests.map(({ name, against }) =>
        compared(
          against === undefined ? name : `${name}, against the first of the few`,
          name,
          against ?? name,
          rateGoal,
        ),
      ),
      compared('Memory', 'memory', 'memory', memoryGoal),
      plain('Memory with few, in MiB', taken('memory, small'), null),
      plain('Memory with many, in MiB', taken('memory, large'), null),
      plain('Start to first answer with few, in seconds', startSeconds.small, startSecondsGoal),
      plain('Start to first answer with many, in seconds', startSeconds.large, startSecondsGoal),
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
function getCalls({ token, ids }: Template): CallOf {
  const step = Math.floor(ids.length / smallCount);
  const spread = ids.filter((_, index) => index % step === 0);
  return (n: number) => restCall('GET one', { token, ids: spread }, n);
}

/** Counts all objects of a list. */
function countCalls({ token }: Template, list: string): CallOf {
  const body = JSON.stringify({ query: `{ ${list} { totalCount } }` });
  return () => ({ method: 'POST', path: '/graphql', headers: graphqlHeaders(token), body });
}

/** Reads one page of policies. Its newest object has `depth` objects from itself to the oldest. */
function pageCalls(subject: Subject, depth: number): CallOf {
  const newer = subject.ids[depth];
  return getPath(subject, `/ip_policies?limit=${pageSize}${newer === undefined ? '' : `&before_id=${newer}`}`);
}

function getPath({ token }: Template, path: string): CallOf {
  return () => ({ method: 'GET', path, headers: restHeaders(token) });
}
