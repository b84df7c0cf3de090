// A TLS edge with everything its modules refer to, for programs that enforce it without asking Sallyport.

import { type AddressSet, passedBy, type SetRule } from '../../domain/ip/address-set.ts';
import { endlessMs } from '../../domain/ip/rule-end.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { called } from '../../domain/wording.ts';
import { readAllInForce } from '../../storage/ip/range-lists.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { type EndpointRule, readRules } from './policy/endpoint-rule.ts';
import { namedIpPolicies } from './policy/evaluate.ts';
import type { EnforcedEdge } from './policy/haproxy.ts';
import { directions } from './rules.ts';

/** An edge, and where its connections go. */
interface ReadEdge extends Omit<EnforcedEdge, 'allowed'> {
  /** Its name in messages. */
  readonly name: string;
  /** The targets of its backend, or a sentence that says what is missing. */
  readonly targets: readonly string[] | string;
}

/** Reads an edge; null if the account has none with this id. */
export async function readEnforcedEdge(scope: AccountScope, edgeId: string): Promise<ReadEdge | null> {
  const edge = await scope.db.tlsEdge.findFirst({
    where: { id: edgeId },
    include: {
      policy: true,
      ipRestriction: { include: { policyRefs: true } },
      backend: { include: { backend: true } },
    },
  });
  if (edge === null) return null;
  const { policy, ipRestriction } = edge;
  const hostports = readTextList(edge.hostports);
  const rules = directions.flatMap((direction) => {
    const text = policy?.enabled === true ? policy[direction] : null;
    const read: EndpointRule[] = text === null ? [] : readRules(text);
    return read.map((rule, index) => ({ path: `${direction}[${index}]`, rule }));
  });
  const ipPolicies = new Map<string, SetRule[]>();
  let validUntilMs = endlessMs;
  for (const id of namedIpPolicies(rules.map(({ rule }) => rule))) {
    const found = await readAllInForce(scope, [id]);
    ipPolicies.set(id, found.rules);
    validUntilMs = Math.min(validUntilMs, found.validUntilMs);
  }
  const here = ipRestriction?.enabled === true ? await readAllowed(scope, ipRestriction.policyRefs) : null;
  const name = called({ ...edge, hostports });
  return {
    edgeId: edge.id,
    name,
    hostports,
    rules,
    ipPolicies,
    allowedHere: here?.set ?? null,
    validUntilMs: Math.min(validUntilMs, here?.validUntilMs ?? endlessMs),
    targets: targetsOf(edge.backend),
  };
}

/** Returns the targets of the backend of an edge, or a sentence that says what is missing. */
function targetsOf(
  module: { readonly enabled: boolean; readonly backend: Row<'TunnelGroupBackend'> } | null,
): readonly string[] | string {
  if (module === null) return 'It has no backend.';
  if (!module.enabled) return 'Its backend module is disabled.';
  const { backend } = module;
  const targets = readTextList(backend.targets);
  if (targets.length === 0) return `Its backend ${called(backend)} has no targets.`;
  if (backend.tls !== 'passthrough') {
    return `The targets of its backend ${called(backend)} expect no TLS (\`tls\`: ${backend.tls}), and nothing decrypts it before.`;
  }
  return targets;
}

/** Reads the addresses that policies let pass together, and until when they do. A deleted policy has no rules. */
async function readAllowed(
  scope: AccountScope,
  refs: readonly { readonly ipPolicyId: string }[],
): Promise<{ set: AddressSet; validUntilMs: number }> {
  const ids = refs.map(({ ipPolicyId }) => ipPolicyId);
  const { rules, validUntilMs } = await readAllInForce(scope, ids);
  return { set: passedBy(rules), validUntilMs };
}
