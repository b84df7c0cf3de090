// Restores IP restrictions to an earlier state.

import * as z from 'zod';
import { restrictionTypes } from '../../domain/ip/restriction-types.ts';
import { notesState, type Restorers, restorer } from '../../storage/objects/restoring.ts';
import { refuseLockoutByRestriction } from './lockout-store.ts';
import { createIpRestriction, updateIpRestriction } from './store.ts';

const restrictionState = notesState.extend({
  type: z.enum(restrictionTypes),
  enforced: z.boolean(),
  policyRefs: z.array(z.string()),
});

export const restorers: Restorers = {
  IpRestriction: restorer(restrictionState, {
    async update({ scope, lockout }, { id, state: { policyRefs: ipPolicyIds, ...state } }, expectedVersion) {
      const { enforced } = state;
      if (lockout !== null) await refuseLockoutByRestriction(scope, lockout, { id, enforced, ipPolicyIds });
      return updateIpRestriction(scope, { ...state, ipPolicyIds, id, expectedVersion });
    },
    async recreate({ scope, lockout }, { object, state: { policyRefs: ipPolicyIds, ...state } }) {
      const { type, enforced } = state;
      if (lockout !== null) await refuseLockoutByRestriction(scope, lockout, { type, enforced, ipPolicyIds });
      return createIpRestriction(scope, { ...state, ipPolicyIds }, object);
    },
  }),
};
