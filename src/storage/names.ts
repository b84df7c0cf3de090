// By what messages name objects of which only the id is known, and which may have been deleted.

import { isJsonObject } from '../domain/json.ts';
import type { Nameable } from '../domain/wording.ts';
import type { AccountView } from './account-scope.ts';

/** Returns by what messages name the object with an id. */
export type NameableOf = (id: string) => Nameable;

/**
 * Finds by what messages name objects: those that exist by what they are called now, deleted ones by what the trail last called
 * them.
 *
 * @param ids those that are named
 * @param known the objects that exist
 */
export async function findNameables(
  { db }: AccountView,
  ids: readonly string[],
  known: readonly Nameable[] = [],
): Promise<NameableOf> {
  const objects = new Map(known.map((one) => [one.id, one]));
  const gone = [...new Set(ids)].filter((id) => !objects.has(id));
  const deletions =
    gone.length === 0
      ? []
      : await db.auditEvent.findMany({
          where: { objectId: { in: gone }, action: 'delete' },
          orderBy: { version: 'asc' },
          select: { objectId: true, state: true },
        });
  for (const { objectId: id, state } of deletions) {
    const last: unknown = JSON.parse(state);
    const { description, match } = isJsonObject(last) ? last : {};
    objects.set(id, {
      id,
      description: typeof description === 'string' ? description : '',
      ...(typeof match === 'string' ? { match } : {}),
    });
  }
  return (id) => objects.get(id) ?? { id, description: '' };
}
