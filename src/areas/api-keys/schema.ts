// API keys in GraphQL, and who the request acts for.

import { notFound } from '../../domain/errors.ts';
import { builder } from '../../graphql/builder.ts';
import { connectionTypes, resolveList } from '../../graphql/connection.ts';
import type { Context } from '../../graphql/context.ts';
import { addressInput, deleteMutation, notesInput, Resource } from '../../graphql/resource.ts';
import { selectionOf } from '../../graphql/selection.ts';
import { apiKeys, createApiKey, revokeApiKey } from './store.ts';

const ApiKey = builder.prismaNode('ApiKey', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true }),
    token: t.string({
      nullable: true,
      description:
        'What to send as `Authorization: Bearer <token>`. Shown once, in the answer to the creation; null ever after.',
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
  description: 'Whom the request acts for.',
  fields: (t) => ({
    account: t.field({
      type: Account,
      description: 'The account whose objects the request sees.',
      resolve: async ({ accounts, identity }) => {
        const account = await accounts.get(identity.accountId);
        if (account === null) throw notFound();
        return account;
      },
    }),
    apiKey: t.field({
      type: ApiKey,
      description: 'The key that signed the request in.',
      resolve: ({ scope, identity }) => apiKeys.get(scope, identity.apiKeyId),
    }),
  }),
});

builder.queryFields((t) => ({
  viewer: t.field({
    type: Viewer,
    description: 'Whom the request acts for.',
    resolve: (_root, _args, context) => context,
  }),
  apiKey: t.field({
    type: ApiKey,
    description: 'One API key. NOT_FOUND when there is none with this identifier.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the key.' }) },
    resolve: (_root, { id }, context, info) => apiKeys.get(context.scope, id, selectionOf(context, info)),
  }),
  apiKeys: t.connection(
    {
      type: ApiKey,
      description: 'The API keys of the account, newest first.',
      resolve: (_root, args, context, info) => resolveList('ApiKey', apiKeys, {}, args, context, info),
    },
    ...connectionTypes('ApiKey'),
  ),
}));

builder.relayMutationField(
  'createApiKey',
  { description: 'A new API key.', inputFields: notesInput },
  {
    description: 'Creates an API key of this account. The answer shows its token, once.',
    resolve: (_root, { input }, { scope }) => createApiKey(scope, input),
  },
  {
    description: 'What was created.',
    outputFields: (t) => ({ apiKey: t.field({ type: ApiKey, description: 'The new key.', resolve: (row) => row }) }),
  },
);

builder.relayMutationField(
  'updateApiKey',
  {
    description: 'A change to an API key. What is left out keeps its value.',
    inputFields: (t) => ({ ...addressInput(t), ...notesInput(t) }),
  },
  {
    description: 'Changes the notes of an API key.',
    resolve: (_root, { input }, context, info) =>
      apiKeys.updateNotes(context.scope, input, selectionOf(context, info, ['apiKey'])),
  },
  {
    description: 'What was changed.',
    outputFields: (t) => ({
      apiKey: t.field({ type: ApiKey, description: 'The key as it is now.', resolve: (row) => row }),
    }),
  },
);

deleteMutation(
  'ApiKey',
  'Revokes an API key. It ends at once, also for a request that sends it right now.',
  revokeApiKey,
);
