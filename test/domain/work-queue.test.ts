// The queue that shares scarce work between accounts.

import { expect, onTestFinished, test, vi } from 'vitest';
import { createWorkQueue } from '../../src/domain/concurrency/work-queue.ts';

/** Creates work that records when it begins and ends when the test says so. */
function observed() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.push(() => resolve(name)));
  };
  const endNext = async () => {
    ends.shift()?.();
    // The next piece begins in its own event loop turn.
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { begun, work, endNext };
}

test('an account that asks for much waits behind its own work, and another for one piece of it', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 10 });
  const { begun, work, endNext } = observed();
  const answers = ['a1', 'a2', 'a3', 'a4'].map((name) => queue.run('a', work(name)));
  answers.push(queue.run('b', work('b1')), queue.run('b', work('b2')));
  for (const _ of answers) await endNext();
  // B comes after the first piece that A had waiting; from then on they alternate.
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
  expect(await Promise.all(answers)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2']);
});

test('no more runs at once than is allowed', async () => {
  const queue = createWorkQueue({ atOnce: 2, waitingMax: 10 });
  const { begun, work, endNext } = observed();
  for (const name of ['1', '2', '3', '4']) void queue.run(name, work(name));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(begun).toEqual(['1', '2']);
  await endNext();
  expect(begun).toEqual(['1', '2', '3']);
});

test('no more begins in one turn of the event loop than may run at once, also of work that ends in it', async () => {
  const queue = createWorkQueue({ atOnce: 2, waitingMax: 10 });
  const begun: string[] = [];
  const ended = ['1', '2', '3'].map(async (name) => {
    // As with requests read from connections in the same turn: the previous one has already ended.
    for (let steps = 0; steps < 10 * Number(name); steps += 1) await null;
    await queue.run('a', () => begun.push(name));
  });
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(begun).toEqual(['1', '2']);
  await Promise.all(ended);
  expect(begun).toEqual(['1', '2', '3']);
});

test('an account with too much waiting is refused, and another is not', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 2 });
  const { begun, work, endNext } = observed();
  for (const name of ['a1', 'a2', 'a3']) void queue.run('a', work(name));
  await expect(queue.run('a', work('a4'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  void queue.run('b', work('b1'));
  for (let count = 0; count < 4; count += 1) await endNext();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('a piece that has waited for too long is refused, told so, and leaves its place to others', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 10 });
  const { begun, work, endNext } = observed();
  void queue.run('a', work('a1'));
  await expect(queue.run('a', work('a2'), undefined, { waitingMsMax: 20 })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'The request has waited too long for those before it, and was not carried out. Retry in a few seconds.',
  });
  const third = queue.run('a', work('a3'), undefined, { waitingMsMax: 60_000 });
  await endNext();
  await endNext();
  expect(await third).toBe('a3');
  expect(begun).toEqual(['a1', 'a3']);
});

test('those who ask for one account take turns, and who asks for little is kept out by nobody who asks for much', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 4, waitingMaxOfSender: 3 });
  const { begun, work, endNext } = observed();
  const ask = (name: string) =>
    queue.run('a', work(name), undefined, { sender: name.charAt(0) }).catch(({ code }) => `${name}: ${code}`);
  const answers = ['m0', 'm1', 'm2', 'm3', 'm4', 'l1', 'n1', 'o1', 'p1'].map(ask);
  for (let count = 0; count < 6; count += 1) await endNext();
  // M may have three waiting, and makes room for N and O. There is none for P, because by then no sender has more than one.
  expect(begun).toEqual(['m0', 'm1', 'l1', 'n1', 'o1']);
  expect(await Promise.all(answers)).toEqual([
    'm0',
    'm1',
    'm2: UNAVAILABLE',
    'm3: UNAVAILABLE',
    'm4: UNAVAILABLE',
    'l1',
    'n1',
    'o1',
    'p1: UNAVAILABLE',
  ]);
});

test('what goes ahead goes before the rest of its sender alone, which makes room for it', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 10, waitingMaxOfSender: 3 });
  const { begun, work, endNext } = observed();
  const run = (name: string) =>
    queue
      .run('a', work(name), undefined, { sender: name.charAt(0), ahead: name.endsWith('!') })
      .catch(({ code }) => `${name}: ${code}`);
  const answers = ['m1', 'm2', 'm3', 'n1', 'm4!', 'm5!', 'm6!', 'm7!'].map(run);
  expect(() => queue.refuseIfFull('a', 'm')).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
  queue.refuseIfFull('a', 'n');
  for (const _ of answers) await endNext();
  expect(begun).toEqual(['m1', 'm4!', 'n1', 'm5!', 'm6!']);
  const refused = ['m2', 'm3', 'm7!'].map((name) => `${name}: UNAVAILABLE`);
  expect((await Promise.all(answers)).filter((answer) => answer.includes(':'))).toEqual(refused);
});

test('the first to ask for an account has its turn after the others have had theirs', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 10 });
  const { begun, work, endNext } = observed();
  const names = ['m1', 'm2', 'm3', 'l1', 'l2'];
  const answers = names.map((name) => queue.run('a', work(name), undefined, { sender: name.charAt(0) }));
  answers.push(queue.run('b', work('b1')));
  for (const _ of answers) await endNext();
  expect(begun).toEqual(['m1', 'm2', 'b1', 'l1', 'm3', 'l2']);
  expect(await Promise.all(answers)).toEqual([...names, 'b1']);
});

test('work of a client that has gone is dropped, and what comes behind it goes on', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 10 });
  const { begun, work, endNext } = observed();
  const client = new AbortController();
  void queue.run('a', work('a1'));
  const dropped = queue.run('a', work('a2'), client.signal);
  void queue.run('a', work('a3'));
  client.abort(new Error('gone'));
  await expect(dropped).rejects.toThrow('gone');
  await expect(queue.run('a', work('a4'), client.signal)).rejects.toThrow('gone');
  await endNext();
  expect(begun).toEqual(['a1', 'a3']);
});

test('a signal that is made when it is needed is made only for work that has to wait, and drops it', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 10 });
  const { begun, work, endNext } = observed();
  const client = new AbortController();
  const asked: string[] = [];
  const run = (name: string) =>
    queue.run('a', work(name), () => {
      asked.push(name);
      return client.signal;
    });
  void run('a1');
  const dropped = run('a2');
  client.abort(new Error('gone'));
  await expect(dropped).rejects.toThrow('gone');
  await expect(run('a3')).rejects.toThrow('gone');
  await endNext();
  expect([begun, asked]).toEqual([['a1'], ['a2', 'a3']]);
});

test('work that fails makes room for the next', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 10 });
  const failing = queue.run('a', () => Promise.reject(new Error('broken')));
  const next = queue.run('a', () => 'done');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
});

test('an account never has more at once than it may, and leaves the rest to the others', async () => {
  const queue = createWorkQueue({ atOnce: 3, atOnceOfOwner: 2, waitingMax: 10 });
  const { begun, work, endNext } = observed();
  for (const name of ['a1', 'a2', 'a3', 'a4']) void queue.run('a', work(name));
  for (const name of ['b1', 'b2']) void queue.run('b', work(name));
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await endNext();
  await endNext();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  await endNext();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
});

test('where all together wait for too much, the last piece of the account with the most is refused', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 10, waitingMaxOfAll: 3 });
  const { begun, work, endNext } = observed();
  const running = queue.run('a', work('a1'));
  const outcomes = ['a2', 'a3', 'a4', 'b1', 'b2'].map((name) =>
    queue.run(name.slice(0, 1), work(name)).then(
      () => name,
      ({ code }) => `${name} ${code}`,
    ),
  );
  for (const _ of [1, 2, 3, 4]) await endNext();
  await running;
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  expect(await Promise.all(outcomes)).toEqual(['a2', 'a3', 'a4 UNAVAILABLE', 'b1', 'b2 UNAVAILABLE']);
});

test('a queue that rests leaves as much time to all else as its work has taken', async () => {
  const queue = createWorkQueue({ atOnce: 1, rests: true, waitingMax: 10 });
  const begunMs: number[] = [];
  const work = () => {
    begunMs.push(performance.now());
    while (performance.now() < (begunMs.at(-1) ?? 0) + 20);
  };
  await Promise.all([queue.run('a', work), queue.run('a', work), queue.run('b', work)]);
  const [first = 0, second = 0, third = 0] = begunMs;
  expect([second - first >= 38, third - second >= 38]).toEqual([true, true]);
});

test('when work fails is told at the end of a step, and the next begins then: how long it took shows nowhere', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const queue = createWorkQueue({ atOnce: 1, rests: true, failureStepMs: 30, waitingMax: 10 });
  const begunMs: number[] = [];
  const run = async (ms: number, fails: boolean) => {
    let mine = 0;
    const work = async () => {
      mine = performance.now();
      begunMs.push(mine);
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (fails) throw new Error('wrong');
    };
    await queue.run('a', work).catch(() => null);
    return performance.now() - mine;
  };
  const all = Promise.all([run(1, true), run(14, true), run(17, true), run(5, false), run(1, true)]);
  await vi.advanceTimersByTimeAsync(1_000);
  // The third rests for as long as it has worked, and so into the next step. A success is told at once.
  expect(await all).toEqual([30, 30, 60, 5, 30]);
  // The turn of the event loop between two of them counts as a millisecond.
  expect(begunMs.slice(1).map((ms, index) => ms - (begunMs[index] ?? 0))).toEqual([31, 31, 61, 12]);
});
