// Runs kill -9 again and again under parallel writers over both surfaces. Afterwards, every acknowledged write must be there, and
// no write may be there partially.

import { setTimeout as pause } from 'node:timers/promises';
import type { NamedDatabase } from '../support/database.ts';
import { createClient } from './client.ts';
import { Ledger } from './ledger.ts';
import {
  bootstrapKey,
  createHome,
  findDamage,
  findUnrecorded,
  killWhileStarting,
  loggedFailures,
  type Programs,
  startServer,
} from './process.ts';
import { createRandom } from './random.ts';
import { Broken, quantile, type Report, round } from './report.ts';
import { write } from './writer.ts';

/** The extent of a run. */
export interface KillOptions {
  readonly programs: Programs;
  /** An empty database; without one, the run creates a file. */
  readonly database?: NamedDatabase;
  readonly rounds: number;
  readonly writers: number;
  /** Longest time, in milliseconds, from when the writers are at work until the kill. */
  readonly millisecondsMax: number;
  /** Longest time from the start of a process after a kill until it is ready. */
  readonly readyMsMax: number;
  readonly seed: number;
  readonly progress: (text: string) => void;
  /** Damages the database after a kill; only for the test of this run itself. */
  readonly spoil?: () => Promise<void>;
}

/** Writes that each writer must have had acknowledged, on average, before a kill. */
const writesMin = 3;
/** How long to wait for them, in milliseconds. */
const writesMsMax = 30_000;
const collections = ['/ip_policies', '/ip_restrictions', '/edges/tls'];

/** Kills and restarts a server, round after round, on one database. */
export async function kill(options: KillOptions): Promise<Report> {
  const { programs, rounds, writers, millisecondsMax, readyMsMax, seed, progress } = options;
  const random = createRandom(seed);
  const home = createHome(options.database);
  const broken = new Broken();
  const ledger = new Ledger();
  const readyTimes: number[] = [];
  let compared = 0;
  let unanswered = 0;

  try {
    let server = await startServer(programs, home);
    for (let number = 1; number <= rounds; number += 1) {
      const { url } = server;
      const writing = Array.from({ length: writers }, async (_, writer) => {
        const client = createClient(url, bootstrapKey);
        const own = createRandom(seed + number * 1_000 + writer);
        await write({ client, ledger, broken, random: own, round: number, name: `w${writer}` });
        client.close();
      });
      const enough = ledger.acknowledged + writers * writesMin;
      const begun = performance.now();
      while (ledger.acknowledged < enough && performance.now() - begun < writesMsMax && server.isAlive())
        await pause(5);
      await pause(random.below(millisecondsMax));
      if (!server.isAlive()) broken.add('the process ended', server.ending() ?? '');
      await server.kill();
      await Promise.all(writing);
      await options.spoil?.();
      for (const object of await findUnrecorded(home)) broken.add('the trail and an object disagree', object);
      // Some kills hit the start itself, while the server recovers the log of the previous kill.
      if (number % 10 === 0) await killWhileStarting(programs, home, 100 + random.below(600));

      server = await startServer(programs, home);
      readyTimes.push(server.readyMs);
      for (const damage of await findDamage(home)) broken.add('the file is damaged', damage);
      const client = createClient(server.url, bootstrapKey, 16);
      const touched = ledger.entries.filter((entry) => entry.round === number);
      compared += await ledger.verify(client, touched, broken);
      unanswered += await ledger.verifyUnanswered(client, { collections, pages: 10, round: number }, broken);
      client.close();
      if (number % 10 === 0)
        progress(`kill: ${number} of ${rounds} rounds, ${ledger.acknowledged} writes acknowledged`);
    }
    const client = createClient(server.url, bootstrapKey, 16);
    compared += await ledger.verify(client, ledger.entries, broken);
    client.close();
    await server.stop();
    for (const damage of await findDamage(home)) broken.add('the file is damaged', damage);
    for (const object of await findUnrecorded(home)) broken.add('the trail and an object disagree', object);
    for (const failure of loggedFailures(home)) broken.add('the server failed', failure);
  } finally {
    home.remove();
  }
  const slowest = Math.max(...readyTimes);
  broken.unless(slowest <= readyMsMax, 'a restart is slow', `${round(slowest)} ms until ready`);
  broken.unless(
    ledger.acknowledged >= rounds * writers * writesMin,
    'the run says nothing',
    `${ledger.acknowledged} writes`,
  );
  return {
    run: 'kill',
    parameters: { rounds, writers, millisecondsMax, seed },
    figures: {
      'writes acknowledged': ledger.acknowledged,
      'objects compared': compared,
      'objects of requests that were cut off, there whole': unanswered,
      'restart to ready, median ms': round(quantile(readyTimes, 0.5)),
      'restart to ready, longest ms': round(slowest),
    },
    broken: broken.sentences(),
  };
}
