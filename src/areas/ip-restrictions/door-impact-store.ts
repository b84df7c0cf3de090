// Computes whom a change of a policy would keep out of, or let in at, the doors whose IP restriction modules refer to it.

import { type DecidedSets, passedTogether } from '../../domain/ip/address-set.ts';
import { policiesMax } from '../../domain/ip/policy-ids.ts';
import {
  decidedAfter,
  decidedBefore,
  type Impact,
  impactOf,
  type PolicyChange,
  touchedBy,
} from '../../domain/ip/restriction-impact.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { Door, Doors } from './door-store.ts';
import { type Asking, bounded, chargeLists, rangeCount, readDecidedSets, tooMany } from './impact-store.ts';
import { comparedRestrictionsMax } from './rules.ts';

/** The effect of a change on the addresses that the module of a door allows. */
export interface DoorImpact extends Impact, Omit<Door, 'ipPolicyIds'> {
  /** The type of IP restrictions whose traffic passes the door. */
  readonly type: 'endpoints';
}

/**
 * Compares, for each door of a kind whose module refers to a policy, whom the module lets pass before and after a change of the policy.
 *
 * @throws QUERY_TOO_COMPLEX for more doors or rules than are compared
 */
export async function impactsOnDoors(
  scope: AccountView,
  kind: Doors,
  change: PolicyChange,
  asking: Asking,
): Promise<DoorImpact[]> {
  const { ipPolicyId } = change;
  const all = { take: comparedRestrictionsMax + 1, backward: false, after: undefined, before: undefined };
  const naming = await scope.rows.innerLists(kind.ofPolicy, [ipPolicyId], all);
  const ids = (naming.get(ipPolicyId) ?? []).map(({ id }) => id);
  if (ids.length > comparedRestrictionsMax) throw tooMany(`${comparedRestrictionsMax} routes or TLS edges`);
  const charge = bounded(asking);
  const doors = await readDoors(scope, kind, ids, charge, asking);
  const others = new Set(doors.flatMap(({ ipPolicyIds }) => ipPolicyIds));
  others.delete(ipPolicyId);
  // Nothing changes outside these addresses.
  const within = touchedBy(change);
  const sets = await readDecidedSets(scope, [...others], within, charge, asking);
  chargeLists(change, within, charge);
  const [before, after] = [decidedBefore(change, within), decidedAfter(change, within)];
  const impacts: DoorImpact[] = [];
  for (const { ipPolicyIds, ...door } of doors) {
    const unchanged = ipPolicyIds.flatMap((id) => sets.get(id) ?? []);
    const ranges = [...unchanged, before, after].reduce((sum, one) => sum + rangeCount(one), 0);
    charge(ranges);
    const stateWith = (changed: DecidedSets) => {
      return { enforced: door.enabled, passes: passedTogether([...unchanged, changed]) };
    };
    const compare = () => ({ ...door, type: 'endpoints' as const, ...impactOf(stateWith(before), stateWith(after)) });
    impacts.push(await asking.inTurn(ranges, compare));
  }
  return impacts;
}

/** Doors that are read in one turn of the event loop: their references, up to 200 each, are counted before the next are read. */
const doorsAtOnce = 5;

/** Reads doors in the order of their ids, a few in each turn. A door that was deleted meanwhile is absent from the result. */
async function readDoors(
  scope: AccountView,
  kind: Doors,
  ids: readonly string[],
  charge: Asking['charge'],
  { inTurn }: Asking,
): Promise<Door[]> {
  const byId = new Map<string, Door>();
  for (let start = 0; start < ids.length; start += doorsAtOnce) {
    const some = ids.slice(start, start + doorsAtOnce);
    for (const door of await inTurn(some.length * policiesMax, () => kind.read(scope, some))) {
      charge(door.ipPolicyIds.length);
      byId.set(door.doorId, door);
    }
  }
  return ids.flatMap((id) => byId.get(id) ?? []);
}
