// API keys in GraphQL, and the query for who the request acts for.

import { keyScopes, readScopes } from '../../domain/access/key-scopes.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { textsOf } from '../../graphql/kit/column-fields.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { createMutation, deleteManyMutation, deleteMutation, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { forceInput, node } from '../../graphql/kit/resource.ts';
import { searchable } from '../../graphql/kit/search-query.ts';
import { forEveryKey } from '../../graphql/wrappers/rights.ts';
import { rowCost } from '../../load/limits.ts';
import { loadPerson } from './person-schema.ts';
import './personal-schema.ts';
import { passGroupsMax } from './rules.ts';
import { DashboardSession } from './session-schema.ts';
import { dashboardSessions } from './session-store.ts';
import { apiKeys, createApiKey, deleteApiKeys } from './store.ts';

const scopesDescription =
  '`read` or `write` for everything, or the same for one area, such as `ip-policies:read`; or `gate:pass` for programs that pass the ' +
  'gate';

const ApiKey = builder.prismaNode('ApiKey', {
  ...node,
  fields: (t) => ({
    scopes: t.stringList({
      description: `What the key may do: ${scopesDescription}. \`write\` includes \`read\`.`,
      resolve: ({ scopes }) => readScopes(scopes),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    passGroups: t.stringList(
      textsOf(
        'passGroups',
        'The groups that a program counts as a member of where it passes the gate with `gate:pass`.',
      ),
    ),
    passAt: t.exposeID('passAt', {
      nullable: true,
      description:
        'Identifier of the HTTPS edge or of the route that `gate:pass` is limited to; null for all edges of the account.',
    }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true }),
    person: t.field({
      type: 'Person',
      nullable: true,
      complexity: rowCost,
      description: 'The person whose key it is; null for a key of the account.',
      resolve: ({ personId }, _args, context) => loadPerson(context, personId),
    }),
    token: t.string({
      nullable: true,
      description:
        'The secret to send as `Authorization: Bearer <token>`. Shown only in the response that creates the key; null in ' +
        'all others.',
      resolve: (key) => ('token' in key && typeof key.token === 'string' ? key.token : null),
    }),
  }),
});

const Account = builder.prismaObject('Account', {
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const Viewer = builder.objectRef<Context>('Viewer').implement({
  description: 'The account and credentials that the request acts with.',
  fields: (t) => ({
    account: t.field({
      type: Account,
      description: 'The account whose objects the request can see.',
      resolve: async ({ accounts, identity }) => {
        const account = await accounts.get(identity.accountId);
        if (account === null) throw notFound();
        return account;
      },
    }),
    apiKey: t.field({
      type: ApiKey,
      nullable: true,
      description: 'The API key that authenticated the request; null in a session of a person.',
      // Every key may read its own rights.
      extensions: forEveryKey,
      resolve: ({ scope, identity: { actor } }) => (isIdOf('ApiKey', actor) ? apiKeys.get(scope, actor) : null),
    }),
    scopes: t.stringList({
      description: 'What the request may do: the scopes of its API key or of the roles of its person.',
      resolve: ({ identity: { scopes } }) => [...scopes],
    }),
    dashboardSession: t.field({
      type: DashboardSession,
      nullable: true,
      description: 'The dashboard session of the request; null for a request with the API key itself.',
      // Every session may read its own end.
      extensions: forEveryKey,
      resolve: ({ scope, identity: { dashboardSessionId } }) =>
        dashboardSessionId === undefined ? null : dashboardSessions.get(scope, dashboardSessionId),
    }),
    clientAddress: t.field({
      type: 'IpAddress',
      nullable: true,
      description: 'The source address of the request, which IP restrictions apply to; null if unknown.',
      resolve: ({ clientAddress }) => clientAddress?.toString() ?? null,
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    nullable: true,
    extensions: forEveryKey,
    description: 'The account and credentials that the request acts with.',
    resolve: (_root, _args, context) => context,
  }),
);

searchable('ApiKey');

resourceQueries('ApiKey', ApiKey, apiKeys, {
  one: { name: 'apiKey', noun: 'API key' },
  list: { name: 'apiKeys', description: 'The API keys of the account, newest first.' },
});

createMutation('createApiKey', ApiKey, {
  description: 'Creates an API key for this account. Only this response shows its token.',
  input: (t) => ({
    scopes: t.stringList({
      description: `What the key may do: ${scopesDescription}. At most what the key that creates it may do, which is also the default.`,
      extensions: { jsonSchema: { maxItems: keyScopes.length } },
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description:
        'When the key expires, rounded down to the second; not later than the key that creates it. Defaults to the expiry ' +
        'of that key, or to never.',
    }),
    passGroups: t.stringList({
      description:
        'With `gate:pass`, the groups that a program counts as a member of where it passes the gate. A key without the right ' +
        `to change HTTPS edges can give only its own. At most ${passGroupsMax}; defaults to none.`,
      extensions: { jsonSchema: { maxItems: passGroupsMax } },
    }),
    passAt: t.id({
      description:
        'With `gate:pass`, identifier of the HTTPS edge or of the route that it is limited to. Defaults to what the key that ' +
        'creates it is limited to.',
    }),
    personal: t.boolean({
      description:
        'Whether the key is one of the person who creates it: it has at most the rights that the person has at the moment, and ends with ' +
        'them. Defaults to true for people, of whom only those with all rights can create other keys; must not be true for keys.',
    }),
    ownerId: t.id({
      description:
        'Whom the key belongs to, for clients of the API family: the account itself, by its id, or left out.',
    }),
  }),
  resolve: (input, { scope, identity }) => createApiKey(scope, input, identity),
});

updateMutation('updateApiKey', ApiKey, {
  description: 'Updates the description and metadata of an API key.',
  resolve: (input, { scope }) => apiKeys.updateNotes(scope, input),
});

deleteMutation('deleteApiKey', {
  description:
    'Revokes an API key immediately. The key that authenticated this request, and the last valid one with all rights, are revoked ' +
    'only if forced.',
  input: forceInput,
  resolve: ({ id, expectedVersion, force }, { scope, identity }) =>
    deleteApiKeys(scope, [{ id, expectedVersion }], { own: identity.actor, force }),
});

deleteManyMutation('deleteApiKeys', {
  description:
    'Revokes API keys immediately. The key that authenticated this request, and the last valid one with all rights, are revoked ' +
    'only if forced.',
  input: forceInput,
  resolve: ({ objects, force }, { scope, identity }, remembered) =>
    deleteApiKeys(scope, objects, { own: identity.actor, force, remembered }),
});
