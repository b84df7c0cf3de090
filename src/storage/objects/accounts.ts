// The accounts of this server. Only the command line and the first start create them; no surface lists them.

import { SallyportError } from '../../domain/errors.ts';
import { isIdOf, kindOfId, type NewId } from '../../domain/values/ids.ts';
import { checkText } from '../../domain/values/text.ts';
import { isDuplicate, translated } from '../errors.ts';
import type { Account, PrismaClient } from '../generated/client/client.ts';
import { sql } from '../sql/statement.ts';
import type { Origin } from '../trail/origin.ts';
import type { TouchedObject } from '../trail/trail.ts';
import type { Changes, RowWriter, Write } from './changes.ts';
import type { RowChanges } from './plain-writes.ts';
import type { ServerReads } from './server-scope.ts';

export type { Account };

/** Longest name of an account, in bytes of UTF-8. */
const accountNameBytesMax = 64;

export interface Accounts {
  /**
   * Creates an account and, if given, its first key in the same batch. Throws INVALID_INPUT for a name that is empty, too long or
   * shaped like an id, DUPLICATE for a name that is taken.
   */
  create(name: string, origin: Origin, firstKey?: { tokenHash: string; description: string }): Promise<Account>;
  any(): Promise<boolean>;
  /** Lists all accounts, oldest first. */
  list(): Promise<Account[]>;
  /** Reads an account by its id only; null if there is none. */
  get(id: string): Promise<Account | null>;
  /** Finds an account by its id or its name; null if there is none. */
  find(idOrName: string): Promise<Account | null>;
}

interface AccountsOptions {
  readonly client: PrismaClient;
  readonly reads: ServerReads;
  readonly rowWriter: RowWriter;
  readonly rowChangesOf: (accountId: string) => RowChanges;
  readonly changes: Changes;
  /** Writes the events of an account's trail, which begins with the creation of the account. */
  readonly eventsOf: (accountId: string, origin: Origin) => (object: TouchedObject) => Write;
  readonly now: () => Date;
  readonly newId: NewId;
}

/** Creates the access to accounts. */
export function createAccounts(options: AccountsOptions): Accounts {
  const { client, reads, rowWriter, rowChangesOf, changes, eventsOf, now, newId } = options;
  const find = (idOrName: string) =>
    client.account.findUnique({ where: isIdOf('Account', idOrName) ? { id: idOrName } : { name: idOrName } });
  return {
    async create(name, origin, firstKey) {
      checkText('name', name, accountNameBytesMax);
      if (name.trim() === '') throw new SallyportError('INVALID_INPUT', 'must not be empty.', { field: 'name' });
      // Where an id or a name is accepted, such a name would be taken for another account's id.
      if (kindOfId(name) !== null) {
        throw new SallyportError('INVALID_INPUT', 'must not look like an ID.', { field: 'name' });
      }
      try {
        const account = { id: newId('Account'), name, createdAt: now() };
        const { id, createdAt } = account;
        const eventOf = eventsOf(id, origin);
        const write = rowWriter(
          sql`INSERT INTO "Account" ("id", "name", "createdAt") VALUES (${id}, ${name}, ${createdAt}) RETURNING "id"`,
        );
        const keys = [firstKey ?? []].flat().flatMap((key) => {
          const columns = { ...key, id: newId('ApiKey'), createdAt, updatedAt: createdAt };
          const made = rowChangesOf(id).create('ApiKey', columns);
          return [made, eventOf({ model: 'ApiKey', id: columns.id, action: 'create' })];
        });
        const event = eventOf({ model: 'Account', id, action: 'create' });
        await changes.apply({ write, after: [event, ...keys] });
        return account;
      } catch (error) {
        // The hash of the key must be unique, too.
        if (!isDuplicate(error) || (await find(name)) === null) throw error;
        throw new SallyportError('DUPLICATE', `must be unique; there is already an account "${name}".`, {
          field: 'name',
        });
      }
    },
    any: async () => (await reads.rows(sql`SELECT "id" FROM "Account" LIMIT 1`)).length > 0,
    list: () => client.account.findMany({ orderBy: { id: 'asc' } }),
    get: (id) => translated(client.account.findUnique({ where: { id } })),
    find,
  };
}
