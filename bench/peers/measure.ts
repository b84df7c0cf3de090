// Measures our `/graphql` on both engines against alternatives: peers (c) and (d).

import { join } from 'node:path';
import { send } from '../../test/support/postgres.ts';
import { type Entry, measureInTurn, type Series } from '../comparison.ts';
import type { Pace } from '../load.ts';
import { createPostgresPlace, type Place } from '../places.ts';
import { ask } from '../same-work.ts';
import { type Kind, type PeerKind, peerKinds } from '../scenarios.ts';
import { bundleOpponent, type Server, startOpponent, startSallyport, startServer } from '../servers.ts';
import { makeTemplate, notes, type Template } from '../template.ts';
import { type Peer, peerCall, readPolicies } from './calls.ts';
import { installPeers } from './install.ts';

/** The results of the comparison. */
export interface PeersMeasured {
  readonly series: readonly Series[];
  readonly resources: ReadonlyMap<Peer, Resources>;
  /** The versions of the peers and their databases, in a few words each. */
  readonly versions: readonly string[];
}

/** What a peer needs besides processor time. */
export interface Resources {
  /** Memory of the server after all of the load, in MiB. */
  readonly residentMiB: number;
  /** Memory of its database server, in MiB; 0 if it has none. */
  readonly databaseMiB: number;
  /** From the start of the process to its answer to a first request, once for each round, in seconds. */
  readonly startSeconds: readonly number[];
}

/** A server to measure: its rows, where they are, and how it is started. */
interface Subject {
  readonly peer: Peer;
  readonly place: Place;
  readonly template: Template;
  readonly start: () => Promise<Server>;
}

/** Number of policies at the start. */
const policyCount = 1_000;

/**
 * Gives PostGraphile only the table, with defaults for what its requests leave out: it would offer all tables of the database, and
 * it cannot create ids as Sallyport does.
 */
const peerSchema = [
  'CREATE SCHEMA peer',
  'CREATE TABLE peer."IpPolicy" (LIKE public."IpPolicy" INCLUDING ALL)',
  'INSERT INTO peer."IpPolicy" SELECT * FROM public."IpPolicy"',
  `ALTER TABLE peer."IpPolicy" ALTER "id" SET DEFAULT 'ipp_' || left(replace(gen_random_uuid()::text, '-', ''), 26),
   ALTER "createdAt" SET DEFAULT timezone('UTC', now())`,
  `DO $$ BEGIN
     EXECUTE format('ALTER TABLE peer."IpPolicy" ALTER "accountId" SET DEFAULT %L', (SELECT "id" FROM "Account"));
   END $$`,
];

/**
 * Measures Sallyport and the peers. Each contender on PostgreSQL has a database server of its own, so that the processor time and
 * memory of that server belong to it alone.
 *
 * @throws Error if PostGraphile cannot be installed, a peer does not return the policies that it has, or an answer fails
 */
export async function measurePeers(
  sqlite: Place,
  kinds: readonly Kind[],
  pace: Pace,
  log: (message: string) => void,
): Promise<PeersMeasured> {
  log('Installing PostGraphile, unless it is there.');
  const peers = installPeers();
  const running: (Subject & { readonly server: Server })[] = [];
  const places: Place[] = [];
  try {
    const startPostgres = async () => {
      const place = await createPostgresPlace(undefined);
      places.push(place);
      return place;
    };
    const postgres = await startPostgres();
    const postgraphile = await startPostgres();
    const subjects = await makeSubjects({ sqlite, postgres, postgraphile }, peers.node);
    log('Timing starts.');
    const startSeconds = await timeStarts(subjects, pace.rounds);
    for (const subject of subjects) {
      const server = await subject.start();
      running.push({ ...subject, server });
      await checkPolicies(subject.peer, server, subject.template);
    }
    const entries = running.map(
      ({ peer, server, place, template }): Entry<PeerKind> => ({
        contender: peer,
        server: { ...server, database: place.database },
        callOf: (kind, n) => peerCall(peer, kind, template, n),
        answers: () => true,
      }),
    );
    const chosen = peerKinds.filter((kind) => kinds.includes(kind));
    const series = await measureInTurn(entries, chosen, pace, log);
    const resources = running.map(({ peer, server, place }) => {
      const residentMiB = server.residentMiB();
      const databaseMiB = place.database?.residentMiB() ?? 0;
      return [peer, { residentMiB, databaseMiB, startSeconds: startSeconds.get(peer) ?? [] }] as const;
    });
    const versions = [...peers.versions, ...(await postgraphile.describe())];
    return { series, resources: new Map(resources), versions };
  } finally {
    await Promise.all(running.map(({ server }) => server.stop()));
    for (const place of places) await place.remove();
  }
}

async function makeSubjects(
  { sqlite, postgres, postgraphile }: Readonly<Record<'sqlite' | 'postgres' | 'postgraphile', Place>>,
  newerNode: string,
): Promise<Subject[]> {
  const onSqlite = await makeTemplate(sqlite, 'template', policyCount);
  const plainUrl = await sqlite.copy(onSqlite.url, 'plain');
  const onPostgres = await makeTemplate(postgres, 'template', policyCount);
  const ofPostgraphile = await makeTemplate(postgraphile, 'template', policyCount);
  await send(ofPostgraphile.url, ...peerSchema);
  await postgraphile.settle(ofPostgraphile.url);

  const postgraphileProgram = join(import.meta.dirname, 'postgraphile.js');
  const plainProgram = await bundleOpponent('peers/plain');
  const start = ({ url, secretKey }: Template) => startSallyport(url, secretKey);
  return [
    { peer: 'sqlite', place: sqlite, template: onSqlite, start: () => start(onSqlite) },
    { peer: 'postgres', place: postgres, template: onPostgres, start: () => start(onPostgres) },
    {
      peer: 'postgraphile',
      place: postgraphile,
      template: ofPostgraphile,
      start: () => startServer(newerNode, [postgraphileProgram, ofPostgraphile.url], {}),
    },
    { peer: 'plain', place: sqlite, template: onSqlite, start: () => startOpponent(plainProgram, plainUrl) },
  ];
}

/** Times starts, in turn, in seconds: from the start of the process to its answer to a first request for a policy. */
async function timeStarts(subjects: readonly Subject[], rounds: number): Promise<Map<Peer, number[]>> {
  const seconds = new Map(subjects.map(({ peer }) => [peer, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { peer, template, start } of subjects) {
      const begun = performance.now();
      const server = await start();
      try {
        readPolicies((await ask(server, peerCall(peer, 'GET one', template, 0))).body);
        seconds.get(peer)?.push((performance.now() - begun) / 1000);
      } finally {
        await server.stop();
      }
    }
  }
  return seconds;
}

/**
 * Checks that a peer returns the policies of its template, the newest hundred in order, and a new one as it was sent.
 *
 * @throws Error with what it returns instead
 */
export async function checkPolicies(peer: Peer, server: Pick<Server, 'url'>, template: Template): Promise<void> {
  const policiesOf = async (kind: PeerKind, of: Pick<Template, 'token' | 'ids'>) =>
    readPolicies((await ask(server, peerCall(peer, kind, of, 0))).body);
  const check = (what: string, given: unknown, expected: unknown) => {
    const [one = '', other = ''] = [given, expected].map((value) => JSON.stringify(value));
    if (one === other) return;
    const place = [...one].findIndex((letter, index) => letter !== other[index]);
    const [found, wanted] = [one, other].map((text) => text.slice(Math.max(0, place - 100), place + 300));
    throw new Error(`Not the same work: ${peer} gives to ${what}\n... ${found} ... instead of\n... ${wanted} ...`);
  };
  const shown = (policies: readonly object[]) => policies.map((policy) => ({ ...policy, createdAt: 'then' }));
  const expected = (id: string | undefined) => ({ id, createdAt: 'then', ...notes, version: 1 });

  const [read] = await policiesOf('GET one', template);
  check('GET one', template.ids.includes(read?.id ?? '') && shown([read ?? {}]), [expected(read?.id)]);
  const newest = template.ids.slice(-100).reverse();
  check('LIST 100', shown(await policiesOf('LIST 100', template)), newest.map(expected));
  const [made] = await policiesOf('POST create', template);
  check('POST create', shown([made ?? {}]), [expected(made?.id)]);
  const id = made?.id ?? '';
  check('GET one, of the new one', await policiesOf('GET one', { ...template, ids: [id, id] }), [made]);
}
