// Every collection keeps what all of them promise, over REST and as a connection in GraphQL.

import { describe, expect, test } from 'vitest';
import type { Route } from '../../src/rest/route.ts';
import { routes } from '../../src/rest/routes.ts';
import { collections } from '../support/area-samples.ts';
import { testConnection } from '../support/connection-contract.ts';
import { testResource } from '../support/resource-contract.ts';

test('every route that creates belongs to a collection of an area, in its samples.ts', () => {
  const isCreation = ({ method, withoutKey }: Route) => method === 'POST' && withoutKey === undefined;
  const created = routes.filter(isCreation).map(({ path }) => path);
  expect(collections.map(({ path }) => path).sort()).toEqual(created.sort());
});

for (const collection of collections) {
  describe(collection.path, () => {
    testResource(collection);
    testConnection(collection);
  });
}
