// The audit trail in GraphQL: who changed what.

import type { Refusal } from '../../domain/access/refusal.ts';
import { keptWith } from '../../domain/concurrency/kept-with.ts';
import { invalid } from '../../domain/errors.ts';
import { idBoundAt } from '../../domain/values/ids.ts';
import { readJsonObject } from '../../domain/values/json.ts';
import { checkText, descriptionBytesMax } from '../../domain/values/text.ts';
import { parseTimestamp } from '../../domain/values/time.ts';
import { batched, inSequence } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { choiceOf } from '../../graphql/kit/column-fields.ts';
import { type Context, uriOf } from '../../graphql/kit/context.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { ofColumns } from '../../graphql/kit/fields.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { searchableInLists, searchedText } from '../../graphql/kit/search-query.ts';
import { textLengthOf } from '../../graphql/kit/text-length.ts';
import { byVersion, type Orders, orders, orderValues } from '../../graphql/lists/list-order.ts';
import { rowCost } from '../../load/limits.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { type AuditAction as Action, auditActions, recordedKinds } from '../../storage/trail/audit-actions.ts';
import { type ChangeSurface, surfaces } from '../../storage/trail/origin.ts';
import { keyOfVersion, type ObjectVersion, readStates, versionOfKey } from '../../storage/trail/states.ts';
import { AuditActor } from './actor-schema.ts';
import { type FieldChange, readRefusal, shownBytesMax } from './rules.ts';
import { auditEvents, changesOf } from './store.ts';

const AuditAction = enumOf<Action>(
  'AuditAction',
  'What an event records: what a change did to an object, or that a request was refused.',
  {
    create: 'Created it.',
    update: 'Changed it, or a part that it shows.',
    delete: 'Deleted it.',
    refuse: 'Nothing: a request was refused because of its key or proof, its rights, or the address it came from.',
  },
);

const AuditSurface = enumOf<ChangeSurface>('AuditSurface', 'The interface that a change came through.', {
  rest: 'The REST API.',
  graphql: 'The GraphQL API.',
  dashboard: 'A session of the dashboard, which acts for the API key that signed in.',
  cli: 'The command line.',
  login: 'A login or logout of a user.',
  gate: 'A program that wanted to pass the gate.',
  server: 'None: the server acted on its own, such as at its first start.',
});

const AuditChange = builder.objectRef<FieldChange>('AuditChange').implement({
  description: 'A field of an object that a change has set.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description: 'Name of the field, prefixed with the name of its module if it has one, as in `saml.enabled`.',
    }),
    before: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value before the change; null if it was not set.',
      resolve: ({ before }) => before,
    }),
    after: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value after the change; null if it is not set.',
      resolve: ({ after }) => after,
    }),
    shortened: t.exposeBoolean('isShortened', {
      description: `Whether a value is longer than ${shownBytesMax} bytes. Only the beginning of such a value is shown, as text.`,
    }),
  }),
});

const AuditRefusal = builder.objectRef<Refusal>('AuditRefusal').implement({
  description: 'Why a request was refused.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description:
        'Error code of the answer, such as `UNAUTHENTICATED`, `FORBIDDEN`, `IP_RESTRICTED` or `PROOF_INVALID`.',
    }),
    asked: t.exposeString('asked', {
      nullable: true,
      description:
        'What was requested: the route, such as `POST /ip_policies`, or the field of the GraphQL schema (`several` for more ' +
        'than one); for a user, `login` or `logout` and the route of the HTTPS edge; null if it was refused before that was known.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'Why the key is no longer accepted (`revoked` or `expired`), or what was wrong with the login of a user, such as ' +
        '`signature`; null if the code says it all.',
    }),
    leftOut: t.exposeInt('leftOut', {
      description:
        'Number of earlier refusals of the same key, or at the same route, that have no event of their own because there were too many.',
    }),
  }),
});

/** The usual number of fields that a change sets, which is about what an object has. */
const usualChanges = { field: rowCost, multiplier: 8 };

export const AuditEvent = builder.prismaNode('AuditEvent', {
  id: { resolve: ({ id }) => id },
  findUnique: (id, { scope: { accountId } }) => ({ accountId_id: { accountId, id } }),
  nullable: true,
  fields: (t) => ({
    uri: t.string({
      description: 'URL of the event in the REST API.',
      ...ofColumns('id'),
      resolve: ({ id }, _args, context) => uriOf(context, id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    action: t.field(
      choiceOf(
        'action',
        AuditAction,
        auditActions,
        'What the change did to the object, or that a request was refused.',
      ),
    ),
    kind: t.exposeString('kind'),
    objectId: t.exposeID('objectId'),
    version: t.exposeInt('version'),
    actor: t.field({ type: AuditActor, description: 'Who made the change.', resolve: (event) => event }),
    surface: t.field(choiceOf('surface', AuditSurface, surfaces, 'The interface that the change came through.')),
    requestId: t.exposeID('requestId', { nullable: true }),
    clientAddress: t.expose('clientAddress', { type: 'IpAddress', nullable: true }),
    changes: t.field({
      type: [AuditChange],
      nullable: true,
      complexity: usualChanges,
      description:
        'What changed, by field, without secrets. Empty if only parts of the object changed; null if the previous state is ' +
        'unknown because the object or its last change is older than the trail.',
      resolve: (event, _args, context) => sharedChangesOf(event, context),
    }),
    refusal: t.field({
      type: AuditRefusal,
      nullable: true,
      description: 'Why a request was refused; null for a change.',
      resolve: ({ action, state }) => (action === 'refuse' ? readRefusal(state) : null),
    }),
    state: t.field({
      type: 'JSON',
      description:
        'The object after the change, or before its deletion, without secrets; for a refused request, the reason.',
      resolve: ({ state }) => readJsonObject(state),
    }),
  }),
});

// Kept with the row, because all streams of an account share the same rows.
const changesOfEvents = keptWith<Row<'AuditEvent'>, Promise<FieldChange[] | null>>();

/** Returns what an event changed, computed once for all streams. If the shared computation fails, each request repeats it. */
function sharedChangesOf(event: Row<'AuditEvent'>, context: Context): Promise<FieldChange[] | null> {
  const find = () => changesOf(event, (before) => loadState(context, before));
  const known = changesOfEvents.get(event);
  if (known !== undefined) return known.catch(find);
  const found = find();
  changesOfEvents.set(event, found);
  return found;
}

/** Objects whose states are read by one statement. Their size is counted before the next ones are read. */
const statesAtOnce = 50;

/** Loads the state of an object at one of its versions, batched with the other events of a list. */
function loadState(context: Context, { objectId, version }: ObjectVersion): Promise<string | null> {
  const { scope, budget, requestId } = context;
  const load = async (keys: readonly string[]) => {
    const versions = keys.map(versionOfKey);
    budget.charge(versions.length * rowCost);
    const states = new Map<string, string>();
    for (let start = 0; start < versions.length; start += statesAtOnce) {
      const some = versions.slice(start, start + statesAtOnce);
      const rows = await inSequence(requestId, () => readStates(scope, some));
      budget.countRead(textLengthOf(rows));
      for (const row of rows) states.set(keyOfVersion(row), row.state);
    }
    return keys.map((key) => states.get(key) ?? null);
  };
  return batched(context, 'states of objects', load).load(keyOfVersion({ objectId, version }));
}

/** Throws INVALID_INPUT for anything but a kind that has events. */
export function checkKind(field: string, kind: string): void {
  if (!recordedKinds.includes(kind)) throw invalid(field, `must be one of ${recordedKinds.join(', ')}.`);
}

searchableInLists(
  'AuditEvent',
  ...['objectId', 'actor', 'actorDescription', 'clientAddress', 'requestId'].map(searchedText),
);

/** An event is written once, so there is only one time to sort by. */
const eventOrders: Orders = {
  type: builder.enumType('AuditEventOrder', {
    description: 'The order of a list of events.',
    values: { created_at_desc: orderValues.created_at_desc, created_at_asc: orderValues.created_at_asc },
  }),
  values: { created_at_desc: orders.created_at_desc, created_at_asc: orders.created_at_asc },
};

resourceQueries('AuditEvent', AuditEvent, auditEvents, {
  one: { name: 'auditEvent', noun: 'audit event' },
  list: {
    name: 'auditEvents',
    description: 'The changes of the objects of the account, and the requests that were refused, newest first.',
    filters: (arg) => ({
      objectId: arg.id({
        description:
          'Only changes of this object, which may have been deleted. They are listed in the order of its versions, and their cursors are valid only in that order.',
      }),
      kind: arg.string({
        description:
          'Only changes of objects of this kind: the name of their type, such as `IpPolicy`; `Request` for refused requests.',
        extensions: { jsonSchema: { maxLength: 64 } },
      }),
      actor: arg.id({
        description:
          'Only changes by this actor: the identifier of an API key, `cli`, `user`, `identity_provider` or `system`.',
      }),
      action: arg({ type: AuditAction, description: 'Only events with this action.' }),
      from: arg({ type: 'DateTime', description: 'Only changes made at this time or later.' }),
      to: arg({ type: 'DateTime', description: 'Only changes made before this time.' }),
    }),
    where: ({ objectId, kind, actor, action }) => {
      if (kind != null) checkKind('kind', kind);
      if (objectId != null) checkText('objectId', objectId, descriptionBytesMax);
      if (actor != null) checkText('actor', actor, descriptionBytesMax);
      return {
        // The most selective condition comes first (see `Range`).
        ...(objectId == null ? {} : { objectId }),
        ...(actor == null ? {} : { actor }),
        ...(kind == null ? {} : { kind }),
        ...(action == null ? {} : { action }),
      };
    },
    orders: eventOrders,
    orderWithin: ({ objectId }, order) => (objectId == null ? order : byVersion(order)),
    searchedIn:
      'in the identifier of the object, who made the change, the address of the client or the identifier of the request',
    // Ids are based on the time of creation.
    within: ({ from, to }) => ({
      ...(from == null ? {} : { newerThan: idBoundAt('AuditEvent', parseTimestamp('from', from)) }),
      ...(to == null ? {} : { olderThan: idBoundAt('AuditEvent', parseTimestamp('to', to)) }),
    }),
  },
});
