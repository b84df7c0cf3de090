// Evaluates what the traffic policy of a TLS edge does with a connection.

import { notFound, SallyportError } from '../../domain/errors.ts';
import type { SetRule } from '../../domain/ip/address-set.ts';
import { holds, wordsOf } from '../../domain/ip/cidr.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { readRulesInForce } from '../../storage/ip/rules-in-force.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { type EndpointRule, readRules } from './policy/endpoint-rule.ts';
import { evaluateRule, namedIpPolicies, type RuleOutcome } from './policy/evaluate.ts';
import type { Connection } from './policy/variables.ts';
import { type Direction, directions, type PolicyRules } from './rules.ts';
import { checkPolicy } from './store.ts';

/** Maximum number of IP policy rules that an evaluation of a policy covers. */
export const evaluatedRulesMax = 200_000;

/** What one rule of a policy does. */
export interface RuleStep extends RuleOutcome {
  readonly direction: Direction;
  /** Zero-based position among the rules of the direction. */
  readonly position: number;
  readonly name: string | null;
}

/** How an evaluation accounts for its work and yields to other work. */
export interface Turn {
  /** Counts work before it is done, in the units of `estimateCost`. Throws if it is too much. */
  charge(cost: number): void;
  /** Counts text that was read. Throws if it is too much. */
  chargeText(bytes: number): void;
  breathe(): Promise<void>;
}

/**
 * Evaluates the policy of an edge for a connection: the rules up to the one that refuses it. Without a policy, or if the module is
 * not enabled, no rule applies.
 *
 * @param draft a policy to evaluate instead of the edge's own, as if it were enabled; null for none
 * @throws NOT_FOUND for an edge that does not belong to this account, QUERY_TOO_COMPLEX for too many rules of IP policies, and for
 *   a draft any error that saving it would fail with
 */
export async function evaluateTlsPolicy(
  scope: AccountScope,
  edgeId: string,
  draft: PolicyRules | null,
  connection: Connection,
  turn: Turn,
): Promise<RuleStep[]> {
  if (!isIdOf('TlsEdge', edgeId)) throw notFound();
  const [[edge], [stored]] = await Promise.all([
    scope.rows.pick('TlsEdge', ['id'], 'id', [edgeId]),
    scope.rows.pick('TlsPolicyModule', ['enabled', 'inbound', 'outbound'], 'edgeId', [edgeId]),
  ]);
  if (edge === undefined) throw notFound();
  const policy = draft === null ? stored : { enabled: true, ...(await checkPolicy(scope, draft)) };
  if (policy === undefined || !policy.enabled) return [];
  turn.chargeText((policy.inbound?.length ?? 0) + (policy.outbound?.length ?? 0));
  const rules = directions.flatMap((direction) => rulesOf(direction, policy[direction]));
  const ids = namedIpPolicies(rules.map(({ rule }) => rule));
  const ipPolicies = await rangesThatHold(scope, ids, connection, turn);
  const steps: RuleStep[] = [];
  for (const { direction, position, rule } of rules) {
    const outcome = await evaluateRule(rule, { connection, ipPolicies, ...turn });
    steps.push({ direction, position, name: rule.name ?? null, ...outcome });
    if (refuses(outcome)) break;
    await turn.breathe();
  }
  return steps;
}

/** Returns whether a rule refuses the connection. */
export function refuses({ actions }: RuleOutcome): boolean {
  return actions.some(({ effect }) => effect === 'refuse');
}

function rulesOf(direction: Direction, text: string | null) {
  const rules: EndpointRule[] = text === null ? [] : readRules(text);
  return rules.map((rule, position) => ({ direction, position, rule }));
}

/** Cost of reading a rule of an IP policy, in the units of `estimateCost` (measured). */
const costOfRule = 0.5;

/** Reads the rules of IP policies that cover the address of a connection, by policy. */
async function rangesThatHold(
  scope: AccountScope,
  ids: readonly string[],
  { address }: Connection,
  turn: Turn,
): Promise<Map<string, SetRule[]>> {
  const policies = ids.length === 0 ? [] : await scope.rows.pick('IpPolicy', ['id', 'ruleCount'], 'id', ids);
  const ruleCount = policies.reduce((sum, policy) => sum + policy.ruleCount, 0);
  if (ruleCount > evaluatedRulesMax) {
    throw new SallyportError(
      'QUERY_TOO_COMPLEX',
      `evaluateTlsPolicy looks at no more than ${evaluatedRulesMax} rules of IP policies; the policy names ${ruleCount}.`,
    );
  }
  turn.charge(ruleCount * costOfRule);
  const words = wordsOf(address);
  const held = new Map<string, SetRule[]>();
  for (const { id } of policies) {
    const { rules } = await readRulesInForce(scope, [id]);
    held.set(
      id,
      rules.filter(({ range }) => holds(range, words)),
    );
    await turn.breathe();
  }
  return held;
}
