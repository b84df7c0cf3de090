// Reads the audit trail. Events are written together with the changes they record, in `storage/objects/object-changes.ts`.

import { readJsonObject } from '../../domain/values/json.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { PageRequest, Row } from '../../storage/objects/collection.ts';
import { readsOf } from '../../storage/objects/collections.ts';
import { atVersions, keyOfVersion, type ObjectVersion, readStates } from '../../storage/trail/states.ts';
import { changesBetween, type FieldChange } from './rules.ts';

/** Read-only: the trail is written with the changes that it records. */
export const auditEvents = readsOf('AuditEvent');

/** Who made a change. */
export type Actor = Pick<Row<'AuditEvent'>, 'actor' | 'actorDescription'>;

/** Reads who made given versions of objects, in no particular order. Versions that the trail does not have are left out. */
export function readActors({ db }: AccountView, versions: readonly ObjectVersion[]) {
  return db.auditEvent.findMany({
    where: atVersions(versions),
    select: { objectId: true, version: true, actor: true, actorDescription: true },
  });
}

/**
 * Returns what an event changed.
 *
 * @param readBefore reads the state of the object at the previous version; null if the trail does not have it
 * @returns null if unknown
 */
export async function changesOf(
  { action, objectId, version, state }: Row<'AuditEvent'>,
  readBefore: (before: ObjectVersion) => Promise<string | null>,
): Promise<FieldChange[] | null> {
  if (action === 'refuse') return [];
  if (action === 'create') return changesBetween({}, readJsonObject(state));
  if (action === 'delete') return changesBetween(readJsonObject(state), {});
  const before = await readBefore({ objectId, version: version - 1 });
  return before === null ? null : changesBetween(readJsonObject(before), readJsonObject(state));
}

/** An event with what it changed. */
export type EventWithChanges = Row<'AuditEvent'> & { readonly changes: FieldChange[] | null };

/** Events read at a time. */
const pageSize = 50;

/** Reads the events whose ids are within the given bounds, oldest first, page by page. */
export async function* readTrail(
  scope: AccountView,
  { newerThan, olderThan }: Pick<PageRequest, 'newerThan' | 'olderThan'>,
): AsyncGenerator<EventWithChanges[]> {
  let after = newerThan;
  for (;;) {
    const request = { take: pageSize, backward: true, newerThan: after, olderThan };
    const { rows, more } = await auditEvents.page(scope, request, {});
    const events = rows.toReversed();
    const updates = events.filter(({ action }) => action === 'update');
    const before = updates.map(({ objectId, version }) => ({ objectId, version: version - 1 }));
    const found = before.length === 0 ? [] : await readStates(scope, before);
    const states = new Map(found.map((row) => [keyOfVersion(row), row.state]));
    const readBefore = async (version: ObjectVersion) => states.get(keyOfVersion(version)) ?? null;
    yield await Promise.all(events.map(async (event) => ({ ...event, changes: await changesOf(event, readBefore) })));
    after = events.at(-1)?.id;
    if (!more || after === undefined) return;
  }
}
