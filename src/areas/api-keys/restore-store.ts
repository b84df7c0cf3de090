// Restores API keys to an earlier state.

import { apiKeys } from '../../storage/collections.ts';
import { notesState, restorer } from '../../storage/restoring.ts';

export const apiKeyRestorers = {
  ApiKey: restorer(notesState, {
    update: ({ scope }, { id, state }, expectedVersion) =>
      apiKeys.updateNotes(scope, { ...state, id, expectedVersion }),
    recreate: 'A revoked API key cannot come back: what its token is recognized by went with it. Create another key.',
  }),
};
