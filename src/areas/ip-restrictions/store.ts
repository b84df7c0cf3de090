// IP restrictions in the database, and the question whom they let pass.

import { parseAddress } from '../../domain/cidr.ts';
import { unknownReference } from '../../domain/errors.ts';
import { groupBy } from '../../domain/group.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/text.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import { collection, type ExpectedVersion, type Row, type Selection } from '../../storage/collection.ts';
import type { InnerList } from '../../storage/rows.ts';
import { checkPolicyIds, type Decision, decide, type RestrictionType } from './rules.ts';

export const ipRestrictions = collection('IpRestriction');
export const ipPolicies = collection('IpPolicy');
export const ipPolicyRules = collection('IpPolicyRule');

/**
 * Makes an IP restriction.
 *
 * @throws INVALID_INPUT, and UNKNOWN_REFERENCE for a policy that is not of this account
 */
export async function createIpRestriction(
  scope: AccountScope,
  input: Notes & { type: RestrictionType; enforced?: boolean | null | undefined; ipPolicyIds: readonly string[] },
): Promise<Row<'IpRestriction'>> {
  const { accountId, db, newId, now } = scope;
  const notes = notesForCreate(input);
  const refs = await policyRefs(scope, input.ipPolicyIds);
  return db.ipRestriction.create({
    data: {
      id: newId('IpRestriction'),
      accountId,
      type: input.type,
      enforced: input.enforced ?? false,
      ...notes,
      createdAt: now(),
      policyRefs: { create: refs },
    },
  });
}

/** Changes an IP restriction; null keeps. Throws as `collection.update` and `createIpRestriction`. */
export async function updateIpRestriction(
  scope: AccountScope,
  input: Notes & {
    id: string;
    enforced?: boolean | null | undefined;
    ipPolicyIds?: readonly string[] | null | undefined;
    expectedVersion?: ExpectedVersion;
  },
  selection?: Selection,
): Promise<Row<'IpRestriction'>> {
  const notes = notesForUpdate(input);
  const refs = input.ipPolicyIds == null ? undefined : await policyRefs(scope, input.ipPolicyIds);
  const change = {
    ...notes,
    ...(input.enforced == null ? {} : { enforced: input.enforced }),
    ...(refs === undefined ? {} : { policyRefs: { deleteMany: {}, create: refs } }),
  };
  return ipRestrictions.update(scope, input.id, change, input.expectedVersion, selection);
}

async function policyRefs(scope: AccountScope, ipPolicyIds: readonly string[]) {
  const distinct = checkPolicyIds(ipPolicyIds);
  // A policy that is deleted between this question and the write leaves a reference to a policy with zero rules, just
  // as if it had been deleted after the write.
  const unknown = distinct[await ipPolicies.firstUnknown(scope, distinct)];
  if (unknown !== undefined) {
    throw unknownReference(`ipPolicyIds[${ipPolicyIds.indexOf(unknown)}]`, 'IP policy', unknown);
  }
  return distinct.map((ipPolicyId, position) => ({ accountId: scope.accountId, ipPolicyId, position }));
}

/** The policies that a restriction refers to, in the order given; some may be gone. */
export const policiesOfRestriction = {
  model: 'IpRestrictionPolicy',
  parent: 'ipRestrictionId',
  value: 'ipPolicyId',
  order: 'position',
  direction: 'ASC',
} as const satisfies InnerList;

/** The restrictions that refer to a policy, newest first. */
export const restrictionsOfPolicy = {
  model: 'IpRestrictionPolicy',
  parent: 'ipPolicyId',
  value: 'ipRestrictionId',
  order: 'ipRestrictionId',
  direction: 'DESC',
} as const satisfies InnerList;

/** What one restriction says of an address. */
export interface Verdict extends Decision<{ id: string }> {
  readonly restriction: Row<'IpRestriction'>;
}

/**
 * Asks each restriction of a type whether it lets an address pass, oldest first. Reads the restrictions, their policies
 * and the rules of these in one query each.
 *
 * @throws INVALID_INPUT for text that is no IP address
 */
export async function evaluateIp(scope: AccountScope, addressText: string, type: RestrictionType): Promise<Verdict[]> {
  const address = parseAddress('address', addressText);
  const restrictions = await scope.db.ipRestriction.findMany({
    where: { type },
    orderBy: { id: 'asc' },
    include: { policyRefs: true },
  });
  const policyIds = new Set(restrictions.flatMap(({ policyRefs }) => policyRefs.map((ref) => ref.ipPolicyId)));
  const rules = await scope.db.ipPolicyRule.findMany({
    where: { ipPolicyId: { in: [...policyIds] } },
    select: { id: true, ipPolicyId: true, range: true, action: true },
  });
  const rulesByPolicy = groupBy(rules, ({ ipPolicyId }) => ipPolicyId);
  return restrictions.map((restriction) => {
    const applying = restriction.policyRefs.flatMap((ref) => rulesByPolicy.get(ref.ipPolicyId) ?? []);
    return { restriction, ...decide(address, applying) };
  });
}
