// The benchmark: measures side by side, prints tables, writes the pages of docs/performance, and fails when a goal is missed by
// more than noise. Run with: npm run bench. With options it measures less, or something else: npm run bench -- --help

import { backupWords, measureBackup } from './backup.ts';
import { configurationWords, measureConfiguration } from './configuration.ts';
import { measureDashboard } from './dashboard.ts';
import { type Finding, misses } from './figures.ts';
import { gateWords, measureGate } from './gate.ts';
import { measureGrowths } from './growth.ts';
import { instancesWords, measureInstances } from './instances.ts';
import { describeMachine } from './machine.ts';
import { measureOpponents } from './opponents.ts';
import { type Options, type Part, readOptions, usage } from './options.ts';
import { writeSection } from './page.ts';
import { measurePeers } from './peers/measure.ts';
import { peerFindings, peersSection } from './peers/report.ts';
import { createPostgresPlace, createSqlitePlace, type Place } from './places.ts';
import { opponentFindings, opponentsSection } from './report.ts';
import { measureSigning, signingWords } from './signing.ts';
import { findingsSection, showFinding } from './tables.ts';
import { measureTold, toldWords } from './told.ts';
import { measureTrail, trailWords } from './trail.ts';
import { measureTrailSize, sizeWords } from './trail-size.ts';
import { measureWorkers, workerFindings, workersSection } from './workers.ts';

/** What a part has measured: as text, and as the findings that have a goal or could have one. */
interface Measured {
  readonly section: string;
  readonly findings: readonly Finding[];
}

const print = (text: string) => void process.stdout.write(`${text}\n`);

async function measurePart(part: Part, place: Place, { kinds, pace, against, events }: Options): Promise<Measured> {
  const log = (message: string) => print(`${part}: ${message}`);
  const asTable = (title: string, words: string, findings: readonly Finding[]) => ({
    section: findingsSection(title, words, findings),
    findings,
  });
  switch (part) {
    case 'opponents': {
      const measured = await measureOpponents(place, kinds, pace, log);
      return { section: opponentsSection(measured), findings: opponentFindings(measured) };
    }
    case 'peers': {
      const measured = await measurePeers(place, kinds, pace, log);
      return { section: peersSection(measured), findings: peerFindings(measured) };
    }
    case 'growth':
      return measureGrowths(place, events, pace, log);
    case 'backup':
      return asTable('A backup beside writers', backupWords, await measureBackup(place, events, pace.rounds, log));
    case 'instances':
      return asTable('Two instances', instancesWords, await measureInstances(place, pace, log));
    case 'workers': {
      const measured = await measureWorkers(place, pace, log);
      return { section: workersSection(measured), findings: workerFindings(measured) };
    }
    case 'gate':
      return asTable('The gate', gateWords, await measureGate(place, pace, log));
    case 'signing':
      return asTable('Signing', signingWords, await measureSigning(pace, log));
    case 'dashboard':
      return measureDashboard(place, pace.rounds, against, log);
    case 'told':
      return asTable('What is told', toldWords, await measureTold(place, pace, log));
    case 'trail':
      return asTable('The trail', trailWords, await measureTrail(place, pace.rounds, log));
    case 'size':
      return asTable('What an event takes', sizeWords, await measureTrailSize(place, log));
    case 'configuration':
      return asTable('Ten thousand objects', configurationWords, await measureConfiguration(place, pace.rounds, log));
  }
}

/** Measures what was requested. Returns whether all goals are reached. */
async function run(place: Place, options: Options): Promise<boolean> {
  const { pace, parts, writes, isCoarse } = options;
  const howCompared = `Medians of ${pace.rounds} interleaved rounds of ${pace.seconds} s for each measurement, after a warm-up round. A ratio
compares two measurements of the same round; its quartiles are in parentheses. A goal is missed if even the better quartile
does not reach it.`;
  const howRepeated = `Medians of ${pace.rounds} rounds after one to warm up, with their quartiles in parentheses.`;
  const howMeasured = `${parts.some((part) => ['dashboard', 'trail', 'size', 'configuration', 'backup'].includes(part)) ? howRepeated : howCompared}

${(await describeMachine(place)).map((line) => `- ${line}`).join('\n')}`;

  const measured: Measured[] = [];
  for (const part of parts) measured.push(await measurePart(part, place, options));
  const text = [howMeasured, ...measured.map(({ section }) => section)].join('\n\n');
  print(`\n${text}\n`);
  const findings = measured.flatMap((part) => part.findings);
  if (writes !== null) writeSection(writes, text, findings);

  const missed = findings.filter(misses);
  for (const finding of missed) print(`Missed: ${finding.what}: ${showFinding(finding)}`);
  if (isCoarse)
    print(
      'These figures are coarse: differences of 20 % say nothing. Before you believe one, measure without --quick.',
    );
  return missed.length === 0 || isCoarse;
}

const options = readOptions(process.argv.slice(2));
if (options.help) {
  print(usage);
} else {
  const place =
    options.engine === 'PostgreSQL' ? await createPostgresPlace(process.env.TEST_DATABASE_URL) : createSqlitePlace();
  try {
    if (!(await run(place, options))) process.exitCode = 1;
  } finally {
    await place.remove();
  }
}
