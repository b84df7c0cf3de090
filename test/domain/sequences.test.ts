// Work under the same key is done one piece after the other.

import { expect, test } from 'vitest';
import { createSequences } from '../../src/domain/concurrency/sequences.ts';

test('work with one key goes in its order, also after a failure, and work with another key does not wait', async () => {
  const inSequence = createSequences();
  const done: string[] = [];
  let finish: () => void = () => {};
  const first = inSequence('a', async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    throw new Error('failed');
  });
  const second = inSequence('a', async () => done.push('second'));
  await inSequence('b', async () => done.push('other'));
  expect(done).toEqual(['other']);
  finish();
  await expect(first).rejects.toThrow('failed');
  await second;
  expect(await inSequence('a', async () => 'third')).toBe('third');
  expect(done).toEqual(['other', 'second']);
});
