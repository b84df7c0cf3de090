// What the traffic policy of a TLS edge may be. Pure. Which identifiers exist is for the store to find out.

import { checkCel } from '../../domain/cel.ts';
import { parseRange } from '../../domain/cidr.ts';
import { readJsonList } from '../../domain/decode.ts';
import { invalid, SallyportError } from '../../domain/errors.ts';
import { checkJson, isJsonObject, type JsonObject } from '../../domain/json.ts';
import { checkText } from '../../domain/text.ts';

/** Most rules in one direction. The schema holds lists to this maximum, and to the next two. */
export const rulesMax = 100;
/** Longest name of a rule, in bytes of UTF-8. */
const nameBytesMax = 255;
/** Most expressions in one rule. */
export const expressionsMax = 50;
/** Most actions in one rule. */
export const actionsMax = 20;
/** Longest type of an action, in bytes. */
const typeBytesMax = 64;
/** Most entries in one list of a `restrict-ips` action. */
export const entriesMax = 1000;
/** Largest policy, both directions together, in bytes of JSON: a page of a hundred edges must stay one answer. */
export const policyBytesMax = 262_144;
/**
 * Deepest nesting in a configuration: the 64 levels of a request body without the 7 that stand around a configuration
 * in the variables of GraphQL. So whatever is stored can be sent again, on both surfaces.
 */
export const configDepthMax = 57;

/** Most rules of IP policies that a question about a policy looks at. */
export const evaluatedRulesMax = 200_000;

/** An action of a rule. */
export interface EndpointAction {
  readonly type: string;
  readonly config?: unknown;
}

/** A rule of a traffic policy. What is absent or null is not set. */
export interface EndpointRule {
  readonly name?: string | null | undefined;
  readonly expressions?: readonly string[] | null | undefined;
  readonly actions: readonly EndpointAction[];
}

/** The rules of a policy; null where a direction has none. */
export interface PolicyRules {
  readonly inbound: readonly EndpointRule[] | null;
  readonly outbound: readonly EndpointRule[] | null;
}

/** A place in a policy that names an IP policy. */
export interface IpPolicyReference {
  readonly field: string;
  readonly id: string;
}

/**
 * Checks the rules of a policy.
 *
 * @returns the rules as JSON text, and the IP policies that they name
 * @throws INVALID_INPUT, with the place in `field`; UNKNOWN_FIELD for a setting that `restrict-ips` does not have
 */
export function writePolicy({ inbound, outbound }: PolicyRules) {
  const text = { inbound: write(inbound), outbound: write(outbound) };
  const inboundBytes = byteLength(text.inbound);
  const outboundBytes = byteLength(text.outbound);
  const bytes = inboundBytes + outboundBytes;
  // Before all else, because it bounds what the rest can cost.
  if (bytes > policyBytesMax) {
    throw invalid(
      inboundBytes >= outboundBytes ? 'inbound' : 'outbound',
      `is too long: both directions together have ${bytes} bytes as JSON; the maximum is ${policyBytesMax}.`,
    );
  }
  const references = [...checkRules('inbound', inbound ?? []), ...checkRules('outbound', outbound ?? [])];
  return { ...text, references };
}

/** Reads the rules that `writePolicy` wrote. Throws `Error` for anything else. */
export function readRules(text: string): EndpointRule[] {
  return readJsonList(text, isRule, 'rules');
}

function isRule(value: unknown): value is EndpointRule {
  if (!isJsonObject(value)) return false;
  const { name, expressions, actions } = value;
  return (
    (name == null || typeof name === 'string') &&
    (expressions == null || (Array.isArray(expressions) && expressions.every((one) => typeof one === 'string'))) &&
    Array.isArray(actions) &&
    actions.every((action) => isJsonObject(action) && typeof action.type === 'string')
  );
}

function write(rules: readonly EndpointRule[] | null): string | null {
  return rules === null ? null : JSON.stringify(rules);
}

function byteLength(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text);
}

function checkRules(direction: string, rules: readonly EndpointRule[]): IpPolicyReference[] {
  return rules.flatMap((rule, index) => checkRule(`${direction}[${index}]`, rule));
}

function checkRule(place: string, { name, expressions, actions }: EndpointRule): IpPolicyReference[] {
  if (name != null) checkText(`${place}.name`, name, nameBytesMax);
  for (const [index, expression] of (expressions ?? []).entries()) {
    checkCel(`${place}.expressions[${index}]`, expression);
  }
  if (actions.length === 0) throw invalid(`${place}.actions`, 'must have at least one action.');
  return actions.flatMap((action, index) => checkAction(`${place}.actions[${index}]`, action));
}

function checkAction(place: string, { type, config }: EndpointAction): IpPolicyReference[] {
  checkText(`${place}.type`, type, typeBytesMax);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(type)) {
    throw invalid(`${place}.type`, 'must be lower-case words separated by hyphens, such as restrict-ips.');
  }
  const field = `${place}.config`;
  if (config != null && !isJsonObject(config)) throw invalid(field, 'must be an object or null.');
  checkJson(field, config, configDepthMax, policyBytesMax);
  switch (type) {
    case 'log':
      checkLog(field, config ?? null);
      return [];
    case 'deny':
      checkDeny(field, config ?? null);
      return [];
    case 'restrict-ips':
      return checkRestrictIps(field, config ?? null);
    default:
      // What an edge of a later version knows is no business of this service: it is kept as it is.
      return [];
  }
}

function checkLog(field: string, config: JsonObject | null): void {
  if (!isJsonObject(config?.metadata)) {
    throw invalid(field, 'must have an object in `metadata`, which the action writes to the log.');
  }
}

function checkDeny(field: string, config: JsonObject | null): void {
  // An empty object says as little as null, and clients that always send every field send it.
  if (Object.keys(config ?? {}).length > 0)
    throw invalid(field, 'must be omitted: a deny action takes no configuration.');
}

/** The settings of `restrict-ips`. */
const restrictIpsFields = ['enforce', 'allow', 'deny', 'ip_policies'];

function checkRestrictIps(field: string, config: JsonObject | null): IpPolicyReference[] {
  if (config === null) {
    throw invalid(field, 'is required: lists of ranges in `allow` and `deny`, and of IP policies in `ip_policies`.');
  }
  // A misspelt list would be an empty one, and who gets in would be another.
  const unknown = Object.keys(config).find((key) => !restrictIpsFields.includes(key));
  if (unknown !== undefined) {
    throw new SallyportError(
      'UNKNOWN_FIELD',
      `has a setting that restrict-ips does not support: ${JSON.stringify(unknown.slice(0, 64))}. ` +
        `Supported: ${restrictIpsFields.join(', ')}.`,
      { field },
    );
  }
  const { enforce, allow, deny, ip_policies: ipPolicies } = config;
  if (enforce != null && typeof enforce !== 'boolean') throw invalid(`${field}.enforce`, 'must be true or false.');
  for (const [name, ranges] of Object.entries({ allow, deny })) {
    const texts = readTexts(`${field}.${name}`, ranges);
    for (const [index, range] of texts.entries()) parseRange(`${field}.${name}[${index}]`, range);
  }
  const ids = readTexts(`${field}.ip_policies`, ipPolicies);
  return ids.map((id, index) => ({ field: `${field}.ip_policies[${index}]`, id }));
}

/** Reads an optional list of texts out of a configuration. */
function readTexts(field: string, list: unknown): string[] {
  if (list == null) return [];
  if (!Array.isArray(list)) throw invalid(field, 'must be a list.');
  // Like the lists that the schema knows: see `graphql/variables.ts`.
  if (list.length > entriesMax) {
    throw invalid(field, `must have at most ${entriesMax} entries; it has ${list.length}.`);
  }
  return list.map((entry: unknown, index) => {
    if (typeof entry !== 'string') throw invalid(`${field}[${index}]`, 'must be a string.');
    return entry;
  });
}
