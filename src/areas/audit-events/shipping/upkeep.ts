// The upkeep of the shipped trail: ships it, and tells how far behind it is.

import type { Receiver, ReceiverName } from '../../../outgoing/shipping/receiver.ts';
import type { Check } from '../../../storage/engine.ts';
import { ok, warn } from '../../../storage/lifecycle/health.ts';
import type { AreaUpkeep } from '../../../storage/lifecycle/upkeep.ts';
import type { ServerReads } from '../../../storage/objects/server-scope.ts';
import { accountsBehind, readReceiver, type Standing } from './position-store.ts';
import { ship } from './shipping-store.ts';

/** Returns the upkeep of the trail that is shipped to receivers: none if there are none. */
export function shippingUpkeep(receivers: readonly Receiver[]): readonly AreaUpkeep[] {
  if (receivers.length === 0) return [];
  const ofEach = async (count: (name: ReceiverName) => Promise<number>) =>
    Promise.all(receivers.map(async ({ name }) => ({ labels: { receiver: name }, count: await count(name) })));
  return [
    {
      async beside(server, now, signal, onFailure) {
        await Promise.all(receivers.map((receiver) => ship(server, receiver, now, signal, onFailure)));
      },
      gauges: [
        {
          name: 'sallyport_trail_shipping_lag_seconds',
          help: 'Age of the oldest audit event that a receiver of the shipped trail has not got yet, in seconds; 0 if there is none.',
          labels: ['receiver'],
          count: (database, now) => ofEach(async (name) => Math.round((await readLagMs(database, name, now)) / 1000)),
        },
        {
          name: 'sallyport_trail_shipping_failing_seconds',
          help: 'For how long nothing could be shipped to a receiver of the trail, in seconds; 0 if the last attempt succeeded.',
          labels: ['receiver'],
          count: (database, now) =>
            ofEach(async (name) => Math.round(failingMs((await readReceiver(database, name))?.standing, now) / 1000)),
        },
        {
          name: 'sallyport_trail_shipping_rejected',
          help: 'Records that a receiver of the shipped trail has refused for ever, since shipping began.',
          labels: ['receiver'],
          count: (database) => ofEach(async (name) => (await readReceiver(database, name))?.standing.rejected ?? 0),
        },
      ],
      check: (database, now) => Promise.all(receivers.map(({ name }) => checkReceiver(database, name, now))),
    },
  ];
}

function failingMs(standing: Standing | undefined, now: Date): number {
  const since = standing?.failingSince ?? null;
  return since === null ? 0 : Math.max(0, now.getTime() - since.getTime());
}

/** Returns the age of the oldest event that a receiver lacks, in milliseconds; 0 if there is none. */
async function readLagMs(database: ServerReads, receiver: ReceiverName, now: Date): Promise<number> {
  let lagMs = 0;
  for await (const { since } of accountsBehind(database, receiver))
    lagMs = Math.max(lagMs, now.getTime() - since.getTime());
  return lagMs;
}

/** The lag that is reported as a problem, in milliseconds. */
const lateMs = 600_000;

async function checkReceiver(database: ServerReads, receiver: ReceiverName, now: Date): Promise<Check> {
  const name = `trail to ${receiver}`;
  const standing = (await readReceiver(database, receiver))?.standing;
  const lagMs = await readLagMs(database, receiver, now);
  const behind = `The oldest event that it lacks is ${Math.ceil(lagMs / 60_000)} minutes old.`;
  if (standing?.failure != null) {
    const since = standing.failingSince?.toISOString() ?? 'now';
    const remedy = 'It is tried again all the time, and nothing is lost meanwhile but events older than AUDIT_DAYS.';
    return warn(name, `Nothing has been shipped since ${since}: ${standing.failure} ${behind}`, remedy);
  }
  if (lagMs >= lateMs)
    return warn(name, behind, 'A running server ships: if one runs, its log says what keeps it from doing so.');
  if (standing !== undefined && standing.rejected > 0) {
    const remedy = 'They are in the trail: "audit export" writes them.';
    return warn(
      name,
      `The receiver has rejected events: ${standing.rejected}, of which last ${standing.rejection ?? ''}`,
      remedy,
    );
  }
  return ok(name, 'The audit events have been shipped, or are younger than ten minutes.');
}
