// Validation of the traffic policy of a TLS edge. Pure: the store checks that the identifiers in it exist.

import type { Steps } from '../../domain/concurrency/steps.ts';
import { invalid, SallyportError } from '../../domain/errors.ts';
import { parseRange } from '../../domain/ip/cidr.ts';
import { checkJson, countJson, isJsonObject, type JsonObject } from '../../domain/values/json.ts';
import { checkText } from '../../domain/values/text.ts';
import { checkCel, InvalidCel } from './policy/cel.ts';
import type { EndpointRule } from './policy/endpoint-rule.ts';

/** The directions of a traffic policy, in the order in which they apply. */
export const directions = ['inbound', 'outbound'] as const;
export type Direction = (typeof directions)[number];

/** Maximum number of rules in one direction. The schema enforces this maximum, `expressionsMax` and `actionsMax`. */
export const rulesMax = 100;
const nameBytesMax = 255;
export const expressionsMax = 50;
export const actionsMax = 20;
/** Maximum length of an action's type, in bytes. */
const typeBytesMax = 64;
/** Maximum number of entries in one list of a `restrict-ips` action. */
export const entriesMax = 1000;
/** Maximum size of a policy, both directions together, in bytes of JSON: a page of a hundred edges must fit in one response. */
export const policyBytesMax = 262_144;
/** Maximum number of values and keys in a policy, both directions together: 256 KiB of ranges have 20,000. */
export const policyValuesMax = 30_000;
/**
 * Maximum nesting depth of a configuration: the 64 levels of a request body minus the 7 that enclose a configuration in GraphQL
 * variables. So anything that is stored can be sent again, through both APIs.
 */
export const configDepthMax = 57;

/** The rules of a policy; null for a direction that is not set. */
export interface PolicyRules {
  readonly inbound: readonly EndpointRule[] | null;
  readonly outbound: readonly EndpointRule[] | null;
}

/** A location in a policy: zero-based indexes of a rule and of an expression or action in it; null for those that do not apply. */
export interface PolicyLocation {
  readonly direction: Direction;
  readonly rule: number | null;
  readonly expression: number | null;
  readonly action: number | null;
}

export interface PolicyProblem extends PolicyLocation {
  /** An error keeps the policy from being saved; a warning is probably a mistake. */
  readonly severity: 'error' | 'warning';
  /** Zero-based position in the expression; null if unknown. */
  readonly position: number | null;
  /** The error that describes the problem, with the location in `field`; saving the policy fails with it if it is an error. */
  readonly error: SallyportError;
}

export interface IpPolicyReference extends PolicyLocation {
  readonly field: string;
  readonly id: string;
}

/** A policy in its stored form, and the IP policies that it names. */
export interface WrittenPolicy {
  readonly inbound: string | null;
  readonly outbound: string | null;
  readonly references: readonly IpPolicyReference[];
}

/** A check that yields each problem, and undefined before each small step, so that the caller can pause there. */
type Checking<T = void> = Generator<PolicyProblem | undefined, T, void>;

/**
 * Checks the rules of a policy, in order. The errors of its problems are INVALID_INPUT, or UNKNOWN_FIELD for a setting that
 * `restrict-ips` does not have, with the location in `field`.
 *
 * @returns the rules as JSON text, and the IP policies that they name
 */
function* checkPolicyRules({ inbound, outbound }: PolicyRules): Checking<WrittenPolicy> {
  // Sizes are checked first, because they limit the cost of the rest.
  const values = countJson([inbound, outbound], policyValuesMax);
  if (values > policyValuesMax) {
    const direction = countJson(inbound, values) >= countJson(outbound, values) ? 'inbound' : 'outbound';
    const message = `holds too much: both directions together may have ${policyValuesMax} values and keys as JSON.`;
    yield problemAt({ direction, ...nowhere }, invalid(direction, message));
    return { inbound: null, outbound: null, references: [] };
  }
  yield;
  const text = { inbound: write(inbound), outbound: write(outbound) };
  const [inboundBytes, outboundBytes] = [byteLength(text.inbound), byteLength(text.outbound)];
  const bytes = inboundBytes + outboundBytes;
  if (bytes > policyBytesMax) {
    const direction = inboundBytes >= outboundBytes ? 'inbound' : 'outbound';
    const message = `is too long: both directions together have ${bytes} bytes as JSON; the maximum is ${policyBytesMax}.`;
    yield problemAt({ direction, ...nowhere }, invalid(direction, message));
    return { ...text, references: [] };
  }
  const references = [
    ...(yield* checkRules('inbound', inbound ?? [])),
    ...(yield* checkRules('outbound', outbound ?? [])),
  ];
  return { ...text, references };
}

/** The problems found in a policy, and its stored form; null if there are as many problems as were wanted. */
interface CheckedPolicy {
  readonly problems: PolicyProblem[];
  readonly written: WrittenPolicy | null;
}

/** Finds the first problems of a policy, as `checkPolicyRules`. */
export function* firstProblems(policy: PolicyRules, countMax: number): Steps<CheckedPolicy> {
  const checking = checkPolicyRules(policy);
  const problems: PolicyProblem[] = [];
  for (;;) {
    const { done, value } = checking.next();
    if (done === true) return { problems, written: value };
    if (value === undefined) yield;
    else problems.push(value);
    if (problems.length === countMax) return { problems, written: null };
  }
}

function write(rules: readonly EndpointRule[] | null): string | null {
  return rules === null ? null : JSON.stringify(rules);
}

function byteLength(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text);
}

const nowhere = { rule: null, expression: null, action: null };

/** Creates the problem for an error at a location in a policy. */
export function problemAt(
  { direction, rule, expression, action }: PolicyLocation,
  error: SallyportError,
): PolicyProblem {
  const position = error instanceof InvalidCel ? error.position : null;
  return { severity: 'error', direction, rule, expression, action, position, error };
}

/** Runs one step: a check that may throw. Returns undefined if there is a problem. */
function* attempt<T>(location: PolicyLocation, check: () => T): Checking<T | undefined> {
  yield;
  try {
    return check();
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    yield problemAt(location, error);
    return undefined;
  }
}

function* checkRules(direction: Direction, rules: readonly EndpointRule[]): Checking<IpPolicyReference[]> {
  const references: IpPolicyReference[] = [];
  for (const [index, rule] of rules.entries()) references.push(...(yield* checkRule(direction, index, rule)));
  return references;
}

function* checkRule(
  direction: Direction,
  index: number,
  { name, expressions, actions }: EndpointRule,
): Checking<IpPolicyReference[]> {
  const field = `${direction}[${index}]`;
  const location = { ...nowhere, direction, rule: index };
  if (name != null) yield* attempt(location, () => checkText(`${field}.name`, name, nameBytesMax));
  for (const [expression, text] of (expressions ?? []).entries()) {
    yield* attempt({ ...location, expression }, () => checkCel(`${field}.expressions[${expression}]`, text));
  }
  if (actions.length === 0) yield problemAt(location, invalid(`${field}.actions`, 'must have at least one action.'));
  const references: IpPolicyReference[] = [];
  for (const [action, { type, config }] of actions.entries()) {
    const inner = `${field}.actions[${action}]`;
    yield* attempt({ ...location, action }, () => checkType(`${inner}.type`, type));
    references.push(...(yield* checkConfig(`${inner}.config`, { ...location, action }, type, config ?? null)));
  }
  return references;
}

function checkType(field: string, type: string): void {
  checkText(field, type, typeBytesMax);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(type)) {
    throw invalid(field, 'must be lower-case words separated by hyphens, such as restrict-ips.');
  }
}

function* checkConfig(
  field: string,
  location: PolicyLocation,
  type: string,
  value: unknown,
): Checking<readonly IpPolicyReference[]> {
  const config = yield* attempt(location, () => readConfig(field, value));
  if (config === undefined) return [];
  switch (type) {
    case 'log':
      yield* attempt(location, () => checkLog(field, config));
      return [];
    case 'deny':
      yield* attempt(location, () => checkDeny(field, config));
      return [];
    case 'restrict-ips':
      return yield* checkRestrictIps(field, location, config);
    default:
      // Later versions of edges may know further types: their configuration is stored unchecked.
      return [];
  }
}

function readConfig(field: string, config: unknown): JsonObject | null {
  if (config !== null && !isJsonObject(config)) throw invalid(field, 'must be an object or null.');
  checkJson(field, config, configDepthMax, policyBytesMax);
  return config;
}

function checkLog(field: string, config: JsonObject | null): void {
  if (!isJsonObject(config?.metadata)) {
    throw invalid(field, 'must have an object in `metadata`, which the action writes to the log.');
  }
}

function checkDeny(field: string, config: JsonObject | null): void {
  // An empty object means the same as null, and clients that always send every field send it.
  if (Object.keys(config ?? {}).length > 0)
    throw invalid(field, 'must be omitted: a deny action takes no configuration.');
}

/** The settings of `restrict-ips`. */
const restrictIpsFields = ['enforce', 'allow', 'deny', 'ip_policies'];

function* checkRestrictIps(
  field: string,
  location: PolicyLocation,
  config: JsonObject | null,
): Checking<IpPolicyReference[]> {
  if (config === null) {
    const message = 'is required: lists of ranges in `allow` and `deny`, and of IP policies in `ip_policies`.';
    yield problemAt(location, invalid(field, message));
    return [];
  }
  yield* attempt(location, () => checkSettings(field, config));
  const { allow, deny, ip_policies: ipPolicies } = config;
  for (const [name, ranges] of Object.entries({ allow, deny })) {
    const texts = yield* readTexts(`${field}.${name}`, location, ranges);
    for (const { at, text } of texts) yield* attempt(location, () => parseRange(at, text));
  }
  const ids = yield* readTexts(`${field}.ip_policies`, location, ipPolicies);
  return ids.map(({ at, text }) => ({ ...location, field: at, id: text }));
}

function checkSettings(field: string, config: JsonObject): void {
  // A misspelled list would count as empty, and change who gets in.
  const unknown = Object.keys(config).find((key) => !restrictIpsFields.includes(key));
  if (unknown !== undefined) {
    throw new SallyportError(
      'UNKNOWN_FIELD',
      `has a setting that restrict-ips does not support: ${JSON.stringify(unknown.slice(0, 64))}. ` +
        `Supported: ${restrictIpsFields.join(', ')}.`,
      { field },
    );
  }
  const { enforce } = config;
  if (enforce != null && typeof enforce !== 'boolean') throw invalid(`${field}.enforce`, 'must be true or false.');
}

/** Reads an optional list of strings from a configuration, each with its location. */
function* readTexts(field: string, location: PolicyLocation, list: unknown): Checking<{ at: string; text: string }[]> {
  if (list == null) return [];
  const entries = yield* attempt(location, () => readEntries(field, list));
  const texts: { at: string; text: string }[] = [];
  for (const [index, text] of (entries ?? []).entries()) {
    const at = `${field}[${index}]`;
    if (typeof text === 'string') texts.push({ at, text });
    else yield problemAt(location, invalid(at, 'must be a string.'));
  }
  return texts;
}

function readEntries(field: string, list: unknown): readonly unknown[] {
  if (!Array.isArray(list)) throw invalid(field, 'must be a list.');
  // The same limit as for lists declared in the schema: see `graphql/execution/variables.ts`.
  if (list.length > entriesMax) {
    throw invalid(field, `must have at most ${entriesMax} entries; it has ${list.length}.`);
  }
  return list;
}
