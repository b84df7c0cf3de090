// Addresses that traffic has come from lately, as far as this service has seen it.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { endOf } from '../../domain/gate/session.ts';
import { readVouched } from '../../domain/gate/vouched.ts';
import { idBoundAt } from '../../domain/ids.ts';
import type { AccountView } from '../../storage/account-scope.ts';
import { type RestrictionType, seenDays, seenRowsMax } from './rules.ts';

/** An address that was seen. */
export interface SeenAddress {
  readonly address: string;
  readonly lastSeenAt: Date;
  /** The description of the API key, or its id without one; the name of the user. */
  readonly who: string;
}

/** The surfaces of the trail on which traffic of a type leaves events. */
const surfacesOf: Readonly<Record<RestrictionType, readonly string[]>> = {
  api: ['rest', 'graphql'],
  // To sign in leaves an event, too.
  dashboard: ['dashboard'],
  endpoints: ['login'],
  agent: [],
};

const eventColumns = ['id', 'createdAt', 'action', 'surface', 'clientAddress', 'actor', 'actorDescription'] as const;
const sessionColumns = ['id', 'routeId', 'clientAddress', 'person', 'createdAt', 'lastUsedAt', 'endsAt'] as const;
const dayMs = 86_400_000;

/**
 * Finds the addresses that traffic of a type came from lately, each once, the latest first: of changes, sign-ins and logins in the trail, and
 * of sessions at applications that last. Of reads nothing is kept, and so nothing is known.
 */
export async function addressesSeen(scope: AccountView, type: RestrictionType): Promise<SeenAddress[]> {
  const seen = [...(await ofEvents(scope, type)), ...(type === 'endpoints' ? await ofSessions(scope) : [])];
  const latest = new Map<string, SeenAddress>();
  for (const one of seen) {
    const known = latest.get(one.address);
    if (known === undefined || known.lastSeenAt < one.lastSeenAt) latest.set(one.address, one);
  }
  return [...latest.values()].sort((a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime());
}

async function ofEvents(scope: AccountView, type: RestrictionType): Promise<SeenAddress[]> {
  const surfaces = surfacesOf[type];
  if (surfaces.length === 0) return [];
  const since = idBoundAt('AuditEvent', new Date(scope.now().getTime() - seenDays * dayMs));
  const events = await newest((range) => scope.rows.pickRange('AuditEvent', eventColumns, range), since);
  return events.flatMap(({ action, surface, clientAddress, createdAt, actor, actorDescription }) => {
    // Whoever was refused has no claim to be let in.
    if (action === 'refuse' || clientAddress === null || !surfaces.includes(surface)) return [];
    return [{ address: clientAddress, lastSeenAt: createdAt, who: actorDescription || actor }];
  });
}

async function ofSessions(scope: AccountView): Promise<SeenAddress[]> {
  const sessions = await newest((range) => scope.rows.pickRange('SamlSession', sessionColumns, range), undefined);
  const routeIds = [...new Set(sessions.map(({ routeId }) => routeId))];
  const columns = ['routeId', 'inactivityTimeout', 'maximumDuration'] as const;
  const modules = routeIds.length === 0 ? [] : await scope.rows.pick('SamlModule', columns, 'routeId', routeIds);
  const rules = new Map(
    modules.map(({ routeId, inactivityTimeout, maximumDuration }) => {
      return [routeId, { inactivitySeconds: Number(inactivityTimeout), maximumSeconds: Number(maximumDuration) }];
    }),
  );
  return sessions.flatMap(({ routeId, clientAddress, person, ...session }) => {
    const rule = rules.get(routeId);
    if (rule === undefined || endOf(session, rule) <= scope.now()) return [];
    return [{ address: clientAddress, lastSeenAt: session.lastUsedAt, who: readVouched(person).user }];
  });
}

/** Rows that are read by one statement. */
const rowsAtOnce = 500;

/** Reads the newest rows, as many as are looked through, and none that is not newer than a bound. */
async function newest<R extends { readonly id: string }>(
  read: (range: Parameters<AccountView['rows']['pickRange']>[2]) => Promise<R[]>,
  greaterThan: string | undefined,
): Promise<R[]> {
  const all: R[] = [];
  while (all.length < seenRowsMax) {
    const page = { equal: {}, greaterThan, lessThan: all.at(-1)?.id, ascending: false, take: rowsAtOnce };
    const rows = await read(page);
    all.push(...rows);
    if (rows.length < rowsAtOnce) break;
    await nextTurn();
  }
  return all;
}
