// The accounts of this server. Only the command line and the first start make them; no surface lists them.

import { SallyportError } from '../domain/errors.ts';
import { isIdOf, kindOfId, type NewId } from '../domain/ids.ts';
import { checkText } from '../domain/text.ts';
import type { Changes } from './changes.ts';
import { isDuplicate, translated } from './errors.ts';
import type { Account, PrismaClient } from './generated/client/client.ts';

export type { Account };

/** Longest name of an account, in bytes of UTF-8. */
const accountNameBytesMax = 64;

/** Makes and finds accounts. */
export interface Accounts {
  /**
   * Makes an account and, in the same batch, its first key, if one is given.
   * Throws INVALID_INPUT for an empty or long name, or one in the form of an id; DUPLICATE for one that is taken.
   */
  create(name: string, firstKey?: { tokenHash: string; description: string }): Promise<Account>;
  /** Lists all accounts, oldest first. */
  list(): Promise<Account[]>;
  /** Reads an account by its id alone; null when there is none. */
  get(id: string): Promise<Account | null>;
  /** Finds an account by its id or its name; null when there is none. */
  find(idOrName: string): Promise<Account | null>;
}

/** Creates the access to the accounts. */
export function createAccounts(client: PrismaClient, changes: Changes, now: () => Date, newId: NewId): Accounts {
  return {
    async create(name, firstKey) {
      checkText('name', name, accountNameBytesMax);
      if (name.trim() === '') throw new SallyportError('INVALID_INPUT', 'must not be empty.', { field: 'name' });
      // Where an id or a name may stand, it would be taken for that of another account.
      if (kindOfId(name) !== null) {
        throw new SallyportError('INVALID_INPUT', 'must not look like an ID.', { field: 'name' });
      }
      try {
        const data = { id: newId('Account'), name, createdAt: now() };
        const keys = [firstKey ?? []].flat().map((key) => {
          const columns = { ...key, id: newId('ApiKey'), accountId: data.id, createdAt: data.createdAt };
          return client.apiKey.create({ data: columns, select: { id: true } });
        });
        return await changes.apply({ write: client.account.create({ data }), after: keys });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        throw new SallyportError('DUPLICATE', `must be unique; there is already an account "${name}".`, {
          field: 'name',
        });
      }
    },
    list: () => client.account.findMany({ orderBy: { id: 'asc' } }),
    get: (id) => translated(client.account.findUnique({ where: { id } })),
    find: (idOrName) =>
      client.account.findUnique({ where: isIdOf('Account', idOrName) ? { id: idOrName } : { name: idOrName } }),
  };
}
