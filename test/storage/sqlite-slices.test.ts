// Slices of rows: as large as what a slice takes allows, one at a time, and each account in its turn.

import { expect, test } from 'vitest';
import { createSlicing, type Pace, type SliceSizes } from '../../src/storage/sql/read-slices.ts';

const here = { turnIsMoment: true };
const sizes: SliceSizes = { first: 100, most: 1_000 };

/** Looks through rows that take so long each, in milliseconds; returns how many rows the slices had. */
async function lookThrough(
  rowCount: number,
  msOf: (row: number) => number,
  { dialect = here, pace = {}, ...given }: Partial<SliceSizes> & { dialect?: typeof here; pace?: Pace } = {},
): Promise<number[]> {
  let ms = 0;
  let place = 0;
  const slicing = createSlicing(dialect, () => ms);
  const look = async (rows: number) => {
    const some = Math.min(rows, rowCount - place);
    for (let row = place; row < place + some; row += 1) ms += msOf(row);
    place += some;
    return { value: some, entries: some, isLast: place === rowCount };
  };
  const slices: number[] = [];
  for await (const rows of slicing.slices('account', { ...sizes, ...given }, look, pace)) slices.push(rows);
  return slices;
}

test('slices of light rows double up to the largest', async () => {
  expect(await lookThrough(4_000, () => 0.001)).toEqual([100, 200, 400, 800, 1_000, 1_000, 500]);
});

test('a slice of heavy rows is followed by one that takes 5 ms, and never by fewer than ten rows', async () => {
  expect(await lookThrough(400, () => 0.1)).toEqual([100, 50, 50, 50, 50, 50, 50]);
  expect(await lookThrough(150, () => 10)).toEqual([100, 10, 10, 10, 10, 10]);
});

test('rows that get heavier later are never more than the largest slice', async () => {
  const slices = await lookThrough(2_000, (row) => (row < 1_000 ? 0.001 : 0.2), { most: 250 });
  expect(slices.slice(0, 8)).toEqual([100, 200, 250, 250, 250, 123, 25, 25]);
});

test('the slices of a database with its own processor have the same size after the first, which waits for no other', async () => {
  expect(await lookThrough(9_000, () => 1, { dialect: { turnIsMoment: false } })).toEqual([400, 4_000, 4_000, 600]);
  // Rows that come into this process are no more than on SQLite.
  const loaded = await lookThrough(2_500, () => 1, { dialect: { turnIsMoment: false }, loads: true });
  expect(loaded).toEqual([100, 1_000, 1_000, 400]);
});

test('what was looked at is noted before the next slice is, and stops the work', async () => {
  const noted: number[] = [];
  const looked = (entries: number) => {
    noted.push(entries);
    if (noted.length === 3) throw new Error('too many');
  };
  await expect(lookThrough(4_000, () => 0, { pace: { looked } })).rejects.toThrow('too many');
  expect(noted).toEqual([100, 200, 400]);
});

test('a refusal of the only slice reaches whoever looks', async () => {
  const looked = async () => {
    throw new Error('too many');
  };
  await expect(lookThrough(10, () => 0, { pace: { looked } })).rejects.toThrow('too many');
});

test('nothing is looked at any more once nobody waits for it', async () => {
  const gone = new Error('gone');
  const noted: number[] = [];
  const pace = { signal: () => AbortSignal.abort(gone), looked: (entries: number) => void noted.push(entries) };
  await expect(lookThrough(4_000, () => 0, { pace })).rejects.toBe(gone);
  expect(noted).toEqual([100]);
});

test('a short list is looked through at once, while the slices of long ones take turns by account', async () => {
  const slicing = createSlicing(here, () => 0);
  const order: string[] = [];
  const through = async (name: string, account: string, slices: number) => {
    let left = slices;
    const look = async () => {
      order.push(name);
      left -= 1;
      return { value: null, entries: 0, isLast: left === 0 };
    };
    for await (const _ of slicing.slices(account, sizes, look));
  };
  await Promise.all([through('long', 'one', 4), through('longer', 'one', 4), through('other', 'two', 2)]);
  await through('short', 'two', 1);
  expect(order).toEqual([
    ...['long', 'longer', 'other'],
    ...['long', 'longer', 'other'],
    ...['long', 'longer'],
    ...['long', 'longer'],
    'short',
  ]);
});
