// IP restrictions in the database.

import { SallyportError } from '../../domain/errors.ts';
import type { RestrictionType } from '../../domain/ip/restriction-types.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { policyRefsTo } from '../../storage/ip/policy-references.ts';
import { type AccountScope, forced } from '../../storage/objects/account-scope.ts';
import { countedUp, type ExpectedVersion, type NewObject, type Row } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { asGiven, newestFirst } from '../../storage/objects/inner-lists.ts';
import { records } from '../../storage/objects/records.ts';

export const ipRestrictions = collectionOf('IpRestriction');
export const ipPolicyRules = collectionOf('IpPolicyRule');
export const ipPolicySources = collectionOf('IpPolicySource');
const policyRefs = records('IpRestrictionPolicy');

/**
 * Creates an IP restriction.
 *
 * @param object the identity of the restriction; a new one unless given
 * @throws INVALID_INPUT, and UNKNOWN_REFERENCE for a policy that does not belong to this account
 */
export async function createIpRestriction(
  scope: AccountScope,
  input: Notes & { type: RestrictionType; enforced?: boolean | null | undefined; ipPolicyIds: readonly string[] },
  object: NewObject = ipRestrictions.newObject(scope),
): Promise<Row<'IpRestriction'>> {
  const notes = notesForCreate(input);
  const refs = await policyRefsTo(scope, input.ipPolicyIds);
  const columns = { type: input.type, enforced: input.enforced ?? false, ...notes };
  const following = policyRefs.prepareCreateAll(
    scope,
    refs.map((ref) => ({ ...ref, ipRestrictionId: object.id })),
  );
  return ipRestrictions.create(scope, columns, { object, following });
}

/** Changes an IP restriction; null keeps the current value. Throws as `collection.update` and `createIpRestriction`. */
export async function updateIpRestriction(
  scope: AccountScope,
  input: Notes & {
    id: string;
    enforced?: boolean | null | undefined;
    ipPolicyIds?: readonly string[] | null | undefined;
    expectedVersion?: ExpectedVersion;
  },
): Promise<Row<'IpRestriction'>> {
  const notes = notesForUpdate(input);
  const refs = input.ipPolicyIds == null ? undefined : await policyRefsTo(scope, input.ipPolicyIds);
  const change = {
    ...notes,
    ...(input.enforced == null ? {} : { enforced: input.enforced }),
  };
  if (refs === undefined) return ipRestrictions.update(scope, input.id, change, input.expectedVersion);
  const ofThis = { ipRestrictionId: input.id };
  const following = [
    policyRefs.prepareRemoveAll(scope, ofThis),
    ...policyRefs.prepareCreateAll(
      scope,
      refs.map((ref) => ({ ...ref, ...ofThis })),
    ),
  ];
  return ipRestrictions.update(scope, input.id, { ...change, ...countedUp }, input.expectedVersion, { following });
}

/**
 * Stops enforcing the restrictions of a type, so that they only warn, whatever that breaks: it is the way back in. Returns those that
 * were enforced, oldest first.
 */
export async function suspendIpRestrictions(
  scope: AccountScope,
  type: RestrictionType,
): Promise<Pick<Row<'IpRestriction'>, 'id' | 'description'>[]> {
  const enforced = await scope.db.ipRestriction.findMany({
    where: { type, enforced: true },
    orderBy: { id: 'asc' },
    select: { id: true, description: true },
  });
  for (const { id } of enforced) {
    try {
      await ipRestrictions.update(forced(scope), id, { enforced: false }, null);
    } catch (error) {
      // A restriction deleted in the meantime is no longer enforced either.
      if (!(error instanceof SallyportError && error.code === 'NOT_FOUND')) throw error;
    }
  }
  return enforced;
}

/** The policies that a restriction refers to, in the order given; some may have been deleted. */
export const policiesOfRestriction = asGiven('IpRestrictionPolicy', 'ipRestrictionId', 'ipPolicyId');

/** The restrictions that refer to a policy, newest first. */
export const restrictionsOfPolicy = newestFirst('IpRestrictionPolicy', 'ipPolicyId', 'ipRestrictionId');
