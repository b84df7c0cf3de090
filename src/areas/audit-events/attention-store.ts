// Audit events that need attention: failed logins of users, and refused requests.

import type { Refusal } from '../../domain/access/refusal.ts';
import { type Attention, mostUrgent } from '../../domain/attention.ts';
import { idBoundAt, kindOfId } from '../../domain/values/ids.ts';
import { groupBy } from '../../domain/values/maps.ts';
import { called, counted, type Nameable } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { findNameables } from '../../storage/objects/names.ts';
import { nounOf } from '../nouns.ts';
import { readRefusal } from './rules.ts';

const hourMs = 3_600_000;
/** How many hours back failed logins and refused requests are looked for. */
const loginHours = 1;
const requestHours = 24;
/** Maximum number of events examined, newest first: the trail takes no more refusals a day from one server (`storage/trail/refusals.ts`). */
const eventsMax = 5_000;
const eventsAtOnce = 500;

/** Finds audit events that need attention. */
export const attention: readonly AttentionSource[] = [
  {
    needs: ['audit-events:read'],
    async find({ scope, most }) {
      const now = scope.now();
      const loginsFrom = new Date(now.getTime() - loginHours * hourMs);
      const logins: Refused[] = [];
      const requests: Refused[] = [];
      for await (const event of readRefused(scope, new Date(now.getTime() - requestHours * hourMs))) {
        if (event.surface !== 'login') requests.push(event);
        else if (event.createdAt >= loginsFrom && routeOf(event) !== null) logins.push(event);
      }
      const byRoute = groupBy(logins, (event) => routeOf(event) ?? '');
      const byActor = groupBy(requests, ({ actor }) => actor);
      const routeIds = [...byRoute.keys()].slice(0, most);
      const routes = await scope.rows.pick('HttpsEdgeRoute', ['id', 'description', 'match'], 'id', routeIds);
      const nameableOf = await findNameables(scope, routeIds, routes);
      const found = [
        ...[...byRoute].slice(0, most).map(([routeId, events]) => loginsFail(nameableOf(routeId), events)),
        ...[...byActor].map(([actor, events]) => requestsRefused(actor, events)),
      ];
      return mostUrgent(found, most, now);
    },
  },
];

/** An event of a refused request. */
interface Refused {
  readonly createdAt: Date;
  readonly actor: string;
  readonly actorDescription: string;
  readonly surface: string;
  readonly refusal: Refusal;
}

/** Returns the route that a user failed to log in at; null for a logout. */
function routeOf({ refusal }: Refused): string | null {
  return /^login (\S+)$/.exec(refusal.asked ?? '')?.[1] ?? null;
}

/** Reads refused requests since a moment, newest first. */
async function* readRefused(scope: AccountView, from: Date): AsyncGenerator<Refused> {
  const bound = idBoundAt('AuditEvent', from);
  const columns = ['id', 'createdAt', 'actor', 'actorDescription', 'surface', 'state'] as const;
  let last: string | undefined;
  for (let read = 0; read < eventsMax; read += eventsAtOnce) {
    const range = { lessThan: last, greaterThan: bound, ascending: false, take: eventsAtOnce };
    const read = () => scope.rows.pickRange('AuditEvent', columns, { equal: { action: 'refuse' }, ...range });
    const rows = await scope.rows.inTurn(read);
    for (const { state, ...row } of rows) yield { ...row, refusal: readRefusal(state) };
    if (rows.length < eventsAtOnce) return;
    last = rows.at(-1)?.id;
  }
}

/** Counts refusals, including those without an event. */
function countOf(events: readonly Refused[]): number {
  return events.reduce((sum, { refusal }) => sum + 1 + refusal.leftOut, 0);
}

function loginsFail(route: Nameable, events: readonly Refused[]): Attention {
  const count = countOf(events);
  const [last] = events;
  const { reason } = last?.refusal ?? { reason: null };
  const why = reason === null ? '' : ` The last had the reason "${reason}".`;
  const message = `${counted(count, 'login')} of users failed at the route ${called(route)} within the last hour.${why} The audit trail has each of them, and the documentation what the reasons mean.`;
  return { code: 'logins_fail', severity: 'warning', message, count, at: last?.createdAt ?? null, subject: route };
}

function requestsRefused(actor: string, events: readonly Refused[]): Attention {
  const count = countOf(events);
  const [last] = events;
  const codes = [...new Set(events.map(({ refusal }) => refusal.code))].sort().join(', ');
  const caller = { id: actor, description: last?.actorDescription ?? '' };
  const kind = kindOfId(actor);
  // Others than objects are users, who have a name.
  const by = kind === null ? caller.description || actor : `the ${nounOf(kind)} ${called(caller)}`;
  const message = `${counted(count, 'request')} by ${by} ${count === 1 ? 'was' : 'were'} refused within the last 24 hours: ${codes}. See in the audit trail what was asked for, and from where.`;
  const subject = kind === null ? null : caller;
  return { code: 'requests_refused', severity: 'notice', message, count, at: last?.createdAt ?? null, subject };
}
