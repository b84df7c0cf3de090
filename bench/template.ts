// The databases that the servers are started with: one account, one key, and so many IP policies.

import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createIpPolicy } from '../src/areas/ip-policies/store.ts';
import { formatToken, hashToken, tokenBytes } from '../src/domain/api-token.ts';
import { createNewId } from '../src/domain/ids.ts';
import { migrate } from '../src/storage/migrate.ts';
import { createSqliteEngine } from '../src/storage/sqlite/engine.ts';
import { openStorage } from '../src/storage/storage.ts';
import { root } from './servers.ts';

/** A database, and what it takes to use it. */
export interface Template {
  readonly path: string;
  readonly token: string;
  /** In base64, for the variable `SECRET_KEY`. */
  readonly secretKey: string;
  /** Ids of the policies, oldest first. */
  readonly ids: readonly string[];
}

/** The texts of every policy here, also of those that the benchmark makes: no answer changes its length under way. */
export const notes = { description: 'office in the third street', metadata: '{"team":"network","tier":2}' };

/** Makes a directory on the disk of the project: where temporary files live in memory, durability would cost nothing. */
export function makeDirectory(): string {
  mkdirSync(join(root, 'data'), { recursive: true });
  return mkdtempSync(join(root, 'data/bench-'));
}

/** Makes a database with policies, through the storage of Sallyport. */
export async function makeTemplate(path: string, policyCount: number): Promise<Template> {
  const secretKey = randomBytes(32);
  const token = formatToken(randomBytes(tokenBytes));
  const engine = createSqliteEngine(path);
  await migrate(engine);
  const storage = await openStorage({ engine, now: () => new Date(), randomBytes, secretKey: () => secretKey });
  const account = await storage.accounts.create('default', { tokenHash: hashToken(token), description: 'benchmark' });
  const scope = storage.forAccount(account.id);
  const rows = await Promise.all(Array.from({ length: policyCount }, () => createIpPolicy(scope, notes)));
  await storage.close();
  return { path, token, secretKey: secretKey.toString('base64'), ids: rows.map(({ id }) => id).sort() };
}

/**
 * Adds policies to a database, past the storage: a million through it would take minutes.
 *
 * @returns all ids, oldest first
 */
export function addPolicies({ path, ids }: Template, policyCount: number): string[] {
  const newId = createNewId(Date.now, randomBytes);
  const added = Array.from({ length: policyCount }, () => newId('IpPolicy'));
  const database = new Database(path);
  const { accountId, createdAt } = database
    .prepare<[], { accountId: string; createdAt: string }>('SELECT accountId, createdAt FROM IpPolicy LIMIT 1')
    .get() ?? { accountId: '', createdAt: '' };
  const insert = database.prepare(
    'INSERT INTO IpPolicy (id, accountId, description, metadata, createdAt) VALUES (?, ?, ?, ?, ?)',
  );
  database.transaction(() => {
    for (const id of added) insert.run(id, accountId, notes.description, notes.metadata, createdAt);
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return [...ids, ...added];
}
