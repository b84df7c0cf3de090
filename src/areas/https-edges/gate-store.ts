// An in-memory cache of the edges' decision rules, for the gate, which is asked about every request to an edge.

import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../domain/concurrency/at-once.ts';
import { createSharedWork } from '../../domain/concurrency/shared-work.ts';
import { SallyportError } from '../../domain/errors.ts';
import { compileEdge, type EdgeTable, type RouteRule } from '../../domain/gate/edge-table.ts';
import { endlessMs } from '../../domain/ip/rule-end.ts';
import type { RuleTable } from '../../domain/ip/rule-table.ts';
import { isIdOf, type Kind } from '../../domain/values/ids.ts';
import { compiledPolicies, policyVersions, type TimedTable } from '../../storage/ip/policy-tables.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { trustMs } from '../../storage/objects/freshness.ts';
import type { ServerReads } from '../../storage/objects/server-scope.ts';
import type { Made } from '../../storage/objects/versioned.ts';
import { sql } from '../../storage/sql/statement.ts';
import type { Storage } from '../../storage/storage.ts';
import { type Read, type ReadRoute, readEdge, readVersion } from './edge-read-store.ts';

/**
 * Finds an edge; null if there is none. Returns an edge in memory synchronously, without a promise. Rejects with UNAVAILABLE if the
 * storage cannot tell.
 */
export type FindEdge = (edgeId: string) => MaybePromise<EdgeTable | null>;

/** Maximum number of characters of all cached edges, as `Read.size`, plus a surcharge per rule of the policies that routes name. */
const sizeMax = 50_000_000;
const charactersPerRule = 40;
/** Maximum number of rules of the policies that the routes of an edge name: as many as fit. */
const rulesMax = 1_000_000;

/** The kinds that a decision depends on. A module is part of its route, and a policy decides by its rules. */
const decidingKinds = [
  'HttpsEdge',
  'HttpsEdgeRoute',
  'IpPolicyRule',
  'IpPolicySource',
] as const satisfies readonly Kind[];

/** A moment before an edge was read. Anything stored after it may be missing from the edge. */
interface Moment {
  /** Returns the account's `changeCount` for `decidingKinds`. */
  readonly countChanges: () => number;
  readonly changeCount: number;
  readonly readAtMs: number;
}

/** A cached edge. */
interface Held extends Moment {
  readonly read: Read;
  readonly table: EdgeTable;
  /** When the first rule of its policies ends, in milliseconds since 1970; `endlessMs` if none does. */
  readonly validUntilMs: number;
  readonly now: () => Date;
  readonly size: number;
}

/** Maximum number of rounds in which an edge and its policies are read until neither has changed meanwhile. */
const roundsMax = 10;

/**
 * Creates the function that finds edges. An answer reflects everything this process stored before the call, and everything other
 * processes stored at least a second before it. Nothing is read if neither can have changed anything. If an edge may have changed,
 * its version is read first, which also counts changes to its routes and their modules, and those of the policies that they name.
 * Concurrent calls share one read.
 */
export function createEdgeFinder({ server, forAccount }: Pick<Storage, 'server' | 'forAccount'>): FindEdge {
  const held = new LRUCache<string, Held>({ maxSize: sizeMax, sizeCalculation: ({ size }) => size });

  const renewals = createSharedWork<EdgeTable | null>();

  const isTrusted = ({ countChanges, changeCount, readAtMs, validUntilMs, now }: Held) =>
    changeCount === countChanges() &&
    performance.now() - readAtMs < trustMs &&
    (validUntilMs === endlessMs || now().getTime() < validUntilMs);

  const renew = async (edgeId: string): Promise<EdgeTable | null> => {
    const known = held.get(edgeId);
    // The calls that waited for another's read need none, unless something has changed since it began.
    if (known !== undefined && isTrusted(known)) return known.table;
    const accountId = known?.read.accountId ?? (await readOwner(server, edgeId));
    if (accountId === null) return null;
    const account = forAccount(String(accountId));
    const countChanges = () => account.changeCount(decidingKinds);
    const tables = new Map<string, Made<TimedTable>>();
    let read = known?.read;
    for (let round = 1; ; round += 1) {
      // Everything read after this is at least as recent.
      const moment: Moment = { countChanges, changeCount: countChanges(), readAtMs: performance.now() };
      const isCurrent = read !== undefined && (await readVersion(server, edgeId, read)) === read.version;
      const current = isCurrent && read !== undefined ? read : await readEdge(server, edgeId);
      if (current === null) {
        held.delete(edgeId);
        return null;
      }
      read = current;
      const policies = await readPolicies(account, current.ipPolicyIds, tables);
      // The edge and its policies are read one after the other. If neither is new, both were current at the moment between.
      const isOneMoment = current.ipPolicyIds.length === 0 || (isCurrent && !policies.made);
      if (!isOneMoment && round < roundsMax) continue;
      const table = compileEdge({ id: edgeId, ...current, routes: current.routes.map(withTables(policies.tableOf)) });
      const size = current.size + charactersPerRule * policies.ruleCount;
      held.set(edgeId, {
        read: current,
        table,
        size,
        validUntilMs: policies.validUntilMs,
        now: account.now,
        ...moment,
      });
      return table;
    }
  };

  return (edgeId) => {
    const known = held.get(edgeId);
    if (known !== undefined && isTrusted(known)) return known.table;
    return isIdOf('HttpsEdge', edgeId) ? renewals.run(edgeId, () => renew(edgeId)) : null;
  };
}

/** Returns the function that gives a route the rules of the policies that its module names. */
export function withTables(tableOf: ReadonlyMap<string, RuleTable>): (route: ReadRoute) => RouteRule {
  return ({ ipRestriction, ...route }) => {
    if (ipRestriction === null) return { ...route, ipRestriction };
    const { ipPolicyIds, ...module } = ipRestriction;
    return { ...route, ipRestriction: { ...module, tables: ipPolicyIds.flatMap((id) => tableOf.get(id) ?? []) } };
  };
}

/** Reads the rules of policies, and whether any of them is new. Throws UNAVAILABLE if they are too many to hold. */
export async function readPolicies(account: AccountView, ids: readonly string[], known: Map<string, Made<TimedTable>>) {
  const { policies, ruleCount } = await policyVersions(account, ids);
  if (ruleCount > rulesMax) {
    throw new SallyportError('UNAVAILABLE', 'Whether the address may come in cannot be determined.', {
      cause: new Error(
        `The IP restriction modules of one HTTPS edge name ${ruleCount} rules; at most ${rulesMax} can be held.`,
      ),
    });
  }
  const { values, made } = await compiledPolicies(account, policies, known);
  const tableOf = new Map<string, RuleTable>();
  for (const [index, { id }] of policies.entries()) {
    const table = values[index];
    if (table !== undefined) tableOf.set(id, table);
  }
  const validUntilMs = values.reduce((earliest, table) => Math.min(earliest, table.validUntilMs), endlessMs);
  return { tableOf, made, ruleCount, validUntilMs };
}

async function readOwner({ rows }: ServerReads, edgeId: string): Promise<unknown> {
  const [found] = await rows(sql`SELECT "accountId" FROM "HttpsEdge" WHERE "id" = ${edgeId}`);
  return found?.[0] ?? null;
}
