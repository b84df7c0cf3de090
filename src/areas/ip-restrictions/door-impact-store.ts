// Computes whom a change of a policy would keep out of, or let in at, the doors whose IP restriction modules refer to it.

import { type DecidedSets, passedTogether } from '../../domain/ip/address-set.ts';
import {
  decidedWithin,
  type Impact,
  impactOf,
  type PolicyChange,
  touchedBy,
} from '../../domain/ip/restriction-impact.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { Door, FindDoors } from './door-store.ts';
import { type Asking, bounded, rangeCount, readDecidedSets, tooMany } from './impact-store.ts';
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
  find: FindDoors,
  change: PolicyChange,
  asking: Asking,
): Promise<DoorImpact[]> {
  const { ipPolicyId } = change;
  const doors = await find(scope, ipPolicyId, comparedRestrictionsMax + 1);
  if (doors.length > comparedRestrictionsMax) throw tooMany(`${comparedRestrictionsMax} routes or TLS edges`);
  const others = doors.flatMap(({ ipPolicyIds }) => ipPolicyIds.filter((id) => id !== ipPolicyId));
  const charge = bounded(asking);
  // Nothing changes outside these addresses.
  const within = touchedBy(change);
  const sets = await readDecidedSets(scope, others, within, charge, asking);
  const [before, after] = [decidedWithin(change.before, within), decidedWithin(change.after, within)];
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
