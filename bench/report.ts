// What was measured, as tables in Markdown: printed, and written into docs/performance.md between the marks of their engine. What people
// write around the marks stays.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Comparison, figureOf, ratioOf } from './comparison.ts';
import { type Finding, type Goal, misses, type Spread } from './figures.ts';
import type { Measurement } from './load.ts';
import type { EngineName } from './places.ts';
import { type Contender, connectionCounts, contenders, type Kind, kinds } from './scenarios.ts';
import { root } from './servers.ts';

/** Names of the contenders in tables. */
const namesOn = (engine: EngineName): Record<Contender, string> => ({
  rest: 'Sallyport, REST',
  graphql: 'Sallyport, GraphQL',
  'by-hand': '(b) Express + Prisma',
  limit: engine === 'SQLite' ? '(a) node:http + SQLite' : '(a) node:http + pg',
});

/** Writes the tables of the comparison. */
export function comparisonSection(comparison: Comparison): string {
  const nameOf = namesOn(comparison.engine);
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
    ['Request', 'Connections', 'REST req/s', '(b)', '(a)', 'against (b)', 'against (a)'],
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
    ['Request', 'Connections', 'GraphQL req/s', 'REST', 'against REST'],
    requests.map(({ kind, connections }) => [
      kind,
      String(connections),
      rate(kind, connections, 'graphql'),
      rate(kind, connections, 'rest'),
      ratio(kind, connections, 'graphql', 'rest'),
    ]),
  );
  const details = table(
    ['Request', 'Connections', 'Server', 'p50 ms', 'p99 ms', 'CPU µs per request', 'Load generator'],
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
    ['Server', 'Resident MiB after this load'],
    [
      ['Sallyport', residentMiB.sallyport.toFixed(0)],
      [`${nameOf['by-hand']}, with the TypeScript loader`, residentMiB['by-hand'].toFixed(0)],
      [`${nameOf.limit}, with the TypeScript loader`, residentMiB.limit.toFixed(0)],
    ],
  );
  return `### REST against the opponents

${againstOpponents}

### GraphQL against our own REST

${surfaces}

### Latency and CPU time

CPU time covers all threads of the server. Where the load generator is near 100 %, it is the bottleneck.

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
/** What the figures of an engine stand between. */
const marks: Record<EngineName, readonly [string, string]> = {
  SQLite: ['<!-- Measured figures begin: `npm run bench` writes them. -->', '<!-- Measured figures end. -->'],
  PostgreSQL: [
    '<!-- Measured figures on PostgreSQL begin: `npm run bench -- --postgres` writes them. -->',
    '<!-- Measured figures on PostgreSQL end. -->',
  ],
};

/**
 * Puts the measured figures into the page, in the place of those that were there.
 *
 * @throws Error when the page has lost its marks
 */
export function writePage(engine: EngineName, measured: string): void {
  const page = readFileSync(pagePath, 'utf8');
  const [begin, end] = marks[engine];
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new Error(`${pagePath} has lost the marks around the figures of ${engine}.`);
  writeFileSync(pagePath, `${page.slice(0, from)}${begin}\n\n${measured}\n\n${page.slice(to)}`);
}
