// The databases that the servers start with: one account, one key, and a number of IP policies.

import { randomBytes } from 'node:crypto';
import { createIpPolicy } from '../src/areas/ip-policies/store.ts';
import { formatToken, tokenBytes } from '../src/domain/access/api-token.ts';
import { hashOf } from '../src/domain/values/hash.ts';
import { createNewId } from '../src/domain/values/ids.ts';
import { chooseEngine } from '../src/storage/lifecycle/choose-engine.ts';
import { migrate } from '../src/storage/lifecycle/migrate.ts';
import { openStorage } from '../src/storage/storage.ts';
import { commandLine } from '../src/storage/trail/origin.ts';
import type { Place } from './places.ts';

/** A database, and what is needed to use it. */
export interface Template {
  readonly url: string;
  readonly token: string;
  /** In base64, for the variable `SECRET_KEY`. */
  readonly secretKey: string;
  /** Ids of the policies, oldest first. */
  readonly ids: readonly string[];
}

/**
 * The texts of every policy here, including those that the benchmark creates, so that no answer changes its length during a run.
 */
export const notes = { description: 'office in the third street', metadata: '{"team":"network","tier":2}' };

/** Creates a database with policies, through Sallyport's storage. */
export async function makeTemplate(place: Place, name: string, policyCount: number): Promise<Template> {
  const secretKey = randomBytes(32);
  const token = formatToken(randomBytes(tokenBytes));
  const url = await place.create(name);
  const engine = chooseEngine(url);
  await migrate(engine);
  const storage = await openStorage({ engine, now: () => new Date(), randomBytes, secretKey: () => secretKey });
  const account = await storage.accounts.create('default', commandLine, {
    tokenHash: hashOf(token),
    description: 'benchmark',
  });
  const scope = storage.actingFor(account.id, commandLine);
  const rows = await Promise.all(Array.from({ length: policyCount }, () => createIpPolicy(scope, notes)));
  await storage.close();
  await place.settle(url);
  return { url, token, secretKey: secretKey.toString('base64'), ids: rows.map(({ id }) => id).sort() };
}

/** Adds policies to a database, all newer than those it has. */
export async function addPolicies(place: Place, template: Template, policyCount: number): Promise<Template> {
  const newId = createNewId(Date.now, randomBytes);
  const added = Array.from({ length: policyCount }, () => newId('IpPolicy'));
  await place.fill(template.url, { ids: added, ...notes });
  await place.settle(template.url);
  return { ...template, ids: [...template.ids, ...added] };
}
