// The API keys of a person in GraphQL: whoever is signed in as a person makes and revokes keys of one's own, whatever the roles.

import { notFound, SallyportError } from '../../domain/errors.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { changeMutation } from '../../graphql/kit/change-mutation.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { answersWithObject } from '../../graphql/kit/mutations.ts';
import { answersAgain } from '../../graphql/wrappers/change-once.ts';
import { forEveryKey } from '../../graphql/wrappers/rights.ts';
import { innerListCost } from '../../load/limits.ts';
import { createApiKey, deleteApiKeys, keysOfPerson, keysOfPersonMax } from './store.ts';

/** Returns the person who is signed in. Throws FORBIDDEN for a key: one that has leaked must not make others. */
function signedIn({ identity: { personId, dashboardSessionId } }: Context): string {
  if (personId !== undefined && dashboardSessionId !== undefined) return personId;
  throw new SallyportError('FORBIDDEN', 'Only a person who is signed in to the dashboard has and makes keys this way.');
}

builder.objectField('Viewer' as never, 'personalApiKeys', (t) =>
  t.field({
    type: ['ApiKey'],
    complexity: { field: innerListCost, multiplier: keysOfPersonMax },
    // Everybody may read the own keys.
    extensions: forEveryKey,
    description: `The API keys of the person who acts, newest first; at most ${keysOfPersonMax}. None for an API key of the account.`,
    resolve: (_source: unknown, _args, { scope, identity: { personId } }) =>
      personId === undefined ? [] : keysOfPerson(scope, personId),
  }),
);

changeMutation('createPersonalApiKey', {
  description:
    'Creates an API key of the person who is signed in, with at most the rights that the person has at the moment. Only this response ' +
    'shows its token. Every person can, whatever the roles; `createApiKey` is for keys of the account as well.',
  extensions: { ...forEveryKey, ...answersWithObject('ApiKey') },
  input: (t) => ({
    scopes: t.stringList({
      description: 'What the key may do, within what the person may, which is also the default.',
      extensions: { jsonSchema: { maxItems: 100 } },
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description:
        'When the key expires, rounded down to the second. Defaults to never: it ends with the rights of the person.',
    }),
    description: t.string({ description: 'Human-readable description of the key; at most 255 bytes of UTF-8.' }),
  }),
  resolve: async (input, context) => {
    const { scope, identity } = context;
    const keys = await keysOfPerson(scope, signedIn(context));
    if (keys.length >= keysOfPersonMax) {
      throw new SallyportError('INVALID_INPUT', `You have ${keysOfPersonMax} API keys, the maximum. Revoke one first.`);
    }
    return createApiKey(scope, { ...input, personal: true }, identity);
  },
  answer: (t) => ({
    apiKey: t.field({
      type: 'ApiKey',
      description: 'The new key.',
      extensions: forEveryKey,
      resolve: (key) => key,
    }),
  }),
});

changeMutation('deletePersonalApiKey', {
  description: 'Revokes an API key of the person who is signed in. NOT_FOUND for any other key.',
  extensions: { ...forEveryKey, ...answersAgain(({ id }) => ({ id })) },
  input: (t) => ({ id: t.id({ required: true, description: 'Identifier of the key.' }) }),
  resolve: async ({ id }, context) => {
    const { scope, identity } = context;
    await deleteOwn(scope, id, signedIn(context), identity.actor);
    return { id };
  },
  answer: (t) => ({ deletedId: t.exposeID('id', { description: 'Identifier of the revoked key.' }) }),
});

async function deleteOwn(scope: Context['scope'], id: string, personId: string, own: string): Promise<void> {
  const keys = await keysOfPerson(scope, personId);
  const key = keys.find((one) => one.id === id);
  if (key === undefined) throw notFound();
  await deleteApiKeys(scope, [{ id }], { own });
}
