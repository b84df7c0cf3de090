// Keeps callers from locking themselves out: evaluates the restrictions that apply to the caller's requests as they would be after
// the change. Another client may change something in between: this protects against mistakes, not against other clients.

import type { KeyScope } from '../../domain/access/key-scopes.ts';
import { lockout, type SallyportError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ip/cidr.ts';
import type { OwnTraffic } from '../../domain/ip/own-traffic.ts';
import { checkPolicyIds } from '../../domain/ip/policy-ids.ts';
import { type ActedList, withLists } from '../../domain/ip/range-list.ts';
import { rulesInForce, type StoredRule } from '../../domain/ip/rule-end.ts';
import { compileRules } from '../../domain/ip/rule-table.ts';
import { called, type Nameable, restrictionNamesFor } from '../../domain/wording.ts';
import { ipPolicies } from '../../storage/ip/policy-references.ts';
import { readListsOf } from '../../storage/ip/range-lists.ts';
import { readStoredRules } from '../../storage/ip/rules-in-force.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import { enforcedNow, objectionsTo, typesInForce } from './enforcement-store.ts';
import { prepareAsIf, readPolicyIds } from './evaluation-store.ts';
import { ipRestrictions } from './store.ts';

interface Changer {
  /** Null if unknown; no restriction lets an unknown address pass. */
  readonly address: Address | null;
  /** The kind of the caller's requests, which determines the restrictions that apply to them. */
  readonly traffic: OwnTraffic;
}

/** A restriction as it would be after a change. For an existing restriction, null keeps the current value. */
interface RestrictionChange {
  /** Absent for a new restriction. */
  readonly id?: string;
  readonly type?: string;
  readonly enforced?: boolean | null | undefined;
  readonly ipPolicyIds?: readonly string[] | null | undefined;
}

/**
 * Throws if creating or changing a restriction would make it refuse the caller. Also throws if a caller in a dashboard session
 * stops enforcing the last restriction of type `dashboard` and would be refused by those of type `api`, which then apply to
 * sessions.
 *
 * @throws LOCKOUT, UNAVAILABLE as `enforcedNow`, INVALID_INPUT for policies as `checkPolicyIds`, NOT_FOUND
 */
export async function refuseLockoutByRestriction(
  scope: AccountScope,
  { address, traffic }: Changer,
  change: RestrictionChange,
): Promise<void> {
  if (change.enforced == null && change.ipPolicyIds == null) return;
  // For a caller with an API key, that can only let more in.
  if (change.enforced === false && traffic === 'api') return;
  const before = change.id === undefined ? undefined : await ipRestrictions.get(scope, change.id);
  const type = before?.type ?? change.type;
  const enforced = change.enforced ?? before?.enforced ?? false;
  if (!enforced) {
    if (before?.enforced === true && before.type === 'dashboard') await refuseLockoutWithout(scope, address, before.id);
    return;
  }
  if (!(await typesInForce(scope, traffic)).some((judging) => judging === type)) return;
  const policyIds =
    change.ipPolicyIds == null ? await readPolicyIds(scope, before?.id ?? '') : checkPolicyIds(change.ipPolicyIds);
  // An unknown policy: the change itself will fail.
  if (change.ipPolicyIds != null && (await ipPolicies.firstUnknown(scope, policyIds)) !== -1) return;
  const asIf = await prepareAsIf(scope, { id: before?.id ?? '', description: '', version: 0, enforced }, policyIds);
  const [verdict] = address === null ? [] : await asIf.ask(address);
  if (verdict?.passes !== true) {
    throw refusal(address, before === undefined ? 'The new IP restriction' : `The IP restriction ${called(before)}`);
  }
}

/**
 * Throws if no longer enforcing a restriction of type `dashboard` would get the caller's own session refused.
 *
 * @throws LOCKOUT, UNAVAILABLE as `enforcedNow`
 */
async function refuseLockoutWithout(scope: AccountScope, address: Address | null, id: string): Promise<void> {
  const refusing = await refusingWithout(scope, address, id);
  if (refusing !== undefined) throw refusalBy(address, called(refusing));
}

/**
 * Returns a restriction that would refuse sessions from an address if the given restriction of type `dashboard` were no
 * longer enforced: without any enforced restriction of that type, those of type `api` apply to sessions.
 *
 * @throws UNAVAILABLE as `enforcedNow`
 */
export async function refusingWithout(
  scope: AccountView,
  address: Address | null,
  id: string,
): Promise<Nameable | undefined> {
  const { restrictions } = await enforcedNow(scope, 'dashboard');
  if (restrictions.some((other) => other.enforced && other.id !== id)) return undefined;
  return (await objectionsTo(scope, 'api', address)).refusedBy[0];
}

/**
 * Throws if a restriction that lets the caller pass now would refuse the caller after a change of a policy. The right to change
 * policies does not include reading restrictions.
 *
 * @param findPolicy finds the policy; called only if anybody could be locked out at all
 * @param rulesAfter returns the stored rules of the policy after the change, given those before it
 * @param listsAfter returns the lists of its sources after the change; the same by default
 * @throws LOCKOUT, UNAVAILABLE as `enforcedNow`, and whatever the functions throw
 */
export async function refuseLockoutByPolicy(
  scope: AccountScope,
  { address, traffic, rights }: Changer & { readonly rights: ReadonlySet<KeyScope> },
  findPolicy: () => Promise<string>,
  rulesAfter: (rules: readonly StoredRule[]) => readonly StoredRule[],
  listsAfter: (lists: readonly ActedList[]) => readonly ActedList[] = (lists) => lists,
): Promise<void> {
  // Every restriction already refuses an unknown address.
  if (address === null) return;
  const judging = await Promise.all((await typesInForce(scope, traffic)).map((type) => enforcedNow(scope, type)));
  const enforcing = judging.filter(({ restrictions }) => restrictions.some(({ enforced }) => enforced));
  if (enforcing.length === 0) return;
  const policyId = await findPolicy();
  const concerned = enforcing.filter(({ hasPolicy }) => hasPolicy(policyId));
  if (concerned.length === 0) return;
  const [rules, lists] = await Promise.all([readStoredRules(scope, [policyId]), readListsOf(scope, policyId)]);
  const compiled = compileRules(rulesInForce(rulesAfter(rules), scope.now()).rules);
  const table = withLists(compiled, listsAfter(lists));
  for (const { ask } of concerned) {
    const before = await ask(address);
    const afterwards = await ask(address, { policyId, table });
    const refusing = afterwards.find(({ restriction, passes }, index) => {
      return restriction.enforced && !passes && before[index]?.passes === true;
    });
    if (refusing !== undefined) throw refusalBy(address, restrictionNamesFor(rights)(refusing.restriction));
  }
}

/** Creates the error for a change after which a stored restriction refuses the caller. */
function refusalBy(address: Address | null, name: string): SallyportError {
  return refusal(address, `The IP restriction ${name}`);
}

function refusal(address: Address | null, restriction: string): SallyportError {
  const from = address === null ? 'your address, which the proxy does not tell' : `your own address, ${address}`;
  return lockout(`${restriction} would refuse requests from ${from}.`);
}
