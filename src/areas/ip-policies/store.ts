// IP policies and their rules in the database.

import { invalid, SallyportError, unknownReference } from '../../domain/errors.ts';
import { hasEnded } from '../../domain/ip/rule-end.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { checkExpiry, floorToSecond, parseTimestamp } from '../../domain/values/time.ts';
import { isDuplicate, isMissingRow } from '../../storage/errors.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { getAddressed } from '../../storage/objects/addressed.ts';
import type {
  Addressed,
  ExpectedVersion,
  NewObject,
  Removal,
  Row,
  Write,
  WriteOptions,
} from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { checkCidr, type RuleAction, type RuleDraft, rulesMax } from './rules.ts';

export const ipPolicies = collectionOf('IpPolicy');
export const ipPolicyRules = collectionOf('IpPolicyRule');

/** Marks the decisions of a policy as changed. The policy's own `version` stays: its representation does not include the rules. */
export const rulesChanged = { rulesVersion: { increment: 1 } } as const;

/** Creates an IP policy without rules, which allows nobody. Throws INVALID_INPUT for notes that are too long. */
export async function createIpPolicy(scope: AccountScope, notes: Notes): Promise<Row<'IpPolicy'>> {
  return ipPolicies.create(scope, notesForCreate(notes));
}

export type NewRule = Notes & RuleDraft;

/**
 * Adds a rule to an IP policy, in place of one for the same range that has ended.
 *
 * @param object the identity of the rule; a new one unless given
 * @throws INVALID_INPUT, also for an end that is not in the future; UNKNOWN_REFERENCE for a policy that does not belong to this
 *   account; DUPLICATE if the policy already has a rule for the range
 */
export async function createIpPolicyRule(
  scope: AccountScope,
  { ipPolicyId, ...rule }: NewRule & { readonly ipPolicyId: string },
  object: NewObject = ipPolicyRules.newObject(scope),
): Promise<Row<'IpPolicyRule'>> {
  const columns = columnsOf(scope, ipPolicyId, rule);
  return inPlaceOfEnded(scope, ipPolicyId, [{ range: columns.range, field: 'cidr' }], async (replacing) => {
    const added = 1 - replacing.length;
    const alongside = [prepareCount(scope, ipPolicyId, added)];
    try {
      return await ipPolicyRules.create(scope, columns, { object, alongside, replacing });
    } catch (error) {
      throw await whyNotAdded(scope, ipPolicyId, added, error);
    }
  });
}

/**
 * Adds rules to an IP policy, all or none. Throws as `createIpPolicyRule`, with the field of the first rule that is wrong, such as
 * `rules[2].cidr`.
 */
export async function createIpPolicyRules(
  scope: AccountScope,
  ipPolicyId: string,
  rules: readonly NewRule[],
): Promise<Row<'IpPolicyRule'>[]> {
  const checked = newRules(scope, ipPolicyId, rules);
  const ranges = checked.map(({ columns: { range } }) => range);
  const [first, ...others] = checked;
  if (first === undefined) return [];
  const ids = checked.map(({ object: { id } }) => id);
  const following = ipPolicyRules.prepareCreateAll(scope, others);
  const unique = ranges.map((range, index) => ({ range, field: `rules[${index}].cidr` }));
  await inPlaceOfEnded(scope, ipPolicyId, unique, async (replacing) => {
    const added = rules.length - replacing.length;
    const alongside = [prepareCount(scope, ipPolicyId, added)];
    const options = { object: first.object, alongside, following, replacing, remembered: { ids } };
    try {
      await ipPolicyRules.create(scope, first.columns, options);
    } catch (error) {
      throw await whyNotAdded(scope, ipPolicyId, added, error);
    }
  });
  return (await ipPolicyRules.getMany(scope, ids)).filter((rule) => rule !== null);
}

/**
 * Returns the identities and columns of rules of a list, each for another range.
 *
 * @param mayEnd whether a rule for a range may have an end that has passed
 * @throws INVALID_INPUT with the field of the first that is wrong, such as `rules[2].cidr`
 */
export function newRules(
  scope: AccountScope,
  ipPolicyId: string,
  rules: readonly NewRule[],
  mayEnd: (range: string, end: Date) => boolean = () => false,
) {
  const checked = rules.map((rule, index) => ({
    object: ipPolicyRules.newObject(scope),
    columns: columnsOf(scope, ipPolicyId, rule, `rules[${index}].`, mayEnd),
  }));
  const seen = new Set<string>();
  const repeated = checked.findIndex(({ columns: { range } }) => seen.size === seen.add(range).size);
  if (repeated !== -1) throw invalid(`rules[${repeated}].cidr`, 'is a range that comes before it in the list.');
  return checked;
}

/** Returns the columns of a new rule. `path` comes before the names of its fields in errors. Throws INVALID_INPUT. */
function columnsOf(
  scope: AccountScope,
  ipPolicyId: string,
  rule: NewRule,
  path = '',
  mayEnd: (range: string, end: Date) => boolean = () => false,
) {
  const checked = checkCidr(rule.cidr, `${path}cidr`);
  const field = `${path}expiresAt`;
  const expiresAt = endOf(rule.expiresAt ?? null, field);
  if (expiresAt !== null && !mayEnd(checked.range, expiresAt)) checkExpiry(field, expiresAt, scope.now());
  return { ipPolicyId, ...checked, action: rule.action, expiresAt, ...notesForCreate(rule) };
}

/**
 * Prepares to count rules that are added to a policy, or removed from it if the number is negative. The statement also checks the
 * limit, so concurrent requests cannot exceed it.
 */
export function prepareCount(scope: AccountScope, ipPolicyId: string, added: number): Write {
  if (!isIdOf('IpPolicy', ipPolicyId)) throw unknownPolicy(ipPolicyId);
  const room = added <= 0 ? {} : { ruleCount: { lte: rulesMax - added } };
  return ipPolicies.prepareUpdate(
    scope,
    { id: ipPolicyId, ...room },
    { ruleCount: { increment: added }, ...rulesChanged },
  );
}

const fullField = 'ipPolicyId';

/** Returns the error that explains why rules were not added; the given one if another change has overtaken this. */
export async function whyNotAdded(
  scope: AccountScope,
  ipPolicyId: string,
  added: number,
  error: unknown,
): Promise<unknown> {
  if (!isMissingRow(error)) return error;
  const [policy] = await scope.rows.pick('IpPolicy', ['ruleCount'], 'id', [ipPolicyId]);
  if (policy === undefined) return unknownPolicy(ipPolicyId);
  if (policy.ruleCount + added <= rulesMax) return error;
  return invalid(fullField, `names a policy that would have more than ${rulesMax} rules, the maximum.`);
}

/** Returns whether rules were not added because the policy would have too many, as `whyNotAdded` says. */
function isFull(error: unknown): boolean {
  return error instanceof SallyportError && error.code === 'INVALID_INPUT' && error.field === fullField;
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
  const unique = [{ range: deciding.range ?? range, field: 'cidr' }];
  return inPlaceOfEnded(scope, ipPolicyId, unique, (replacing) => {
    const alongside = [prepareCount(scope, ipPolicyId, -replacing.length)];
    return ipPolicyRules.update(scope, id, change, expectedVersion, { alongside, replacing });
  });
}

/**
 * Writes rules whose ranges are unique in their policy. If other rules for the ranges have ended, which upkeep deletes only later,
 * the write replaces them, also in a policy that has as many rules as it may have.
 *
 * @param unique the ranges, with the fields that have them
 * @param write stores the rules, and deletes the given ones
 * @throws DUPLICATE if a rule for one of the ranges has not ended, and as `unlessOvertaken` and `write`
 */
function inPlaceOfEnded<T>(
  scope: AccountScope,
  ipPolicyId: string,
  unique: readonly { readonly range: string; readonly field: string }[],
  write: (replacing: readonly Removal[]) => Promise<T>,
): Promise<T> {
  const columns = ['id', 'version', 'range', 'expiresAt'] as const;
  const attempt = async () => {
    try {
      return await write([]);
    } catch (error) {
      if (!isDuplicate(error) && !isFull(error)) throw error;
      const stored = await scope.rows.pick('IpPolicyRule', columns, 'ipPolicyId', [ipPolicyId]);
      const byRange = new Map(stored.map((rule) => [rule.range, rule]));
      const others = unique.flatMap(({ range, field }) => {
        const other = byRange.get(range);
        return other === undefined ? [] : [{ ...other, field }];
      });
      const inForce = others.find((other) => !hasEnded(other, scope.now()));
      if (inForce !== undefined) throw duplicateRange(inForce.field);
      // If the policy is not full, it was deleted meanwhile: the next attempt succeeds.
      if (others.length === 0) throw error;
      return write(others.map(({ id, version }) => ipPolicyRules.prepareRemove(scope, id, version)));
    }
  };
  return unlessOvertaken(attempt, (error) => isMissingRow(error) || isDuplicate(error));
}

/**
 * Deletes rules of one policy, all or none. Throws as `getAddressed` and `collection.removeTogether`, and INVALID_INPUT for a rule of
 * another policy than the first one's.
 */
export async function deleteIpPolicyRules(
  scope: AccountScope,
  objects: readonly Addressed[],
  options: WriteOptions = {},
): Promise<void> {
  const ipPolicyId = await policyOfRules(scope, objects);
  const alongside = [prepareCount(scope, ipPolicyId, -objects.length)];
  await ipPolicyRules.removeTogether(scope, objects, { ...options, alongside });
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

/** Returns the end of a rule, which may have passed. `field` is its name in errors. Throws INVALID_INPUT. */
export function endOf(expiresAt: string | null, field = 'expiresAt'): Date | null {
  return expiresAt === null ? null : floorToSecond(parseTimestamp(field, expiresAt));
}

/** Reads the id of the policy that rules belong to, which never changes. Throws as `deleteIpPolicyRules`. */
export async function policyOfRules(scope: AccountScope, objects: readonly Addressed[]): Promise<string> {
  const rules = await getAddressed(ipPolicyRules, scope, objects);
  const ipPolicyId = rules[0]?.ipPolicyId ?? '';
  const other = rules.findIndex((rule) => rule.ipPolicyId !== ipPolicyId);
  if (other !== -1) throw invalid(`objects[${other}].id`, 'names a rule of another policy than the first one.');
  return ipPolicyId;
}

/** Reads the id of a rule's policy, which never changes. Throws NOT_FOUND. */
export async function policyOfRule(scope: AccountScope, id: string): Promise<string> {
  return (await ipPolicyRules.get(scope, id)).ipPolicyId;
}

function unknownPolicy(id: string): SallyportError {
  return unknownReference('ipPolicyId', 'IP policy', id);
}

function duplicateRange(field: string): SallyportError {
  const message = 'The policy already has a rule for this range. Update or delete that one.';
  return new SallyportError('DUPLICATE', message, { field });
}
