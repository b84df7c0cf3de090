// Every collection keeps the promises that all collections share, over REST and as a connection in GraphQL. What is checked before an
// area is asked, or by code that has no case for any of them, is tried in all its forms on one collection.

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
  const inFull = collection.path === '/ip_policies';
  describe(collection.path, () => {
    testResource(collection, inFull);
    testConnection(collection, inFull);
  });
}
