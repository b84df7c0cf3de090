// Restores API keys to an earlier state.

import { notesRestorer, type Restorers } from '../../storage/objects/restoring.ts';
import { apiKeys } from './store.ts';

export const restorers: Restorers = {
  ApiKey: notesRestorer(
    apiKeys,
    'A revoked API key cannot come back: what its token is recognized by went with it. Create another key.',
  ),
};
