// How the benchmark reads its arguments.

import { describe, expect, test } from 'vitest';
import { readOptions, usage } from '../../bench/options.ts';

const kinds = ['GET one', 'LIST 100', 'PATCH', 'POST create'];

describe('a run', () => {
  test('without options measures everything on SQLite, and writes the section of that', () => {
    expect(readOptions([])).toEqual({
      help: false,
      engine: 'SQLite',
      parts: ['opponents', 'growth', 'gate', 'signing'],
      kinds,
      pace: { seconds: 1.5, rounds: 5 },
      isCoarse: false,
      writes: 'SQLite',
    });
  });

  test('on PostgreSQL measures what only that engine has, too', () => {
    const { engine, parts, writes } = readOptions(['--postgres']);
    expect([engine, parts, writes]).toEqual([
      'PostgreSQL',
      ['opponents', 'growth', 'instances', 'workers'],
      'PostgreSQL',
    ]);
  });

  test('of the peers has seven rounds and a section of its own', () => {
    const { parts, pace, writes } = readOptions(['--peers']);
    expect([parts, pace, writes]).toEqual([['peers'], { seconds: 1.5, rounds: 7 }, 'peers']);
  });

  test('of the dashboard has a section of its own', () => {
    const { parts, pace, writes } = readOptions(['--dashboard']);
    expect([parts, pace.rounds, writes]).toEqual([['dashboard'], 5, 'dashboard']);
  });

  test.each([
    [['--quick', '--dashboard'], ['dashboard']],
    [['--quick'], ['opponents']],
    [['--quick', '--postgres'], ['opponents']],
    [['--quick', '--peers'], ['peers']],
    [['--quick', '--only', 'growth'], ['growth']],
  ])('that is quick (%j) is short, writes nothing, and forgives missed goals', (args, expected) => {
    const { parts, pace, isCoarse, writes } = readOptions(args);
    expect({ parts, pace, isCoarse, writes }).toEqual({
      parts: expected,
      pace: { seconds: 0.25, rounds: 2 },
      isCoarse: true,
      writes: null,
    });
  });

  test('has the rounds and seconds that it is asked for: whole rounds, and parts of a second', () => {
    expect(readOptions(['--rounds', '3', '--seconds', '0.5']).pace).toEqual({ seconds: 0.5, rounds: 3 });
  });

  test.each([[['--only', 'gate']], [['--kind', 'PATCH', '--only', 'opponents']], [['--no-write']]])(
    'that does not measure everything (%j) writes nothing',
    (args) => {
      expect(readOptions(args).writes).toBe(null);
    },
  );

  test('keeps the order of parts and kinds, whatever the order of the arguments', () => {
    const args = ['--only', 'growth', '--only', 'opponents', '--kind', 'PATCH', '--kind', 'GET one'];
    const { parts, kinds } = readOptions(args);
    expect([parts, kinds]).toEqual([
      ['opponents', 'growth'],
      ['GET one', 'PATCH'],
    ]);
  });
});

test.each([
  [['--only', 'everything'], 'everything'],
  [['--only', 'gate', '--postgres'], 'gate'],
  [['--only', 'peers'], 'peers'],
  [['--kind', 'DELETE'], 'DELETE'],
  [['--peers', '--kind', 'PATCH'], 'PATCH'],
  [['--rounds', '0'], '0'],
  [['--rounds', '0.5'], '0.5'],
  [['--rounds', 'Infinity'], 'Infinity'],
  [['--seconds', 'one'], 'one'],
  [['--seconds', 'Infinity'], 'Infinity'],
  [['--dashboard', '--postgres'], '--peers or --postgres beside --dashboard'],
  [['--dashboard', '--seconds', '1'], '--seconds beside --dashboard: a page takes as long as it takes'],
  [['--peers', '--postgres'], '--postgres beside --peers, which measures on both engines'],
])('%j is refused, with what can be said instead', (args, unknown) => {
  expect(() => readOptions(args)).toThrow(`Not understood: ${unknown}\n\n${usage}`);
});

test('an option that there is not is refused', () => {
  expect(() => readOptions(['--fast'])).toThrow("Unknown option '--fast'");
});
