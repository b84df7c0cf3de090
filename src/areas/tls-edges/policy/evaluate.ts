// Evaluates the rules of a traffic policy for a connection, rule by rule. Pure.

import type { SetRule } from '../../../domain/ip/address-set.ts';
import { wordsOf } from '../../../domain/ip/cidr.ts';
import { compileRules, denies, noRank } from '../../../domain/ip/rule-table.ts';
import { evaluateExpression, type Truth } from './expressions.ts';
import { readRestrictIps, restrictIpsRules } from './restrict-ips.ts';
import { type Connection, setAt } from './variables.ts';

export interface PolicyRule {
  readonly expressions?: readonly string[] | null | undefined;
  readonly actions: readonly { readonly type: string; readonly config?: unknown }[];
}

const actionEffects = ['pass', 'warn', 'refuse', 'unknown'] as const;
export type ActionEffect = (typeof actionEffects)[number];

/** The effect of an action of a matching rule, and the reason. */
export interface ActionOutcome {
  readonly type: string;
  readonly effect: ActionEffect;
  /** The deciding range of a `restrict-ips` action; null if no range contains the address, and for other actions. */
  readonly matchedRange: string | null;
  readonly message: string;
}

export interface RuleOutcome {
  readonly matched: boolean;
  readonly expressions: readonly (Truth & { readonly expression: string })[];
  /** The actions that ran, in order. The first one that refuses is the last. */
  readonly actions: readonly ActionOutcome[];
}

export interface RuleContext {
  readonly connection: Connection;
  /** The rules of IP policies whose range contains the address of the connection, by policy id. */
  readonly ipPolicies: ReadonlyMap<string, readonly SetRule[]>;
  /** Called with the cost of each step before it runs, in the units of `estimateCost`. */
  charge(cost: number): void;
  /** Gives other work a turn, between expressions and actions. */
  breathe(): Promise<void>;
}

/**
 * Evaluates a rule. It matches if all its expressions are true; an expression that cannot be evaluated does not count as true. A
 * `restrict-ips` action stores its result in the variables of the connection, for the expressions of later rules.
 */
export async function evaluateRule({ expressions, actions }: PolicyRule, context: RuleContext): Promise<RuleOutcome> {
  const { connection, charge, breathe } = context;
  const truths: (Truth & { expression: string })[] = [];
  for (const expression of expressions ?? []) {
    truths.push({ expression, ...evaluateExpression(expression, connection.values, charge) });
    await breathe();
  }
  if (!truths.every(({ value }) => value === true)) return { matched: false, expressions: truths, actions: [] };
  const outcomes: ActionOutcome[] = [];
  for (const action of actions) {
    const outcome = evaluateAction(action, context);
    outcomes.push(outcome);
    if (outcome.effect === 'refuse') break;
    await breathe();
  }
  return { matched: true, expressions: truths, actions: outcomes };
}

function evaluateAction({ type, config }: PolicyRule['actions'][number], context: RuleContext): ActionOutcome {
  switch (type) {
    case 'deny':
      return { type, effect: 'refuse', matchedRange: null, message: 'The connection is closed.' };
    case 'log':
      return { type, effect: 'pass', matchedRange: null, message: 'The connection is logged.' };
    case 'restrict-ips':
      return { type, ...restrictIps(config, context) };
    default:
      return { type, effect: 'unknown', matchedRange: null, message: 'Actions of this type are not evaluated.' };
  }
}

/** The cost of parsing and compiling a range, in the units of `estimateCost` (measured). */
const costOfRange = 5;

function restrictIps(config: unknown, { connection, ipPolicies, charge }: RuleContext) {
  const settings = readRestrictIps(config);
  charge((settings.allow.length + settings.deny.length) * costOfRange);
  const rules = restrictIpsRules(settings, ipPolicies);
  const table = compileRules(rules.map((rule, index) => ({ ...rule, id: String(index) })));
  const words = wordsOf(connection.address);
  const rank = table.rankOf(words);
  const passes = rank !== noRank && !denies(rank);
  const matchedRange = rules[Number(table.decidingId(words) ?? -1)]?.range ?? null;
  const { values } = connection;
  setAt(values, ['actions', 'ngrok', 'restrict_ips', 'action'], passes ? 'allow' : 'deny');
  setAt(values, ['actions', 'ngrok', 'restrict_ips', 'matched_cidr'], matchedRange ?? '');
  const effect: ActionEffect = passes ? 'pass' : settings.enforced ? 'refuse' : 'warn';
  return { effect, matchedRange, message: explain(effect, matchedRange) };
}

function explain(effect: ActionEffect, matchedRange: string | null): string {
  const why = matchedRange === null ? 'No range allows the address' : `${matchedRange} denies the address`;
  switch (effect) {
    case 'refuse':
      return `${why}.`;
    case 'warn':
      return `${why}, but the action is not enforced.`;
    default:
      return `${matchedRange} allows the address, and no range denies it.`;
  }
}

/** Returns the ids of the IP policies that rules name. */
export function namedIpPolicies(rules: readonly PolicyRule[]): string[] {
  const restrictions = rules.flatMap(({ actions }) => actions.filter(({ type }) => type === 'restrict-ips'));
  return [...new Set(restrictions.flatMap(({ config }) => readRestrictIps(config).ipPolicyIds))];
}
