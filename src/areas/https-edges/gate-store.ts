// An in-memory cache of the edges' decision rules, for the gate, which is asked about every request to an edge.

import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../domain/concurrency/at-once.ts';
import { createSharedWork } from '../../domain/concurrency/shared-work.ts';
import { compileEdge, type EdgeTable, type LoginRule, type RouteRule } from '../../domain/gate/edge-table.ts';
import type { SessionRule } from '../../domain/gate/session.ts';
import { isIdentityProvider } from '../../domain/saml/identity-provider.ts';
import { readAs, readChoice, readTextList } from '../../domain/values/decode.ts';
import { isIdOf, type Kind } from '../../domain/values/ids.ts';
import { trustMs } from '../../storage/objects/freshness.ts';
import type { ServerReads } from '../../storage/objects/server-scope.ts';
import type { Decode } from '../../storage/sql/dialect.ts';
import { sql, verbatim } from '../../storage/sql/statement.ts';
import type { Storage } from '../../storage/storage.ts';
import { matchTypes } from './rules.ts';

/**
 * Finds an edge; null if there is none. Returns an edge in memory synchronously, without a promise. Rejects with UNAVAILABLE if the
 * storage cannot tell.
 */
export type FindEdge = (edgeId: string) => MaybePromise<EdgeTable | null>;

/** Maximum number of characters of all cached edges, plus a surcharge per route. */
const sizeMax = 50_000_000;
const charactersPerRoute = 500;

/** The kinds that a decision depends on. A module is part of its route. */
const decidingKinds = ['HttpsEdge', 'HttpsEdgeRoute'] as const satisfies readonly Kind[];

/** An edge as it was read. */
interface Read {
  readonly table: EdgeTable;
  readonly version: number;
  readonly size: number;
}

/** A moment before an edge was read. Anything stored after it may be missing from the edge. */
interface Moment {
  /** Returns the account's `changeCount` for `decidingKinds`. */
  readonly countChanges: () => number;
  readonly changeCount: number;
  readonly readAtMs: number;
}

/** A cached edge. */
type Held = Read & Moment;

/**
 * Creates the function that finds edges. An answer reflects everything this process stored before the call, and everything other
 * processes stored at least a second before it. Nothing is read if neither can have changed anything. If an edge may have changed,
 * its version is read first, which also counts changes to its routes and their modules. Concurrent calls share one read.
 */
export function createEdgeFinder({ server, forAccount }: Pick<Storage, 'server' | 'forAccount'>): FindEdge {
  const held = new LRUCache<string, Held>({ maxSize: sizeMax, sizeCalculation: ({ size }) => size });

  const renewals = createSharedWork<EdgeTable | null>();

  const isTrusted = ({ countChanges, changeCount, readAtMs }: Held) =>
    changeCount === countChanges() && performance.now() - readAtMs < trustMs;

  const renew = async (edgeId: string): Promise<EdgeTable | null> => {
    const known = held.get(edgeId);
    // The calls that waited for another's read need none, unless something has changed since it began.
    if (known !== undefined && isTrusted(known)) return known.table;
    const accountId = known?.table.accountId ?? (await readColumn(server, 'accountId', edgeId));
    if (accountId === null) return null;
    // Everything read after this is at least as recent.
    const account = forAccount(String(accountId));
    const countChanges = () => account.changeCount(decidingKinds);
    const moment: Moment = { countChanges, changeCount: countChanges(), readAtMs: performance.now() };
    const isCurrent = known !== undefined && Number(await readColumn(server, 'version', edgeId)) === known.version;
    const current = isCurrent ? known : await readEdge(server, edgeId);
    if (current === null) held.delete(edgeId);
    else held.set(edgeId, { ...current, ...moment });
    return current?.table ?? null;
  };

  return (edgeId) => {
    const known = held.get(edgeId);
    if (known !== undefined && isTrusted(known)) return known.table;
    return isIdOf('HttpsEdge', edgeId) ? renewals.run(edgeId, () => renew(edgeId)) : null;
  };
}

async function readColumn({ rows }: ServerReads, column: 'accountId' | 'version', edgeId: string): Promise<unknown> {
  const [found] = await rows(sql`SELECT ${verbatim(`"${column}"`)} FROM "HttpsEdge" WHERE "id" = ${edgeId}`);
  return found?.[0] ?? null;
}

/** Reads an edge in one statement, so that the result is consistent: a route read without its module would be open to everybody. */
async function readEdge({ rows, decode }: ServerReads, edgeId: string): Promise<Read | null> {
  const found = await rows(sql`
    SELECT e."accountId", e."version", e."hostports", r."id", r."matchType", r."match",
      m."enabled", m."optionsPassthrough", m."authorizedGroups",
      m."cookiePrefix", m."inactivityTimeout", m."maximumDuration", m."identityProvider"
    FROM "HttpsEdge" e LEFT JOIN "HttpsEdgeRoute" r ON r."edgeId" = e."id" LEFT JOIN "SamlModule" m ON m."routeId" = r."id"
    WHERE e."id" = ${edgeId}`);
  const [first] = found;
  if (first === undefined) return null;
  const [accountId, version, hostportsColumn] = first;
  const hostports = readTextList(value(decode.Json, hostportsColumn));
  let size = 1 + hostports.join().length;
  const routes: RouteRule[] = [];
  for (const [, , , id, matchType, match, enabled, optionsPassthrough, groups, ...ofSessions] of found) {
    // An edge without routes has one row, without a route.
    if (id === null) continue;
    let login: LoginRule | null = null;
    if (enabled !== null) {
      const authorizedGroups = readTextList(value(decode.Json, groups)).map((group) => group.trim());
      size += authorizedGroups.join().length;
      login = {
        // Enabled unless the value is exactly false, to fail closed.
        enabled: value(decode.Boolean, enabled) !== false,
        optionsPassthrough: value(decode.Boolean, optionsPassthrough) === true,
        authorizedGroups: new Set(authorizedGroups),
        sessions: readSessionRule(ofSessions, decode),
      };
    }
    const route = { id: String(id), matchType: readChoice(matchTypes, String(matchType)), match: String(match), login };
    size += charactersPerRoute + 2 * route.match.length;
    routes.push(route);
  }
  return {
    table: compileEdge({ id: edgeId, accountId: String(accountId), hostports, routes }),
    version: Number(version),
    size,
  };
}

function readSessionRule(columns: readonly unknown[], decode: ServerReads['decode']): SessionRule {
  const [cookiePrefix, inactivityTimeout, maximumDuration, provider] = columns;
  return {
    cookiePrefix: String(cookiePrefix),
    inactivitySeconds: Number(inactivityTimeout),
    maximumSeconds: Number(maximumDuration),
    issuer: readAs(value(decode.Json, provider), isIdentityProvider, 'an identity provider').entityId.trim(),
  };
}

function value(decode: Decode | undefined, stored: unknown): unknown {
  return decode === undefined ? stored : decode(stored);
}
