// Makes the trail of a database long, as it is after years: a server finds nothing to catch up on.

import { randomBytes } from 'node:crypto';
import { chainEvents } from '../src/areas/audit-events/chain/chaining-store.ts';
import { chooseEngine } from '../src/storage/lifecycle/choose-engine.ts';
import { openStorage } from '../src/storage/storage.ts';
import type { Place } from './places.ts';
import type { Template } from './template.ts';

/** Adds events to the trail of the one account, and chains them. */
export async function lengthenTrail(place: Place, template: Template, eventCount: number): Promise<void> {
  await place.addEvents(template.url, eventCount);
  await place.settle(template.url);
  const secretKey = Buffer.from(template.secretKey, 'base64');
  const engine = chooseEngine(template.url);
  // A server claims a round of the chain for a minute of its clock.
  let minutes = 0;
  const now = () => new Date(Date.now() + minutes * 60_000);
  const storage = await openStorage({ engine, now, randomBytes, secretKey: () => secretKey });
  const { server } = storage;
  const lagging = async () => {
    const [row] = await engine.reading(async (database) => (await database.queryRaw(unchained)).rows);
    return Number(row?.[0]) > 0;
  };
  while (await lagging()) {
    minutes += 1;
    await chainEvents(server, now(), new AbortController().signal);
  }
  await storage.close();
  await place.settle(template.url);
}

/** Counts the events that are in no chain. */
const unchained = {
  sql: `SELECT (SELECT count(*) FROM "AuditEvent") - coalesce((SELECT sum("size") FROM "AuditChain"), 0)`,
  args: [],
  argTypes: [],
};
