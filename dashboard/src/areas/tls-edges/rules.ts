// A traffic policy while it is being edited. Pure functions.

import { isObject } from '../../client/json.ts';
import { sentLines } from '../../kit/fields.tsx';
import { objectOf, type Pair, pairsError } from '../../kit/pairs.tsx';
import type { TlsProblemFragment, TlsRuleFragment } from './tls-edges.generated.ts';

export const directions = ['inbound', 'outbound'] as const;
/** A direction of traffic. */
export type Direction = (typeof directions)[number];

/** An action while it is being edited. */
export interface ActionDraft {
  readonly type: string;
  readonly config: unknown;
  /** The configuration as typed, if it is edited as JSON; otherwise null. */
  readonly text: string | null;
  /** The logged metadata as entered, row by row, once it has been edited; otherwise null. */
  readonly pairs: readonly Pair[] | null;
}

/** A rule while it is being edited. */
export interface RuleDraft {
  /** Identifies the rule when it is moved. */
  readonly key: string;
  readonly name: string;
  /** The lines as typed; empty ones are not sent. */
  readonly expressions: readonly string[];
  readonly actions: readonly ActionDraft[];
}

/** A policy while it is being edited: the values of its form. */
export interface PolicyDraft {
  readonly enabled: boolean;
  readonly inbound: readonly RuleDraft[];
  readonly outbound: readonly RuleDraft[];
  readonly [field: string]: unknown;
}

/** A policy as it is sent. */
export interface SentPolicy {
  readonly inbound: SentRule[];
  readonly outbound: SentRule[];
}

interface SentRule {
  readonly name?: string;
  readonly expressions?: string[];
  readonly actions: { readonly type: string; readonly config?: unknown }[];
}

/** A problem in a policy. */
export type PolicyProblem = TlsProblemFragment;

let made = 0;

/** Returns a new rule, which denies everything until it has an expression. */
export function newRule(): RuleDraft {
  made += 1;
  return { key: `new-${made}`, name: '', expressions: [], actions: [newAction('deny')] };
}

/** Returns a new action of a type, with a valid configuration. */
export function newAction(type: string): ActionDraft {
  const configs: Readonly<Record<string, unknown>> = {
    log: { metadata: {} },
    'restrict-ips': { enforce: true, allow: [], deny: [], ip_policies: [] },
  };
  const config = configs[type] ?? null;
  return { type, config, text: null, pairs: null };
}

const ruleDraft = ({ name, expressions, actions }: TlsRuleFragment, key: string): RuleDraft => ({
  key,
  name: name ?? '',
  expressions: expressions ?? [],
  actions: actions.map(({ type, config }) => ({ type, config: config ?? null, text: null, pairs: null })),
});

/** Returns the draft of a policy; one without rules if the edge has no policy. */
export function policyDraft(
  policy: {
    readonly enabled: boolean;
    readonly inbound: readonly TlsRuleFragment[] | null;
    readonly outbound: readonly TlsRuleFragment[] | null;
  } | null,
): PolicyDraft {
  const rules = (direction: Direction) =>
    (policy?.[direction] ?? []).map((rule, index) => ruleDraft(rule, `${direction}-${index}`));
  return { enabled: policy?.enabled ?? true, inbound: rules('inbound'), outbound: rules('outbound') };
}

/** Returns the error in typed JSON; null if there is none. Empty text is valid. */
export function jsonError(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? `This is not JSON: ${error.message}` : 'This is not JSON.';
  }
}

function configOf({ config, text, pairs }: ActionDraft): unknown {
  if (pairs !== null) return { metadata: objectOf(pairs) };
  if (text !== null) return text.trim() === '' || jsonError(text) !== null ? null : JSON.parse(text);
  if (!isObject(config)) return config;
  // Lists are edited line by line, so they may contain empty lines.
  const trimmed = Object.entries(config).map(([name, value]) => [name, isTexts(value) ? sentLines(value) : value]);
  return Object.fromEntries(trimmed);
}

/** Returns a rule as it is sent, without unset fields. */
function sentRule({ name, expressions, actions }: RuleDraft): SentRule {
  const lines = sentLines(expressions);
  return {
    ...(name !== '' && { name }),
    ...(lines.length > 0 && { expressions: lines }),
    actions: actions.map((action) => {
      const config = configOf(action);
      return { type: action.type, ...(config !== null && { config }) };
    }),
  };
}

/** Returns a policy as it is sent. */
export const sentPolicy = ({ inbound, outbound }: PolicyDraft): SentPolicy => ({
  inbound: inbound.map(sentRule),
  outbound: outbound.map(sentRule),
});

/** Returns whether all typed JSON and all rows of metadata are valid. If not, the policy differs from what is on the screen. */
export const isReadable = ({ inbound, outbound }: PolicyDraft): boolean =>
  [...inbound, ...outbound].every(({ actions }) =>
    actions.every(({ text, pairs }) => jsonError(text ?? '') === null && pairsError(pairs ?? []) === null),
  );

/**
 * Parses a policy written as JSON, in the form of the API. Checks its structure; the content of the rules is left to the server.
 *
 * @returns the policy, or an error message
 */
export function readPolicy(text: string, enabled: boolean): PolicyDraft | string {
  const error = jsonError(text);
  if (error !== null) return error;
  const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
  if (!isObject(value)) return 'A policy is an object with the lists “inbound” and “outbound”.';
  const other = Object.keys(value).find((name) => name !== 'inbound' && name !== 'outbound');
  if (other !== undefined) return `A policy has no “${other}”, but the lists “inbound” and “outbound”.`;
  const rules: Record<Direction, RuleDraft[]> = { inbound: [], outbound: [] };
  for (const direction of directions) {
    const list = value[direction] ?? [];
    if (!Array.isArray(list)) return `“${direction}” is a list of rules.`;
    for (const [index, rule] of list.entries()) {
      const read = readRule(rule, `${direction}-${index}`);
      if (read === null) return `${direction}[${index}] is not a rule, such as {"actions": [{"type": "deny"}]}.`;
      rules[direction].push(read);
    }
  }
  return { enabled, ...rules };
}

function readRule(rule: unknown, key: string): RuleDraft | null {
  if (!isObject(rule)) return null;
  const { name = '', expressions = [], actions, ...rest } = rule;
  if (typeof name !== 'string' || !isTexts(expressions) || !Array.isArray(actions)) return null;
  if (Object.keys(rest).length > 0) return null;
  const read: ActionDraft[] = [];
  for (const action of actions) {
    if (!isObject(action) || typeof action.type !== 'string') return null;
    read.push({ type: action.type, config: action.config ?? null, text: null, pairs: null });
  }
  return { key, name, expressions, actions: read };
}

/** Returns whether a value is an array of strings. */
export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Describes in one line what a rule does. */
export function summaryOf({ expressions, actions }: RuleDraft): string {
  const count = sentLines(expressions).length;
  const when =
    count === 0
      ? 'All connections'
      : count === 1
        ? 'If its expression is true'
        : `If all ${count} expressions are true`;
  return `${when}: ${actions.map(({ type }) => type || '?').join(', then ') || 'nothing'}`;
}
