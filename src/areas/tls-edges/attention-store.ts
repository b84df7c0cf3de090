// TLS edges that need attention: their traffic policies name IP policies that are deleted or empty, so they let in fewer clients
// than it seems, or have expressions that are never true, so that rules do not apply.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Attention, mostUrgent } from '../../domain/attention.ts';
import { createPauses } from '../../domain/concurrency/pauses.ts';
import { inTurns, type Steps } from '../../domain/concurrency/steps.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { called, listed, type Nameable, namedMax } from '../../domain/wording.ts';
import { findWithoutRules, ruleCountColumns } from '../../storage/ip/rules-in-force.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { findNameables, type NameableOf } from '../../storage/objects/names.ts';
import { entriesOfRow, type SliceSizes } from '../../storage/sql/read-slices.ts';
import { readRules } from './policy/endpoint-rule.ts';
import { namedIpPolicies } from './policy/evaluate.ts';
import type { PolicyRules } from './rules.ts';
import { costOfWarning, expressionsOf, warningAbout } from './warning-rules.ts';

export const attention: readonly AttentionSource[] = [
  {
    needs: ['tls-edges:read', 'ip-policies:read'],
    async find({ scope, most }) {
      const found: Attention[] = [];
      const isEmptyPolicy = await findWithoutRules(scope);
      for await (const read of readPolicies(scope, '"ip_policies"')) {
        const page = read.map(({ inbound, outbound, ...edge }) => {
          return { ...edge, named: namedIpPolicies([...(inbound ?? []), ...(outbound ?? [])]) };
        });
        const ids = [...new Set(page.flatMap(({ named }) => named))];
        const policies = await scope.rows.pick('IpPolicy', [...ruleCountColumns, 'description'], 'id', ids);
        const filled = new Set(policies.flatMap((policy) => (isEmptyPolicy(policy) ? [] : [policy.id])));
        const concerned = page.flatMap((edge) => {
          const empty = edge.named.filter((id) => !filled.has(id));
          return empty.length === 0 ? [] : [{ edge, empty }];
        });
        const named = concerned.flatMap(({ empty }) => empty.slice(0, namedMax));
        const nameableOf = await findNameables(scope, named, policies);
        for (const { edge, empty } of concerned) found.push(namesEmpty(edge, empty, nameableOf));
      }
      return mostUrgent(found, most, scope.now());
    },
  },
  {
    needs: ['tls-edges:read'],
    async find({ scope, most }) {
      const found: Attention[] = [];
      const pauses = createPauses(costAtOnce);
      let left = costMax;
      for await (const page of readPolicies(scope, '"expressions"')) {
        for (const edge of page) {
          const wrong: string[] = [];
          for (const expression of expressionsOf(edge)) {
            const cost = costOfWarning(expression.text);
            left -= cost;
            if (left < 0) break;
            if (pauses.due(cost)) await nextTurn();
            const warning = warningAbout(expression);
            if (warning !== null) wrong.push(`${expression.field} ${warning.error.message}`);
          }
          if (wrong.length > 0) found.push(neverApplies(edge, wrong));
          if (left < 0 || found.length >= most) return found;
        }
      }
      return found;
    },
  },
];

/** Cost of the expressions that are looked at, of the oldest edges first: that takes about 60 ms. Of them, 3 ms without a pause. */
const [costMax, costAtOnce] = [40_000, 2_000];

function neverApplies(edge: Nameable, wrong: readonly string[]): Attention {
  const count = wrong.length;
  const expressions = count === 1 ? 'an expression that is' : `${count} expressions that are`;
  const message = `The traffic policy of the TLS edge ${called(edge)} has ${expressions} never true here, so that what depends on ${count === 1 ? 'it' : 'them'} is not enforced: ${wrong[0]} Change the traffic policy.`;
  return { code: 'tls_edge_expression_never_true', severity: 'warning', message, count, at: null, subject: edge };
}

function namesEmpty(edge: Nameable, ids: readonly string[], nameableOf: NameableOf): Attention {
  const count = ids.length;
  const policies = `${count === 1 ? 'an IP policy' : `${count} IP policies`} without rules: ${listed(ids, (id) => called(nameableOf(id)))}`;
  const message = `The traffic policy of the TLS edge ${called(edge)} names ${policies}. Give ${count === 1 ? 'it' : 'them'} rules, restore what was deleted, or change the traffic policy.`;
  return { code: 'tls_edge_ip_policy_empty', severity: 'warning', message, count, at: null, subject: edge };
}

/** Edges with their policies, up to 256 KiB each. */
const edgeSlices: SliceSizes = { first: 10, most: 20, waits: true, loads: true };
/** Most edges, characters of policies that are read, and of those that are parsed, oldest edges first. */
const edgesMax = 10_000;
const readMax = 16_000_000;
const parsedMax = 4_000_000;

/** Reads, in slices, the enabled traffic policies that have a certain text, with their edges. */
async function* readPolicies({ accountId, rows }: AccountView, text: string) {
  let last: string | undefined;
  let [looked, readLength, parsedLength] = [0, 0, 0];
  const read = async (take: number) => {
    const range = { equal: {}, lessThan: undefined, greaterThan: last, ascending: true, take };
    const edges = await rows.pickRange('TlsEdge', ['id', 'description', 'hostports'], range);
    const ids = edges.map(({ id }) => id);
    const policies = await rows.pick('TlsPolicyModule', ['edgeId', 'enabled', 'inbound', 'outbound'], 'edgeId', ids);
    const policyOf = new Map(policies.map((policy) => [policy.edgeId, policy]));
    const value = edges.flatMap((edge): StoredEdge[] => {
      const { enabled = false, inbound = null, outbound = null } = policyOf.get(edge.id) ?? {};
      const length = (inbound?.length ?? 0) + (outbound?.length ?? 0);
      readLength += length;
      if (!enabled || !(inbound?.includes(text) || outbound?.includes(text))) return [];
      parsedLength += length;
      return [{ ...edge, inbound, outbound }];
    });
    last = ids.at(-1);
    looked += ids.length;
    const isOver = looked >= edgesMax || readLength >= readMax || parsedLength >= parsedMax;
    return { value, entries: 2 * ids.length * entriesOfRow, isLast: ids.length < take || isOver };
  };
  for await (const page of rows.slices(edgeSlices, read)) yield await inTurns(accountId, rulesOf(page));
}

interface StoredEdge {
  readonly id: string;
  readonly description: string;
  readonly hostports: unknown;
  readonly inbound: string | null;
  readonly outbound: string | null;
}

/** Parses the policies of edges, one in each step. */
function* rulesOf(edges: readonly StoredEdge[]): Steps<(Nameable & PolicyRules)[]> {
  const parsed: (Nameable & PolicyRules)[] = [];
  const rules = (stored: string | null) => (stored === null ? null : readRules(stored));
  for (const { inbound, outbound, hostports, ...edge } of edges) {
    parsed.push({
      ...edge,
      hostports: readTextList(hostports),
      inbound: rules(inbound),
      outbound: rules(outbound),
    });
    yield;
  }
  return parsed;
}
