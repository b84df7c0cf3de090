// Measures what a backup does to those who write meanwhile, and how long `doctor` takes, on a large file: the commands as they are
// shipped, beside a server under load.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Finding, type Goal, quantile, ratios, spreadOf } from './figures.ts';
import { lengthenTrail } from './long-trail.ts';
import { sendWith } from './paced.ts';
import type { Place } from './places.ts';
import { restCall } from './scenarios.ts';
import { root, type Server, startSallyport } from './servers.ts';
import { makeTemplate, type Template } from './template.ts';

const policyCount = 1_000;
/** Writers, each of which sends a PATCH as soon as its last one is answered. */
const writerCount = 8;
/** Seconds of writes without a backup. */
const aloneSeconds = 10;
/** Milliseconds between two looks at the log. */
const lookMs = 20;

/** The text above the table. */
export const backupWords = `\`sallyport backup\` of a database with a long trail, while ${writerCount} connections send PATCH without a pause. Alone: the same writes for ${aloneSeconds} seconds
before it. The worst of a round is its slowest answer; the log is the file beside the database, at its largest. \`doctor\` runs
beside an idle server.`;

/** Measures. Throws Error if a command or a write fails. */
export async function measureBackup(
  place: Place,
  events: number,
  rounds: number,
  log: (message: string) => void,
): Promise<Finding[]> {
  log(`Making a trail of ${events} events.`);
  const template = await makeTemplate(place, 'backup', policyCount);
  await lengthenTrail(place, template, events);
  const path = template.url.slice('file:'.length);
  const fileGiB = statSync(path).size / 2 ** 30;
  const copy = join(place.directory, 'copy.db');
  const server = await startSallyport(template.url, template.secretKey);
  const figures = new Map<string, number[]>();
  const note = (name: string, figure: number) => figures.set(name, [...(figures.get(name) ?? []), figure]);
  try {
    for (let round = 0; round <= rounds; round += 1) {
      log(round === 0 ? 'Warming up.' : `Round ${round} of ${rounds}.`);
      const alone = await writeUntil(server, template, pause(aloneSeconds * 1_000));
      const beside = await writeUntil(server, template, run(template, ['backup', copy]));
      rmSync(copy);
      const begun = performance.now();
      await run(template, ['doctor'], [0, 1]);
      if (round === 0) continue;
      note('doctor', (performance.now() - begun) / 1_000);
      note('seconds', beside.seconds);
      for (const [name, written] of Object.entries({ alone, beside })) {
        note(`rate ${name}`, written.latenciesMs.length / written.seconds);
        note(`99th ${name}`, quantile(written.latenciesMs, 0.99));
        note(`worst ${name}`, Math.max(...written.latenciesMs));
        note(`log ${name}`, written.logMiB);
      }
    }
  } finally {
    await server.stop();
    rmSync(copy, { force: true });
  }
  const taken = (name: string) => figures.get(name) ?? [];
  const finding = (what: string, values: readonly number[], goal: Goal | null = null): Finding => ({
    what,
    spread: spreadOf(values),
    goal,
  });
  return [
    finding('The file, in GiB', [fileGiB]),
    finding('Seconds of a backup', taken('seconds')),
    finding('The worst write meanwhile, in ms', taken('worst beside'), { atMost: 250 }),
    finding('The worst write alone, in ms', taken('worst alone')),
    finding('99th percentile of the writes meanwhile, in ms', taken('99th beside')),
    finding('99th percentile of the writes alone, in ms', taken('99th alone')),
    finding('Writes per second meanwhile, against alone', ratios(taken('rate beside'), taken('rate alone'))),
    finding('The largest log meanwhile, in MiB', taken('log beside'), { atMost: 128 }),
    finding('The largest log alone, in MiB', taken('log alone')),
    finding('Seconds of `doctor`', taken('doctor'), { atMost: 5 }),
  ];
}

/** What writers have seen. */
interface Written {
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
  /** The largest size of the log. */
  readonly logMiB: number;
}

/** Writes until something has ended. */
async function writeUntil(server: Server, template: Template, ending: Promise<unknown>): Promise<Written> {
  const agent = new Agent({ keepAlive: true });
  const logPath = `${template.url.slice('file:'.length)}-wal`;
  const latenciesMs: number[] = [];
  let logBytes = 0;
  let hasEnded = false;
  const look = setInterval(() => {
    logBytes = Math.max(logBytes, statSync(logPath).size);
  }, lookMs);
  const begun = performance.now();
  const writers = Array.from({ length: writerCount }, async (_, writer) => {
    for (let n = writer; !hasEnded; n += writerCount) {
      const sent = performance.now();
      await sendWith(agent, server, restCall('PATCH', template, n));
      latenciesMs.push(performance.now() - sent);
    }
  });
  try {
    await Promise.race([ending, Promise.all(writers)]);
  } finally {
    hasEnded = true;
    clearInterval(look);
    await Promise.allSettled(writers);
    agent.destroy();
  }
  await Promise.all(writers);
  return { seconds: (performance.now() - begun) / 1_000, latenciesMs, logMiB: logBytes / 2 ** 20 };
}

/** Runs a command as it is shipped. Throws Error if it fails. */
async function run({ url, secretKey }: Template, args: readonly string[], statuses = [0]): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', DATABASE_URL: url, SECRET_KEY: secretKey },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [status] = await once(child, 'exit');
  if (!statuses.includes(status)) throw new Error(`${args.join(' ')} ended with ${status}.`);
}
