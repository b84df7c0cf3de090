// Restores tunnel-group backends to an earlier state.

import * as z from 'zod';
import { notesState, type Restorers, restorer } from '../../storage/objects/restoring.ts';
import { readLabels, targetTls } from './rules.ts';
import { columnsForCreate, tunnelGroupBackends, updateTunnelGroupBackend } from './store.ts';

const backendState = notesState.extend({
  labels: z.string().transform(readLabels),
  // Absent in events from before backends had targets.
  targets: z.array(z.string()).default([]),
  tls: z.enum(targetTls).default('passthrough'),
});

export const restorers: Restorers = {
  TunnelGroupBackend: restorer(backendState, {
    update: ({ scope }, { id, state }, expectedVersion) =>
      updateTunnelGroupBackend(scope, { ...state, id, expectedVersion }),
    recreate: ({ scope }, { object, state }) => tunnelGroupBackends.create(scope, columnsForCreate(state), { object }),
  }),
};
