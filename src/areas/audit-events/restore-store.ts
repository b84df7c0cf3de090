// Restores objects to an earlier state. How each kind is restored is defined in its area (`storage/objects/restoring.ts`).

import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import { SallyportError } from '../../domain/errors.ts';
import { isKind } from '../../domain/values/ids.ts';
import { readJsonObject } from '../../domain/values/json.ts';
import { called } from '../../domain/wording.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, Row } from '../../storage/objects/collection.ts';
import { nameableIn } from '../../storage/objects/names.ts';
import { partsOf } from '../../storage/objects/object-state.ts';
import {
  deletedObject,
  namingMissing,
  type Restorer,
  type Restorers,
  type Restoring,
} from '../../storage/objects/restoring.ts';
import { expectVersion } from '../../storage/objects/version-conflict.ts';
import { idsOfPartEvents } from '../../storage/trail/trail.ts';
import { nounOf } from '../nouns.ts';
import { loadParts } from '../parts.ts';

/** One at a time per account: an edge with 100 routes and 20,000 references to policies takes 0.2 s of CPU time (measured on SQLite). */
const sharing = { atOnce: 4, atOnceOfOwner: 1, waitingMax: 50 };
const restorations = createWorkQueue(sharing);
/** A separate queue for restorations that may generate keys: an edge may need 100, which takes tens of seconds. */
const withKeys = createWorkQueue(sharing);

/** The restorers of all kinds of objects that can be restored. */
export const restorers: Restorers = Object.assign({}, ...(await loadParts('restorers')).map((part) => part.restorers));

/** Maximum number of attempts to restore an object that other requests change at the same time. */
const attemptsMax = 10;

/**
 * Restores an object to the state recorded by an event: the state after the change, or before a deletion. An object that has been
 * deleted since is recreated under its id, with the parts that were deleted with it.
 *
 * @returns the version of the object after the restoration
 * @throws NOT_RESTORABLE for an object that cannot be restored, VERSION_CONFLICT, LOCKOUT, UNAVAILABLE if too many requests change
 *   the object or too many restorations are waiting, and the errors of conflicts with the current data, such as UNKNOWN_REFERENCE
 *   and DUPLICATE
 */
export async function restoreObject(
  restoring: Restoring,
  event: Row<'AuditEvent'>,
  expectedVersion: ExpectedVersion,
): Promise<number> {
  const restorer = isKind(event.kind) ? restorers[event.kind] : undefined;
  if (restorer === undefined) throw notRestorable(`Nothing of the kind ${event.kind} can be put back.`);
  const work = () => restoreAgain(restoring, restorer, event, expectedVersion);
  const queue = restorer.generatesKeys ? withKeys : restorations;
  return queue.run(restoring.scope.accountId, work, restoring.signal);
}

/** Restores an object, and retries if another request has changed it in the meantime. */
async function restoreAgain(
  restoring: Restoring,
  restorer: Restorer,
  event: Row<'AuditEvent'>,
  expectedVersion: ExpectedVersion,
): Promise<number> {
  const { scope } = restoring;
  let last = await readLastEvent(scope, event.objectId);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await namingMissing(
        restoring.trail,
        () => `The ${nounOf(event.kind)} ${called(nameableIn(event.objectId, readJsonObject(event.state)))}`,
        () => restoreFrom(restoring, restorer, event, last, expectedVersion),
      );
    } catch (error) {
      // Retry only if another request has changed, recreated or deleted the object.
      const now = await readLastEvent(scope, event.objectId);
      if (now.version === last.version) throw error;
      if (attempt === attemptsMax) {
        throw new SallyportError('UNAVAILABLE', 'Too many requests change this object. Retry in a few seconds.');
      }
      last = now;
    }
  }
}

async function restoreFrom(
  restoring: Restoring,
  { update, recreate }: Restorer,
  event: Row<'AuditEvent'>,
  last: Row<'AuditEvent'>,
  expectedVersion: ExpectedVersion,
): Promise<number> {
  const state = readJsonObject(event.state);
  if (last.action !== 'delete') {
    return (await update(restoring, { id: event.objectId, state }, expectedVersion)).version;
  }
  if (typeof recreate === 'string') throw notRestorable(recreate);
  expectVersion(expectedVersion, last.version);
  const parts = await readParts(restoring.scope, last);
  return (await recreate(restoring, { ...deletedObject(last), state, parts })).version;
}

/** Reads the last event of an object, which shows whether the object exists, and its version. */
export async function readLastEvent({ db }: AccountScope, objectId: string): Promise<Row<'AuditEvent'>> {
  return db.auditEvent.findFirstOrThrow({ where: { objectId }, orderBy: { version: 'desc' } });
}

/** Reads the parts that were deleted with an object, given the event of its deletion. */
async function readParts({ db }: AccountScope, { id, kind, objectId }: Row<'AuditEvent'>) {
  const kinds = partsOf(kind);
  if (kinds.length === 0) return [];
  const events = await db.auditEvent.findMany({
    where: { id: idsOfPartEvents(id), action: 'delete', kind: { in: kinds.map(({ model }) => model) } },
    orderBy: { id: 'asc' },
  });
  const parents = new Map(kinds.map(({ model, parent }) => [model, parent]));
  return events
    .filter((event) => readJsonObject(event.state)[parents.get(event.kind) ?? ''] === objectId)
    .map((event) => deletedObject(event));
}

function notRestorable(message: string): SallyportError {
  return new SallyportError('NOT_RESTORABLE', message);
}
