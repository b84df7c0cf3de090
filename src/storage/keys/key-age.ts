// How long the secret key has been in use: told to operators before it is older than their policy allows.

import { remedies } from '../../domain/remedies.ts';
import { dayMs, formatTimestamp } from '../../domain/values/time.ts';
import { ok, warn } from '../lifecycle/health.ts';
import type { AreaUpkeep } from '../lifecycle/upkeep.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { readFact } from '../trail/facts.ts';
import { readSealedCheck } from './secret-key.ts';
import { keyIdOf } from './secrets.ts';

/** The name of the server fact with the id of the secret key, and since when a server has seen it. */
const fact = 'secret key since';

interface Use {
  readonly keyId: string;
  readonly since: Date;
}

/** Reads what is known of the key that the database is sealed with; null before anything is sealed. */
async function readUse(database: ServerReads): Promise<{ readonly keyId: string; readonly known: Use | null } | null> {
  const sealed = await readSealedCheck(database);
  if (sealed === null) return null;
  const [keyId = '', since = ''] = (await readFact(database, fact))?.split(' ') ?? [];
  const current = keyIdOf(sealed);
  return { keyId: current, known: keyId === current ? { keyId, since: new Date(since) } : null };
}

/** Remembers since when the secret key is in use, and tells when it is old. A key that was there before counts from now on. */
export const secretKeyUpkeep = (days: number): AreaUpkeep => ({
  async hourly(scope, now) {
    const use = await readUse(scope);
    if (use?.known === null) await scope.facts.write(fact, `${use.keyId} ${now.toISOString()}`);
  },
  async check(database, now) {
    const known = (await readUse(database))?.known ?? null;
    if (known === null) return [];
    const since = `It has been in use since ${formatTimestamp(known.since)}`;
    if (now.getTime() - known.since.getTime() < days * dayMs) return [ok('secret key age', `${since}.`)];
    return [
      warn(
        'secret key age',
        `${since}, for more than ${days} days.`,
        `Stop the server, run "${remedies.rotateSecretKey}", start the server, and back up the new key.`,
      ),
    ];
  },
});
