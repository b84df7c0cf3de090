// By what messages name objects of which only the id is known, and which may have been deleted.

import { isJsonObject } from '../../domain/values/json.ts';
import type { Nameable } from '../../domain/wording.ts';
import type { AccountView } from './account-scope.ts';

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
  // One at a time, and the last event alone: an object may have been deleted and restored any number of times.
  for (const id of new Set(ids)) {
    if (objects.has(id)) continue;
    const deletion = await db.auditEvent.findFirst({
      where: { objectId: id, action: 'delete' },
      orderBy: { version: 'desc' },
      select: { state: true },
    });
    if (deletion === null) continue;
    objects.set(id, nameableIn(id, JSON.parse(deletion.state)));
  }
  return (id) => objects.get(id) ?? { id, description: '' };
}

/** Returns by what messages name an object, given a state of it, such as that in the event of its deletion. */
export function nameableIn(id: string, last: unknown): Nameable {
  const { description, match, cidr, address, hostports, principals } = isJsonObject(last) ? last : {};
  return {
    id,
    description: typeof description === 'string' ? description : '',
    ...(typeof match === 'string' ? { match } : {}),
    ...(typeof cidr === 'string' ? { cidr } : {}),
    ...(typeof address === 'string' ? { address } : {}),
    ...(isTextList(hostports) ? { hostports } : {}),
    ...(isTextList(principals) ? { principals } : {}),
  };
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
