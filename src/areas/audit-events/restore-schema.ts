// Restores objects to an earlier state, in GraphQL.

import { changeMutation } from '../../graphql/kit/change-mutation.ts';
import { expectedVersionInput, forceInput } from '../../graphql/kit/resource.ts';
import { answersAgain } from '../../graphql/wrappers/change-once.ts';
import { demandToWrite, forEveryKey, needs } from '../../graphql/wrappers/rights.ts';
import { paceOf } from '../../load/answer-slices.ts';
import { entriesOfWrittenRow, queryCostMax } from '../../load/limits.ts';
import { readLastEvent, restoreObject } from './restore-store.ts';
import { auditEvents } from './store.ts';

/** The restored object. */
interface Restored {
  readonly objectId: string;
  readonly version: number;
}

/**
 * Cost of a restoration. Together with any part of its answer, that is more than half of what a document may ask for. Only the
 * event shows how much comes back: at most 1,000 rules of a policy, or 100 routes of an edge, each with a key to generate. What an
 * object has besides is counted once it is known (`writes`).
 */
const restorationCost = queryCostMax / 2;

changeMutation('restoreObject', {
  description:
    'Restores an object to its state after the change of an audit event, or before it if that was its deletion. A deleted ' +
    'object comes back under its identifier, with the parts deleted with it, such as the rules of an IP policy. Secrets, which ' +
    'the trail does not hold, keep their current values; an object that would lack its secret cannot be restored. A document ' +
    'can contain one restoration. Also needs write access to the area of the object.',
  cost: restorationCost,
  extensions: {
    ...needs('audit-events:read'),
    // A repeated request is answered with the current object.
    ...answersAgain(async ({ id: objectId }, context, info): Promise<Restored> => {
      const { kind, version } = await readLastEvent(context.scope, objectId);
      demandToWrite(context, info, kind, 'object');
      return { objectId, version };
    }),
  },
  input: (t) => ({
    eventId: t.id({ required: true, description: 'The audit event with the state to restore.' }),
    expectedVersion: expectedVersionInput(t, 'object'),
    ...forceInput(t),
  }),
  resolve: async ({ eventId, expectedVersion, force }, context, info): Promise<Restored> => {
    const { scope, clientAddress, traffic, refuseLockout, signal, identity } = context;
    const event = await auditEvents.get(scope, eventId);
    demandToWrite(context, info, event.kind, 'object');
    const lockout = force === true ? null : { address: clientAddress, traffic, refuseByPolicy: refuseLockout };
    const writes = (rows: number) => paceOf(context).looked?.(rows * entriesOfWrittenRow);
    const version = await restoreObject(
      { scope, trail: scope, lockout, rights: identity.rights, personId: identity.personId, writes, signal: signal() },
      event,
      expectedVersion,
    );
    return { objectId: event.objectId, version };
  },
  answer: (t) => ({
    object: t.node({
      description: 'The object as it is now; null if somebody has deleted it again.',
      // A caller that may change the object may read it.
      extensions: forEveryKey,
      id: ({ objectId }) => objectId,
    }),
    event: t.field({
      type: 'AuditEvent',
      nullable: true,
      description: 'The audit event of the restoration; if parts were restored too, that of the whole object.',
      resolve: ({ objectId, version }, _args, { scope: { db } }) =>
        db.auditEvent.findFirst({ where: { objectId, version } }),
    }),
  }),
});
