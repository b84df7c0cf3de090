// People who have signed in, for tests that are not about how they do.

import { recordSignIn } from '../../src/areas/people/person-store.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import type { TestService } from './service.ts';

/** Puts a person on record, as a sign-in by a provider does, and returns the id. */
export function makePerson(
  { storage }: Pick<TestService, 'storage'>,
  accountId: string,
  providerId: string,
): Promise<string> {
  const described = { subject: 'amy-1', name: 'Amy', email: 'amy@example.com', groups: ['staff'] };
  const actingAs = () => storage.actingFor(accountId, commandLine);
  return recordSignIn(storage.forAccount(accountId), actingAs, providerId, described);
}
