// The arithmetic that turns measurements into the reported figures.

import { describe, expect, test } from 'vitest';
import { type Entry, measureInTurn, ratioOf } from '../../bench/comparison.ts';
import { misses, quantile, ratios, spreadOf } from '../../bench/figures.ts';
import { type Contender, goalOf, opponentGoals } from '../../bench/goals.ts';
import type { Measurement, measure } from '../../bench/load.ts';
import { readOptions } from '../../bench/options.ts';
import { overview, pageOf, replaceRow, replaceSection, type SectionName, sections } from '../../bench/page.ts';
import { isWrite } from '../../bench/scenarios.ts';
import { read } from '../support/source-files.ts';

const measured = (requestsPerSecond: number): Measurement => ({
  requestsPerSecond,
  p50Ms: 1,
  p99Ms: 1,
  processorMicroseconds: 1,
  databaseMicroseconds: 0,
  senderShare: 0,
});

describe('a goal', () => {
  const spread = spreadOf([1, 2, 3, 4, 5]);

  test.each([
    [{ atLeast: 4 }, false],
    [{ atLeast: 4.1 }, true],
    [{ atMost: 2 }, false],
    [{ atMost: 1.9 }, true],
    [null, false],
  ])('%j is missed when even the better quartile of 2 to 4 does not reach it: %s', (goal, expected) => {
    expect(misses({ what: '', spread, goal })).toBe(expected);
  });

  test('is missed by a figure that there is not', () => {
    expect(misses({ what: '', spread: spreadOf([]), goal: { atLeast: 0 } })).toBe(true);
  });

  test('is found for the ratio that it is about, and no other', () => {
    const wanted = { kind: 'GET one', connections: 32, contender: 'rest', figure: 'requestsPerSecond' } as const;
    const found = (against: 'limit' | 'plain') => goalOf(opponentGoals.PostgreSQL, { ...wanted, against });
    expect([found('limit'), found('plain')]).toEqual([{ atLeast: 1.3 }, null]);
  });
});

test('a ratio compares figures of the same round', () => {
  const asked = { kind: 'GET one', connections: 32 } as const;
  const series = [
    { ...asked, contender: 'rest', measurements: [measured(10), measured(90)] },
    { ...asked, contender: 'limit', measurements: [measured(20), measured(100)] },
  ] as const;
  expect(ratioOf(series, opponentGoals.SQLite, { ...asked, contender: 'rest' }, 'limit')).toEqual({
    what: 'GET one, connections: 32, rest against limit',
    spread: { lower: 0.6, median: 0.7, upper: 0.8 },
    goal: { atLeast: 0.95 },
  });
});

test('figures lie between two others where their share does', () => {
  expect([quantile([4, 1, 3, 2], 0.5), quantile([1], 0.25), ratios([1, 2], [2])]).toEqual([2.5, 1, [0.5, Number.NaN]]);
});

describe('contenders that are measured in turn', () => {
  const entry = (contender: Contender, answers: Entry['answers']): Entry => ({
    contender,
    server: { url: contender, processorSeconds: () => 0 },
    callOf: (kind) => ({ method: 'GET', path: kind, headers: {} }),
    answers,
  });
  const entries = [entry('rest', () => true), entry('limit', () => true), entry('limit-audited', isWrite)];
  /** Measures two kinds in two rounds. Each measurement returns its own number as its requests per second. */
  const measureTwoRounds = async () => {
    let round = '';
    let count = 0;
    const turns = new Map<string, string[]>();
    const log = (message: string) => {
      round = message;
    };
    const take: typeof measure = async (server, callOf, connections, seconds) => {
      const turn = `${round} ${callOf(0).path}, ${connections}, ${seconds} s`;
      turns.set(turn, [...(turns.get(turn) ?? []), server.url]);
      count += 1;
      return measured(count);
    };
    const series = await measureInTurn(entries, ['GET one', 'PATCH'], { seconds: 0.5, rounds: 2 }, log, take);
    return { turns: [...turns], series };
  };

  test('begin with another one in each round, and have no turn with a kind that they do not answer', async () => {
    expect((await measureTwoRounds()).turns).toEqual([
      ['Warming up. GET one, 1, 0.5 s', ['rest', 'limit']],
      ['Warming up. GET one, 32, 0.5 s', ['rest', 'limit']],
      ['Warming up. PATCH, 1, 0.5 s', ['rest', 'limit', 'limit-audited']],
      ['Warming up. PATCH, 32, 0.5 s', ['rest', 'limit', 'limit-audited']],
      ['Round 1 of 2. GET one, 1, 0.5 s', ['limit', 'rest']],
      ['Round 1 of 2. GET one, 32, 0.5 s', ['limit', 'rest']],
      ['Round 1 of 2. PATCH, 1, 0.5 s', ['limit', 'limit-audited', 'rest']],
      ['Round 1 of 2. PATCH, 32, 0.5 s', ['limit', 'limit-audited', 'rest']],
      ['Round 2 of 2. GET one, 1, 0.5 s', ['rest', 'limit']],
      ['Round 2 of 2. GET one, 32, 0.5 s', ['rest', 'limit']],
      ['Round 2 of 2. PATCH, 1, 0.5 s', ['limit-audited', 'rest', 'limit']],
      ['Round 2 of 2. PATCH, 32, 0.5 s', ['limit-audited', 'rest', 'limit']],
    ]);
  });

  test('have a measurement of each round in the order of rounds, and none of the warm-up', async () => {
    const { series } = await measureTwoRounds();
    const figures = series.map(({ kind, connections, contender, measurements }) => [
      `${contender}: ${kind}, ${connections}`,
      measurements,
    ]);
    // Measurements 1 to 10 are the warm-up, 11 to 20 the first round, 21 to 30 the second.
    expect(Object.fromEntries(figures)).toEqual({
      'rest: GET one, 1': [measured(12), measured(21)],
      'limit: GET one, 1': [measured(11), measured(22)],
      'rest: GET one, 32': [measured(14), measured(23)],
      'limit: GET one, 32': [measured(13), measured(24)],
      'rest: PATCH, 1': [measured(17), measured(26)],
      'limit: PATCH, 1': [measured(15), measured(27)],
      'limit-audited: PATCH, 1': [measured(16), measured(25)],
      'rest: PATCH, 32': [measured(20), measured(29)],
      'limit: PATCH, 32': [measured(18), measured(30)],
      'limit-audited: PATCH, 32': [measured(19), measured(28)],
    });
  });
});

const names = Object.keys(sections).filter((name): name is SectionName => name in sections);

describe('a page', () => {
  test.each(names)('has the marks of %s, and keeps what stands around them', (name) => {
    const page = read(pageOf(name));
    const written = replaceSection(page, name, 'figures');
    const begin = `<!-- Measured figures of ${name} begin: \`${sections[name].command}\` writes them. -->`;
    const end = `<!-- Measured figures of ${name} end. -->`;
    const [before = '', after = ''] = written.split(`${begin}\n\nfigures\n\n${end}`);
    expect(page.startsWith(`${before}${begin}`) && page.endsWith(`${end}${after}`)).toBe(true);
  });

  test('is not written when it has lost its marks', () => {
    const page = read(pageOf('peers')).replace('<!-- Measured figures of peers end. -->', '');
    expect(() => replaceSection(page, 'peers', 'figures')).toThrow('has lost the marks around the figures of peers');
  });
});

describe('the overview', () => {
  const findings = [
    { what: 'reached', spread: spreadOf([1]), goal: { atLeast: 1 } },
    { what: 'without a goal', spread: spreadOf([1]), goal: null },
    { what: 'GET', spread: spreadOf([0.5]), goal: { atLeast: 0.75 } },
    { what: 'bytes', spread: spreadOf([889]), goal: { atMost: 600 } },
  ];

  test.each(names)('has a row for %s with its command, which gets what a run has missed', (name) => {
    const page = read(overview);
    const written = replaceRow(page, name, '2026-12-01', findings).split('\n');
    const changed = page.split('\n').flatMap((line, at) => (line === written[at] ? [] : [[line, written[at]]]));
    const [[before = '', after = ''] = []] = changed;
    const kept = after.split(' | ').slice(0, 2);
    expect(changed.length).toBe(1);
    expect(before.startsWith(kept.join(' | '))).toBe(true);
    expect(kept[1]).toBe(`\`${sections[name].command}\``);
    expect(after.endsWith(' | 2026-12-01 | 1 of 3 | GET: 0.50 (≥ 0.75); bytes: 889 (≤ 600) |')).toBe(true);
  });

  test('is not written when it has lost a row', () => {
    expect(() => replaceRow('| [Size](performance/size.md) |', 'told', '2026-12-01', [])).toThrow(
      'has lost the row of told',
    );
  });
});

describe('a run', () => {
  test.each([
    [[], 'SQLite', ['opponents', 'gate', 'signing']],
    [['--postgres'], 'PostgreSQL', ['opponents', 'instances', 'workers']],
    [['--growth'], 'growth', ['growth']],
    [['--backup'], 'backup', ['backup']],
    [['--backup', '--events', '1000'], null, ['backup']],
    [['--growth', '--no-write'], null, ['growth']],
    [['--only', 'gate'], null, ['gate']],
    [['--quick'], null, ['opponents']],
  ])('with %j writes the page of %s after measuring %j', (args, writes, parts) => {
    expect(readOptions(args)).toMatchObject({ writes, parts });
  });

  test.each([
    [['--events', '10'], '--events without --growth or --backup'],
    [['--backup', '--events', '1.5'], '1.5'],
    [['--backup', '--seconds', '1'], '--seconds beside --backup'],
    [['--growth', '--told'], '--peers, --growth, --backup'],
    [['--growth', '--postgres'], '--postgres beside --growth'],
    [['--only', 'growth'], 'growth'],
  ])('with %j is not begun: %s', (args, message) => {
    expect(() => readOptions(args)).toThrow(`Not understood: ${message}`);
  });
});
