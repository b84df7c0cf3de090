// Reads from the trail what one request has changed, and what undoing it does to each object.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { SallyportError } from '../../domain/errors.ts';
import { idBoundAt, momentOfId } from '../../domain/values/ids.ts';
import { type JsonObject, readJsonObject } from '../../domain/values/json.ts';
import { groupBy } from '../../domain/values/maps.ts';
import { called } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { storedObjectsMax } from '../../storage/objects/drafted-changes.ts';
import { nameableIn } from '../../storage/objects/names.ts';
import { parentColumns } from '../../storage/objects/object-state.ts';
import { type DeletedObject, deletedObject } from '../../storage/objects/restoring.ts';
import { keyOfVersion, readStates } from '../../storage/trail/states.ts';
import { nounOf } from '../nouns.ts';

/** What undoing a request does to an object; `release` lets it belong to no document again, and is all that it does. */
export type UndoAction = 'create' | 'update' | 'delete' | 'release';

/** An object that a request has changed, and what undoing that does to it. */
export interface UndoneObject {
  readonly action: UndoAction;
  readonly kind: string;
  readonly id: string;
  /** Its name in messages: `"office"`. */
  readonly name: string;
  /** How messages begin with it: `The IP policy "office"`. */
  readonly title: string;
  /** Its version since the request. */
  readonly version: number;
  /** The object that it is a part of; null if it is none. */
  readonly parentId: string | null;
  /** Whether it comes back, or is deleted, with that. */
  readonly isWithWhole: boolean;
  /** What it was before the request; null if it was not there. */
  readonly state: JsonObject | null;
  /** How it was deleted; null if it was not. */
  readonly deleted: DeletedObject<unknown> | null;
}

/** The events of a request are from before it began, by the clock of another server, until it has certainly ended, in milliseconds. */
const earlierMs = 60_000;
const laterMs = 15 * 60_000;

/** Events that are read at once, and states. */
const eventsAtOnce = 200;
const statesAtOnce = 50;
/** Most bytes of states that are held. */
const bytesMax = 64 * 2 ** 20;

type Event = Row<'AuditEvent'>;

/**
 * Reads what a request has changed, the last change first.
 *
 * @returns nothing if it has changed nothing that the trail still has
 * @throws CHANGED_SINCE if an object has changed since; NOT_RESTORABLE
 *   if the trail does not have what an object was; QUERY_TOO_COMPLEX for more objects than are stored together
 */
export async function readUndone(scope: AccountView, requestId: string, signal: AbortSignal): Promise<UndoneObject[]> {
  const events = await readEvents(scope, requestId, signal);
  const eventsOf = groupBy(events, ({ objectId }) => objectId);
  const ends = [...eventsOf.values()].flatMap((own) => {
    const [first, last] = [own[0], own.at(-1)];
    return first === undefined || last === undefined ? [] : [{ first, last }];
  });
  await refuseChangedSince(
    scope,
    ends.map(({ last }) => last),
  );
  const states = await readEarlier(
    scope,
    ends.map(({ first }) => first),
  );
  const partsOfWholes = groupBy(
    ends.filter(({ first, last }) => first.action !== 'create' && last.action === 'delete'),
    ({ last }) => wholeOf(last) ?? '',
  );
  const undone = ends.flatMap(({ first, last }): UndoneObject[] => {
    const isNew = first.action === 'create';
    if (isNew && last.action === 'delete') return [];
    const id = last.objectId;
    const whole = wholeOf(last);
    const ofWhole = whole === null ? undefined : eventsOf.get(whole);
    const isWithWhole = isNew ? ofWhole?.[0]?.action === 'create' : ofWhole?.at(-1)?.action === last.action;
    const state = first.action === 'delete' ? readJsonObject(first.state) : (states.get(id) ?? null);
    const title = titleOf(last);
    if (!isNew && state === null) throw notRestorable(`${title} cannot be put back: the trail holds no earlier state.`);
    return [
      {
        action: isNew ? 'delete' : last.action === 'delete' ? 'create' : 'update',
        kind: last.kind,
        id,
        name: nameOf(last),
        title,
        version: last.version,
        parentId: whole,
        isWithWhole: isWithWhole && (isNew || last.action === 'delete'),
        state: isNew ? null : state,
        deleted:
          last.action === 'delete'
            ? deletedObject(
                last,
                (partsOfWholes.get(id) ?? []).map((part) => deletedObject(part.last)),
              )
            : null,
      },
    ];
  });
  return undone.reverse();
}

/** Reads the events of a request, oldest first. */
async function readEvents(scope: AccountView, requestId: string, signal: AbortSignal): Promise<Event[]> {
  const events: Event[] = [];
  let bytes = 0;
  const objects = new Set<string>();
  for await (const page of pagesOfRequest(scope, requestId, signal)) {
    for (const event of page) {
      bytes += event.state.length;
      if (event.action !== 'delete' || wholeOf(event) === null) objects.add(event.objectId);
    }
    if (objects.size > storedObjectsMax || bytes > bytesMax) {
      throw new SallyportError(
        'QUERY_TOO_COMPLEX',
        `The request has changed more than ${storedObjectsMax} objects, or ${bytesMax} bytes of them: too many to undo together. Restore them one by one, from their events in the audit trail.`,
      );
    }
    events.push(...page);
  }
  return events;
}

/**
 * Reads the events of a request in the order of their ids, some in each turn of the event loop. No index has the requests of events,
 * and so all events of the time are looked at: a few with each statement, however many of others are between them.
 */
async function* pagesOfRequest({ db }: AccountView, requestId: string, signal: AbortSignal): AsyncGenerator<Event[]> {
  const moment = momentOfId(requestId).getTime();
  const lt = idBoundAt('AuditEvent', new Date(moment + laterMs));
  for (let gt = idBoundAt('AuditEvent', new Date(moment - earlierMs)); ; ) {
    const heads = await db.auditEvent.findMany({
      where: { id: { gt, lt } },
      select: { id: true, requestId: true, action: true },
      orderBy: { id: 'asc' },
      take: eventsAtOnce,
    });
    const ids = heads.flatMap((head) => (head.requestId === requestId && head.action !== 'refuse' ? head.id : []));
    if (ids.length > 0) yield await db.auditEvent.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
    const last = heads.at(-1);
    if (last === undefined || heads.length < eventsAtOnce) return;
    gt = last.id;
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** Throws CHANGED_SINCE if an object has an event after those of the request. */
async function refuseChangedSince({ db }: AccountView, lasts: readonly Event[]): Promise<void> {
  for (let start = 0; start < lasts.length; start += eventsAtOnce) {
    const some = lasts.slice(start, start + eventsAtOnce);
    const newest = await db.auditEvent.groupBy({
      by: ['objectId'],
      where: { objectId: { in: some.map(({ objectId }) => objectId) } },
      _max: { version: true },
    });
    const versions = new Map(newest.map(({ objectId, _max }) => [objectId, _max.version]));
    const changed = some.find(({ objectId, version }) => versions.get(objectId) !== version);
    if (changed !== undefined) throw changedSince(titleOf(changed));
    await nextTurn();
  }
}

/** Returns the error for a request that cannot be undone because an object has changed since. */
export function changedSince(title: string): SallyportError {
  return new SallyportError(
    'CHANGED_SINCE',
    `${title} has changed since the request. Nothing was undone. Undo the later change first, or restore single objects from their events in the audit trail.`,
  );
}

/** Reads what objects were before their first events, by their ids. */
async function readEarlier(scope: AccountView, firsts: readonly Event[]): Promise<Map<string, JsonObject>> {
  const versions = firsts
    .filter(({ action }) => action === 'update')
    .map(({ objectId, version }) => ({ objectId, version: version - 1 }));
  const wanted = new Set(versions.map(keyOfVersion));
  const states = new Map<string, JsonObject>();
  for (let start = 0; start < versions.length; start += statesAtOnce) {
    for (const row of await readStates(scope, versions.slice(start, start + statesAtOnce))) {
      if (wanted.has(keyOfVersion(row))) states.set(row.objectId, readJsonObject(row.state));
    }
    await nextTurn();
  }
  return states;
}

/** Returns the object that the object of an event is a part of; null if it is none. */
function wholeOf({ kind, state }: Event): string | null {
  const parent = parentColumns.get(kind);
  return parent === undefined ? null : String(readJsonObject(state)[parent]);
}

function titleOf(event: Event): string {
  return `The ${nounOf(event.kind)} ${nameOf(event)}`;
}

function nameOf({ objectId, state }: Event): string {
  return called(nameableIn(objectId, readJsonObject(state)));
}

/** Throws CHANGED_SINCE if a draft has deleted more than is undone: parts of new objects that another request has made. */
export async function refuseOtherDeletions(
  draft: AccountView,
  objects: readonly UndoneObject[],
  signal: AbortSignal,
): Promise<void> {
  const known = new Map(objects.map((object) => [object.id, object]));
  for (let gt = ''; ; ) {
    const page = await draft.db.auditEvent.findMany({
      where: { action: 'delete', id: { gt } },
      orderBy: { id: 'asc' },
      take: eventsAtOnce,
    });
    const other = page.find(({ objectId }) => !known.has(objectId));
    if (other !== undefined) throw changedSince(known.get(wholeOf(other) ?? '')?.title ?? titleOf(other));
    const last = page.at(-1);
    if (last === undefined || page.length < eventsAtOnce) return;
    gt = last.id;
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** Returns the error for what cannot come back. */
export function notRestorable(message: string): SallyportError {
  return new SallyportError('NOT_RESTORABLE', message);
}
