// IP policies and their rules in the database.

import { invalid, notFound, SallyportError, unknownReference } from '../../domain/errors.ts';
import { parseAddress, rangesHolding } from '../../domain/ip/cidr.ts';
import type { PolicyChange } from '../../domain/ip/restriction-impact.ts';
import { hasEnded, rulesInForce } from '../../domain/ip/rule-end.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { checkExpiry, floorToSecond, parseExpiry, parseTimestamp } from '../../domain/values/time.ts';
import { isDuplicate, isMissingRow } from '../../storage/errors.ts';
import { readStoredRules } from '../../storage/ip/rules-in-force.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, NewObject, Removal, Row } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import type { InnerList } from '../../storage/objects/inner-lists.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import {
  checkCidr,
  checkDrafts,
  type DraftProblem,
  type RuleAction,
  type RuleDraft,
  ruleActions,
  rulesMax,
} from './rules.ts';

export const ipPolicies = collectionOf('IpPolicy');
export const ipPolicyRules = collectionOf('IpPolicyRule');

/** Filters for a list of rules. */
export interface RuleFilter {
  readonly action?: RuleAction | null | undefined;
  readonly contains?: string | null | undefined;
}

/** Describes the list of a policy's rules that match a filter, newest first. Throws INVALID_INPUT. */
export function rulesOfPolicy(filter: RuleFilter): InnerList {
  const where = { ...ofActionInPolicy(filter), ...(filter.contains == null ? {} : inRanges(filter.contains)) };
  return { model: 'IpPolicyRule', parent: 'ipPolicyId', value: 'id', order: 'id', direction: 'DESC', where };
}

/**
 * Returns the condition for the rules that match a filter, in one policy or in all. Most addresses are covered by few rules, which
 * are found through the index of ranges. If many rules cover the address, such as `10.0.0.0/8` in each of thousands of policies,
 * the list itself is filtered, because one in every few of its rules matches.
 *
 * @throws INVALID_INPUT
 */
export function conditionOfRules(
  { rows }: AccountView,
  ofPolicy: { readonly ipPolicyId?: string },
  filter: RuleFilter,
): object | (() => Promise<object>) {
  const { action, contains } = filter;
  const holding = contains == null ? {} : inRanges(contains);
  if (ofPolicy.ipPolicyId !== undefined) return { ...ofPolicy, ...ofActionInPolicy(filter), ...holding };
  const where = action == null ? {} : { action };
  if (contains == null) return where;
  return async () => {
    const found = await rows.idsOfAny('IpPolicyRule', 'range', rangesHolding(contains), holdingMax + 1);
    return found.length > holdingMax ? { ...where, ...holding } : { ...where, id: { in: found } };
  };
}

/** Up to this many rules that cover an address are looked up by id. */
const holdingMax = 500;

function inRanges(address: string) {
  parseAddress('contains', address);
  return { range: { in: rangesHolding(address) } };
}

// `notIn` rather than equality: for equality, SQLite would read all of the account's rules with that action, not only the policy's.
function ofActionInPolicy({ action }: RuleFilter) {
  return action == null ? {} : { action: { notIn: ruleActions.filter((other) => other !== action) } };
}

/** Marks the decisions of a policy as changed. The policy's own `version` stays: its representation does not include the rules. */
const rulesChanged = { rulesVersion: { increment: 1 } } as const;

/** Creates an IP policy without rules, which allows nobody. Throws INVALID_INPUT for notes that are too long. */
export async function createIpPolicy(scope: AccountScope, notes: Notes): Promise<Row<'IpPolicy'>> {
  return ipPolicies.create(scope, notesForCreate(notes));
}

/**
 * Adds a rule to an IP policy, in place of one for the same range that has ended.
 *
 * @param object the identity of the rule; a new one unless given
 * @throws INVALID_INPUT, also for an end that is not in the future; UNKNOWN_REFERENCE for a policy that does not belong to this
 *   account; DUPLICATE if the policy already has a rule for the range
 */
export async function createIpPolicyRule(
  scope: AccountScope,
  input: Notes & { ipPolicyId: string; cidr: string; action: RuleAction; expiresAt?: string | null | undefined },
  object: NewObject = ipPolicyRules.newObject(scope),
): Promise<Row<'IpPolicyRule'>> {
  const { ipPolicyId, action } = input;
  const { cidr, range } = checkCidr(input.cidr);
  const expiresAt = input.expiresAt == null ? null : parseExpiry('expiresAt', input.expiresAt, scope.now());
  const columns = { ipPolicyId, cidr, range, action, expiresAt, ...notesForCreate(input) };
  if (!isIdOf('IpPolicy', ipPolicyId)) throw unknownPolicy(ipPolicyId);
  return inPlaceOfEnded(scope, columns, async (replacing) => {
    // The statement that increments the count also checks the limit, so concurrent requests cannot exceed it.
    const countPolicy =
      replacing === undefined
        ? ipPolicies.prepareUpdate(
            scope,
            { id: ipPolicyId, ruleCount: { lt: rulesMax } },
            { ruleCount: { increment: 1 }, ...rulesChanged },
          )
        : ipPolicies.prepareUpdate(scope, { id: ipPolicyId }, rulesChanged);
    try {
      return await ipPolicyRules.create(scope, columns, { object, alongside: [countPolicy], replacing });
    } catch (error) {
      if (!isMissingRow(error) || replacing !== undefined) throw error;
      if ((await ipPolicies.firstUnknown(scope, [ipPolicyId])) !== -1) throw unknownPolicy(ipPolicyId);
      throw invalid('ipPolicyId', `names a policy that already has ${rulesMax} rules, the maximum.`);
    }
  });
}

/**
 * Changes a rule; null keeps the current range or action, and lets the rule stay in force without end.
 *
 * @throws INVALID_INPUT for a new end that is not in the future, and as `collection.update` and `createIpPolicyRule`
 */
export async function updateIpPolicyRule(
  scope: AccountScope,
  input: Notes & RuleChange & { id: string; expectedVersion?: ExpectedVersion },
): Promise<Row<'IpPolicyRule'>> {
  const { id, expectedVersion } = input;
  const deciding = decidingPart(input);
  const change = { ...deciding, ...notesForUpdate(input) };
  if (Object.keys(deciding).length === 0) return ipPolicyRules.update(scope, id, change, expectedVersion);
  const { ipPolicyId, range, expiresAt } = await ipPolicyRules.get(scope, id);
  const end = deciding.expiresAt ?? null;
  if (end !== null && end.getTime() !== expiresAt?.getTime()) checkExpiry('expiresAt', end, scope.now());
  return inPlaceOfEnded(scope, { ipPolicyId, range: deciding.range ?? range }, (replacing) => {
    const count = replacing === undefined ? {} : { ruleCount: { decrement: 1 } };
    const alongside = [ipPolicies.prepareUpdate(scope, { id: ipPolicyId }, { ...count, ...rulesChanged })];
    return ipPolicyRules.update(scope, id, change, expectedVersion, { alongside, replacing });
  });
}

/**
 * Writes a rule whose range is unique in its policy. If another rule for the range has ended, which upkeep deletes only later, the
 * write replaces it.
 *
 * @param write stores the rule, and deletes the given one
 * @throws DUPLICATE if a rule for the range has not ended, and as `unlessOvertaken` and `write`
 */
function inPlaceOfEnded<T>(
  scope: AccountScope,
  { ipPolicyId, range }: { readonly ipPolicyId: string; readonly range: string },
  write: (replacing: Removal | undefined) => Promise<T>,
): Promise<T> {
  const attempt = async () => {
    try {
      return await write(undefined);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      const other = await scope.db.ipPolicyRule.findFirst({ where: { ipPolicyId, range } });
      // Deleted meanwhile: the next attempt succeeds.
      if (other === null) throw error;
      if (!hasEnded(other, scope.now())) throw duplicateRange();
      return write(ipPolicyRules.prepareRemove(scope, other.id, other.version));
    }
  };
  return unlessOvertaken(attempt, (error) => isMissingRow(error) || isDuplicate(error));
}

/** Deletes a rule. Throws as `collection.remove`. */
export async function deleteIpPolicyRule(
  scope: AccountScope,
  id: string,
  expectedVersion?: ExpectedVersion,
): Promise<void> {
  const countPolicy = ipPolicies.prepareUpdate(
    scope,
    { id: await policyOfRule(scope, id) },
    { ruleCount: { decrement: 1 }, ...rulesChanged },
  );
  await ipPolicyRules.remove(scope, id, expectedVersion, { alongside: [countPolicy] });
}

/**
 * Returns what the rules of a policy would be after a change, and the problems of the rules to add. Rules with problems are left
 * out.
 *
 * @throws NOT_FOUND for a policy that does not belong to this account, UNKNOWN_REFERENCE for a rule to remove that is not in it
 */
export async function draftPolicyChange(
  scope: AccountView,
  { ipPolicyId, add, remove }: { ipPolicyId: string; add: readonly RuleDraft[]; remove: readonly string[] },
): Promise<PolicyChange & { readonly problems: readonly DraftProblem[] }> {
  if (!isIdOf('IpPolicy', ipPolicyId)) throw notFound();
  const [[policy], stored] = await Promise.all([
    scope.rows.pick('IpPolicy', ['id'], 'id', [ipPolicyId]),
    readStoredRules(scope, [ipPolicyId]),
  ]);
  if (policy === undefined) throw notFound();
  const ids = new Set(stored.map(({ id }) => id));
  const unknown = remove.findIndex((id) => !ids.has(id));
  if (unknown !== -1) throw unknownReference(`remove[${unknown}]`, 'rule of the policy', remove[unknown] ?? '');
  const removed = new Set(remove);
  const kept = stored.filter(({ id }) => !removed.has(id));
  const now = scope.now();
  const { added, problems } = checkDrafts(kept, add, now);
  const after = [...rulesInForce(kept, now).rules, ...added];
  return { ipPolicyId, before: rulesInForce(stored, now).rules, after, problems };
}

/** A change of what a rule decides; what is left out stays as it is. */
export interface RuleChange {
  readonly cidr?: string | null | undefined;
  readonly action?: RuleAction | null | undefined;
  /** As an RFC 3339 timestamp; null for a rule that does not end by itself. */
  readonly expiresAt?: string | null | undefined;
}

/** Returns the columns of a rule change that affect decisions; empty if only notes change. Throws INVALID_INPUT. */
export function decidingPart({ cidr, action, expiresAt }: RuleChange): {
  cidr?: string;
  range?: string;
  action?: RuleAction;
  expiresAt?: Date | null;
} {
  return {
    ...(cidr == null ? {} : checkCidr(cidr)),
    ...(action == null ? {} : { action }),
    ...(expiresAt === undefined ? {} : { expiresAt: endOf(expiresAt) }),
  };
}

function endOf(expiresAt: string | null): Date | null {
  return expiresAt === null ? null : floorToSecond(parseTimestamp('expiresAt', expiresAt));
}

/** Reads the id of a rule's policy, which never changes. Throws NOT_FOUND. */
export async function policyOfRule(scope: AccountScope, id: string): Promise<string> {
  return (await ipPolicyRules.get(scope, id)).ipPolicyId;
}

function unknownPolicy(id: string): SallyportError {
  return unknownReference('ipPolicyId', 'IP policy', id);
}

function duplicateRange(): SallyportError {
  return new SallyportError('DUPLICATE', 'The policy already has a rule for this range. Update or delete that one.', {
    field: 'cidr',
  });
}
