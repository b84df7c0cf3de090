// Every collection keeps the promises that all collections share, over REST and as a connection in GraphQL.

import { describe, expect, test } from 'vitest';
import { collections } from '../support/area-samples.ts';
import { testConnection } from '../support/connection-contract.ts';
import { testResource } from '../support/resource-contract.ts';
import { creations } from './world.ts';

test('every route that creates belongs to a collection of an area, in its samples.ts', () => {
  const created = creations.filter(({ method }) => method === 'POST').map(({ path }) => path);
  expect(collections.map(({ path }) => path).sort()).toEqual(created.sort());
});

for (const collection of collections) {
  describe(collection.path, () => {
    testResource(collection);
    testConnection(collection);
  });
}
