// The options of a run of the benchmark. Pure.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Pace } from './load.ts';
import type { EngineName } from './places.ts';
import { type Kind, kinds, peerKinds } from './scenarios.ts';

/** The parts that can be measured, each by itself. */
export const partNames = [
  'opponents',
  'growth',
  'gate',
  'signing',
  'instances',
  'workers',
  'peers',
  'dashboard',
  'trail',
  'size',
  'configuration',
  'told',
  'backup',
] as const;
export type Part = (typeof partNames)[number];

/** The parts that are measured apart from everything else, each with its own page. */
const apartNames = [
  'peers',
  'growth',
  'backup',
  'dashboard',
  'trail',
  'size',
  'configuration',
  'told',
] as const satisfies readonly Part[];
type Apart = (typeof apartNames)[number];
/** Those of them that measure for a time, and not how long something takes. */
const timedNames: readonly Apart[] = ['peers', 'growth', 'told'];
/** Those that have a trail of a given length. */
const agedNames: readonly Apart[] = ['growth', 'backup'];

/** A run. */
export interface Options {
  readonly help: boolean;
  readonly engine: EngineName;
  readonly parts: readonly Part[];
  readonly kinds: readonly Kind[];
  readonly pace: Pace;
  /** How many events a database has that is old. */
  readonly events: number;
  /** Directories with other builds, whose dashboards are measured in turn with this one's. */
  readonly against: readonly string[];
  /** Whether missed goals are only reported: so short a run cannot tell them from noise. */
  readonly isCoarse: boolean;
  /** The section of docs/performance that the run writes; null if it leaves the pages alone. */
  readonly writes: EngineName | Apart | null;
}

export const usage = `npm run bench -- [options]

  --quick          2 rounds of 0.25 s, of the opponents alone unless others are named: under a minute, for daily work. The figures are
                   coarse, the pages stay as they are, and only a wrong answer fails the run
  --postgres       measures on PostgreSQL: that of TEST_DATABASE_URL, or one that it starts
  --peers          measures /graphql on both engines against PostGraphile and the plain stack: installs PostGraphile, needs PostgreSQL
  --growth         measures with 1,000,000 objects and 5,000,000 events, on both engines; needs PostgreSQL
  --backup         measures a backup beside writers, and "doctor", of a file with 5,000,000 events, on SQLite
  --events <n>     with --growth or --backup: another number of events; the pages stay as they are
  --dashboard      measures how long the dashboard takes to open in Chromium, on SQLite
  --against <dir>  with --dashboard: a directory with another commit that has been built, to compare with; may be given again
  --trail          measures how fast "audit verify" is on both engines; needs PostgreSQL
  --size           measures what an event takes on disk, and what a change writes, on both engines; needs PostgreSQL
  --configuration  measures a document of the configuration that is as large as one may be, on both engines; needs PostgreSQL
  --told           measures what webhooks and a shipped trail cost beside writes, on SQLite
  --only <part>    opponents, on SQLite gate and signing, on PostgreSQL instances and workers; may be given again
  --kind <kind>    ${kinds.map((kind) => `"${kind}"`).join(', ')}; not "PATCH" with --peers; may be given again
  --rounds <n>     rounds that count, a whole number, after one to warm up (5; 7 with --peers)
  --seconds <n>    seconds of each measurement (1.5); not with what takes as long as it takes, which says so
  --no-write       leaves docs/performance alone, as every run does that does not measure everything
`;

/** The parts on each engine: the gate and signing do not depend on it, and SQLite has only one process. */
const partsOn: Readonly<Record<EngineName, readonly Part[]>> = {
  SQLite: ['opponents', 'gate', 'signing'],
  PostgreSQL: ['opponents', 'instances', 'workers'],
};

/** Returns whether a text is a number above 0 that also passes `isKind`. */
function isAmount(text: string, isKind: (amount: number) => boolean): boolean {
  return Number(text) > 0 && isKind(Number(text));
}

/**
 * Reads the arguments. Throws Error that says what is not understood: a run must not leave something out and look as if all went
 * well.
 */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      postgres: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      backup: { type: 'boolean', default: false },
      events: { type: 'string' },
      dashboard: { type: 'boolean', default: false },
      trail: { type: 'boolean', default: false },
      size: { type: 'boolean', default: false },
      configuration: { type: 'boolean', default: false },
      told: { type: 'boolean', default: false },
      against: { type: 'string', multiple: true, default: [] },
      only: { type: 'string', multiple: true, default: [] },
      kind: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { quick, peers, dashboard } = values;
  const engine = values.postgres ? 'PostgreSQL' : 'SQLite';
  const aparts = apartNames.filter((name) => values[name]);
  const [apart = null] = aparts;
  /** Whether the part takes as long as it takes. */
  const isUntimed = apart !== null && !timedNames.includes(apart);
  const all: readonly Part[] = apart === null ? partsOn[engine] : [apart];
  const allKinds: readonly Kind[] = peers ? peerKinds : kinds;
  const unknown = [
    ...values.only.filter((name) => !all.some((part) => part === name)),
    ...values.kind.filter((name) => !allKinds.some((kind) => kind === name)),
    ...(values.rounds === undefined || isAmount(values.rounds, Number.isInteger) ? [] : [values.rounds]),
    ...(values.seconds === undefined || isAmount(values.seconds, Number.isFinite) ? [] : [values.seconds]),
    ...(apart !== null && !dashboard && values.postgres
      ? [`--postgres beside --${apart}, which chooses its engines`]
      : []),
    ...(aparts.length > 1 || (dashboard && values.postgres)
      ? [`${apartNames.map((name) => `--${name}`).join(', ')} or --postgres beside another of them`]
      : []),
    ...(values.events === undefined || isAmount(values.events, Number.isInteger) ? [] : [values.events]),
    ...(values.events !== undefined && (apart === null || !agedNames.includes(apart))
      ? ['--events without --growth or --backup']
      : []),
    ...(!dashboard && values.against.length > 0 ? ['--against without --dashboard'] : []),
    ...(isUntimed && values.seconds !== undefined ? [`--seconds beside --${apart}: it takes as long as it takes`] : []),
  ];
  if (unknown.length > 0) throw new Error(`Not understood: ${unknown.join(', ')}\n\n${usage}`);

  const named = all.filter((part) => values.only.includes(part));
  const unnamed: readonly Part[] = quick && apart === null ? ['opponents'] : all;
  const parts = named.length > 0 ? named : unnamed;
  const chosen = values.kind.length > 0 ? allKinds.filter((kind) => values.kind.includes(kind)) : allKinds;
  const isWhole = parts.length === all.length && chosen.length === allKinds.length && values.events === undefined;
  return {
    help: values.help,
    engine,
    parts,
    kinds: chosen,
    pace: {
      seconds: Number(values.seconds ?? (quick ? 0.25 : 1.5)),
      rounds: Number(values.rounds ?? (quick ? 2 : peers ? 7 : 5)),
    },
    events: Number(values.events ?? 5_000_000),
    against: values.against.map((directory) => resolve(directory)),
    isCoarse: quick,
    writes: isWhole && !quick && !values['no-write'] ? (apart ?? engine) : null,
  };
}
