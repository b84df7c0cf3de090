// The action `restrict-ips` of traffic policies: its settings, and the rules that it checks addresses against. Pure.

import type { SetRule } from '../../../domain/ip/address-set.ts';
import { formatRange, parseRange } from '../../../domain/ip/cidr.ts';
import { isJsonObject } from '../../../domain/values/json.ts';

/** The settings of an action, which were checked before they were stored. */
export interface RestrictIps {
  /** Whether the action refuses connections, rather than only warning. */
  readonly enforced: boolean;
  /** Ranges as they were written. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ipPolicyIds: readonly string[];
}

/** Reads the configuration of an action. */
export function readRestrictIps(config: unknown): RestrictIps {
  const settings = isJsonObject(config) ? config : {};
  return {
    // Enforced by default, as in the API family.
    enforced: settings.enforce !== false,
    allow: textsOf(settings.allow),
    deny: textsOf(settings.deny),
    ipPolicyIds: textsOf(settings.ip_policies),
  };
}

/**
 * Returns the rules of an action: its own ranges, and the rules of the IP policies that it names.
 *
 * @param ipPolicies the rules of the existing IP policies, by policy id: a deleted policy counts as one without rules
 */
export function restrictIpsRules(
  { allow, deny, ipPolicyIds }: RestrictIps,
  ipPolicies: ReadonlyMap<string, readonly SetRule[]>,
): SetRule[] {
  const own = (action: 'allow' | 'deny', ranges: readonly string[]) =>
    ranges.map((range) => ({ action, range: formatRange(parseRange(action, range)) }));
  return [...own('allow', allow), ...own('deny', deny), ...ipPolicyIds.flatMap((id) => ipPolicies.get(id) ?? [])];
}

function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
}
