// The people whose keys and sessions there are: objects of another area.

import { batched, readRows } from '../../graphql/kit/batch.ts';
import type { Context } from '../../graphql/kit/context.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { readsOf } from '../../storage/objects/collections.ts';

const people = readsOf('Person');

/** Loads a person, batched with those of other objects of a list; null for none. */
export async function loadPerson(context: Context, personId: string | null): Promise<Row<'Person'> | null> {
  if (personId === null) return null;
  const load = (ids: readonly string[]) => readRows(people, ids, context);
  return batched(context, 'people of keys and sessions', load).load(personId);
}
