// Keeps a change from shutting out whoever makes it: the restrictions that judge the requests of the caller are evaluated as they would be
// afterwards. Another client may change something in between: this protects from mistakes, not from others.

import type { Address } from '../../domain/cidr.ts';
import { SallyportError } from '../../domain/errors.ts';
import type { OwnTraffic } from '../../domain/own-traffic.ts';
import { compileRules, type DecidingRule } from '../../domain/rule-table.ts';
import type { AccountScope, AccountView } from '../../storage/account-scope.ts';
import { ipPolicies, ipRestrictions } from '../../storage/collections.ts';
import { enforcedNow, objectionsTo, typesInForce } from './enforcement-store.ts';
import { prepareAsIf, readPolicyIds } from './evaluation-store.ts';
import { checkPolicyIds } from './rules.ts';

/** Who makes a change. */
interface Changer {
  /** Null where it is not known, which no restriction lets pass. */
  readonly address: Address | null;
  /** The kind of the caller's requests, which tells which restrictions judge them. */
  readonly traffic: OwnTraffic;
}

/** A restriction as a change makes it. Of one that exists, null keeps. */
interface RestrictionChange {
  /** None for a new one. */
  readonly id?: string;
  readonly type?: string;
  readonly enforced?: boolean | null | undefined;
  readonly ipPolicyIds?: readonly string[] | null | undefined;
}

/**
 * Refuses to make a restriction, or to change one, that would then refuse whoever does it; and to stop enforcing the last one for
 * sessions in a session that those for keys, which judge it from then on, would refuse.
 *
 * @throws LOCKOUT, UNAVAILABLE as `enforcedNow`, INVALID_INPUT for policies as `checkPolicyIds`, NOT_FOUND
 */
export async function refuseLockoutByRestriction(
  scope: AccountScope,
  { address, traffic }: Changer,
  change: RestrictionChange,
): Promise<void> {
  if (change.enforced == null && change.ipPolicyIds == null) return;
  // For whoever has a key, that only opens.
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
  // The change is going to be refused for that.
  if (change.ipPolicyIds != null && (await ipPolicies.firstUnknown(scope, policyIds)) !== -1) return;
  const asIf = await prepareAsIf(scope, { id: before?.id ?? '', version: 0, enforced }, policyIds);
  const [verdict] = address === null ? [] : await asIf.ask(address);
  if (verdict?.passes !== true) throw lockout(address, before === undefined ? 'The new IP restriction' : before.id);
}

/**
 * Refuses that a restriction of type `dashboard` is enforced no more, where that would refuse the session in which it is done.
 *
 * @throws LOCKOUT, UNAVAILABLE as `enforcedNow`
 */
async function refuseLockoutWithout(scope: AccountScope, address: Address | null, id: string): Promise<void> {
  const refusing = await refusingWithout(scope, address, id);
  if (refusing !== undefined) throw lockout(address, refusing);
}

/**
 * Names a restriction that would refuse sessions from an address if a restriction of type `dashboard` were enforced no more: without the
 * last of these, those of type `api` judge sessions.
 *
 * @throws UNAVAILABLE as `enforcedNow`
 */
export async function refusingWithout(
  scope: AccountView,
  address: Address | null,
  id: string,
): Promise<string | undefined> {
  const { restrictions } = await enforcedNow(scope, 'dashboard');
  if (restrictions.some((other) => other.enforced && other.id !== id)) return undefined;
  return (await objectionsTo(scope, 'api', address)).refusedBy[0];
}

/**
 * Refuses a change of a policy if a restriction that lets the caller pass now would not do so afterwards.
 *
 * @param findPolicy finds the policy, where somebody could be shut out at all
 * @param rulesAfter gives the rules of the policy after the change, of those before
 * @throws LOCKOUT, UNAVAILABLE as `enforcedNow`, and whatever the two throw
 */
export async function refuseLockoutByPolicy(
  scope: AccountScope,
  { address, traffic }: Changer,
  findPolicy: () => Promise<string>,
  rulesAfter: (rules: readonly DecidingRule[]) => readonly DecidingRule[],
): Promise<void> {
  // What all restrictions refuse is shut out already.
  if (address === null) return;
  const judging = await Promise.all((await typesInForce(scope, traffic)).map((type) => enforcedNow(scope, type)));
  const enforcing = judging.filter(({ restrictions }) => restrictions.some(({ enforced }) => enforced));
  if (enforcing.length === 0) return;
  const policyId = await findPolicy();
  const concerned = enforcing.filter(({ hasPolicy }) => hasPolicy(policyId));
  if (concerned.length === 0) return;
  const rules = await scope.rows.pick('IpPolicyRule', ['id', 'action', 'range'], 'ipPolicyId', [policyId]);
  const table = compileRules(rulesAfter(rules));
  for (const { ask } of concerned) {
    const before = await ask(address);
    const after = await ask(address, { policyId, table });
    const refusing = after.find(({ restriction, passes }, place) => {
      return restriction.enforced && !passes && before[place]?.passes === true;
    });
    if (refusing !== undefined) throw lockout(address, refusing.restriction.id);
  }
}

function lockout(address: Address | null, restriction: string): SallyportError {
  const from = address === null ? 'your address, which the proxy does not tell' : `your own address, ${address}`;
  return new SallyportError(
    'LOCKOUT',
    `${restriction} would refuse requests from ${from}. Nothing was changed. If it is meant, repeat the change with ` +
      'force: true, or on REST with the header Sallyport-Force: true.',
  );
}
