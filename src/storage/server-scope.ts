// The data of all accounts, for what the server does on behalf of nobody: upkeep, counts, files without a key. A guard
// keeps it away from everything that acts for an account.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Changes } from './changes.ts';
import type { Decoders, Dialect } from './engine.ts';
import { translated } from './errors.ts';
import type { PrismaClient } from './generated/client/client.ts';
import { type Sql, statementOf } from './statement.ts';

/** Reads a database by statements. */
export interface ServerReads {
  /** Reads rows. Values are those of the driver. Throws UNAVAILABLE where the storage cannot serve it now. */
  rows(statement: Sql): Promise<unknown[][]>;
  /** Makes values out of those of the driver. */
  readonly decode: Decoders;
}

/** Reads and writes the data of all accounts. */
export interface ServerScope extends ServerReads {
  /**
   * Executes statements that write, as one change. Throws as `rows`.
   *
   * @returns how many rows the first one changed
   */
  change(statement: Sql, ...others: readonly Sql[]): Promise<number>;
}

/** Reads by statements over a connection. */
export function createServerReads(connection: SqlQueryable, dialect: Dialect): ServerReads {
  return {
    rows: async (statement) => (await translated(connection.queryRaw(statementOf(dialect, statement)))).rows,
    decode: dialect.decode,
  };
}

/** Reads by statements, and writes by the way that all changes go. */
export function createServerScope(client: PrismaClient, reads: ServerReads, changes: Changes): ServerScope {
  return {
    ...reads,
    change: (statement, ...others) =>
      changes.apply({
        write: client.$executeRaw(statement),
        after: others.map((other) => client.$executeRaw(other)),
      }),
  };
}
