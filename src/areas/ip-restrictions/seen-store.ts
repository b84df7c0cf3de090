// Addresses that recent traffic came from, as far as this service has seen it.

import { readScopes } from '../../domain/access/key-scopes.ts';
import { nameOfPerson } from '../../domain/access/roles.ts';
import { endOf } from '../../domain/gate/session-rule.ts';
import { readVouched } from '../../domain/gate/vouched.ts';
import { type Address, parseAddress } from '../../domain/ip/cidr.ts';
import { trafficOf } from '../../domain/ip/own-traffic.ts';
import type { RestrictionType } from '../../domain/ip/restriction-types.ts';
import { idBoundAt, isIdOf } from '../../domain/values/ids.ts';
import { dayMs } from '../../domain/values/time.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { RowRange } from '../../storage/sql/range.ts';
import { typesInForce } from './enforcement-store.ts';
import { seenDays, seenRowsMax } from './rules.ts';

export interface SeenAddress {
  readonly address: Address;
  readonly lastSeenAt: Date;
  /** The description of the API key, or its id without one; the name of the user. */
  readonly who: string;
}

/** The same, with the address as text, as rows hold it. */
type Seen = Omit<SeenAddress, 'address'> & { readonly address: string };

const eventColumns = ['id', 'createdAt', 'action', 'surface', 'clientAddress', 'actor', 'actorDescription'] as const;
const sessionColumns = ['id', 'routeId', 'clientAddress', 'person', 'createdAt', 'lastUsedAt', 'endsAt'] as const;
const dashboardSessionColumns = ['id', 'apiKeyId', 'personId', 'clientAddress', 'lastUsedAt'] as const;

/**
 * Finds the recent source addresses of the traffic that a type of restriction applies to, each once, latest first. They come from
 * changes, sign-ins and logins in the audit trail, and from sessions at applications and at the dashboard. Reads leave no record
 * except the time at which a session was last used.
 *
 * @param readsSessions whether the caller may read sessions of the dashboard
 * @throws UNAVAILABLE as `typesInForce`
 */
export async function addressesSeen(
  scope: AccountView,
  type: RestrictionType,
  readsSessions: boolean,
): Promise<SeenAddress[]> {
  const types: RestrictionType[] = type === 'api' ? await typesAtApi(scope) : [type];
  const seen = await ofEvents(scope, types);
  if (types.includes('endpoints')) seen.push(...(await ofSessions(scope)));
  if (readsSessions && types.includes('dashboard')) seen.push(...(await ofDashboardSessions(scope)));
  const latest = new Map<string, Seen>();
  for (const one of seen) {
    const known = latest.get(one.address);
    if (known === undefined || known.lastSeenAt < one.lastSeenAt) latest.set(one.address, one);
  }
  return [...latest.values()]
    .sort((a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime())
    .map(({ address, ...rest }) => ({ address: parseAddress('address', address), ...rest }));
}

/** Returns the kinds of traffic that restrictions of type `api` apply to: others, too, while none of their own type is enforced. */
async function typesAtApi(scope: AccountView): Promise<RestrictionType[]> {
  const types: RestrictionType[] = ['api'];
  for (const traffic of ['dashboard', 'agent'] as const) {
    if ((await typesInForce(scope, traffic)).includes('api')) types.push(traffic);
  }
  return types;
}

async function ofEvents(scope: AccountView, types: readonly RestrictionType[]): Promise<Seen[]> {
  const since = idBoundAt('AuditEvent', new Date(scope.now().getTime() - seenDays * dayMs));
  const events = await newest(
    (range) => scope.rows.inTurn(() => scope.rows.pickRange('AuditEvent', eventColumns, range)),
    since,
  );
  const isAgent = await agentsAmong(
    scope,
    events.map(({ actor }) => actor),
  );
  return events.flatMap(({ action, surface, clientAddress, createdAt, actor, actorDescription }) => {
    // An address that was refused does not count as one to be let in.
    if (action === 'refuse' || clientAddress === null) return [];
    const type = typeOfSurface(surface, isAgent(actor));
    if (type === null || !types.includes(type)) return [];
    return [{ address: clientAddress, lastSeenAt: createdAt, who: actorDescription || actor }];
  });
}

/** Returns the type of traffic that leaves events on a surface of the audit trail; null if none does. */
function typeOfSurface(surface: string, isAgent: boolean): RestrictionType | null {
  switch (surface) {
    case 'rest':
    case 'graphql':
      return isAgent ? 'agent' : 'api';
    // Includes the events of sign-ins.
    case 'dashboard':
      return 'dashboard';
    case 'login':
      return 'endpoints';
    default:
      return null;
  }
}

/** Finds out which actors of requests are agents, as `trafficOf` has it. A key that was revoked meanwhile is taken for none. */
async function agentsAmong({ rows }: AccountView, actors: readonly string[]): Promise<(actor: string) => boolean> {
  const keyIds = [...new Set(actors.filter((actor) => isIdOf('ApiKey', actor)))];
  const keys = await rows.pick('ApiKey', ['id', 'scopes'], 'id', keyIds);
  const agents = new Set(
    keys.flatMap(({ id, scopes }) =>
      trafficOf({ isMember: true, scopes: readScopes(scopes) }) === 'agent' ? [id] : [],
    ),
  );
  return (actor) => agents.has(actor) || !(isIdOf('ApiKey', actor) || isIdOf('Person', actor));
}

/** Finds the client addresses of stored dashboard sessions that were used recently, whether or not they have ended. */
async function ofDashboardSessions(scope: AccountView): Promise<Seen[]> {
  const read = (range: RowRange) =>
    scope.rows.inTurn(() => scope.rows.pickRange('DashboardSession', dashboardSessionColumns, range));
  const sessions = await newest(read, undefined);
  const idsOf = (ids: readonly (string | null)[]) => [...new Set(ids.filter((id) => id !== null))];
  const keyIds = idsOf(sessions.map(({ apiKeyId }) => apiKeyId));
  const personIds = idsOf(sessions.map(({ personId }) => personId));
  const keys = keyIds.length === 0 ? [] : await scope.rows.pick('ApiKey', ['id', 'description'], 'id', keyIds);
  const people =
    personIds.length === 0 ? [] : await scope.rows.pick('Person', ['id', 'name', 'email', 'subject'], 'id', personIds);
  const names = new Map([
    ...keys.map(({ id, description }) => [id, description] as const),
    ...people.map((person) => [person.id, nameOfPerson(person)] as const),
  ]);
  const since = new Date(scope.now().getTime() - seenDays * dayMs);
  return sessions.flatMap(({ apiKeyId, personId, clientAddress, lastUsedAt }) => {
    if (clientAddress === null || lastUsedAt < since) return [];
    const holder = apiKeyId ?? personId ?? '';
    return [{ address: clientAddress, lastSeenAt: lastUsedAt, who: names.get(holder) || holder }];
  });
}

async function ofSessions(scope: AccountView): Promise<Seen[]> {
  const read = (range: RowRange) =>
    scope.rows.inTurn(() => scope.rows.pickRange('LoginSession', sessionColumns, range));
  const sessions = await newest(read, undefined);
  const routeIds = [...new Set(sessions.map(({ routeId }) => routeId))];
  const columns = ['routeId', 'inactivityTimeout', 'maximumDuration'] as const;
  const modules =
    routeIds.length === 0
      ? []
      : [
          ...(await scope.rows.pick('SamlModule', columns, 'routeId', routeIds)),
          ...(await scope.rows.pick('OidcModule', columns, 'routeId', routeIds)),
        ];
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

/** Rows read per statement. */
const rowsAtOnce = 500;

/** Reads the newest rows, up to `seenRowsMax`, and only those newer than an id bound. */
async function newest<R extends { readonly id: string }>(
  read: (range: RowRange) => Promise<R[]>,
  greaterThan: string | undefined,
): Promise<R[]> {
  const all: R[] = [];
  while (all.length < seenRowsMax) {
    const page = { equal: {}, greaterThan, lessThan: all.at(-1)?.id, ascending: false, take: rowsAtOnce };
    const rows = await read(page);
    all.push(...rows);
    if (rows.length < rowsAtOnce) break;
  }
  return all;
}
