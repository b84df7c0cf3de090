// The results against the opponents, as tables.

import { figureOf, findingsWithGoals, ratioOf } from './comparison.ts';
import { type Finding, spreadOf } from './figures.ts';
import { type Contender, opponentGoals, residentGoal } from './goals.ts';
import type { Measurement } from './load.ts';
import type { OpponentsMeasured } from './opponents.ts';
import type { EngineName } from './places.ts';
import { connectionCounts, isWrite, type Kind, kinds } from './scenarios.ts';
import { showFinding, table } from './tables.ts';

const auditWords = `## What an audit row costs

Sallyport writes an audit event in the transaction of each change. Opponent (a) does so here, too, by hand and with all that such an
event says.`;

/** Names of the contenders in tables, in table order. */
const namesOn = (engine: EngineName) => {
  const limit = engine === 'SQLite' ? '(a) node:http + SQLite' : '(a) node:http + pg';
  return [
    ['rest', 'Sallyport, REST'],
    ['graphql', 'Sallyport, GraphQL'],
    ['by-hand', '(b) Express + Prisma'],
    ['limit', limit],
    ['limit-audited', `${limit}, with an audit row`],
  ] as const;
};

/** Writes the tables of the comparison. */
export function opponentsSection(measured: OpponentsMeasured): string {
  const { engine, series, residentMiB } = measured;
  const goals = opponentGoals[engine];
  const requests = kinds
    .filter((kind) => series.some((one) => one.kind === kind))
    .flatMap((kind) => connectionCounts.map((connections) => ({ kind, connections })));
  type Asked = (typeof requests)[number];
  const median = (asked: Asked, contender: Contender, figure: keyof Measurement) =>
    figureOf(series, { ...asked, contender }, figure).median;
  const rate = (asked: Asked, contender: Contender) => median(asked, contender, 'requestsPerSecond').toFixed(0);
  const ratio = (asked: Asked, contender: Contender, against: Contender) =>
    showFinding(ratioOf(series, goals, { ...asked, contender }, against));

  const againstOpponents = table(
    ['Request', 'Connections', 'REST req/s', '(b)', '(a)', 'against (b)', 'against (a)'],
    requests.map((asked) => [
      ...named(asked),
      rate(asked, 'rest'),
      rate(asked, 'by-hand'),
      rate(asked, 'limit'),
      ratio(asked, 'rest', 'by-hand'),
      ratio(asked, 'rest', 'limit'),
    ]),
  );
  const audited = table(
    ['Request', 'Connections', '(a) with an audit row, against (a)', 'REST against (a) with an audit row'],
    requests
      .filter(({ kind }) => isWrite(kind))
      .map((asked) => [...named(asked), ratio(asked, 'limit-audited', 'limit'), ratio(asked, 'rest', 'limit-audited')]),
  );
  const surfaces = table(
    ['Request', 'Connections', 'GraphQL req/s', 'REST', 'against REST'],
    requests.map((asked) => [
      ...named(asked),
      rate(asked, 'graphql'),
      rate(asked, 'rest'),
      ratio(asked, 'graphql', 'rest'),
    ]),
  );
  const hasDatabase = engine === 'PostgreSQL';
  const processor = ['CPU µs per request', ...(hasDatabase ? ['of which PostgreSQL'] : [])];
  const details = table(
    ['Request', 'Connections', 'Server', 'p50 ms', 'p99 ms', ...processor, 'Load generator'],
    requests.flatMap((asked) =>
      namesOn(engine)
        .filter(([contender]) => contender !== 'limit-audited' || isWrite(asked.kind))
        .map(([contender, name]) => [
          ...named(asked),
          name,
          median(asked, contender, 'p50Ms').toFixed(2),
          median(asked, contender, 'p99Ms').toFixed(2),
          median(asked, contender, 'processorMicroseconds').toFixed(0),
          ...(hasDatabase ? [median(asked, contender, 'databaseMicroseconds').toFixed(0)] : []),
          `${(median(asked, contender, 'senderShare') * 100).toFixed(0)} %`,
        ]),
    ),
  );
  const memory = table(
    ['Server', 'Resident MiB after this load'],
    [
      ['Sallyport', showFinding(memoryFinding(measured))],
      ['(b)', residentMiB['by-hand'].toFixed(0)],
      ['(a)', residentMiB.limit.toFixed(0)],
    ],
  );
  const audit = requests.some(({ kind }) => isWrite(kind)) ? `\n\n${auditWords}\n\n${audited}` : '';
  return `## REST against the opponents

${againstOpponents}${audit}

## GraphQL against our own REST

${surfaces}

## Latency and CPU time

CPU time covers all threads of the server${hasDatabase ? ', and all processes of PostgreSQL if the benchmark has started it' : ''}. Where the load generator
is near 100 %, it is the bottleneck.

${details}

${memory}`;
}

/** Returns what has a goal and was measured. */
export function opponentFindings(measured: OpponentsMeasured): Finding[] {
  return [...findingsWithGoals(measured.series, opponentGoals[measured.engine]), memoryFinding(measured)];
}

function memoryFinding({ residentMiB }: OpponentsMeasured): Finding {
  return { what: 'Resident MiB of Sallyport', spread: spreadOf([residentMiB.sallyport]), goal: residentGoal };
}

/** Returns the first two cells of a row. */
function named({ kind, connections }: { readonly kind: Kind; readonly connections: number }): [string, string] {
  return [kind, String(connections)];
}
