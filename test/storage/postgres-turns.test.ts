// The turns that changes of an account take on PostgreSQL, as its locks.

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createRowWriter } from '../../src/storage/objects/changes.ts';
import { createTurnsOf } from '../../src/storage/objects/turns.ts';
import { postgresDialect } from '../../src/storage/postgres/dialect.ts';
import { testDatabase } from '../support/database.ts';

const turnsOf = createTurnsOf(createRowWriter(postgresDialect), postgresDialect);

/** Opens a transaction that can take turns. */
async function beginAt(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("SET lock_timeout = '50ms'");
  await client.query('BEGIN');
  return {
    /** Waits for the turns of objects. Returns whether it has got them. */
    async take(accountId: string, ids: readonly string[]): Promise<boolean> {
      const turn = turnsOf(accountId)(ids.map((id) => ({ model: 'IpPolicy', id, made: null })));
      const { sql, args } = turn?.write.statement ?? { sql: '', args: [] };
      await client.query('SAVEPOINT before');
      return client.query(sql, [...args]).then(
        () => true,
        async () => {
          await client.query('ROLLBACK TO before');
          return false;
        },
      );
    },
    async locks(): Promise<number> {
      const { rowCount } = await client.query(
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
      );
      return rowCount ?? 0;
    },
    end: () => client.query('COMMIT'),
  };
}

test('a change of very many objects takes one lock, for which all changes of its account wait, and no others', async () => {
  const { url } = await testDatabase();
  const [large, single, both] = [await beginAt(url), await beginAt(url), await beginAt(url)];
  const ids = Array.from({ length: 20_000 }, (_, index) => `ipp_${index}`);
  expect([await large.take('a', ids), await large.locks()]).toEqual([true, 1]);
  expect(await single.take('a', ['ipp_7'])).toBe(false);
  expect(await single.take('a', ['another'])).toBe(false);
  expect(await both.take('a', ['another', 'one more'])).toBe(false);
  expect(await single.take('b', ['ipp_7'])).toBe(true);
  await large.end();

  expect([await single.take('a', ['ipp_7']), await both.take('a', ['ipp_8', 'ipp_9'])]).toEqual([true, true]);
  expect(await both.take('a', ['ipp_7'])).toBe(false);
  const next = await beginAt(url);
  expect(await next.take('a', ids)).toBe(false);
  await single.end();
  await both.end();
  expect(await next.take('a', ids)).toBe(true);
});
