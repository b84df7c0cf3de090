// Values derived from rows are computed once per version, and evicted when they take too much space.

import { expect, test } from 'vitest';
import { createWorkQueue } from '../../src/domain/concurrency/work-queue.ts';
import { createVersioned } from '../../src/storage/objects/versioned.ts';

const create = (sizeMax: number) =>
  createVersioned<string[]>({
    sizeMax,
    sizeOf: ({ length }) => length,
    queue: createWorkQueue({ atOnce: 1, waitingMax: 10 }),
  });

test('all who ask for a version at the same time share one making', async () => {
  const made = create(10);
  let times = 0;
  const make = async () => {
    times += 1;
    return [String(times)];
  };
  const row = { id: 'a', version: 1 };
  const all = await Promise.all([1, 2, 3].map(() => made.make('acct', row, make)));
  expect(all.map(({ value }) => value)).toEqual([['1'], ['1'], ['1']]);
  expect(made.kept(row)?.value).toEqual(['1']);
});

test('another version is another thing, and an earlier one that is finished later does not take its place', async () => {
  const made = create(10);
  let finish: () => void = () => {};
  const early = made.make('acct', { id: 'a', version: 1 }, async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    return ['early'];
  });
  const late = made.make('acct', { id: 'a', version: 2 }, async () => ['late']);
  finish();
  expect([(await early).value, (await late).value]).toEqual([['early'], ['late']]);
  expect(made.kept({ id: 'a', version: 1 })).toBeUndefined();
  await made.make('acct', { id: 'a', version: 1 }, async () => ['again']);
  expect(made.kept({ id: 'a', version: 2 })?.value).toEqual(['late']);
});

test('what was used longest ago is forgotten first, and what is larger than all there is room for is not kept', async () => {
  const made = create(4);
  for (const id of ['a', 'b']) await made.make('acct', { id, version: 1 }, async () => [id, id]);
  made.kept({ id: 'a', version: 1 });
  await made.make('acct', { id: 'c', version: 1 }, async () => ['c']);
  expect(['a', 'b', 'c'].filter((id) => made.kept({ id, version: 1 }) !== undefined)).toEqual(['a', 'c']);
  const large = await made.make('acct', { id: 'd', version: 1 }, async () => Array(5).fill('d'));
  expect(large.value).toHaveLength(5);
  expect(made.kept({ id: 'd', version: 1 })).toBeUndefined();
});

test('a failure is told to all who asked, and the next tries again', async () => {
  const made = create(10);
  const row = { id: 'a', version: 1 };
  const fail = async (): Promise<string[]> => {
    throw new Error('failed');
  };
  const both = await Promise.allSettled([made.make('acct', row, fail), made.make('acct', row, fail)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await made.make('acct', row, async () => ['now'])).value).toEqual(['now']);
});
