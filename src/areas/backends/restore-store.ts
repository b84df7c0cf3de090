// Restores tunnel-group backends to an earlier state.

import * as z from 'zod';
import { notesForCreate } from '../../domain/values/text.ts';
import { notesState, type Restorers, restorer } from '../../storage/objects/restoring.ts';
import { readLabels, writeLabels } from './rules.ts';
import { tunnelGroupBackends, updateTunnelGroupBackend } from './store.ts';

const backendState = notesState.extend({ labels: z.string() });

export const restorers: Restorers = {
  TunnelGroupBackend: restorer(backendState, {
    update: ({ scope }, { id, state }, expectedVersion) =>
      updateTunnelGroupBackend(scope, { ...state, labels: readLabels(state.labels), id, expectedVersion }),
    recreate: ({ scope }, { object, state }) =>
      tunnelGroupBackends.create(
        scope,
        { labels: writeLabels(readLabels(state.labels)), ...notesForCreate(state) },
        { object },
      ),
  }),
};
