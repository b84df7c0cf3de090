// People in GraphQL: who has signed in, what they may do, and keeping them out.

import { areRoleMappings, nameOfPerson, rolesFor } from '../../domain/access/roles.ts';
import { readAs, readTextList } from '../../domain/values/decode.ts';
import { batched, readRows } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { changeMutation } from '../../graphql/kit/change-mutation.ts';
import { textsOf } from '../../graphql/kit/column-fields.ts';
import { type Context, uriOf } from '../../graphql/kit/context.ts';
import { ofColumns } from '../../graphql/kit/fields.ts';
import { answersWithObject } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { addressInput, forceInput } from '../../graphql/kit/resource.ts';
import { searchableInLists, searchedText } from '../../graphql/kit/search-query.ts';
import { referenceFilter } from '../../graphql/lists/connection.ts';
import { forEveryKey, needsTo } from '../../graphql/wrappers/rights.ts';
import { rowCost } from '../../load/limits.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { people, setBlocked } from './person-store.ts';
import { signInProviders } from './provider-store.ts';

/** Loads the providers of people, each once; null for one that was deleted. */
function loadProvider(context: Context, providerId: string): Promise<Row<'SignInProvider'> | null> {
  const load = (ids: readonly string[]) => readRows(signInProviders, ids, context);
  return batched(context, 'providers of people', load).load(providerId);
}

const Person = builder.prismaNode('Person', {
  id: { field: 'id' },
  nullable: true,
  fields: (t) => ({
    uri: t.string({
      description: 'URL of the person in the REST API.',
      ...ofColumns('id'),
      resolve: ({ id }, _args, context) => uriOf(context, id),
    }),
    displayName: t.string({
      description:
        'Name and e-mail address, as the audit trail calls the person; the subject if the provider says neither.',
      resolve: (person) => nameOfPerson(person),
    }),
    name: t.exposeString('name', {
      description: 'The name, as of the last sign-in; empty if the provider does not say.',
    }),
    email: t.exposeString('email', {
      description: 'The e-mail address, as of the last sign-in; empty if the provider does not say.',
    }),
    subject: t.exposeString('subject', {
      description: 'What the provider calls the person, which never changes there.',
    }),
    groups: t.stringList(textsOf('groups', 'The groups that came with the last sign-in.')),
    roles: t.stringList({
      complexity: rowCost,
      description:
        'The names of the roles that the groups and the address stand for now; none if the provider is disabled or gone.',
      resolve: async ({ providerId, groups, email }, _args, context) => {
        const provider = await loadProvider(context, providerId);
        if (provider === null || !provider.enabled) return [];
        const mappings = readAs(provider.roleMappings, areRoleMappings, 'role mappings');
        return rolesFor({ groups: readTextList(groups), email }, mappings);
      },
    }),
    provider: t.field({
      type: 'SignInProvider',
      nullable: true,
      complexity: rowCost,
      description: 'The provider that vouches for the person; null if it was deleted.',
      resolve: ({ providerId }, _args, context) => loadProvider(context, providerId),
    }),
    blocked: t.exposeBoolean('blocked', { description: 'Whether the person is kept out.' }),
    version: t.exposeInt('version', { description: 'Starts at 1 and goes up by one with every change.' }),
    firstSeenAt: t.expose('createdAt', { type: 'DateTime', description: 'When the person first signed in.' }),
    signedInAt: t.expose('signedInAt', { type: 'DateTime', description: 'When the person last signed in.' }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      description: 'When the person last did something here, to within about a minute.',
    }),
  }),
});

searchableInLists('Person', searchedText('name'), searchedText('email'), searchedText('subject'));

resourceQueries('Person', Person, people, {
  one: { name: 'person', noun: 'person' },
  list: {
    name: 'people',
    description: 'The people who have signed in to the account, newest first unless ordered otherwise.',
    searchedIn: 'in the name, the e-mail address or the subject',
    filters: (arg) => ({ signInProviderId: arg.id({ description: 'Only people of this provider.' }) }),
    filtersInRest: true,
    where: ({ signInProviderId }) => referenceFilter('providerId', 'SignInProvider', signInProviderId),
  },
});

builder.objectField('Viewer' as never, 'person', (t) =>
  t.field({
    type: Person,
    nullable: true,
    // Everybody may read what is known of oneself.
    extensions: forEveryKey,
    description: 'The person who acts, in a session or by a personal API key; null for an API key of the account.',
    resolve: (_source: unknown, _args, { scope, identity: { personId } }) =>
      personId === undefined ? null : people.get(scope, personId),
  }),
);

for (const [name, blocked, description] of [
  [
    'blockPerson',
    true,
    'Keeps a person out: at once, with all sessions, live streams and personal API keys. Nobody can block oneself, or somebody who may more. ' +
      'LOCKOUT unless forced for the last who could undo it in the dashboard, where API keys do not sign in.',
  ],
  ['unblockPerson', false, 'Lets a person in again who was kept out.'],
] as const) {
  changeMutation(name, {
    description: `${description} NOT_FOUND if the person does not exist; VERSION_CONFLICT if its version is not the expected one.`,
    extensions: { ...needsTo('write', 'Person'), ...answersWithObject('Person') },
    input: (t) => ({ ...addressInput(t), ...(blocked ? forceInput(t) : {}) }),
    resolve: ({ id, expectedVersion, force }, { scope, identity: { rights, personId } }) =>
      setBlocked(scope, id, blocked, { rights, personId, force }, expectedVersion),
    answer: (t) => ({
      person: t.field({ type: Person, description: 'The person as it is now.', resolve: (person) => person }),
    }),
  });
}
