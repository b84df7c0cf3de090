// Restores API keys to an earlier state.

import { notesState, type Restorers, restorer } from '../../storage/objects/restoring.ts';
import { apiKeys } from './store.ts';

export const restorers: Restorers = {
  ApiKey: restorer(notesState, {
    update: ({ scope }, { id, state }, expectedVersion) =>
      apiKeys.updateNotes(scope, { ...state, id, expectedVersion }),
    recreate: 'A revoked API key cannot come back: what its token is recognized by went with it. Create another key.',
  }),
};
