// Which answers wait for which: medium ones for those of the same account, large ones for each other.

import { expect, test } from 'vitest';
import { answerInTurn } from '../../src/load/admission.ts';
import { contextOf, estimate } from '../support/admission.ts';

test('an answer of middling size that has become large, and waits, keeps none of its account waiting', async () => {
  const ends: (() => void)[] = [];
  const held = () => new Promise<string>((resolve) => ends.push(() => resolve('large')));
  const large = ['one', 'two'].map((id) => answerInTurn(contextOf(id), { ...estimate, cost: 100_000 }, held));
  await expect.poll(() => ends.length).toBe(2);
  // As many as one account may have in progress.
  const grown = [1, 2, 3, 4].map(() => {
    const context = contextOf('three');
    return answerInTurn(context, { ...estimate, cost: 1_000 }, async () => {
      await context.budget.slot.take();
      return 'grown';
    });
  });
  expect(await answerInTurn(contextOf('three'), { ...estimate, cost: 1_000 }, async () => 'page')).toBe('page');
  for (const end of ends) end();
  expect(await Promise.all([...large, ...grown])).toEqual(['large', 'large', 'grown', 'grown', 'grown', 'grown']);
});

test('only so many wait outside of the answers of middling size with what they have read', async () => {
  const ends: (() => void)[] = [];
  const held = () => new Promise<string>((resolve) => ends.push(() => resolve('large')));
  const large = ['six', 'seven'].map((id) => answerInTurn(contextOf(id), { ...estimate, cost: 100_000 }, held));
  await expect.poll(() => ends.length).toBe(2);
  let begun = 0;
  // Sixteen of the account's answers wait outside, and four keep their places.
  const grown = Array.from({ length: 20 }, () => {
    const context = contextOf('five');
    return answerInTurn(context, { ...estimate, cost: 1_000 }, async () => {
      begun += 1;
      await context.budget.slot.take();
      return 'grown';
    });
  });
  await expect.poll(() => begun).toBe(20);
  let isMade = false;
  const page = answerInTurn(contextOf('five'), { ...estimate, cost: 1_000 }, async () => {
    isMade = true;
    return 'page';
  });
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(isMade).toBe(false);
  expect(await answerInTurn(contextOf('eight'), { ...estimate, cost: 1_000 }, async () => 'page')).toBe('page');
  for (const end of ends) end();
  expect(await Promise.all([...large, ...grown, page])).toEqual([
    ...Array.from({ length: 2 }, () => 'large'),
    ...Array.from({ length: 20 }, () => 'grown'),
    'page',
  ]);
});

test('however many large answers an account asks for, another account has room for one', async () => {
  const ends: (() => void)[] = [];
  const held = () => new Promise<string>((resolve) => ends.push(() => resolve('held')));
  const large = [1, 2, 3].map(() => answerInTurn(contextOf('twelve'), { ...estimate, cost: 100_000 }, held));
  await expect.poll(() => ends.length).toBe(1);
  expect(await answerInTurn(contextOf('thirteen'), { ...estimate, cost: 100_000 }, async () => 'made')).toBe('made');
  for (let made = 0; made < large.length; made += 1) {
    await expect.poll(() => ends.length).toBe(made + 1);
    ends[made]?.();
  }
  expect(await Promise.all(large)).toEqual(['held', 'held', 'held']);
});

test('whoever waits is asked about again, and who is refused by then gets no answer and keeps no place', async () => {
  const ends: (() => void)[] = [];
  const held = () => new Promise<string>((resolve) => ends.push(() => resolve('held')));
  const refused = contextOf('nine', () => Promise.reject(new Error('revoked')));
  let made = 0;
  const make = async () => {
    made += 1;
    return 'made';
  };
  // Answers that need not wait are not checked again; these then keep others waiting.
  const first = [1, 2, 3, 4].map(() => answerInTurn(refused, { ...estimate, cost: 1_000 }, held));
  await expect.poll(() => ends.length).toBe(4);
  const waiting = [1_000, 100_000].map((cost) => answerInTurn(refused, { ...estimate, cost }, make));
  const outcomes = Promise.allSettled(waiting);
  for (const end of ends) end();
  expect(await Promise.all(first)).toEqual(['held', 'held', 'held', 'held']);
  expect(await outcomes).toEqual(waiting.map(() => ({ status: 'rejected', reason: new Error('revoked') })));
  expect(made).toBe(0);
  for (const cost of [1_000, 100_000]) {
    for (let time = 0; time < 5; time += 1) {
      expect(await answerInTurn(contextOf('nine'), { ...estimate, cost }, make)).toBe('made');
    }
  }
});

test('what fails in its place fails as it did, and leaves the place', async () => {
  for (const cost of [100, 1_000, 100_000]) {
    for (let time = 0; time < 8; time += 1) {
      const failing = answerInTurn(contextOf('four'), { ...estimate, cost }, () =>
        Promise.reject(new Error('as it is')),
      );
      await expect(failing).rejects.toThrow('as it is');
    }
  }
});

test('what waits in a queue of its own keeps no answer of another account waiting meanwhile', async () => {
  const ends: (() => void)[] = [];
  const held = () => new Promise<string>((resolve) => ends.push(() => resolve('planned')));
  const plans = [1, 2, 3, 4].map(() =>
    answerInTurn(contextOf('ten'), { ...estimate, cost: 100_000, queued: 99_900 }, held),
  );
  await expect.poll(() => ends.length).toBe(4);
  const large = answerInTurn(contextOf('eleven'), { ...estimate, cost: 100_000 }, async () => 'large');
  expect(await large).toBe('large');
  for (const end of ends) end();
  expect(await Promise.all(plans)).toEqual(['planned', 'planned', 'planned', 'planned']);
});
