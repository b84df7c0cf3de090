// What is particular to a database in memory, on which the changes of a document are tried out.

import { expect, test } from 'vitest';
import { memoryEngine } from '../../src/storage/sqlite/memory.ts';

test('statements do not wait for a turn of the event loop each, which takes as long as what others do in it', async () => {
  const { connection, close } = await memoryEngine.open({});
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const statements = 100;
  for (let one = 0; one < statements; one += 1) {
    await connection.executeRaw({ sql: 'SELECT 1', args: [], argTypes: [] });
  }
  isOver = true;
  await close();
  expect(turns).toBeLessThan(statements / 2);
});
