// The tables of a comparison that only a release runs: no other test would show that they are broken.

import { expect, test } from 'vitest';
import type { Series } from '../../bench/comparison.ts';
import { misses } from '../../bench/figures.ts';
import type { Measurement } from '../../bench/load.ts';
import type { Peer } from '../../bench/peers/calls.ts';
import type { PeersMeasured } from '../../bench/peers/measure.ts';
import { peerFindings, peersSection } from '../../bench/peers/report.ts';
import { workerFindings, workersSection } from '../../bench/workers.ts';

const measurement = (requestsPerSecond: number, processorMicroseconds: number): Measurement => ({
  requestsPerSecond,
  p50Ms: 1,
  p99Ms: 2,
  processorMicroseconds,
  databaseMicroseconds: processorMicroseconds / 2,
  senderShare: 0.5,
});

const rates: readonly (readonly [Peer, number])[] = [
  ['sqlite', 900],
  ['postgres', 800],
  ['postgraphile', 1000],
  ['plain', 500],
];
const measured: PeersMeasured = {
  series: rates.flatMap(([contender, rate]) =>
    ([1, 32] as const).map((connections): Series => {
      const measurements = [measurement(connections * rate, 1e5 / rate)];
      return { kind: 'GET one', connections, contender, measurements };
    }),
  ),
  resources: new Map(
    rates.map(([peer, rate]) => [
      peer,
      { residentMiB: rate / 10, databaseMiB: peer === 'postgraphile' ? 100 : 0, startSeconds: [0.25, 0.5, 1] },
    ]),
  ),
  versions: ['postgraphile 5', 'PostgreSQL 15'],
};

test('the peers are compared row by row, with their memory and start', () => {
  expect(peersSection(measured)).toBe(`Peers: postgraphile 5, PostgreSQL 15.

### Requests per second

| Request | Connections | Sallyport, SQLite | Sallyport, PostgreSQL | (c) PostGraphile | (d) plain stack | SQLite against (c) | PostgreSQL against (c) | SQLite against (d) |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| GET one | 1 | 900 | 800 | 1000 | 500 | **0.90** (0.90 – 0.90), goal ≥ 1, **missed** | **0.80** (0.80 – 0.80) | **1.80** (1.80 – 1.80) |
| GET one | 32 | 28800 | 25600 | 32000 | 16000 | **0.90** (0.90 – 0.90), goal ≥ 1, **missed** | **0.80** (0.80 – 0.80) | **1.80** (1.80 – 1.80) |

### Processor time of a request

In µs, with all processes of PostgreSQL where it is used.

| Request | Connections | Sallyport, SQLite | Sallyport, PostgreSQL | (c) PostGraphile | (d) plain stack | SQLite against (c) | PostgreSQL against (c) | SQLite against (d) |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| GET one | 1 | 111 | 125 | 100 | 200 | **1.11** (1.11 – 1.11), goal ≤ 1, **missed** | **1.25** (1.25 – 1.25) | **0.56** (0.56 – 0.56) |
| GET one | 32 | 111 | 125 | 100 | 200 | **1.11** (1.11 – 1.11), goal ≤ 1, **missed** | **1.25** (1.25 – 1.25) | **0.56** (0.56 – 0.56) |

### Memory and start

| Server | Resident MiB after this load | of which PostgreSQL | Start to first answer, s |
| --- | --- | --- | --- |
| Sallyport, SQLite | 90 | 0 | **0.50** (0.38 – 0.75) |
| Sallyport, PostgreSQL | 80 | 0 | **0.50** (0.38 – 0.75) |
| (c) PostGraphile | 200 | 100 | **0.50** (0.38 – 0.75) |
| (d) plain stack | 50 | 0 | **0.50** (0.38 – 0.75) |

Memory of Sallyport on SQLite against that of (c) with its PostgreSQL: **0.45** (0.45 – 0.45), goal ≤ 0.5.`);
  expect(peerFindings(measured).filter(misses)).toHaveLength(4);
});

test('two workers are compared with what one leaves free', () => {
  const kinds = [{ kind: 'GET one', one: [measurement(1000, 500)], two: [measurement(1500, 500)] }] as const;
  const workers = { coreCount: 2, kinds };
  const what = 'GET one: two workers, of what is possible';
  // One worker and its load occupy a whole core: two workers could double the rate on two cores, and gain nothing on one.
  const spread = { lower: 0.75, median: 0.75, upper: 0.75 };
  expect(workerFindings(workers)).toEqual([{ what, spread, goal: { atLeast: 0.8 } }]);
  expect(workerFindings({ coreCount: 1, kinds }).map((finding) => finding.spread.median)).toEqual([1.5]);
  expect(workersSection(workers)).toContain('of the 2 that all of them share');
  expect(workersSection(workers)).toContain(
    '| GET one | 1000 | 1500 | **1.50** (1.50 – 1.50) | **0.75** (0.75 – 0.75), goal ≥ 0.8, **missed** | 0.25 + 0.25 + 0.50 | 0.38 + 0.38 + 0.50 |',
  );
});
