// How many refusals are recorded, without anybody waiting for it.

import { expect, test } from 'vitest';
import { createRefusals, type NewRefusal, type RefusedRequest } from '../../src/storage/trail/refusals.ts';

const request: RefusedRequest = {
  requestId: 'op_1',
  surface: 'rest',
  clientAddress: null,
  asked: 'GET /ip_policies',
  code: 'FORBIDDEN',
};
const minute = 60_000;

/** Starts recording refusals with a test clock, and collects what is written. */
function startNotes(write: (refusal: NewRefusal) => Promise<unknown> = async () => {}) {
  const written: NewRefusal[] = [];
  const failures: unknown[] = [];
  const clock = { ms: 0 };
  let lookups = 0;
  const refusals = createRefusals({
    write: (refusal) => {
      written.push(refusal);
      return write(refusal);
    },
    async recognize(tokenHash) {
      lookups += 1;
      const [apiKeyId = '', accountId] = tokenHash.split(' of ');
      return accountId === undefined ? null : { apiKeyId, accountId, description: 'd', reason: 'revoked' };
    },
    monotonicMs: () => clock.ms,
    onFailure: (error) => failures.push(error),
  });
  const note = (accountId: string, apiKeyId: string, times: number) => {
    for (let time = 0; time < times; time += 1) refusals.note(request, { accountId, actor: apiKeyId, isMember: true });
  };
  return { refusals, written, failures, clock, note, lookups: () => lookups };
}

test('of one key ten are noted at once, then one in five minutes, which tells how many were left out', async () => {
  const { refusals, written, clock, note } = startNotes();
  note('a', 'k', 25);
  clock.ms = 5 * minute;
  note('a', 'k', 3);
  clock.ms = 10 * minute;
  note('a', 'k', 1);
  await refusals.settled();
  expect(written.map(({ state }) => state.leftOut)).toEqual([...Array.from({ length: 10 }, () => 0), 15, 2]);
});

test('of one account thirty are noted at once, then one a minute: 1,470 in a day, however many keys are refused', async () => {
  const { refusals, written, clock, note } = startNotes();
  for (; clock.ms <= 1440 * minute; clock.ms += 10_000) {
    for (let key = 0; key < 20; key += 1) note('a', `k${key}`, 3);
    await refusals.settled();
  }
  expect(written).toHaveLength(1_470);
  note('b', 'other', 1);
  await refusals.settled();
  expect(written.at(-1)).toMatchObject({ accountId: 'b', actor: 'other', state: { leftOut: 0 } });
});

test('a token is looked up a hundred times at once, then ten times a second, whoever sends it', async () => {
  const { refusals, written, clock, lookups } = startNotes();
  for (let time = 0; time < 5_000; time += 1) refusals.noteToken(request, 'unknown');
  await refusals.settled();
  expect([lookups(), written]).toEqual([100, []]);
  clock.ms = 1_000;
  for (let time = 0; time < 50; time += 1) refusals.noteToken(request, 'k of a');
  await refusals.settled();
  expect(lookups()).toBe(110);
  expect(written).toHaveLength(10);
  expect(written[0]).toMatchObject({ accountId: 'a', actor: 'k', description: 'd', state: { reason: 'revoked' } });
});

test('nobody waits for what is written, and no more than a thousand wait to be', async () => {
  let finish = () => {};
  const stuck = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { refusals, written, note } = startNotes(() => stuck);
  for (let account = 0; account < 2_000; account += 1) note(`${account}`, `${account}`, 1);
  expect(written).toEqual([]);
  finish();
  await refusals.settled();
  expect(written).toHaveLength(1_000);
});

test('what could not be written is told, and what follows is written', async () => {
  const error = new Error('full');
  const { refusals, written, failures, note } = startNotes(async ({ actor }) => {
    if (actor === 'fails') throw error;
  });
  note('a', 'fails', 1);
  note('a', 'k', 1);
  await refusals.settled();
  expect([failures, written.map(({ actor }) => actor)]).toEqual([[error], ['fails', 'k']]);
});

test('what could not be written is counted with what was left out, by the next event', async () => {
  let isFull = false;
  const { refusals, written, failures, clock, note } = startNotes(async () => {
    if (isFull) throw new Error('full');
  });
  note('a', 'k', 25);
  await refusals.settled();
  isFull = true;
  clock.ms = 5 * minute;
  // The write of the first one fails, together with the 15 left out before; the other two are left out.
  note('a', 'k', 3);
  await refusals.settled();
  isFull = false;
  clock.ms = 10 * minute;
  note('a', 'k', 1);
  await refusals.settled();
  expect([failures.length, written.length, written.at(-1)?.state.leftOut]).toEqual([1, 12, 18]);
});

test('logins are counted apart from keys, by their routes: anybody can have them refused', async () => {
  const { refusals, written, note } = startNotes();
  for (let time = 0; time < 100; time += 1) {
    for (const routeId of ['r1', 'r2', 'r3', 'r4'])
      refusals.noteLogin(request, { accountId: 'a', at: routeId, reason: 'signature' });
  }
  note('a', 'k', 1);
  await refusals.settled();
  expect(written).toHaveLength(31);
  expect(written[0]).toMatchObject({ actor: 'system', state: { reason: 'signature', leftOut: 0 } });
  expect(written.at(-1)).toMatchObject({ actor: 'k', state: { reason: null, leftOut: 0 } });
});
