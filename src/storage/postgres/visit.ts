// A connection for work that may take long: migrations, copies, inspections. Its statements have no time limit, and nothing is
// prepared, so that it works behind a pooler.

import type { SqlQuery, SqlQueryable } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import { type Client, connect, disconnect } from './client.ts';
import { toResultSet } from './connections.ts';
import { toDriverError } from './errors.ts';
import type { Address } from './url.ts';
import { toPostgres } from './values.ts';

const names = { provider: 'postgres', adapterName: 'sallyport-postgres-visit' } as const;

/** Does work with a connection. It has another name on the server than the connections that serve requests. */
export async function connected<T>(address: Address, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(address, { application_name: 'sallyport command' });
  try {
    return await work(client);
  } finally {
    await disconnect(client);
  }
}

/** Does work that reads the database as of one moment and changes nothing. */
export function readMoment<T>(address: Address, work: (database: SqlQueryable) => Promise<T>): Promise<T> {
  return connected(address, async (client) => {
    // Closing the connection ends the transaction.
    await script(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return work(queryable(client));
  });
}

/** Adapts a connection to the interface of Prisma's adapters. */
export function queryable(client: pg.Client): SqlQueryable {
  const send = ({ sql, args, argTypes }: SqlQuery) =>
    client
      .query<unknown[]>({
        text: sql,
        values: args.map((value, index) => toPostgres(value, argTypes[index])),
        rowMode: 'array',
      })
      .catch(throwTranslated);
  return {
    ...names,
    queryRaw: async (query) => toResultSet(await send(query)),
    executeRaw: async (query) => (await send(query)).rowCount ?? 0,
  };
}

/** Runs statements without arguments, separated by semicolons. Returns the result of a single one. */
export function script<R extends pg.QueryResultRow>(client: pg.Client, sql: string): Promise<pg.QueryResult<R>> {
  return client.query<R>(sql).catch(throwTranslated);
}

function throwTranslated(error: unknown): never {
  throw toDriverError(error);
}
