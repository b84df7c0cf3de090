// The API keys of a person.

import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { Row } from '../../storage/objects/collection.ts';

/** Most keys that are listed of a person, and that a person makes. */
export const keysOfPersonMax = 100;

/** Reads the keys of a person, newest first. */
export function keysOfPerson({ db }: AccountView, personId: string): Promise<Row<'ApiKey'>[]> {
  return db.apiKey.findMany({ where: { personId }, orderBy: { id: 'desc' }, take: keysOfPersonMax });
}
