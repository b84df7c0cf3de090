// Restores webhooks to an earlier state.

import * as z from 'zod';
import { notesState, type Restorers, restorer } from '../../storage/objects/restoring.ts';
import { webhookFormats } from './formats.ts';
import { updateWebhook } from './store.ts';

const webhookState = notesState.extend({
  url: z.string(),
  // Earlier versions had one format.
  format: z.enum(webhookFormats).default('standard'),
  events: z.array(z.string()),
  objectIds: z.array(z.string()),
  enabled: z.boolean(),
});

export const restorers: Restorers = {
  Webhook: restorer(webhookState, {
    update: ({ scope }, { id, state }, expectedVersion) => updateWebhook(scope, { ...state, id, expectedVersion }),
    recreate: 'A deleted webhook cannot come back: its secret went with it. Create another one.',
  }),
};
