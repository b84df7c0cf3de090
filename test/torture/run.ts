// Runs the long torture runs, which are started by hand: npm run torture [-- name ...]. Exits with 1 if a promise was broken.

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { root } from '../support/source-files.ts';
import { attackNames } from './attacks.ts';
import { hostile } from './hostile.ts';
import { incidents } from './incidents.ts';
import { kill } from './kill.ts';
import { describeReport, type Report } from './report.ts';
import { longSizes, scaled } from './sizes.ts';
import { soak } from './soak.ts';

const incidentNames = incidents.map(({ name }) => name);
const everyAttack = [...attackNames, ...incidentNames];

const usage = `npm run torture [-- name ...] [-- options]

  kill      kill -9 under parallel writers over both surfaces
              --rounds <n> (100)  --writers <n> (20)
  soak      a steady mix of reads and writes, with bounds on memory and the write-ahead log
              --minutes <n> (30)  --rate <requests per second> (50)
  fuzz      random bodies for every route, random GraphQL documents
              --bodies <n for each route> (10000)  --documents <n> (2000)
  hostile   attacks by the holder of one key, each alone and then all at once
              --scale <factor of their sizes> (1)  --seconds <n of all at once> (60)  --connections <n> (32)
              --attack <name>, may be given again: ${everyAttack.join(', ')}

  --seed <n>     repeats the choices of an earlier run
  --json <file>  where to write the reports (torture.json)
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '100' },
    writers: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '50' },
    bodies: { type: 'string', default: '10000' },
    documents: { type: 'string', default: '2000' },
    scale: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    connections: { type: 'string', default: '32' },
    attack: { type: 'string', multiple: true, default: everyAttack },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    json: { type: 'string', default: 'torture.json' },
    help: { type: 'boolean', default: false },
  },
});

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** Reads an option that must be a positive number. */
function number(
  name:
    | 'rounds'
    | 'writers'
    | 'minutes'
    | 'rate'
    | 'bodies'
    | 'documents'
    | 'scale'
    | 'seconds'
    | 'connections'
    | 'seed',
): number {
  const value = Number(values[name]);
  if (!(value > 0)) throw new Error(`--${name} must be a positive number.\n\n${usage}`);
  return value;
}

const shared = () => ({ programs: { directory: root }, seed: number('seed'), progress: print });
const runs: Record<string, () => Promise<Report>> = {
  kill: () =>
    kill({
      ...shared(),
      rounds: number('rounds'),
      writers: number('writers'),
      millisecondsMax: 1_500,
      readyMsMax: 3_000,
    }),
  soak: () => soak({ ...shared(), seconds: 60 * number('minutes'), rate: number('rate'), sampleSeconds: 10 }),
  // Imported only here: it needs the whole schema, which takes seconds to load.
  fuzz: () =>
    import('./fuzz.ts').then(({ fuzz }) =>
      fuzz({ ...shared(), bodies: number('bodies'), documents: number('documents') }),
    ),
  hostile: () =>
    hostile({
      ...shared(),
      attacks: values.attack.filter((name) => attackNames.includes(name)),
      incidents: values.attack.filter((name) => incidentNames.includes(name)),
      sizes: scaled(longSizes, number('scale')),
      cpuMsMax: 50,
      repeats: 5,
      togetherSeconds: number('seconds'),
      connections: number('connections'),
      timeoutMs: 60_000,
    }),
};

if (values.help) {
  print(usage);
} else {
  const names = positionals.length === 0 ? Object.keys(runs) : positionals;
  const unknown = names.filter((name) => !Object.hasOwn(runs, name));
  if (unknown.length > 0) throw new Error(`Not understood: ${unknown.join(', ')}\n\n${usage}`);
  print(`Seed ${number('seed')}; --seed ${number('seed')} repeats it.`);
  const reports: Report[] = [];
  for (const name of names) {
    const report = await runs[name]?.();
    if (report === undefined) continue;
    reports.push(report);
    print(`\n${describeReport(report)}\n`);
  }
  writeFileSync(values.json, `${JSON.stringify({ date: new Date().toISOString(), reports }, null, 2)}\n`);
  const broken = reports.filter((report) => report.broken.length > 0);
  print(broken.length === 0 ? 'Every promise held.' : `Broken: ${broken.map(({ run }) => run).join(', ')}.`);
  if (broken.length > 0) process.exitCode = 1;
}
