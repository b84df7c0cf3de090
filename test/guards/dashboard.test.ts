// The dashboard is a client like any other: it knows the schema, and nothing of the server's sources.

import { isInterfaceType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { kinds } from '../../dashboard/src/client/kinds.ts';
import { schema } from '../../src/graphql/schema.ts';
import { filesBelow, read } from '../support/source-files.ts';

test('it imports nothing from outside its own sources but packages', () => {
  const files = [...filesBelow('dashboard/src', '.ts'), ...filesBelow('dashboard/src', '.tsx')];
  expect(files.length).toBeGreaterThan(50);
  const outside = files.flatMap((file) => {
    const depth = file.split('/').length - 'dashboard/src'.split('/').length - 1;
    const imports = [...read(file).matchAll(/from '((?:\.\.\/)+)/g)].map(([, up = '']) => up.length / 3);
    return imports.some((levels) => levels > depth) ? [file] : [];
  });
  expect(outside).toEqual([]);
});

test('it has a name for every kind of object', () => {
  const node = schema.getType('Node');
  const types = isInterfaceType(node) ? schema.getPossibleTypes(node).filter(isObjectType) : [];
  const named = types.map(({ name }) => name).filter((name) => name !== 'AuditEvent');
  expect(Object.keys(kinds).sort()).toEqual(named.sort());
});
