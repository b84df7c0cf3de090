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
  eventsOfOrigin(accountId: string, origin: Origin): (objects: readonly TouchedObject[]) => Write[];
}

/** Creates the preparation of a database. */
export function createEventWrites(trail: Trail, newId: NewId, now: () => Date): EventWrites {
  const newEventId = () => newId('AuditEvent');
  const writeOf = (statement: ChangeStatement): Write => ({ statement, read: () => ({}) });
  return {
    eventOfOrigin: (accountId, origin) => (object) =>
      writeOf(trail.event({ id: newEventId(), accountId, createdAt: now(), origin, object })),
    eventsOfOrigin: (accountId, origin) => (objects) =>
      trail.events({ newId: newEventId, accountId, createdAt: now(), origin, objects }).map(writeOf),
  };
}
