// Which roles people get from what a provider says about them.

import { expect, test } from 'vitest';
import { groupsToKeep } from '../../src/areas/people/rules.ts';
import { nameOfPerson, type RoleMapping, rolesFor, scopesOfRoles } from '../../src/domain/access/roles.ts';

const none = { group: null, email: null, everybody: false };
const mappings: readonly RoleMapping[] = [
  { ...none, group: '/operations', role: 'operator' },
  { ...none, group: '/board', role: 'auditor' },
  { ...none, email: 'Ada@kelvin.example', role: 'owner' },
  { ...none, group: '/network', role: 'operator' },
];

test.each([
  [{ groups: ['/operations', '/network', '/board'], email: null }, ['operator', 'auditor']],
  [{ groups: ['operations', '/Operations', '/operations '], email: '' }, []],
  [{ groups: [], email: 'aDA@Kelvin.Example' }, ['owner']],
  // The Kelvin sign, which `toLowerCase` turns into a k.
  [{ groups: [], email: 'ada@\u212Aelvin.example' }, []],
  [{ groups: ['ada@kelvin.example'], email: null }, []],
])('%j has the roles %j', (membership, roles) => {
  expect(rolesFor(membership, mappings)).toEqual(roles);
});

test('everybody has a role that is everybody’s', () => {
  const everybody = { ...none, everybody: true, role: 'viewer' };
  expect(rolesFor({ groups: [], email: null }, [everybody])).toEqual(['viewer']);
});

test('roles together have the widest of their scopes, and a name that is no role has none', () => {
  const own = new Map([
    ['network', ['ip-policies:read', 'backends:write'] as const],
    ['owner', ['backends:read'] as const],
  ]);
  expect(scopesOfRoles(['network', 'gone', 'auditor'], own)).toEqual(['backends:write', 'read']);
  expect(scopesOfRoles(['owner'], own)).toEqual(['write']);
  expect(scopesOfRoles(['__proto__', 'toString'], own)).toEqual([]);
});

test('a person is called by what is known', () => {
  expect(nameOfPerson({ name: 'Ada', email: 'ada@example.com', subject: '1' })).toBe('Ada <ada@example.com>');
  expect(nameOfPerson({ name: '', email: 'ada@example.com', subject: '1' })).toBe('ada@example.com');
  expect(nameOfPerson({ name: '', email: '', subject: '1' })).toBe('1');
});

test('of very many groups, those with a role are kept', () => {
  const groups = [
    ...Array.from({ length: 1_000 }, (_, index) => `group-${index}-${'x'.repeat(60)}`),
    '/board',
    '/board',
  ];
  const kept = groupsToKeep(groups, mappings);
  expect(kept[0]).toBe('/board');
  expect(kept.length).toBeLessThan(600);
  expect(kept.length).toBeGreaterThan(400);
});
