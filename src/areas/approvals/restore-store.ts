// Restores what an account asks for. Requests do not come back: whoever wants a change asks again.

import * as z from 'zod';
import { type Restorers, restorer } from '../../storage/objects/restoring.ts';
import { setRequired } from './settings-store.ts';

export const restorers: Restorers = {
  ApprovalSettings: restorer(z.object({ required: z.boolean() }), {
    update: ({ scope, personId, lockout }, { state: { required } }, expectedVersion) =>
      setRequired(scope, required, { personId, force: lockout === null, expectedVersion }),
    recreate: 'They are never deleted.',
  }),
};
