// Evaluates what the IP restriction module and the traffic policy of a TLS edge do with a connection.

import { notFound, SallyportError } from '../../domain/errors.ts';
import type { SetRule } from '../../domain/ip/address-set.ts';
import { covers, readStoredWords, wordsOf } from '../../domain/ip/cidr.ts';
import { type ActedList, rankInList, sizeOfRanges } from '../../domain/ip/range-list.ts';
import { noRank } from '../../domain/ip/rule-table.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { readListsOf } from '../../storage/ip/range-lists.ts';
import { readRulesInForce, ruleCountColumns } from '../../storage/ip/rules-in-force.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { type EndpointRule, readRules } from './policy/endpoint-rule.ts';
import { evaluateRule, namedIpPolicies, type RuleOutcome } from './policy/evaluate.ts';
import type { Connection } from './policy/variables.ts';
import { checkPolicy } from './policy-store.ts';
import type { Direction, PolicyRules } from './rules.ts';

/** Maximum number of IP policy rules that an evaluation of a policy covers. */
const evaluatedRulesMax = 200_000;

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

/** What the modules of an edge do with a connection. */
export interface TlsEvaluation {
  /** Whether the IP restriction module allows the address; null unless it is set and enabled. */
  readonly ipRestrictionAllows: boolean | null;
  /** The rules of the policy that apply, up to the one that refuses; none if the IP restriction module refuses. */
  readonly steps: readonly RuleStep[];
}

/**
 * Evaluates the modules of an edge for a connection: the IP restriction, then the rules of the policy up to the one that refuses it.
 * Without a policy, or if the module is not enabled, no rule applies.
 *
 * @param draft a policy to evaluate instead of the edge's own, as if it were enabled; null for none
 * @throws NOT_FOUND for an edge that does not belong to this account, QUERY_TOO_COMPLEX for too many rules of IP policies, and for
 *   a draft any error that saving it would fail with
 */
export async function evaluateTlsPolicy(
  scope: AccountView,
  edgeId: string,
  draft: PolicyRules | null,
  connection: Connection,
  turn: Turn,
): Promise<TlsEvaluation> {
  return evaluateConnection(await readModules(scope, edgeId, draft, turn), connection, turn);
}

/** The modules of an edge, without the rules of IP policies. */
export interface BareTlsModules {
  /** The policies of the IP restriction module; null unless it is set and enabled. */
  readonly restrictedTo: readonly string[] | null;
  /** The rules of the traffic policy; none unless it is set and enabled. */
  readonly rules: ReturnType<typeof readPolicyRules>;
  /** The IP policies that the modules name. */
  readonly ipPolicyIds: readonly string[];
}

/** The modules of an edge, read once for any number of connections. */
export interface TlsModules extends BareTlsModules {
  readonly ipPolicies: readonly ReadIpPolicy[];
}

/** The rules and lists of an IP policy that are in force. */
interface ReadIpPolicy {
  readonly id: string;
  readonly rules: readonly { readonly rule: SetRule; readonly words: ReturnType<typeof readStoredWords> }[];
  readonly lists: readonly ActedList[];
}

/** Reads the modules of an edge. Parameters and errors as of `evaluateTlsPolicy`. */
export async function readModules(
  scope: AccountView,
  edgeId: string,
  draft: PolicyRules | null,
  turn: Turn,
): Promise<TlsModules> {
  const modules = await readBareModules(scope, edgeId, draft, turn);
  return { ...modules, ipPolicies: await readIpPolicies(scope, modules.ipPolicyIds, turn) };
}

/** Reads the modules of an edge as `readModules`, but not the rules of the IP policies that they name. */
export async function readBareModules(
  scope: AccountView,
  edgeId: string,
  draft: PolicyRules | null,
  turn: Turn,
): Promise<BareTlsModules> {
  if (!isIdOf('TlsEdge', edgeId)) throw notFound();
  const [[edge], [stored], [restriction], refs] = await Promise.all([
    scope.rows.pick('TlsEdge', ['id'], 'id', [edgeId]),
    scope.rows.pick('TlsPolicyModule', ['enabled', 'inbound', 'outbound'], 'edgeId', [edgeId]),
    scope.rows.pick('TlsIpRestrictionModule', ['enabled'], 'edgeId', [edgeId]),
    scope.rows.pick('TlsIpRestrictionPolicy', ['ipPolicyId'], 'edgeId', [edgeId]),
  ]);
  if (edge === undefined) throw notFound();
  const restrictedTo = restriction?.enabled === true ? refs.map(({ ipPolicyId }) => ipPolicyId) : null;
  const policy = draft === null ? stored : { enabled: true, ...(await checkPolicy(scope, draft)) };
  const rules = policy?.enabled === true ? readPolicyRules(policy, turn) : [];
  const ids = [...(restrictedTo ?? []), ...namedIpPolicies(rules.map(({ rule }) => rule))];
  return { restrictedTo, rules, ipPolicyIds: [...new Set(ids)] };
}

/** Evaluates modules for a connection, as `evaluateTlsPolicy` does for those of an edge. */
export async function evaluateConnection(
  { restrictedTo, rules, ipPolicies: read }: TlsModules,
  connection: Connection,
  turn: Turn,
): Promise<TlsEvaluation> {
  const ipPolicies = await rangesThatHold(read, connection, turn);
  const ipRestrictionAllows = restrictedTo === null ? null : areLetPass(restrictedTo, ipPolicies);
  if (ipRestrictionAllows === false) return { ipRestrictionAllows, steps: [] };
  const steps: RuleStep[] = [];
  for (const { direction, position, rule } of rules) {
    const outcome = await evaluateRule(rule, { connection, ipPolicies, ...turn });
    steps.push({ direction, position, name: rule.name ?? null, ...outcome });
    if (refuses(outcome)) break;
    await turn.breathe();
  }
  return { ipRestrictionAllows, steps };
}

/** Returns whether an evaluation refuses the connection. */
export function isRefused({ ipRestrictionAllows, steps }: TlsEvaluation): boolean {
  return ipRestrictionAllows === false || steps.some(refuses);
}

/** Returns whether policies together let an address pass, given their rules that cover it: one allows it, and none denies it. */
function areLetPass(ids: readonly string[], covering: ReadonlyMap<string, readonly SetRule[]>): boolean {
  const rules = ids.flatMap((id) => covering.get(id) ?? []);
  return rules.length > 0 && rules.every(({ action }) => action === 'allow');
}

function readPolicyRules({ inbound, outbound }: { inbound: string | null; outbound: string | null }, turn: Turn) {
  turn.chargeText((inbound?.length ?? 0) + (outbound?.length ?? 0));
  return [...rulesOf('inbound', inbound), ...rulesOf('outbound', outbound)];
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

/** Cost of comparing a rule that has been read with an address, in the same units. */
const costOfComparison = 0.2;

async function readIpPolicies(scope: AccountView, ids: readonly string[], turn: Turn): Promise<ReadIpPolicy[]> {
  const policies = ids.length === 0 ? [] : await scope.rows.pick('IpPolicy', ruleCountColumns, 'id', ids);
  const ruleCount = policies.reduce((sum, policy) => sum + policy.ruleCount + sizeOfRanges(policy.sourceRangeCount), 0);
  if (ruleCount > evaluatedRulesMax) {
    throw new SallyportError(
      'QUERY_TOO_COMPLEX',
      `evaluateTlsPolicy looks at no more than ${evaluatedRulesMax} rules of IP policies; the modules name ${ruleCount}.`,
    );
  }
  turn.charge(ruleCount * costOfRule);
  const read: ReadIpPolicy[] = [];
  for (const { id } of policies) {
    const [{ rules }, lists] = await Promise.all([readRulesInForce(scope, [id]), readListsOf(scope, id)]);
    read.push({ id, rules: rules.map((rule) => ({ rule, words: readStoredWords(rule.range) })), lists });
    await turn.breathe();
  }
  return read;
}

/** Returns the rules of IP policies that cover the address of a connection, by policy. */
async function rangesThatHold(
  policies: readonly ReadIpPolicy[],
  { address }: Connection,
  turn: Turn,
): Promise<Map<string, SetRule[]>> {
  const asked = wordsOf(address);
  const held = new Map<string, SetRule[]>();
  for (const { id, rules, lists } of policies) {
    turn.charge((rules.length + lists.length) * costOfComparison);
    const listing = lists.filter((acted) => rankInList(acted, asked) !== noRank);
    held.set(id, [
      ...rules.flatMap(({ rule, words }) => (covers(words, asked) ? rule : [])),
      // Which range of a list it is does not matter.
      ...listing.map(({ action }) => ({ action, range: `${address}/${asked.length * 32}` })),
    ]);
    await turn.breathe();
  }
  return held;
}
