// TLS edges that need attention: their traffic policies name IP policies that are deleted or empty, so they let in fewer clients
// than it seems, or have expressions that are never true, so that rules do not apply.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Attention } from '../../domain/attention.ts';
import { createPauses } from '../../domain/concurrency/pauses.ts';
import { inTurns, type Steps } from '../../domain/concurrency/steps.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { called, listed, type Nameable, namedMax } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { findNameables, type NameableOf } from '../../storage/objects/names.ts';
import { entriesOfRow, type SliceSizes } from '../../storage/sql/read-slices.ts';
import { readRules } from './policy/endpoint-rule.ts';
import { namedIpPolicies } from './policy/evaluate.ts';
import type { PolicyRules } from './rules.ts';
import { costOfWarning, expressionsOf, warningAbout } from './warning-rules.ts';

/** Finds TLS edges that need attention. */
export const attention: readonly AttentionSource[] = [
  {
    needs: ['tls-edges:read', 'ip-policies:read'],
    async find({ scope, most }) {
      const found: Attention[] = [];
      for await (const read of readPolicies(scope, '"ip_policies"')) {
        const page = read.map(({ inbound, outbound, ...edge }) => {
          return { ...edge, named: namedIpPolicies([...(inbound ?? []), ...(outbound ?? [])]) };
        });
        const ids = [...new Set(page.flatMap(({ named }) => named))];
        const policies = await scope.rows.pick('IpPolicy', ['id', 'description', 'ruleCount'], 'id', ids);
        const filled = new Set(policies.flatMap(({ id, ruleCount }) => (ruleCount > 0 ? [id] : [])));
        const concerned = page.flatMap((edge) => {
          const empty = edge.named.filter((id) => !filled.has(id));
          return empty.length === 0 ? [] : [{ edge, empty }];
        });
        const named = concerned.flatMap(({ empty }) => empty.slice(0, namedMax));
        const nameableOf = await findNameables(scope, named, policies);
        for (const { edge, empty } of concerned) found.push(namesEmpty(edge, empty, nameableOf));
      }
      return found.slice(0, most);
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
/** Maximum number of characters of traffic policies scanned, oldest edges first: that takes about 30 ms. */
const textMax = 4_000_000;

/** Reads, in slices, the enabled traffic policies that have a certain text, with their edges. */
async function* readPolicies({ accountId, db, rows }: AccountView, text: string) {
  const has = { contains: text };
  let last = '';
  let characters = 0;
  const read = async (most: number) => {
    const page = await db.tlsEdge.findMany({
      where: { id: { gt: last }, policy: { enabled: true, OR: [{ inbound: has }, { outbound: has }] } },
      orderBy: { id: 'asc' },
      select: { id: true, description: true, hostports: true, policy: { select: { inbound: true, outbound: true } } },
      take: most,
    });
    for (const { policy } of page) characters += (policy?.inbound?.length ?? 0) + (policy?.outbound?.length ?? 0);
    last = page.at(-1)?.id ?? '';
    return { value: page, entries: page.length * entriesOfRow, isLast: page.length < most || characters >= textMax };
  };
  for await (const page of rows.slices(edgeSlices, read)) yield await inTurns(accountId, rulesOf(page));
}

/** An edge with its policy as stored. */
interface StoredEdge {
  readonly id: string;
  readonly description: string;
  readonly hostports: unknown;
  readonly policy: { readonly inbound: string | null; readonly outbound: string | null } | null;
}

/** Parses the policies of edges, one in each step. */
function* rulesOf(edges: readonly StoredEdge[]): Steps<(Nameable & PolicyRules)[]> {
  const parsed: (Nameable & PolicyRules)[] = [];
  const rules = (stored: string | null | undefined) => (stored == null ? null : readRules(stored));
  for (const { policy, hostports, ...edge } of edges) {
    const both = { inbound: rules(policy?.inbound), outbound: rules(policy?.outbound) };
    parsed.push({ ...edge, hostports: readTextList(hostports), ...both });
    yield;
  }
  return parsed;
}
