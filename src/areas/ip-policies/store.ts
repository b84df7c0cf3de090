// IP policies and their rules in the database.

import { invalid, SallyportError, unknownReference } from '../../domain/errors.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/text.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import { collection, type ExpectedVersion, type Row, type Selection } from '../../storage/collection.ts';
import { isDuplicate, isMissingReference } from '../../storage/errors.ts';
import type { InnerList } from '../../storage/rows.ts';
import { checkCidr, type RuleAction, rulesMax } from './rules.ts';

export const ipPolicies = collection('IpPolicy');
export const ipPolicyRules = collection('IpPolicyRule');

/** The rules of a policy, newest first. */
export const rulesOfPolicy = {
  model: 'IpPolicyRule',
  parent: 'ipPolicyId',
  value: 'id',
  order: 'id',
  direction: 'DESC',
} as const satisfies InnerList;

/** Makes an IP policy without rules: it allows nobody. Throws INVALID_INPUT for notes that are too long. */
export function createIpPolicy(scope: AccountScope, notes: Notes): Promise<Row<'IpPolicy'>> {
  const { accountId, db, newId, now } = scope;
  return db.ipPolicy.create({ data: { id: newId('IpPolicy'), accountId, ...notesForCreate(notes), createdAt: now() } });
}

/**
 * Adds a rule to an IP policy.
 *
 * @throws INVALID_INPUT, UNKNOWN_REFERENCE for a policy that is not of this account, DUPLICATE for a range that the
 *   policy has a rule for already
 */
export async function createIpPolicyRule(
  scope: AccountScope,
  input: Notes & { ipPolicyId: string; cidr: string; action: RuleAction },
): Promise<Row<'IpPolicyRule'>> {
  const { accountId, db, newId, now } = scope;
  const data = { ...checkCidr(input.cidr), action: input.action, ...notesForCreate(input) };
  if ((await ipPolicies.firstUnknown(scope, [input.ipPolicyId])) !== -1) throw unknownPolicy(input.ipPolicyId);
  // Asked before the write: creations at once may pass the bound by a few, which does no harm.
  if ((await ipPolicyRules.count(scope, { ipPolicyId: input.ipPolicyId })) >= rulesMax) {
    throw invalid('ipPolicyId', `names a policy that has ${rulesMax} rules already, the most that one may have.`);
  }
  try {
    return await db.ipPolicyRule.create({
      data: { id: newId('IpPolicyRule'), accountId, ipPolicyId: input.ipPolicyId, ...data, createdAt: now() },
    });
  } catch (error) {
    // The policy was deleted between the question and the write.
    if (isMissingReference(error)) throw unknownPolicy(input.ipPolicyId);
    throw isDuplicate(error) ? duplicateRange() : error;
  }
}

/** Changes a rule; null keeps the range and the action. Throws as `collection.update` and `createIpPolicyRule`. */
export async function updateIpPolicyRule(
  scope: AccountScope,
  input: Notes & {
    id: string;
    cidr?: string | null | undefined;
    action?: RuleAction | null | undefined;
    expectedVersion?: ExpectedVersion;
  },
  selection?: Selection,
): Promise<Row<'IpPolicyRule'>> {
  const change = {
    ...(input.cidr == null ? {} : checkCidr(input.cidr)),
    ...(input.action == null ? {} : { action: input.action }),
    ...notesForUpdate(input),
  };
  try {
    return await ipPolicyRules.update(scope, input.id, change, input.expectedVersion, selection);
  } catch (error) {
    throw isDuplicate(error) ? duplicateRange() : error;
  }
}

function unknownPolicy(id: string): SallyportError {
  return unknownReference('ipPolicyId', 'IP policy', id);
}

function duplicateRange(): SallyportError {
  return new SallyportError('DUPLICATE', 'The policy already has a rule for this range. Update or delete that one.', {
    field: 'cidr',
  });
}
