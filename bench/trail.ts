// Measures how fast `audit verify` is: the command as it is shipped, its start included, on a long trail.

import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, spreadOf } from './figures.ts';
import { lengthenTrail } from './long-trail.ts';
import { createPostgresPlace, type Place } from './places.ts';
import { processorSecondsOf } from './processes.ts';
import { inRounds, type Probe } from './rounds.ts';
import { root } from './servers.ts';
import { makeTemplate, type Template } from './template.ts';

const eventCount = 300_000;

/** The text above the table. */
export const trailWords = `\`sallyport audit verify\` on a trail of ${eventCount} events of 500 bytes: events per second of the processor time that the whole
command takes, its start included, and PostgreSQL with it. On a machine that does nothing else, that is how long it lasts.`;

/** Measures the command on both engines, and on an export. Throws Error if a trail is not as it was chained. */
export async function measureTrail(sqlite: Place, rounds: number, log: (message: string) => void): Promise<Finding[]> {
  const postgres = await createPostgresPlace(undefined);
  try {
    const onSqlite = await makeTrail(sqlite, log);
    const onPostgres = await makeTrail(postgres, log);
    const file = join(sqlite.directory, 'trail.jsonl');
    const output = openSync(file, 'w');
    run(onSqlite, ['export', '--verifiable'], output);
    closeSync(output);
    // Of this process, which waits, and of its children that run or have ended, PostgreSQL among them.
    const used = () => processorSecondsOf(process.pid);
    const probe = (name: string, template: Template, ...args: string[]): Probe => ({
      name,
      measure: async () => {
        const before = used();
        run(template, ['verify', ...args]);
        return eventCount / (used() - before);
      },
    });
    const probes = [probe('SQLite', onSqlite), probe('PostgreSQL', onPostgres), probe('an export', onSqlite, file)];
    const figures = await inRounds(probes, [], rounds, log);
    const finding = (name: string, atLeast: number): Finding => ({
      what: `Events per second, ${name}`,
      spread: spreadOf(figures.get(name) ?? []),
      goal: { atLeast },
    });
    return [finding('SQLite', 100_000), finding('PostgreSQL', 33_333), finding('an export', 100_000)];
  } finally {
    await postgres.remove();
  }
}

/** Runs `audit` as it is shipped. Throws Error if it fails. */
function run({ url, secretKey }: Template, args: readonly string[], output: number | 'ignore' = 'ignore'): void {
  execFileSync(process.execPath, [join(root, 'dist/cli.js'), 'audit', ...args], {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', DATABASE_URL: url, SECRET_KEY: secretKey },
    // Without what it says about its progress.
    stdio: ['ignore', output, 'pipe'],
  });
}

/** Makes a database with a long trail whose chain is up to date. */
async function makeTrail(place: Place, log: (message: string) => void): Promise<Template> {
  log(`Making a trail of ${eventCount} events on ${place.engine}.`);
  const template = await makeTemplate(place, 'trail', 1);
  await lengthenTrail(place, template, eventCount);
  return template;
}
