// Roles in GraphQL: the built-in ones, and those of an account's own.

import { keyScopes, readScopes } from '../../domain/access/key-scopes.ts';
import { builtInRoles } from '../../domain/access/roles.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { createMutation, deleteMutation, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { forceInput, node } from '../../graphql/kit/resource.ts';
import { searchable, searchedText } from '../../graphql/kit/search-query.ts';
import { needs } from '../../graphql/wrappers/rights.ts';
import { createRole, deleteRole, roles, updateRole } from './role-store.ts';

const Role = builder.prismaNode('Role', {
  ...node,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name, by which sign-in providers refer to the role.' }),
    scopes: t.stringList({
      description: 'What the role allows, in the scopes of API keys.',
      resolve: ({ scopes }) => readScopes(scopes),
    }),
  }),
});

searchable('Role', searchedText('name'));

resourceQueries('Role', Role, roles, {
  one: { name: 'role', noun: 'role' },
  list: { name: 'roles', description: 'The roles of the account, besides the built-in ones, newest first.' },
});

interface BuiltInRole {
  readonly name: string;
  readonly scopes: readonly string[];
}

const BuiltInRoleType = builder.objectRef<BuiltInRole>('BuiltInRole').implement({
  description: 'A role that every account has.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name, by which sign-in providers refer to the role.' }),
    scopes: t.stringList({
      description: 'What the role allows, in the scopes of API keys.',
      resolve: ({ scopes }) => [...scopes],
    }),
  }),
});

builder.queryField('builtInRoles', (t) =>
  t.field({
    type: [BuiltInRoleType],
    nullable: true,
    extensions: needs('people:read'),
    complexity: { multiplier: Object.keys(builtInRoles).length },
    description: 'The roles that every account has. They grow with what the server can do.',
    resolve: () => Object.entries(builtInRoles).map(([name, scopes]) => ({ name, scopes })),
  }),
);

const scopesLimit = { jsonSchema: { minItems: 1, maxItems: keyScopes.length } };

createMutation('createRole', Role, {
  description: 'Creates a role.',
  input: (t) => ({
    name: t.string({
      required: true,
      description:
        'The name, of 1 to 63 lower-case letters, digits and dashes, unique in the account. It never changes, and those of built-in roles are taken.',
      extensions: { jsonSchema: { minLength: 1, maxLength: 63 } },
    }),
    scopes: t.stringList({
      required: true,
      description: 'What the role allows, in the scopes of API keys; at most what the request itself may do.',
      extensions: scopesLimit,
    }),
  }),
  resolve: (input, { scope, identity }) => createRole(scope, input, identity),
});

updateMutation('updateRole', Role, {
  description: 'Updates a role: at once for everybody who has it.',
  input: (t) => ({
    scopes: t.stringList({
      description: 'What the role allows, in the scopes of API keys; at most what the request itself may do.',
      extensions: scopesLimit,
    }),
    ...forceInput(t),
  }),
  resolve: ({ force, ...input }, { scope, identity: { rights, personId } }) =>
    updateRole(scope, input, { rights, personId, force }),
});

deleteMutation('deleteRole', {
  description: 'Deletes a role. IN_USE while a sign-in provider gives it to somebody.',
  resolve: ({ id, expectedVersion }, { scope, identity }) => deleteRole(scope, id, expectedVersion, identity),
});
