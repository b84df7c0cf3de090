// People in the database. Nobody is invited: whoever signs in and has a role is on record from then on.

import { nameOfPerson, type RoleMapping } from '../../domain/access/roles.ts';
import { lockout, SallyportError } from '../../domain/errors.ts';
import type { Vouched } from '../../domain/gate/login.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { truncateText } from '../../domain/values/text.ts';
import { isDuplicate } from '../../storage/errors.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, Row, Write } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { storeRecords } from '../../storage/objects/records.ts';
import { awaitSecondPerson } from '../../storage/objects/second-person.ts';
import { refuseMore } from './giving.ts';
import { type Giver, readProviders, scopesOfPerson } from './role-store.ts';
import { groupsToKeep } from './rules.ts';

export const people = collectionOf('Person');

const textBytesMax = 320;

/** A person as the provider describes one, in texts that can be stored. */
export interface DescribedPerson extends Readonly<Record<'subject' | 'name' | 'email', string>> {
  readonly groups: readonly string[];
}

/** Removes what databases refuse: NUL, and halves of surrogate pairs. */
const cleaned = (text: string) => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '');

/** Reads what a provider says about a person. */
export function describePerson(
  { user, name, email, groups }: Vouched,
  mappings: readonly RoleMapping[],
): DescribedPerson {
  return {
    subject: storable(user),
    name: storable(name ?? ''),
    email: storable(email ?? ''),
    groups: groupsToKeep(
      groups.filter((group) => cleaned(group) === group),
      mappings,
    ),
  };
}

/** Cuts text to what a column takes, without what databases refuse. */
function storable(text: string): string {
  return truncateText(cleaned(text), textBytesMax);
}

/** Finds the person whom a provider calls by a subject; null if nobody of that name has signed in before. */
export function findPerson({ db }: AccountView, providerId: string, subject: string): Promise<Row<'Person'> | null> {
  return db.person.findFirst({ where: { providerId, subjectHash: hashOf(subject) } });
}

/**
 * Records that a person has signed in, and what the provider says now.
 *
 * @param actingAs returns the scope in which a person acts
 * @returns the id of the person
 */
export async function recordSignIn(
  scope: AccountView,
  actingAs: (personId: string, name: string) => AccountScope,
  providerId: string,
  { subject, name, email, groups }: DescribedPerson,
): Promise<string> {
  const now = scope.now();
  const said = { name, email, groups: [...groups] };
  const saidText = [name, email, groups.join('\n')].join('\n');
  const times = { signedInAt: now, lastSeenAt: now };
  const actorName = nameOfPerson({ subject, name, email });
  const known = await findPerson(scope, providerId, subject);
  if (known !== null) {
    const acting = actingAs(known.id, actorName);
    const isSame = [known.name, known.email, readTextList(known.groups).join('\n')].join('\n') === saidText;
    if (isSame) await storeRecords(acting, people.prepareUpdate(acting, { id: known.id }, times));
    else await people.update(acting, known.id, { ...said, ...times }, null);
    scope.credentials.forgetPeople();
    return known.id;
  }
  const object = { id: scope.newId('Person'), createdAt: now };
  const columns = { providerId, subject, subjectHash: hashOf(subject), ...said, ...times };
  try {
    await people.create(actingAs(object.id, actorName), columns, { object });
    return object.id;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // The same person has signed in elsewhere meanwhile.
    return recordSignIn(scope, actingAs, providerId, { subject, name, email, groups });
  }
}

/**
 * Keeps a person out, or lets the person in again: at once, with all sessions, streams and personal keys. The sessions end for good,
 * because somebody else may have one of them.
 *
 * @param giver who does it
 * @throws LOCKOUT for oneself, and for the last one who could undo it in the dashboard; FORBIDDEN for a person who may more than the
 *   caller; and as `collection.update`
 */
export async function setBlocked(
  scope: AccountScope,
  id: string,
  blocked: boolean,
  { rights, personId, force }: Giver,
  expectedVersion: ExpectedVersion = null,
): Promise<Row<'Person'>> {
  if (blocked && id === personId) {
    throw new SallyportError('LOCKOUT', 'It is you yourself who would be kept out. Ask somebody else.');
  }
  refuseMore(undefined, await scopesOfPerson(scope, await people.get(scope, id)), rights);
  // It gives somebody rights. Who must be kept out is kept out at once.
  if (!blocked) await awaitSecondPerson(scope, { model: 'Person', id, action: 'update' });
  const following = blocked ? [collectionOf('DashboardSession').prepareRemoveAlong(scope, { personId: id })] : [];
  const { forgetPeople } = scope.credentials;
  return unlessOvertaken(async () => {
    const alongside = blocked && force !== true ? await keepSomebody(scope, id) : [];
    return people.update(scope, id, { blocked }, expectedVersion, { alongside, following, acknowledged: forgetPeople });
  });
}

/**
 * Refuses to keep out the last of the people who have signed in who can change that, while API keys do not sign in to the dashboard.
 *
 * @returns the write that goes alongside: it fails (`isMissingRow`) if the one who remains is kept out meanwhile
 * @throws LOCKOUT
 */
async function keepSomebody(scope: AccountScope, id: string): Promise<Write[]> {
  const refusing = (await readProviders(scope)).find(({ enabled, refusesKeys }) => enabled && refusesKeys);
  if (refusing === undefined) return [];
  const known = await scope.credentials.rightsOfPeople(scope.accountId);
  const useful = [...known].filter(([, { rights }]) => rights.has('people:write')).map(([each]) => each);
  if (!useful.includes(id)) return [];
  const other = useful.find((each) => each !== id);
  if (other !== undefined) return [people.prepareUpdate(scope, { id: other, blocked: false }, { blocked: false })];
  throw lockout(
    `Nobody who has signed in could undo it in the dashboard: "${refusing.name}" keeps API keys out, and nobody else has a role with ` +
      '"people:write". Let keys in there first, or have somebody else with such a role sign in.',
  );
}
