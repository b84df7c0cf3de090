// The results against the peers, as tables.

import { figureOf, findingsWithGoals, ratioOf } from '../comparison.ts';
import { type Finding, spreadOf } from '../figures.ts';
import { peerGoals, peerMemoryGoal } from '../goals.ts';
import type { Measurement } from '../load.ts';
import { connectionCounts, peerKinds } from '../scenarios.ts';
import { showFinding, table } from '../tables.ts';
import type { Peer } from './calls.ts';
import type { PeersMeasured } from './measure.ts';

/** Names of the peers in tables, in table order. */
const names = [
  ['sqlite', 'Sallyport, SQLite'],
  ['postgres', 'Sallyport, PostgreSQL'],
  ['postgraphile', '(c) PostGraphile'],
  ['plain', '(d) plain stack'],
] as const satisfies readonly (readonly [Peer, string])[];

/** The pairs that are compared. */
const pairs = [
  ['sqlite', 'postgraphile', 'SQLite against (c)'],
  ['postgres', 'postgraphile', 'PostgreSQL against (c)'],
  ['sqlite', 'plain', 'SQLite against (d)'],
] as const satisfies readonly (readonly [Peer, Peer, string])[];

/** Writes the tables of the peers. */
export function peersSection(measured: PeersMeasured): string {
  const { resources } = measured;
  const starts = ([peer]: (typeof names)[number]) => spreadOf(resources.get(peer)?.startSeconds ?? []);
  const needs = table(
    ['Server', 'Resident MiB after this load', 'of which PostgreSQL', 'Start to first answer, s'],
    names.map((name) => {
      const { databaseMiB } = resources.get(name[0]) ?? { databaseMiB: Number.NaN };
      const start = showFinding({ what: '', spread: starts(name), goal: null });
      return [name[1], totalMiB(measured, name[0]).toFixed(0), databaseMiB.toFixed(0), start];
    }),
  );
  return `Peers: ${measured.versions.join(', ')}.

## Requests per second

${figures(measured, 'requestsPerSecond')}

## Processor time of a request

In µs, with all processes of PostgreSQL where it is used.

${figures(measured, 'processorMicroseconds')}

## Memory and start

${needs}

Memory of Sallyport on SQLite against that of (c) with its PostgreSQL: ${showFinding(memoryFinding(measured))}.`;
}

/** Returns what has a goal and was measured. */
export function peerFindings(measured: PeersMeasured): Finding[] {
  return [...findingsWithGoals(measured.series, peerGoals), memoryFinding(measured)];
}

/** Writes a figure of all peers, and their ratios. */
function figures({ series }: PeersMeasured, figure: keyof Measurement): string {
  const requests = peerKinds
    .filter((kind) => series.some((one) => one.kind === kind))
    .flatMap((kind) => connectionCounts.map((connections) => ({ kind, connections })));
  return table(
    ['Request', 'Connections', ...names.map(([, name]) => name), ...pairs.map(([, , title]) => title)],
    requests.map((asked) => [
      asked.kind,
      String(asked.connections),
      ...names.map(([contender]) => figureOf(series, { ...asked, contender }, figure).median.toFixed(0)),
      ...pairs.map(([contender, against]) =>
        showFinding(ratioOf(series, peerGoals, { ...asked, contender }, against, figure)),
      ),
    ]),
  );
}

function totalMiB({ resources }: PeersMeasured, peer: Peer): number {
  const { residentMiB = Number.NaN, databaseMiB = Number.NaN } = resources.get(peer) ?? {};
  return residentMiB + databaseMiB;
}

function memoryFinding(measured: PeersMeasured): Finding {
  return {
    what: 'Memory of sqlite, against that of postgraphile with its PostgreSQL',
    spread: spreadOf([totalMiB(measured, 'sqlite') / totalMiB(measured, 'postgraphile')]),
    goal: peerMemoryGoal,
  };
}
