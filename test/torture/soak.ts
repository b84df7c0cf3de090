// Sends a long, steady mix of reads and writes. Memory and the write-ahead log must stay within bounds, and nothing may fail.

import { setTimeout as pause } from 'node:timers/promises';
import type { NamedDatabase } from '../support/database.ts';
import { type Answer, createClient, findGraphqlFault, findRestFault, NoAnswer, type TortureClient } from './client.ts';
import { bootstrapKey, createHome, loggedFailures, type Programs, startServer, walBytes } from './process.ts';
import { createRandom, type Random } from './random.ts';
import { Broken, quantile, type Report, round } from './report.ts';

/** The extent of a run. */
export interface SoakOptions {
  readonly programs: Programs;
  /** An empty database; without one, the run creates a file. */
  readonly database?: NamedDatabase;
  readonly seconds: number;
  /** Requests per second. They are sent on time, even if earlier ones have not been answered, up to `underWayMax` at once. */
  readonly rate: number;
  /** Seconds between two measurements of memory and files. */
  readonly sampleSeconds: number;
  readonly seed: number;
  readonly progress: (text: string) => void;
}

/** Most growth of the resident memory between the second and the last tenth of the run (R19), and a floor for noise in MiB. */
const growthMax = 0.1;
const growthNoiseMiB = 24;
/** Shorter runs consist of warming up, maybe on a busy machine: their memory has only an upper bound, and their rate none. */
const growthSecondsMin = 300;
const residentMiBMax = 512;
/** Most requests in flight at once. */
const underWayMax = 32;
/** Most bytes of the write-ahead log (R19). */
const walMiBMax = 64;
/** Least share of the requests that must really be sent and answered, because the machine may have other work, too. */
const rateKeptMin = 0.5;
/** More documents than the server keeps (`keptBytesMax` of `graphql/execution/documents.ts`, at about 4 KB each). */
const keptDocuments = 6_000;
/** The number of objects of a kind from which on old ones are deleted as new ones are created. */
const populationMax = 500;

/** Keeps a server busy, and watches it. */
export async function soak(options: SoakOptions): Promise<Report> {
  const { programs, seconds, rate, sampleSeconds, seed, progress } = options;
  const home = createHome(options.database);
  const broken = new Broken();
  const times: number[] = [];
  const resident: number[] = [];
  const wal: number[] = [];
  let refused = 0;
  let unsent = 0;
  try {
    const server = await startServer(programs, home);
    const client = createClient(server.url, bootstrapKey, underWayMax);
    const act = createActor(client, createRandom(seed));
    await act.prepare();
    if (seconds >= growthSecondsMin) await act.fillDocuments();
    const cpuBefore = server.cpuMs();
    const begun = performance.now();
    const underWay = new Set<Promise<void>>();

    const one = async () => {
      const [name, request] = act.next();
      const sent = performance.now();
      try {
        const { fault, status } = await request();
        if (fault !== null) broken.add('an answer is not as documented', `${name}: ${fault}`);
        if (status === 503) refused += 1;
        times.push(performance.now() - sent);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        broken.add(`there is no answer (${error.message})`, name);
      }
    };
    let nextSample = begun + sampleSeconds * 1000;
    for (let count = 0; performance.now() - begun < seconds * 1000; count += 1) {
      const due = begun + (count * 1000) / rate;
      if (due > performance.now()) await pause(due - performance.now());
      if (!server.isAlive()) break;
      // A queue of our own would only measure itself, and would time out once the machine has been busy for a while.
      if (underWay.size < underWayMax) {
        const work = one();
        underWay.add(work);
        void work.finally(() => underWay.delete(work));
      } else {
        unsent += 1;
        await pause(1);
      }
      if (performance.now() < nextSample) continue;
      nextSample += sampleSeconds * 1000;
      resident.push(server.residentMiB());
      wal.push(walBytes(home) / 2 ** 20);
      if (resident.length % 30 === 0) {
        progress(
          `soak: ${times.length} requests, ${round(resident.at(-1) ?? 0)} MiB resident, ${round(wal.at(-1) ?? 0)} MiB of log`,
        );
      }
    }
    await Promise.all(underWay);
    const elapsed = (performance.now() - begun) / 1000;
    broken.unless(server.isAlive(), 'the process ended', server.ending() ?? '');
    const cpuShare = (server.cpuMs() - cpuBefore) / (elapsed * 1000);
    client.close();
    await server.stop();
    for (const failure of loggedFailures(home)) broken.add('the server failed', failure);

    // The first tenth of the run warms up the caches and the compiler; growth after that is a leak.
    const tenth = Math.max(1, Math.floor(resident.length / 10));
    const early = quantile(resident.slice(tenth, 2 * tenth), 0.5);
    const late = quantile(resident.slice(-tenth), 0.5);
    const growsTooMuch = seconds >= growthSecondsMin && late - early > Math.max(growthMax * early, growthNoiseMiB);
    broken.unless(!growsTooMuch, 'memory grows', `from ${round(early)} to ${round(late)} MiB`);
    const most = Math.max(0, ...resident);
    broken.unless(most <= residentMiBMax, 'memory grows', `to ${round(most)} MiB`);
    const walMax = Math.max(0, ...wal);
    broken.unless(walMax < walMiBMax, 'the write-ahead log grows', `${round(walMax)} MiB`);
    broken.unless(
      times.length > (seconds >= growthSecondsMin ? rateKeptMin : 0) * seconds * rate,
      'the rate was not kept',
      `${times.length} requests were answered`,
    );
    return {
      run: 'soak',
      parameters: { seconds, rate, seed },
      figures: {
        'requests answered': times.length,
        'of them 503 with Retry-After': refused,
        'requests not sent, because so many were under way': unsent,
        'median ms': round(quantile(times, 0.5)),
        'p99 ms': round(quantile(times, 0.99)),
        'processor of the server, share of a core': Math.round(cpuShare * 1000) / 1000,
        'resident MiB, second tenth': round(early),
        'resident MiB, last tenth': round(late),
        'resident MiB, most': round(most),
        'write-ahead log MiB, most': round(walMax),
      },
      broken: broken.sentences(),
    };
  } finally {
    home.remove();
  }
}

/** A request with its name in reports. */
type Act = readonly [name: string, request: () => Promise<{ fault: string | null; status: number }>];

/** Chooses the requests: seven reads to three writes, on a population of constant size. */
function createActor(client: TortureClient, random: Random) {
  const policies: string[] = [];
  const edges: string[] = [];
  let restriction = '';
  let backend = '';

  const judged = async (answer: Promise<Answer>, success: number, then?: (answer: Answer) => void) => {
    const settled = await answer;
    if (settled.status === success) then?.(settled);
    return { fault: findRestFault(settled, success), status: settled.status };
  };
  const judgedGraphql = async (answer: Promise<Answer>) => {
    const settled = await answer;
    const failed = settled.body?.errors === undefined ? null : JSON.stringify(settled.body.errors);
    return { fault: findGraphqlFault(settled) ?? failed, status: settled.status };
  };
  const createPolicy = () =>
    judged(client.rest('POST', '/ip_policies', { metadata: 'x'.repeat(random.below(2_000)) }), 201, ({ body }) =>
      policies.push(body.id),
    );
  const createEdge = () =>
    judged(client.rest('POST', '/edges/tls', { hostports: ['soak.example.com:443'] }), 201, ({ body }) =>
      edges.push(body.id),
    );
  const module = () => ({ inbound: [{ name: `${random.below(1e6)}`, expressions: [], actions: [{ type: 'deny' }] }] });

  /** Documents that are never repeated: caches of documents must not grow with them. */
  const ownDocument = (): Act => [
    'a document of its own',
    () => judgedGraphql(client.graphql(`query Q${random.below(2 ** 31)} { viewer { account { name } } }`)),
  ];

  const reads: (() => Act)[] = [
    () => ['GET /ip_policies/{id}', () => judged(client.rest('GET', `/ip_policies/${random.of(policies)}`), 200)],
    () => ['GET /ip_policies', () => judged(client.rest('GET', '/ip_policies?limit=50'), 200)],
    () => ['GET /edges/tls/{id}', () => judged(client.rest('GET', `/edges/tls/${random.of(edges)}`), 200)],
    () => [
      'a nested query',
      () =>
        judgedGraphql(
          client.graphql(
            '{ ipPolicies(first: 20) { nodes { id rules(first: 5) { nodes { cidr } } restrictions(first: 5) { nodes { id } } } } }',
          ),
        ),
    ],
    () => [
      'evaluateIp',
      () =>
        judgedGraphql(
          client.graphql('{ evaluateIp(address: "192.0.2.1", type: endpoints) { allowed verdicts { effect } } }'),
        ),
    ],
    ownDocument,
  ];
  const writes: (() => Act)[] = [
    () => ['POST /ip_policies', createPolicy],
    () => ['POST /edges/tls', createEdge],
    () => [
      'PATCH /ip_policies/{id}',
      () =>
        judged(client.rest('PATCH', `/ip_policies/${random.of(policies)}`, { description: `${random.next()}` }), 200),
    ],
    () => [
      'PUT /edges/tls/{id}/policy',
      () => judged(client.rest('PUT', `/edges/tls/${random.of(edges)}/policy`, module()), 200),
    ],
    () => [
      'PUT /edges/tls/{id}/backend',
      () => judged(client.rest('PUT', `/edges/tls/${random.of(edges)}/backend`, { backend_id: backend }), 200),
    ],
    () => [
      'updateIpRestriction',
      () =>
        judgedGraphql(
          client.graphql(
            'mutation ($input: UpdateIpRestrictionInput!) { updateIpRestriction(input: $input) { __typename } }',
            {
              input: { id: restriction, enforced: random.next() < 0.5 },
            },
          ),
        ),
    ],
  ];

  return {
    /** Creates the objects that the mix needs from its first request on. */
    async prepare() {
      for (let count = 0; count < 20; count += 1) await Promise.all([createPolicy(), createEdge()]);
      const ids = policies.slice(0, 3);
      // The restriction refers to these, so deletions only take policies behind them.
      for (const [index, id] of ids.entries()) {
        await client.rest('POST', '/ip_policy_rules', {
          ip_policy_id: id,
          cidr: `10.${index}.0.0/16`,
          action: 'allow',
        });
      }
      restriction = (await client.rest('POST', '/ip_restrictions', { type: 'endpoints', ip_policy_ids: ids })).body.id;
      backend = (await client.rest('POST', '/backends/tunnel_group', { labels: { app: 'web' } })).body.id;
    },
    /** Sends more documents than the server keeps: at the rate of the mix, that would take a third of the run. */
    async fillDocuments() {
      for (let sent = 0; sent < keptDocuments; sent += underWayMax) {
        await Promise.all(Array.from({ length: underWayMax }, () => ownDocument()[1]()));
      }
    },
    /** Chooses the next request. */
    next(): Act {
      for (const [list, collection] of [
        [policies, '/ip_policies'],
        [edges, '/edges/tls'],
      ] as const) {
        if (list.length <= populationMax) continue;
        // Takes an object from the middle, and forgets it here, so that no other request meets an object that is being deleted.
        const [id] = list.splice(10 + random.below(populationMax - 20), 1);
        return [`DELETE ${collection}/{id}`, () => judged(client.rest('DELETE', `${collection}/${id}`), 204)];
      }
      return random.next() < 0.7 ? random.of(reads)() : random.of(writes)();
    },
  };
}
