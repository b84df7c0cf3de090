// Work that is done once for all who ask for it at the same time.

import { expect, test } from 'vitest';
import { createSharedWork } from '../../src/domain/shared-work.ts';

/** Work that ends when it is told to, and notes how often it began and whether it was abandoned. */
function observed() {
  const begun: AbortSignal[] = [];
  let end: (result: string) => void = () => {};
  const work = (abandoned: AbortSignal) => {
    begun.push(abandoned);
    return new Promise<string>((resolve, reject) => {
      end = resolve;
      abandoned.addEventListener('abort', () => reject(abandoned.reason));
    });
  };
  return { begun, work, end: (result: string) => end(result) };
}

test('who asks while the work goes on gets its result, and who comes later has it done anew', async () => {
  const shared = createSharedWork<string>();
  const { begun, work, end } = observed();
  const first = [shared.join('key', work), shared.join('key', work), shared.join('key', work)];
  end('first');
  expect(await Promise.all(first)).toEqual(['first', 'first', 'first']);
  const second = shared.join('key', work);
  end('second');
  expect([await second, begun.length]).toEqual(['second', 2]);
});

test('another key is other work', async () => {
  const shared = createSharedWork<string>();
  const results = ['a', 'b'].map((key) => shared.join(key, async () => key));
  expect(await Promise.all(results)).toEqual(['a', 'b']);
});

test('who leaves first takes nothing from those who stay', async () => {
  const shared = createSharedWork<string>();
  const { begun, work, end } = observed();
  const client = new AbortController();
  const left = shared.join('key', work, client.signal);
  const stayed = shared.join('key', work);
  client.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  expect(begun.map(({ aborted }) => aborted)).toEqual([false]);
  end('done');
  expect(await stayed).toBe('done');
});

test('when all have left, the work is abandoned, and nobody joins it any more', async () => {
  const shared = createSharedWork<string>();
  const { begun, work, end } = observed();
  const clients = [new AbortController(), new AbortController()];
  const left = clients.map(({ signal }) => shared.join('key', work, signal));
  for (const client of clients) client.abort(new Error('gone'));
  const next = shared.join('key', work);
  expect((await Promise.allSettled(left)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(begun.map(({ aborted }) => aborted)).toEqual([true, false]);
  end('done');
  expect(await next).toBe('done');
  await expect(shared.join('key', work, AbortSignal.abort(new Error('gone before')))).rejects.toThrow('gone before');
});

test('work that fails fails for all, and is forgotten', async () => {
  const shared = createSharedWork<string>();
  const failing = () => Promise.reject(new Error('broken'));
  const results = await Promise.allSettled([shared.join('key', failing), shared.join('key', failing)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await shared.join('key', async () => 'done')).toBe('done');
});
