// The pool of connections, on a real server.

import { expect, onTestFinished, test } from 'vitest';
import { type Client, connect } from '../../src/storage/postgres/client.ts';
import { Pool } from '../../src/storage/postgres/pool.ts';
import { readUrl } from '../../src/storage/postgres/url.ts';
import { testDatabase } from '../support/database.ts';

test('a connection that is being opened while all are replaced is replaced as well', async () => {
  const address = readUrl((await testDatabase()).url);
  const opened: Client[] = [];
  const pool = new Pool({
    sizeMax: 1,
    waitMsMax: 10_000,
    async connect() {
      const client = await connect(address, {});
      if (opened.push(client) === 1) pool.renew();
      return client;
    },
  });
  const client = await pool.take();
  onTestFinished(async () => {
    pool.release(client, false);
    await pool.close();
  });
  expect([opened.length, client === opened[1]]).toEqual([2, true]);
});
