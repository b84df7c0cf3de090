// Doors that need attention: routes and TLS edges whose IP restriction module lets nobody in, lets everybody in without a login, or
// is disabled.

import { type Attention, mostUrgent } from '../../domain/attention.ts';
import { everyRange } from '../../domain/ip/cidr.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { called, type Nameable } from '../../domain/wording.ts';
import { findWithoutRules, ruleCountColumns } from '../../storage/ip/rules-in-force.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import type { RowRange } from '../../storage/sql/range.ts';
import { entriesOfRow, type SliceSizes } from '../../storage/sql/read-slices.ts';
import { type Door, type Doors, httpsEdgeRoutes, tlsEdges } from './door-store.ts';
import { evaluatedRestrictionsMax } from './rules.ts';

export const doorAttention: AttentionSource = {
  needs: ['https-edges:read', 'tls-edges:read', 'ip-policies:read'],
  async find({ scope, most }) {
    const found: Attention[] = [];
    const isWithoutRules = await findWithoutRules(scope);
    for (const kind of [routes, edges]) {
      for await (const doors of scope.rows.slices(doorSlices, readDoors(scope, kind))) {
        const ids = [...new Set(doors.flatMap(({ ipPolicyIds }) => ipPolicyIds))];
        const [policies, open] = await Promise.all([
          scope.rows.pick('IpPolicy', ruleCountColumns, 'id', ids),
          openToEverybody(scope, doors),
        ]);
        const filled = new Set(policies.flatMap((policy) => (isWithoutRules(policy) ? [] : [policy.id])));
        for (const door of doors) found.push(...problemOf(door, filled, open));
      }
    }
    return mostUrgent(found, most, scope.now());
  },
};

/** A door, and what messages call it. */
interface NamedDoor extends Door {
  readonly noun: string;
  readonly named: Nameable;
}

/** The doors of a kind, oldest first. */
interface DoorKind extends Pick<Doors, 'read'> {
  readonly noun: string;
  readonly namedIn: (scope: AccountView, range: RowRange) => Promise<Nameable[]>;
}

const routes: DoorKind = {
  noun: 'route',
  read: httpsEdgeRoutes.read,
  namedIn: ({ rows }, range) => rows.pickRange('HttpsEdgeRoute', ['id', 'description', 'match'], range),
};

const edges: DoorKind = {
  noun: 'TLS edge',
  read: tlsEdges.read,
  async namedIn({ rows }, range) {
    const found = await rows.pickRange('TlsEdge', ['id', 'description', 'hostports'], range);
    return found.map((edge) => ({ ...edge, hostports: readTextList(edge.hostports) }));
  },
};

/** Most routes, and most TLS edges, that are looked at, oldest first, as with IP restrictions. */
const doorsMax = evaluatedRestrictionsMax;

/** Doors with their policies, up to 200 each. */
const doorSlices: SliceSizes = { first: 20, most: 100, waits: true, loads: true };

/** Returns the function that reads a slice of the doors of a kind that have a module. */
function readDoors(scope: AccountView, { noun, read, namedIn }: DoorKind) {
  let last: string | undefined;
  let count = 0;
  return async (most: number) => {
    const take = Math.min(most, doorsMax - count);
    const range = { equal: {}, lessThan: undefined, greaterThan: last, ascending: true, take };
    const byId = new Map((await namedIn(scope, range)).map((named) => [named.id, named]));
    const doors = await read(scope, [...byId.keys()]);
    const value = doors.flatMap((door): NamedDoor[] => {
      const named = byId.get(door.doorId);
      return named === undefined ? [] : [{ ...door, noun, named }];
    });
    last = [...byId.keys()].at(-1);
    count += byId.size;
    const policies = doors.reduce((sum, { ipPolicyIds }) => sum + ipPolicyIds.length, 0);
    const isLast = byId.size < take || count === doorsMax;
    return { value, entries: (byId.size + policies) * entriesOfRow, isLast };
  };
}

/** Finds the policies that allow all addresses of an IP version, of the doors where an allowed address suffices. */
async function openToEverybody({ db, now }: AccountView, doors: readonly Door[]): Promise<ReadonlySet<string>> {
  const ids = doors.flatMap(({ mode, enabled, ipPolicyIds }) => (enabled && mode === 'suffice' ? ipPolicyIds : []));
  if (ids.length === 0) return new Set();
  const where = {
    ipPolicyId: { in: [...new Set(ids)] },
    action: 'allow',
    range: { in: [...everyRange] },
    OR: [{ expiresAt: null }, { expiresAt: { gt: now() } }],
  };
  const rules = await db.ipPolicyRule.findMany({ where, select: { ipPolicyId: true } });
  return new Set(rules.map(({ ipPolicyId }) => ipPolicyId));
}

function problemOf(
  { noun, named, enabled, mode, ipPolicyIds }: NamedDoor,
  filled: ReadonlySet<string>,
  open: ReadonlySet<string>,
): Attention[] {
  const module = `The IP restriction module of the ${noun} ${called(named)}`;
  const item = { count: 1, at: null, subject: named };
  if (!enabled) {
    const message = `${module} is disabled, so that every address passes. Enable it, or delete it.`;
    return [{ ...item, code: 'ip_restriction_module_disabled', severity: 'notice', message }];
  }
  if (!ipPolicyIds.some((id) => filled.has(id))) {
    const suffices = mode === 'suffice';
    const effect = suffices ? 'nobody passes without a login' : 'it refuses everybody';
    const message = `${module} has no policy with rules, because all are empty or deleted, or their rules have ended: ${effect}. Give a policy rules, or give the module other policies.`;
    return [
      { ...item, code: 'ip_restriction_module_admits_nobody', severity: suffices ? 'warning' : 'critical', message },
    ];
  }
  if (mode === 'suffice' && ipPolicyIds.some((id) => open.has(id))) {
    const message = `${module} has a policy with a rule for all addresses, so that all pass that no other rule denies, and an allowed address needs no login. Give it policies of certain networks, or set its mode to require.`;
    return [{ ...item, code: 'ip_restriction_module_admits_everybody', severity: 'warning', message }];
  }
  return [];
}
