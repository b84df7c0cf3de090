// Objects that one change addresses together.

import { invalid, notFound, SallyportError } from '../../domain/errors.ts';
import type { AccountScope } from './account-scope.ts';
import type { Addressed, Collection, ResourceModel, Row } from './collection.ts';
import { expectVersion } from './version-conflict.ts';

/**
 * Reads the objects that a change addresses, in order.
 *
 * @throws NOT_FOUND and VERSION_CONFLICT, with the field `objects[n]` if there are several, and INVALID_INPUT for one that is named twice
 */
export async function getAddressed<M extends ResourceModel>(
  { getMany }: Collection<M>,
  scope: AccountScope,
  objects: readonly Addressed[],
): Promise<Row<M>[]> {
  const ids = objects.map(({ id }) => id);
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (repeated !== -1) throw invalid(`objects[${repeated}].id`, 'names an object that comes before it in the list.');
  const found = await getMany(scope, ids);
  return objects.map(({ expectedVersion }, index) => {
    try {
      const object = found[index];
      if (object == null) throw notFound();
      expectVersion(expectedVersion, object.version);
      return object;
    } catch (error) {
      if (!(error instanceof SallyportError) || objects.length === 1) throw error;
      throw new SallyportError(error.code, error.message, { field: `objects[${index}]` });
    }
  });
}
