// User sessions in GraphQL: lists who is logged in at a route, and ends sessions.

import { endOf, isAlive } from '../../domain/gate/session-rule.ts';
import { isIdentityProvider } from '../../domain/saml/identity-provider.ts';
import { readAs } from '../../domain/values/decode.ts';
import { loadByIds } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { changeMutation } from '../../graphql/kit/change-mutation.ts';
import { checkTogether, deletedTogetherMax } from '../../graphql/kit/mutations.ts';
import { searchableInLists, searchedText } from '../../graphql/kit/search-query.ts';
import { resolveList } from '../../graphql/lists/connection.ts';
import { connectionWithoutRoute } from '../../graphql/lists/connection-without-route.ts';
import { findingArgs, priceOfFinding, readFinding } from '../../graphql/lists/finding.ts';
import { sessionOrders } from '../../graphql/lists/list-order.ts';
import { answersAgain } from '../../graphql/wrappers/change-once.ts';
import { needsTo } from '../../graphql/wrappers/rights.ts';
import { objectsOfLookup } from '../../load/limits.ts';
import { httpsEdgeRoutes, loginSessions } from './collections-store.ts';
import {
  endLoginSession,
  endLoginSessions,
  endTheseLoginSessions,
  findSharing,
  personOf,
  sessionsOf,
} from './login-session-store.ts';

/** The columns of the module of the route that determine how long a session lasts. */
const ofModule = {
  route: {
    select: {
      saml: { select: { inactivityTimeout: true, maximumDuration: true, identityProvider: true } },
      oidc: { select: { inactivityTimeout: true, maximumDuration: true, issuer: true } },
    },
  },
} as const;

interface Limits {
  readonly inactivityTimeout: bigint;
  readonly maximumDuration: bigint;
}

interface RouteRow {
  readonly saml: (Limits & { readonly identityProvider: unknown }) | null;
  readonly oidc: (Limits & { readonly issuer: string }) | null;
}

/** Returns how long sessions of a route last, and by whom; null if its module has been deleted meanwhile. */
function ruleOf({ saml, oidc }: RouteRow) {
  const module = saml ?? oidc;
  if (module === null) return null;
  return {
    issuer:
      'issuer' in module
        ? module.issuer
        : readAs(module.identityProvider, isIdentityProvider, 'an identity provider').entityId,
    inactivitySeconds: Number(module.inactivityTimeout),
    maximumSeconds: Number(module.maximumDuration),
  };
}

const LoginSession = builder.prismaNode('LoginSession', {
  id: { field: 'id' },
  nullable: true,
  fields: (t) => ({
    routeId: t.exposeID('routeId', {
      description:
        'Identifier of the route where the session began. Other routes of the edge may let its user in by it, too: see ' +
        '`sessionsFrom` of a route.',
    }),
    host: t.exposeString('host', { description: 'The host and port that the user logged in at.' }),
    user: t.string({
      description: 'The name of the user: the NameID of the assertion, or the `sub` of the ID token.',
      resolve: (session) => personOf(session).user,
    }),
    email: t.string({
      nullable: true,
      description: 'The e-mail address of the user; null if the identity provider did not send one.',
      resolve: (session) => personOf(session).email,
    }),
    name: t.string({
      nullable: true,
      description: 'The display name of the user; null if the identity provider did not send one.',
      resolve: (session) => personOf(session).name,
    }),
    groups: t.stringList({
      description: 'The groups of the user, as of the login.',
      resolve: (session) => [...personOf(session).groups],
    }),
    attributeNames: t.stringList({
      nullable: true,
      description:
        'The names of the attributes or claims that the identity provider sent, at most 30; null for a session of an earlier version.',
      resolve: (session) => {
        const { attributeNames } = personOf(session);
        return attributeNames === null ? null : [...attributeNames];
      },
    }),
    issuer: t.exposeString('issuer', { description: 'The identity provider: its entity ID, or its issuer.' }),
    clientAddress: t.expose('clientAddress', {
      type: 'IpAddress',
      description: 'The address of the client that logged in.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the user logged in.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      description:
        'When the session was last used: to within a minute if the module has an inactivity timeout, otherwise to within five.',
    }),
    endsAt: t.field({
      type: 'DateTime',
      description: 'When the session ends unless it is used before then.',
      select: ofModule,
      resolve({ route, ...session }, _args, { scope }) {
        const rule = ruleOf(route);
        return rule === null ? scope.now() : endOf(session, rule);
      },
    }),
    active: t.boolean({
      description:
        'Whether the session is open. A session that timed out is listed until the server deletes it. A session is valid only ' +
        'while the module is enabled and the edge serves its host.',
      select: ofModule,
      resolve({ route, ...session }, _args, { scope }) {
        const rule = ruleOf(route);
        return rule !== null && isAlive(session, rule, session.host, scope.now());
      },
    }),
  }),
});

searchableInLists(
  'LoginSession',
  {
    name: 'user',
    column: 'person',
    json: 'record',
    read: (person) => {
      const { user, email, name, groups } = personOf({ person });
      return [user, email, name, ...groups].filter((text) => text !== null);
    },
  },
  searchedText('host'),
  searchedText('issuer'),
  searchedText('clientAddress'),
);

const LoginSessionConnection = connectionWithoutRoute('LoginSession', LoginSession);

/** Where `search` looks, as the rest of the argument's description. */
const searchedIn =
  'in the name, the e-mail address, the display name or a group of the user, in the host, the issuer or the address of the client';

builder.prismaObjectField('HttpsEdgeRoute', 'loginSessions', (t) =>
  t.field({
    type: LoginSessionConnection,
    description: 'The sessions of users that began at the route, latest login first unless ordered otherwise.',
    args: { ...findingArgs(t.arg, sessionOrders, searchedIn), ...t.arg.connectionArgs() },
    complexity: (args) => priceOfFinding(args, {}, sessionOrders),
    resolve: ({ id: routeId }, { orderBy, search, ...args }, context, info) => {
      // Runs one statement per route, which counts as much as a lookup by id.
      context.budget.expectObjects(objectsOfLookup);
      const finding = readFinding({ orderBy, search }, sessionOrders);
      const where = { routeId };
      const list = {
        kind: 'LoginSession',
        collection: loginSessions,
        where,
        ...finding,
        uri: '',
        query: null,
      } as const;
      return resolveList(list, args, context, info);
    },
  }),
);

builder.prismaObjectField('HttpsEdgeRoute', 'sessionsFrom', (t) =>
  t.field({
    type: ['HttpsEdgeRoute'],
    complexity: { field: 100, multiplier: 5 },
    description:
      'The other routes of the edge whose sessions let their users in here as well: those of the same identity provider, where logins ' +
      'are at least as strict.',
    resolve: async (route, _args, context, info) => {
      // Reads the modules of all routes of the edge.
      context.budget.expectObjects(objectsOfLookup);
      return loadByIds(httpsEdgeRoutes, await findSharing(context.scope, route), context, info);
    },
  }),
);

const routeIdDescription = 'Identifier of the route of an HTTPS edge.';

builder.queryField('loginSessions', (t) =>
  t.field({
    type: LoginSessionConnection,
    nullable: true,
    extensions: needsTo('read', 'LoginSession'),
    description:
      'The sessions of users that began at a route, latest login first unless ordered otherwise. NOT_FOUND if the route does not exist.',
    args: {
      routeId: t.arg.id({ required: true, description: routeIdDescription }),
      user: t.arg.string({ description: 'Only sessions of the user with this name, the NameID or `sub`.' }),
      ...findingArgs(t.arg, sessionOrders, searchedIn),
      ...t.arg.connectionArgs(),
    },
    complexity: ({ user, ...args }) => priceOfFinding(args, { user }, sessionOrders),
    resolve: async (_root, { routeId, user, orderBy, search, ...args }, context, info) => {
      const where = await sessionsOf(context.scope, { routeId, user });
      const finding = readFinding({ orderBy, search }, sessionOrders);
      const list = {
        kind: 'LoginSession',
        collection: loginSessions,
        where,
        ...finding,
        uri: '',
        query: null,
      } as const;
      return resolveList(list, args, context, info);
    },
  }),
);

changeMutation('endLoginSession', {
  description:
    'Ends a session: its next request must log in again, and logins of the same user that are in progress fail. The ' +
    'user stays logged in at the identity provider. NOT_FOUND if the session does not exist.',
  extensions: { ...needsTo('write', 'LoginSession'), ...answersAgain(({ id }) => ({ id })) },
  input: (t) => ({ id: t.id({ required: true, description: 'Identifier of the session.' }) }),
  resolve: async ({ id }, { scope }) => {
    await endLoginSession(scope, id);
    return { id };
  },
  answer: (t) => ({ endedId: t.exposeID('id', { description: 'Identifier of the session that has ended.' }) }),
});

changeMutation('endLoginSessions', {
  description:
    'Ends the sessions that let users in at a route, all or those that are named: their next requests must log in again, and logins ' +
    'in progress fail. That includes sessions that began at other routes and count here (`sessionsFrom`), which then end there as well. ' +
    'NOT_FOUND if the route does not exist.',
  extensions: { ...needsTo('write', 'LoginSession'), ...answersAgain(({ remembered }) => remembered) },
  input: (t) => ({
    routeId: t.id({ required: true, description: routeIdDescription }),
    user: t.string({
      description:
        'Ends only the sessions of the user with this name, the NameID or `sub`. If omitted, ends those of all users.',
    }),
    ids: t.idList({
      description: `Ends only these sessions; at most ${deletedTogetherMax}. Those that have ended already are passed over.`,
      extensions: { jsonSchema: { maxItems: deletedTogetherMax } },
    }),
  }),
  resolve: async ({ routeId, user, ids }, { scope }) => {
    await sessionsOf(scope, { routeId });
    const routeIds = [routeId, ...(await findSharing(scope, await httpsEdgeRoutes.get(scope, routeId)))];
    if (ids == null) return { count: await endLoginSessions(scope, { routeIds, user, sessionIndexes: [] }) };
    checkTogether('ids', ids);
    return { count: await endTheseLoginSessions(scope, { routeIds, user, ids }) };
  },
  answer: (t) => ({ endedCount: t.exposeInt('count', { description: 'The number of sessions that have ended.' }) }),
});
