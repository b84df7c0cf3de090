// Dashboard sessions in GraphQL: lists which browsers are signed in, and ends sessions.

import { SallyportError } from '../../domain/errors.ts';
import { batched, readRows } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { changeMutation } from '../../graphql/kit/change-mutation.ts';
import { checkTogether, deletedTogetherMax } from '../../graphql/kit/mutations.ts';
import { searchableInLists, searchedText } from '../../graphql/kit/search-query.ts';
import { referenceFilter, resolveList } from '../../graphql/lists/connection.ts';
import { connectionWithoutRoute } from '../../graphql/lists/connection-without-route.ts';
import { findingArgs, priceOfFinding, readFinding } from '../../graphql/lists/finding.ts';
import { sessionOrders } from '../../graphql/lists/list-order.ts';
import { answersAgain } from '../../graphql/wrappers/change-once.ts';
import { demandToWrite, forEveryKey, needsTo } from '../../graphql/wrappers/rights.ts';
import { rowCost } from '../../load/limits.ts';
import { loadPerson } from './person-schema.ts';
import { dashboardSessions, nextEndOf, openSessions } from './session-store.ts';
import { apiKeys } from './store.ts';

export const DashboardSession = builder.prismaNode('DashboardSession', {
  id: { field: 'id' },
  nullable: true,
  fields: (t) => ({
    apiKey: t.field({
      type: 'ApiKey',
      nullable: true,
      complexity: rowCost,
      description: 'The API key that the session acts with. The session ends with it. Null in a session of a person.',
      resolve: async ({ apiKeyId }, _args, context) => {
        if (apiKeyId === null) return null;
        // Loaded once for all aliases in a document, because no field of a key needs additional data.
        const load = (ids: readonly string[]) => readRows(apiKeys, ids, context);
        const key = await batched(context, 'keys of sessions', load).load(apiKeyId);
        if (key !== null) return key;
        throw new SallyportError('UNAVAILABLE', 'The API key was revoked meanwhile. Retry in a few seconds.');
      },
    }),
    person: t.field({
      type: 'Person',
      nullable: true,
      complexity: rowCost,
      description: 'The person whose session it is; null in a session of an API key.',
      resolve: ({ personId }, _args, context) => loadPerson(context, personId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When somebody signed in.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      description: 'When the session was last used, to within a minute.',
    }),
    endsAt: t.field({
      type: 'DateTime',
      description: 'When the session ends unless it is used before then, to within a minute.',
      resolve: (session, _args, { dashboardSessions: { idleSeconds } }) => nextEndOf(session, idleSeconds),
    }),
    clientAddress: t.expose('clientAddress', {
      type: 'IpAddress',
      nullable: true,
      description: 'The address of the client that signed in; null if unknown.',
    }),
    userAgent: t.exposeString('userAgent', {
      description: 'The `User-Agent` of the browser, at most its first 255 bytes.',
    }),
    current: t.boolean({
      description: 'Whether this request belongs to the session.',
      resolve: ({ id }, _args, { identity }) => id === identity.dashboardSessionId,
    }),
  }),
});

searchableInLists(
  'DashboardSession',
  searchedText('apiKeyId'),
  searchedText('clientAddress'),
  searchedText('userAgent'),
);

const DashboardSessionConnection = connectionWithoutRoute('DashboardSession', DashboardSession);

/** Where `search` looks, as the rest of the argument's description. */
const searchedIn = 'in the identifier of the key, the address of the client or the `User-Agent`';

builder.queryField('dashboardSessions', (t) =>
  t.field({
    type: DashboardSessionConnection,
    nullable: true,
    extensions: needsTo('read', 'DashboardSession'),
    description: 'The open dashboard sessions of the account, newest first unless ordered otherwise.',
    args: {
      apiKeyId: t.arg.id({ description: 'Only sessions by this key.' }),
      personId: t.arg.id({ description: 'Only sessions of this person.' }),
      ...findingArgs(t.arg, sessionOrders, searchedIn),
      ...t.arg.connectionArgs(),
    },
    complexity: ({ apiKeyId, personId, ...args }) => priceOfFinding(args, { apiKeyId, personId }, sessionOrders),
    resolve: (_root, { apiKeyId, personId, orderBy, search, ...args }, context, info) => {
      const where = {
        ...referenceFilter('apiKeyId', 'ApiKey', apiKeyId),
        ...referenceFilter('personId', 'Person', personId),
        ...openSessions(context.scope, context.dashboardSessions.idleSeconds),
      };
      const finding = readFinding({ orderBy, search }, sessionOrders);
      const list = { kind: 'DashboardSession', collection: dashboardSessions, where, uri: '', query: null } as const;
      return resolveList({ ...list, ...finding }, args, context, info);
    },
  }),
);

changeMutation('endDashboardSession', {
  description:
    'Ends a session of the dashboard: its next request is refused, and its live streams end. NOT_FOUND if the session does not exist. ' +
    'Needs `api-keys:write`, unless it is the session of this request.',
  extensions: { ...forEveryKey, ...answersAgain(({ id }) => ({ id })) },
  input: (t) => ({ id: t.id({ required: true, description: 'Identifier of the session.' }) }),
  resolve: async ({ id }, context, info) => {
    if (id !== context.identity.dashboardSessionId) demandToWrite(context, info, 'DashboardSession', 'session');
    await dashboardSessions.remove(context.scope, id, null);
    context.dashboardSessions.look();
    return { id };
  },
  answer: (t) => ({ endedId: t.exposeID('id', { description: 'Identifier of the session that has ended.' }) }),
});

changeMutation('endDashboardSessions', {
  description:
    'Ends sessions of the dashboard: their next requests are refused, and their live streams end. The trail has an event for each.',
  extensions: { ...needsTo('write', 'DashboardSession'), ...answersAgain(({ remembered }) => remembered) },
  input: (t) => ({
    ids: t.idList({
      required: true,
      description: `Identifiers of the sessions; 1 to ${deletedTogetherMax}. Those that have ended already are passed over.`,
      extensions: { jsonSchema: { minItems: 1, maxItems: deletedTogetherMax } },
    }),
  }),
  resolve: async ({ ids }, { scope, dashboardSessions: { look } }) => {
    checkTogether('ids', ids);
    const count = await dashboardSessions.removeAll(scope, { id: { in: ids } });
    look();
    return { count };
  },
  answer: (t) => ({ endedCount: t.exposeInt('count', { description: 'The number of sessions that have ended.' }) }),
});
