// What was measured, as tables in Markdown: printed, and written into docs/performance.md between two marks. What people
// write around the marks stays.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Comparison, figureOf, ratioOf } from './comparison.ts';
import { type Finding, type Goal, misses, type Spread } from './figures.ts';
import type { Measurement } from './load.ts';
import { type Contender, connectionCounts, contenders, type Kind, kinds } from './scenarios.ts';
import { root } from './servers.ts';

/** Names of the contenders in tables. */
const nameOf: Record<Contender, string> = {
  rest: 'Sallyport, REST',
  graphql: 'Sallyport, GraphQL',
  'by-hand': '(b) Express + Prisma',
  limit: '(a) node:http + SQLite',
};

/** Writes the tables of the comparison. */
export function comparisonSection(comparison: Comparison): string {
  const requests = kinds
    .filter((kind) => comparison.series.some((series) => series.kind === kind))
    .flatMap((kind) => connectionCounts.map((connections) => ({ kind, connections })));
  const figure = (kind: Kind, connections: number, contender: Contender, name: keyof Measurement) =>
    figureOf(comparison, { kind, connections, contender }, name).median;
  const rate = (kind: Kind, connections: number, contender: Contender) =>
    figure(kind, connections, contender, 'requestsPerSecond').toFixed(0);
  const ratio = (kind: Kind, connections: number, contender: Contender, against: Contender) =>
    showFinding(ratioOf(comparison, { kind, connections, contender }, against));

  const againstOpponents = table(
    ['Request', 'Connections', 'REST, each second', '(b)', '(a)', 'against (b)', 'against (a)'],
    requests.map(({ kind, connections }) => [
      kind,
      String(connections),
      rate(kind, connections, 'rest'),
      rate(kind, connections, 'by-hand'),
      rate(kind, connections, 'limit'),
      ratio(kind, connections, 'rest', 'by-hand'),
      ratio(kind, connections, 'rest', 'limit'),
    ]),
  );
  const surfaces = table(
    ['Request', 'Connections', 'GraphQL, each second', 'REST', 'against REST'],
    requests.map(({ kind, connections }) => [
      kind,
      String(connections),
      rate(kind, connections, 'graphql'),
      rate(kind, connections, 'rest'),
      ratio(kind, connections, 'graphql', 'rest'),
    ]),
  );
  const details = table(
    ['Request', 'Connections', 'Server', 'p50 ms', 'p99 ms', 'Processor µs per request', 'Load generator'],
    requests.flatMap(({ kind, connections }) =>
      contenders.map((contender) => [
        kind,
        String(connections),
        nameOf[contender],
        figure(kind, connections, contender, 'p50Ms').toFixed(2),
        figure(kind, connections, contender, 'p99Ms').toFixed(2),
        figure(kind, connections, contender, 'processorMicroseconds').toFixed(0),
        `${(figure(kind, connections, contender, 'senderShare') * 100).toFixed(0)} %`,
      ]),
    ),
  );
  const { residentMiB } = comparison;
  const memory = table(
    ['Server', 'Resident MiB after all of this load'],
    [
      ['Sallyport', residentMiB.sallyport.toFixed(0)],
      ['(b) Express + Prisma, with the loader of TypeScript', residentMiB['by-hand'].toFixed(0)],
      ['(a) node:http + SQLite, with the loader of TypeScript', residentMiB.limit.toFixed(0)],
    ],
  );
  return `### REST against the opponents

${againstOpponents}

### GraphQL against our own REST

${surfaces}

### Latency and processor time

The processor time is that of all threads of the server. Where the load generator is near 100 %, it is what limits.

${details}

${memory}`;
}

/** Writes figures in a table of their own. */
export function findingsSection(title: string, words: string, findings: readonly Finding[]): string {
  const rows = findings.map((finding) => [finding.what, showFinding(finding)]);
  return `### ${title}\n\n${words}\n\n${table(['What', 'Median (quartiles)'], rows)}`;
}

/** Writes a figure with its quartiles and, where it has one, its goal. */
export function showFinding(finding: Finding): string {
  const { spread, goal } = finding;
  if (goal === null) return showSpread(spread);
  return `${showSpread(spread)}, goal ${showGoal(goal)}${misses(finding) ? ', **missed**' : ''}`;
}

function showGoal(goal: Goal): string {
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}

function showSpread({ lower, median, upper }: Spread): string {
  // Ratios and seconds need two digits behind the point; rates and MiB none.
  const show = (figure: number) => figure.toFixed(median < 100 ? 2 : 0);
  return `**${show(median)}** (${show(lower)} – ${show(upper)})`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

const pagePath = join(root, 'docs/performance.md');
const begin = '<!-- Measured figures begin: `npm run bench` writes them. -->';
const end = '<!-- Measured figures end. -->';

/** What a page begins with that does not exist yet. */
const newPage = `# Performance

\`npm run bench\` measures Sallyport beside two opponents that are written by hand for the four requests measured, in one run on
one machine, and fails when a goal is missed by more than noise. Ratios of one run say something; requests per second only
say how fast the machine was.

- **(a)** \`bench/limit.ts\`: \`node:http\` with prepared statements of \`better-sqlite3\`, the practical limit of one Node process.
- **(b)** \`bench/by-hand.ts\`: Express and Prisma with its stock SQLite adapter, what most would write.

All do the same work: they check the key and the fields, write with \`synchronous=FULL\`, and answer with the same bytes, which
is checked before anything is measured. Neither opponent knows more than one kind of object, GraphQL, \`If-Match\`, metrics or the
last use of a key. The load comes from \`autocannon\` on the same machine.

${begin}
${end}

## Where the time goes

## What was tried and did not pay
`;

/**
 * Puts the measured figures into the page, in the place of those that were there.
 *
 * @throws Error when the page has lost its marks
 */
export function writePage(measured: string): void {
  const page = existsSync(pagePath) ? readFileSync(pagePath, 'utf8') : newPage;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new Error(`${pagePath} has lost the marks around the measured figures.`);
  writeFileSync(pagePath, `${page.slice(0, from)}${begin}\n\n${measured}\n\n${page.slice(to)}`);
}
