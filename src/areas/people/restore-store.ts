// Restores roles and people to an earlier state. What a sign-in provider says is checked with the provider, so it is changed by hand.

import * as z from 'zod';
import { readScopes } from '../../domain/access/key-scopes.ts';
import { SallyportError } from '../../domain/errors.ts';
import { notesState, type Restorers, restorer } from '../../storage/objects/restoring.ts';
import { setBlocked } from './person-store.ts';
import { createRole, updateRole } from './role-store.ts';

const roleState = notesState.extend({ name: z.string(), scopes: z.string().transform(readScopes) });
const personState = z.object({ blocked: z.boolean() });

export const restorers: Restorers = {
  Role: restorer(roleState, {
    update: ({ scope, rights }, { id, state }, expectedVersion) =>
      updateRole(scope, { ...state, id, expectedVersion }, { rights }),
    recreate: ({ scope, rights }, { object, state }) => createRole(scope, state, { rights }, object),
  }),
  Person: restorer(personState, {
    update: ({ scope, rights }, { id, state }, expectedVersion) =>
      setBlocked(scope, id, state.blocked, rights, expectedVersion),
    recreate: 'A person comes back by signing in.',
  }),
  SignInProvider: restorer(notesState, {
    update: () => {
      throw new SallyportError(
        'INVALID_INPUT',
        'names an event of a sign-in provider, which is asked with each change: change it by hand to what the event shows.',
        { field: 'eventId' },
      );
    },
    recreate: 'A deleted sign-in provider cannot come back: its client secret went with it. Create another one.',
  }),
};
