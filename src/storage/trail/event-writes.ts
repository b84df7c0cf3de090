// The writes of events, for the batches of changes.

import type { NewId } from '../../domain/values/ids.ts';
import type { Write } from '../objects/changes.ts';
import type { ChangeStatement } from '../objects/row-changer.ts';
import type { Origin } from './origin.ts';
import type { NewEvent, TouchedObject, Trail } from './trail.ts';

/** Prepares the writes of events. */
export interface EventWrites {
  /** Prepares the write of an event of an origin, by itself. */
  eventOfOrigin(accountId: string, origin: Origin): (object: NewEvent['object']) => Write;
  /** Prepares the writes of the events of the objects that a change of an origin touches. */
  eventsOfOrigin(accountId: string, origin: Origin): EventsOf;
}

/**
 * Prepares the writes of the events of objects.
 *
 * @param approver the second person who has approved the change; absent if it needed nobody
 */
export type EventsOf = (objects: readonly TouchedObject[], approver?: string) => Write[];

/** Names the second person beside whoever makes the change. Only people and their keys ask for approvals, so the first has a name. */
function approvedBy(origin: Origin, approver: string | undefined): Origin {
  if (approver === undefined) return origin;
  return { ...origin, actorDescription: `${origin.actorDescription ?? ''}, approved by ${approver}` };
}

/** Creates the preparation of a database. */
export function createEventWrites(trail: Trail, newId: NewId, now: () => Date): EventWrites {
  const newEventId = () => newId('AuditEvent');
  const writeOf = (statement: ChangeStatement): Write => ({ statement, read: () => ({}) });
  return {
    eventOfOrigin: (accountId, origin) => (object) =>
      writeOf(trail.event({ id: newEventId(), accountId, createdAt: now(), origin, object })),
    eventsOfOrigin: (accountId, origin) => (objects, approver) =>
      trail
        .events({ newId: newEventId, accountId, createdAt: now(), origin: approvedBy(origin, approver), objects })
        .map(writeOf),
  };
}
