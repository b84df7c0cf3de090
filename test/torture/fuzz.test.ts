// The short form of `npm run torture fuzz`.

import { expect, inject, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { testDatabase } from '../support/database.ts';
import { createDocument } from './documents.ts';
import { fuzz } from './fuzz.ts';

const directory = inject('programs');

test('random bodies and random GraphQL documents are answered in documented ways, and the process goes on', async () => {
  const report = await fuzz({
    programs: { directory },
    database: await testDatabase({ migrated: false }),
    bodies: 200,
    documents: 100,
    only: [
      'POST /ip_policies',
      'POST /ip_restrictions',
      'PATCH /ip_restrictions/{id}',
      'PUT /edges/tls/{id}/policy',
      'PUT /edges/https/{edge_id}/routes/{id}/saml',
      'POST /ssh_host_certificates',
    ],
    seed: 10,
    progress: () => undefined,
  });
  expect(report).toEqual({ ...report, broken: [] });
});

test('random documents hold everything that a document can hold, and the same seed gives the same one', () => {
  const documents = Array.from({ length: 200 }, (_, seed) => createDocument(schema, seed, ['ipp_0']));
  const all = documents.map(({ query }) => query).join('\n');
  const parts = [
    'fragment F',
    '... on ',
    '@include(if: $',
    '@skip(if: ',
    '__schema',
    '__type(',
    'mutation Main',
    ' = ',
    'a1: ',
  ];
  expect(parts.filter((part) => !all.includes(part))).toEqual([]);
  expect(createDocument(schema, 7, ['ipp_0'])).toEqual(documents[7]);
});
