// Questions between the processes behind one port when one of them does not answer.

import type { Worker } from 'node:cluster';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRelay, type FromWorker } from '../../src/cli/peers.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A message that the relay has sent to a worker. */
interface Heard {
  readonly type: 'question' | 'answers';
  readonly id: number;
  readonly answers?: readonly unknown[];
}
function worker() {
  const heard: Heard[] = [];
  const send = (message: Heard) => heard.push(message);
  // All that the relay needs of a worker.
  return { heard, worker: { isConnected: () => true, send } as unknown as Worker };
}

test('one that has not answered in two seconds is not waited for again until it has answered', () => {
  const [asker, stuck] = [worker(), worker()];
  const relay = createRelay(() => [asker.worker, stuck.worker]);
  const questionOf = ({ heard }: typeof asker) => heard.filter(({ type }) => type === 'question').at(-1)?.id ?? 0;
  const answer = (one: typeof asker, found: unknown) => {
    const message: FromWorker = { type: 'answer', id: questionOf(one), found: [found] };
    relay.heard(one.worker, message);
  };
  const ask = (id: number) => relay.heard(asker.worker, { type: 'ask', id, question: 'minutes', asked: null });
  const told = () => asker.heard.filter(({ type }) => type === 'answers').map(({ id, answers }) => [id, answers]);

  ask(1);
  answer(asker, 'own');
  vi.advanceTimersByTime(1_999);
  expect(told()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told()).toEqual([[1, ['own']]]);

  // It is still asked, so that the relay notices when it answers again.
  ask(2);
  answer(asker, 'own');
  expect(told().at(-1)).toEqual([2, ['own']]);

  // Its answer counts if it arrives while others are awaited.
  ask(3);
  answer(stuck, 'its');
  expect(told()).toHaveLength(2);
  answer(asker, 'own');
  expect(told().at(-1)).toEqual([3, ['its', 'own']]);

  ask(4);
  answer(asker, 'own');
  expect(told()).toHaveLength(3);
  answer(stuck, 'its');
  expect(told().at(-1)).toEqual([4, ['own', 'its']]);
});
