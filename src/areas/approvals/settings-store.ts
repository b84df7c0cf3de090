// Whether an account asks for a second person.

import { lockout, SallyportError } from '../../domain/errors.ts';
import { isDuplicate } from '../../storage/errors.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, Row } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';

const settings = collectionOf('ApprovalSettings');

/** Reads the settings; null if nobody has ever changed them. */
export function readSettings({ db }: AccountView): Promise<Row<'ApprovalSettings'> | null> {
  return db.approvalSettings.findFirst({});
}

/** Returns whether the account asks for a second person. Read each time: another server may just have switched it on. */
export async function isRequired(scope: AccountView): Promise<boolean> {
  return (await readSettings(scope))?.required === true;
}

interface Switching {
  /** The person; absent for an API key of the account. */
  readonly personId?: string | undefined;
  /** Whether to switch it on although nobody else could approve anything. */
  readonly force: boolean;
  readonly expectedVersion?: ExpectedVersion;
}

/**
 * Has changes wait for a second person, or not any more.
 *
 * @param by who switches; null for the operator
 * @throws FORBIDDEN for an API key that switches it on; LOCKOUT if there is nobody else who could approve, unless forced;
 *   APPROVAL_REQUIRED to switch it off; VERSION_CONFLICT
 */
export async function setRequired(
  scope: AccountScope,
  required: boolean,
  by: Switching | null,
): Promise<Row<'ApprovalSettings'>> {
  const before = await readSettings(scope);
  if (required && before?.required !== true && by !== null) await refuseAlone(scope, by);
  if (before !== null) return settings.update(scope, before.id, { required }, by?.expectedVersion ?? before.version);
  try {
    return await settings.create(scope, { required });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return setRequired(scope, required, by);
  }
}

/** Refuses what nobody could take back but the operator. */
async function refuseAlone({ accountId, credentials }: AccountView, { personId, force }: Switching): Promise<void> {
  if (personId === undefined) {
    throw new SallyportError(
      'FORBIDDEN',
      'Only a person can switch it on, in the dashboard or by a personal API key: other keys could not switch it off again.',
    );
  }
  if (force) return;
  for (const [id, { rights }] of await credentials.rightsOfPeople(accountId)) {
    if (id !== personId && rights.has('approvals:write') && rights.has('people:write')) return;
  }
  throw nobodyElse();
}

/** Returns the error for having changes wait for a second person where there is none. */
export function nobodyElse(): SallyportError {
  return lockout('Nobody else who has signed in may approve changes of rights: nobody could switch it off again.');
}
