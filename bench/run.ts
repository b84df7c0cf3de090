// The benchmark: measures side by side, prints tables, writes docs/performance.md, and fails when a goal is missed by more
// than noise. Run with: npm run bench. With options it measures less, or longer: npm run bench -- --help

import { parseArgs } from 'node:util';
import { compare, findingsWithGoals } from './comparison.ts';
import { type Finding, misses } from './figures.ts';
import { gateWords, measureGate } from './gate.ts';
import { measureGrowth } from './growth.ts';
import { instancesWords, measureInstances } from './instances.ts';
import { describeMachine } from './machine.ts';
import { createPostgresPlace, createSqlitePlace, type Place } from './places.ts';
import { comparisonSection, findingsSection, showFinding, writePage } from './report.ts';
import { kinds } from './scenarios.ts';
import { measureSigning } from './signing.ts';

const usage = `npm run bench -- [options]

  --rounds <n>     rounds that count, after one to warm up (5)
  --seconds <n>    seconds of each measurement (1.5)
  --quick          2 rounds of half a second: only shows that everything runs
  --postgres       measures on PostgreSQL: that of TEST_DATABASE_URL, or one that it starts
  --only <part>    comparison, growth, on SQLite gate and signing, on PostgreSQL instances; may be given again
  --kind <kind>    ${kinds.map((kind) => `"${kind}"`).join(', ')}; may be given again
  --no-write       leaves docs/performance.md alone, as every run does that is quick or does not measure everything
`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    kind: { type: 'string', multiple: true, default: [...kinds] },
    'no-write': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** What is measured on the engine: the gate and signing need none, and SQLite has one instance. */
const parts = values.postgres ? ['comparison', 'growth', 'instances'] : ['comparison', 'growth', 'gate', 'signing'];
const wanted = values.only ?? parts;

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** Refuses what would measure nothing and yet look as if all went well. */
function checkOptions(): void {
  const unknown = [
    ...wanted.filter((name) => !parts.includes(name)),
    ...values.kind.filter((name) => !kinds.some((kind) => kind === name)),
    ...[values.rounds, values.seconds].filter((text) => text !== undefined && !(Number(text) > 0)),
  ];
  if (unknown.length > 0) throw new Error(`Not understood: ${unknown.join(', ')}\n\n${usage}`);
}

/** Measures what was asked for. Gives whether all goals are reached. */
async function run(place: Place): Promise<boolean> {
  const pace = {
    seconds: Number(values.seconds ?? (values.quick ? 0.5 : 1.5)),
    rounds: Number(values.rounds ?? (values.quick ? 2 : 5)),
  };
  const chosen = kinds.filter((kind) => values.kind.includes(kind));
  const sections: string[] = [];
  const findings: Finding[] = [];

  const howMeasured = `Medians of ${pace.rounds} interleaved rounds of ${pace.seconds} s for each measurement, after a warm-up round. A ratio
compares two measurements of the same round; its quartiles are in parentheses. A goal is missed if even the better quartile
does not reach it.

${(await describeMachine(place)).map((line) => `- ${line}`).join('\n')}`;

  if (wanted.includes('comparison')) {
    const comparison = await compare(place, chosen, pace, (message) => print(`Comparison: ${message}`));
    sections.push(comparisonSection(comparison));
    findings.push(...findingsWithGoals(comparison));
  }
  if (wanted.includes('growth')) {
    const growth = await measureGrowth(place, pace, (message) => print(`Growth: ${message}`));
    sections.push(
      findingsSection('Growth', 'REST at 32 connections; ratios of requests per second and of memory.', growth),
    );
    findings.push(...growth);
  }
  if (wanted.includes('instances')) {
    const instances = await measureInstances(place, pace, (message) => print(`Instances: ${message}`));
    sections.push(findingsSection('Two instances', instancesWords, instances));
    findings.push(...instances);
  }
  if (wanted.includes('gate')) {
    const gate = await measureGate(place, pace, (message) => print(`Gate: ${message}`));
    sections.push(findingsSection('The gate', gateWords, gate));
    findings.push(...gate);
  }
  if (wanted.includes('signing')) {
    const signing = await measureSigning(pace, (message) => print(`Signing: ${message}`));
    const words = `An ed25519 authority signs host certificates, 100 requested at once. Signing is the step from a certificate's bytes to their
signature in SSH form. A whole certificate covers everything between a request's checks and its write: it is built, signed, read
back, verified and written as a line, one after another in a queue; verifying takes nearly three times as long as signing. Bare
is \`sign\` (and \`verify\`) of \`node:crypto\` over the same bytes, synchronous, in a loop.`;
    sections.push(findingsSection('Signing', words, signing));
    findings.push(...signing);
  }

  const measured = [howMeasured, ...sections].join('\n\n');
  print(`\n${measured}\n`);
  const isWhole = parts.every((part) => wanted.includes(part)) && chosen.length === kinds.length;
  if (isWhole && !values.quick && !values['no-write']) writePage(place.engine, measured);

  const missed = findings.filter(misses);
  for (const finding of missed) print(`Missed: ${finding.what}: ${showFinding(finding)}`);
  return missed.length === 0;
}

if (values.help) {
  print(usage);
} else {
  checkOptions();
  const place = values.postgres ? await createPostgresPlace() : createSqlitePlace();
  try {
    if (!(await run(place))) process.exitCode = 1;
  } finally {
    await place.remove();
  }
}
