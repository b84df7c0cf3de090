// How keys are watched while the database is slow or fails.

import { expect, onTestFinished, test } from 'vitest';
import { createKeyWatch } from '../../src/storage/keys/key-watch.ts';

type Keys = { id: string; expiresAt: null }[];

/** A pending lookup. */
interface Lookup {
  readonly resolve: (keys: Keys) => void;
  readonly reject: (error: unknown) => void;
}

/** Starts watching a key, with lookups that the test answers. */
function startWatch(everyMs = 1) {
  const lookups: Lookup[] = [];
  const failures: unknown[] = [];
  let ends = 0;
  const { watch, look } = createKeyWatch({
    find: () => new Promise<Keys>((resolve, reject) => lookups.push({ resolve, reject })),
    now: () => new Date(0),
    everyMs,
    onFailure: (error) => failures.push(error),
  });
  onTestFinished(
    watch('ak_1', () => {
      ends += 1;
    }),
  );
  return { look, lookups, failures, ends: () => ends };
}

const usable = [{ id: 'ak_1', expiresAt: null }];
const someLooks = () => new Promise((resolve) => setTimeout(resolve, 30));

test('a look that takes long is not joined by others', async () => {
  const { lookups } = startWatch();
  await expect.poll(() => lookups.length).toBe(1);
  await someLooks();
  expect(lookups.length).toBe(1);
  lookups[0]?.resolve(usable);
  await expect.poll(() => lookups.length).toBe(2);
});

test('a look that is asked for during another comes after it: that one may not have seen the revocation', async () => {
  const { look, lookups, ends } = startWatch(1_000_000);
  look();
  look();
  look();
  expect(lookups.length).toBe(1);
  lookups[0]?.resolve(usable);
  await expect.poll(() => lookups.length).toBe(2);
  expect(ends()).toBe(0);
  lookups[1]?.resolve([]);
  await expect.poll(ends).toBe(1);
  await someLooks();
  expect(lookups.length).toBe(2);
});

test('keys that cannot be looked up are reported once until they can be, and are looked up again', async () => {
  const { lookups, failures, ends } = startWatch();
  const broken = new Error('The database is away.');
  const answer = async (at: number, how: (lookup: Lookup | undefined) => void) => {
    await expect.poll(() => lookups.length, { interval: 1 }).toBe(at + 1);
    how(lookups[at]);
  };
  for (const at of [0, 1]) await answer(at, (lookup) => lookup?.reject(broken));
  await answer(2, (lookup) => lookup?.resolve(usable));
  expect([failures, ends()]).toEqual([[broken], 0]);
  await answer(3, (lookup) => lookup?.reject(broken));
  await answer(4, (lookup) => lookup?.resolve([]));
  await expect.poll(ends).toBe(1);
  expect(failures).toEqual([broken, broken]);
});
