// A TLS edge with everything its policy refers to, for programs that enforce it without asking Sallyport.

import type { SetRule } from '../../domain/ip/address-set.ts';
import { readTextList } from '../../domain/values/decode.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { type EndpointRule, readRules } from './policy/endpoint-rule.ts';
import { namedIpPolicies } from './policy/evaluate.ts';
import type { EnforcedEdge } from './policy/haproxy.ts';
import { directions } from './rules.ts';

/** Reads an edge; null if the account has none with this id. */
export async function readEnforcedEdge(
  scope: AccountScope,
  edgeId: string,
): Promise<Omit<EnforcedEdge, 'allowed'> | null> {
  const edge = await scope.db.tlsEdge.findFirst({ where: { id: edgeId }, include: { policy: true } });
  if (edge === null) return null;
  const { policy } = edge;
  const rules = directions.flatMap((direction) => {
    const text = policy?.enabled === true ? policy[direction] : null;
    const read: EndpointRule[] = text === null ? [] : readRules(text);
    return read.map((rule, index) => ({ path: `${direction}[${index}]`, rule }));
  });
  const ipPolicies = new Map<string, SetRule[]>();
  for (const id of namedIpPolicies(rules.map(({ rule }) => rule))) {
    ipPolicies.set(id, await scope.rows.pick('IpPolicyRule', ['action', 'range'], 'ipPolicyId', [id]));
  }
  return { edgeId: edge.id, hostports: readTextList(edge.hostports), rules, ipPolicies };
}
