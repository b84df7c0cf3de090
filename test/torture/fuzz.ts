// Sends random bodies to every route that takes one, and random valid GraphQL documents. Every answer must be a documented one, and
// the process must keep running.

import fc from 'fast-check';
import { schema } from '../../src/graphql/schema.ts';
import { type PreparedRoute, prepareRoutes } from '../../src/surfaces/rest/prepared-route.ts';
import { successStatus } from '../../src/surfaces/rest/route.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { createArbitraries } from '../http/arbitraries.ts';
import { createWorld, fillPath, type IdOf, nameOf } from '../http/world.ts';
import type { NamedDatabase } from '../support/database.ts';
import { createClient, findGraphqlFault, findRestFault, NoAnswer, shorten, type TortureClient } from './client.ts';
import { createDocument } from './documents.ts';
import { bootstrapKey, createHome, loggedFailures, type Programs, type ServerProcess, startServer } from './process.ts';
import { Broken, type Report } from './report.ts';

/** The extent of a run. */
export interface FuzzOptions {
  readonly programs: Programs;
  /** An empty database; without one, the run creates a file. */
  readonly database?: NamedDatabase;
  /** Number of bodies for each route. */
  readonly bodies: number;
  /** Number of GraphQL documents. */
  readonly documents: number;
  /** The routes to test; by default all that take a body. */
  readonly only?: readonly string[];
  readonly seed: number;
  readonly progress: (text: string) => void;
}

const connections = 6;
/** Number of bodies that are generated at once. */
const batchSize = 500;
/** Only one in this many bodies that request an RSA key is sent unchanged: each costs seconds, and the hostile run covers that. */
const rsaEvery = 100;

/** Sends everything, and checks every answer. */
export async function fuzz(options: FuzzOptions): Promise<Report> {
  const { programs, bodies, documents, only, seed, progress } = options;
  const home = createHome(options.database);
  const broken = new Broken();
  const outcomes = { taken: 0, refused: 0, unavailable: 0, documents: 0, documentsRefused: 0 };
  const operations = prepareRoutes(routes, schema).filter(
    ({ route: { method }, route }) =>
      ['POST', 'PUT', 'PATCH'].includes(method) && (only === undefined || only.includes(nameOf(route))),
  );
  try {
    const server = await startServer(programs, home);
    const client = createClient(server.url, bootstrapKey, connections);
    const collected: string[] = [];
    const ids = await createWorld(client);
    // The sample of a route that takes a proof creates nothing, so there is no id for it.
    for (const { path, method, withoutKey } of routes) {
      if (method === 'POST' && withoutKey === undefined) collected.push(ids(path));
    }

    for (const [index, operation] of operations.entries()) {
      await fuzzRoute({ client, server, broken, outcomes }, operation, ids, bodies, seed + index);
      progress(`fuzz: ${nameOf(operation.route)}, ${index + 1} of ${operations.length} routes`);
    }
    const numbers = Array.from({ length: documents }, (_, number) => number);
    await inParallel(numbers, async (number) => {
      const document = createDocument(schema, seed + number, collected);
      const fault = await ask(server, async () => {
        const answer = await client.send('POST', '/graphql', { body: document });
        outcomes[answer.body?.errors === undefined ? 'documents' : 'documentsRefused'] += 1;
        return findGraphqlFault(answer);
      });
      if (fault !== null) broken.add('a document', `${fault} to seed ${seed + number}: ${shorten(document, 600)}`);
    });
    const health = await client.send('GET', '/healthz').then(({ status }) => String(status), String);
    broken.unless(health === '200', 'the process', `does not answer at the end: ${server.ending() ?? health}`);
    client.close();
    await server.stop();
    for (const failure of loggedFailures(home)) broken.add('the server failed', failure);
  } finally {
    home.remove();
  }
  // In an empty world everything would be refused, and the run would prove nothing.
  broken.unless(outcomes.taken * 50 > outcomes.refused, 'the run says nothing', `${outcomes.taken} bodies were taken`);
  broken.unless(
    outcomes.documents * 10 > documents,
    'the run says nothing',
    `${outcomes.documents} documents were answered`,
  );
  return {
    run: 'fuzz',
    parameters: { routes: operations.length, 'bodies for each': bodies, documents, seed },
    figures: {
      'bodies taken': outcomes.taken,
      'bodies refused with a code': outcomes.refused,
      'bodies answered 503 with Retry-After': outcomes.unavailable,
      'documents answered without errors': outcomes.documents,
      'documents answered with coded errors': outcomes.documentsRefused,
    },
    broken: broken.sentences(),
  };
}

interface Fuzzing {
  readonly client: TortureClient;
  readonly server: ServerProcess;
  readonly broken: Broken;
  readonly outcomes: { taken: number; refused: number; unavailable: number };
}

async function fuzzRoute(
  { client, server, broken, outcomes }: Fuzzing,
  operation: PreparedRoute,
  ids: IdOf,
  bodies: number,
  seed: number,
): Promise<void> {
  const { route, answerFields } = operation;
  const path = fillPath(route.path, ids);
  const arbitrary = createArbitraries(() => ids).bodyOf(operation);
  const expected = [...answerFields].sort().join();
  let rsaKeys = 0;
  for (let sent = 0; sent < bodies && server.isAlive(); sent += batchSize) {
    const sample = fc.sample(arbitrary, { numRuns: Math.min(batchSize, bodies - sent), seed: seed + sent });
    await inParallel(sample, async (made) => {
      let body = made;
      if (body?.includes('"rsa"')) {
        rsaKeys += 1;
        if (rsaKeys % rsaEvery !== 1) body = body.replaceAll('"rsa"', '"ed25519"');
      }
      const fault = await ask(server, async () => {
        const answer = await client.send(route.method, path, body === undefined ? {} : { body });
        if (answer.status === 503) outcomes.unavailable += 1;
        else outcomes[answer.status < 400 ? 'taken' : 'refused'] += 1;
        const success = successStatus[route.method];
        if (answer.status === success && Object.keys(answer.body).sort().join() !== expected) {
          return `the answer has other fields than the description: ${shorten(answer.body)}`;
        }
        return findRestFault(answer, success);
      });
      if (fault !== null) broken.add(nameOf(route), `${fault} to ${shorten(body ?? 'no body', 600)}`);
    });
  }
}

/** Sends a request. Returns what is wrong with the answer, or that there is none; null if all is well. */
async function ask(server: ServerProcess, request: () => Promise<string | null>) {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return `no answer (${error.message}; the process ${server.ending() ?? 'runs'})`;
  }
}

async function inParallel<T>(values: readonly T[], work: (value: T) => Promise<void>): Promise<void> {
  let next = 0;
  const take = async () => {
    while (next < values.length) {
      const index = next;
      next += 1;
      // Safe cast: the index is below the length.
      await work(values[index] as T);
    }
  };
  await Promise.all(Array.from({ length: connections }, take));
}
