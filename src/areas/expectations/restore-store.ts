// Restores expectations to an earlier state.

import * as z from 'zod';
import { expectationKinds, expectedOutcomes } from '../../domain/access/expected.ts';
import { restrictionTypes } from '../../domain/ip/restriction-types.ts';
import { notesState, type Restorers, restorer } from '../../storage/objects/restoring.ts';
import { createExpectation, updateExpectation } from './store.ts';

const expectationState = notesState.extend({
  name: z.string(),
  kind: z.enum(expectationKinds),
  expected: z.enum(expectedOutcomes),
  address: z.string(),
  trafficType: z.enum([...restrictionTypes, '']).transform((type) => (type === '' ? null : type)),
  httpsEdgeId: z.string().nullable(),
  url: z.string(),
  method: z.string(),
  signedIn: z.boolean(),
  groups: z.array(z.string()),
  tlsEdgeId: z.string().nullable(),
  serverName: z.string(),
  logged: z.boolean().nullable(),
  hostName: z.string(),
  sshCertificateAuthorityId: z.string().nullable(),
});

export const restorers: Restorers = {
  Expectation: restorer(expectationState, {
    update: ({ scope }, { id, state: { kind: _, ...state } }, expectedVersion) =>
      updateExpectation(scope, { ...state, id, expectedVersion }, true),
    recreate: ({ scope }, { object, state }) => createExpectation(scope, state, object),
  }),
};
