// What each built-in role may do, over every field of the query and the mutation (docs/people.md). REST routes are documents of these
// fields.

import { expect, test } from 'vitest';
import { impliedScopes, type KeyScope } from '../../src/domain/access/key-scopes.ts';
import { builtInRoles } from '../../src/domain/access/roles.ts';
import { schema } from '../../src/graphql/schema.ts';

const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
  Object.values(type?.getFields() ?? {}).flatMap(({ name, extensions }) => {
    const { needs } = extensions;
    return Array.isArray(needs) && needs.length > 0 ? [{ name, needs: needs.map(String) }] : [];
  }),
);

/** The page's own words, apart from how roles are made of scopes. */
const may: Readonly<Record<keyof typeof builtInRoles, (area: string, access: string) => boolean>> = {
  owner: () => true,
  operator: (area, access) => access === 'read' || !['', 'people', 'api-keys', 'audit-events'].includes(area),
  auditor: (_, access) => access === 'read',
  viewer: (area, access) =>
    access === 'read' && !['', 'people', 'api-keys', 'audit-events', 'approvals'].includes(area),
};

test.each(['owner', 'operator', 'auditor', 'viewer'] as const)('the role %s may do just what the page says', (role) => {
  expect(fields.length).toBeGreaterThan(80);
  const rights: ReadonlySet<string> = new Set<KeyScope>(impliedScopes(builtInRoles[role]));
  const different = fields.filter(({ needs }) => {
    const isAllowed = needs.every((scope) => rights.has(scope));
    const isSaid = needs.every((scope) => {
      const [access = '', area = access === 'gate' ? access : ''] = scope.split(':').toReversed();
      return may[role](area, access);
    });
    return isAllowed !== isSaid;
  });
  expect(different).toEqual([]);
});
