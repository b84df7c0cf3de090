// The benchmark: measures side by side, prints tables, writes docs/performance.md, and fails when a goal is missed by more
// than noise. Run with: npm run bench. With options it measures less, or longer: npm run bench -- --help

import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compare, findingsWithGoals } from './comparison.ts';
import { type Finding, misses } from './figures.ts';
import { measureGrowth } from './growth.ts';
import { describeMachine } from './machine.ts';
import { comparisonSection, findingsSection, showFinding, writePage } from './report.ts';
import { kinds } from './scenarios.ts';
import { measureSigning } from './signing.ts';
import { makeDirectory } from './template.ts';

const usage = `npm run bench -- [options]

  --rounds <n>     rounds that count, after one to warm up (5)
  --seconds <n>    seconds of each measurement (1.5)
  --quick          2 rounds of half a second: only shows that everything runs
  --only <part>    comparison, growth or signing; may be given again
  --kind <kind>    ${kinds.map((kind) => `"${kind}"`).join(', ')}; may be given again
  --no-write       leaves docs/performance.md alone, as every run does that is quick or does not measure everything
`;

const parts = ['comparison', 'growth', 'signing'] as const;
const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [...parts] },
    kind: { type: 'string', multiple: true, default: [...kinds] },
    'no-write': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** Refuses what would measure nothing and yet look as if all went well. */
function checkOptions(): void {
  const unknown = [
    ...values.only.filter((name) => !parts.some((part) => part === name)),
    ...values.kind.filter((name) => !kinds.some((kind) => kind === name)),
    ...[values.rounds, values.seconds].filter((text) => text !== undefined && !(Number(text) > 0)),
  ];
  if (unknown.length > 0) throw new Error(`Not understood: ${unknown.join(', ')}\n\n${usage}`);
}

/** Measures what was asked for. Gives whether all goals are reached. */
async function run(directory: string): Promise<boolean> {
  const pace = {
    seconds: Number(values.seconds ?? (values.quick ? 0.5 : 1.5)),
    rounds: Number(values.rounds ?? (values.quick ? 2 : 5)),
  };
  const chosen = kinds.filter((kind) => values.kind.includes(kind));
  const sections: string[] = [];
  const findings: Finding[] = [];

  const howMeasured = `Medians of ${pace.rounds} interleaved rounds of ${pace.seconds} s for each measurement, after one to warm up. A ratio compares
two measurements of the same round; in parentheses are the quartiles of the ratios. A goal is missed when even the better
quartile does not reach it.

${describeMachine(directory)
  .map((line) => `- ${line}`)
  .join('\n')}`;

  if (values.only.includes('comparison')) {
    const comparison = await compare(directory, chosen, pace, (message) => print(`Comparison: ${message}`));
    sections.push(comparisonSection(comparison));
    findings.push(...findingsWithGoals(comparison));
  }
  if (values.only.includes('growth')) {
    const growth = await measureGrowth(directory, pace, (message) => print(`Growth: ${message}`));
    sections.push(
      findingsSection('Growth', 'REST at 32 connections; ratios of requests per second and of memory.', growth),
    );
    findings.push(...growth);
  }
  if (values.only.includes('signing')) {
    const signing = await measureSigning(pace, (message) => print(`Signing: ${message}`));
    const words = `An ed25519 authority signs host certificates, 100 asked for at once. Signing is the step from the bytes of a certificate to their
signature in the form of SSH. A whole certificate is what a request for one does between its checks and its write: it is built,
signed, read back and verified, and written as a line, one after the other in a queue; to verify takes nearly three times as
long as to sign. Bare is \`sign\` (and \`verify\`) of \`node:crypto\` over the same bytes, synchronous, in a loop.`;
    sections.push(findingsSection('Signing', words, signing));
    findings.push(...signing);
  }

  const measured = [howMeasured, ...sections].join('\n\n');
  print(`\n${measured}\n`);
  const isWhole = parts.every((part) => values.only.includes(part)) && chosen.length === kinds.length;
  if (isWhole && !values.quick && !values['no-write']) writePage(measured);

  const missed = findings.filter(misses);
  for (const finding of missed) print(`Missed: ${finding.what}: ${showFinding(finding)}`);
  return missed.length === 0;
}

if (values.help) {
  print(usage);
} else {
  checkOptions();
  const directory = makeDirectory();
  try {
    if (!(await run(directory))) process.exitCode = 1;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
