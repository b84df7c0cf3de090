// TLS edges that need attention: their traffic policies name IP policies that are deleted or empty, so they let in fewer clients
// than it seems.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Attention } from '../../domain/attention.ts';
import { readTextList } from '../../domain/decode.ts';
import { called, listed, type Nameable, namedMax } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/account-scope.ts';
import type { AttentionSource } from '../../storage/attention.ts';
import { findNameables, type NameableOf } from '../../storage/names.ts';
import { namedIpPolicies } from './policy/evaluate.ts';
import { readRules } from './rules.ts';

/** Finds TLS edges that need attention. */
export const attention: readonly AttentionSource[] = [
  {
    needs: ['tls-edges:read', 'ip-policies:read'],
    async find({ scope, most }) {
      const found: Attention[] = [];
      for await (const page of readPolicies(scope)) {
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
];

function namesEmpty(edge: Nameable, ids: readonly string[], nameableOf: NameableOf): Attention {
  const count = ids.length;
  const policies = `${count === 1 ? 'an IP policy' : `${count} IP policies`} without rules: ${listed(ids, (id) => called(nameableOf(id)))}`;
  const message = `The traffic policy of the TLS edge ${called(edge)} names ${policies}. Give ${count === 1 ? 'it' : 'them'} rules, restore what was deleted, or change the traffic policy.`;
  return { code: 'tls_edge_ip_policy_empty', severity: 'warning', message, count, at: null, subject: edge };
}

/** Edges read per turn of the event loop. */
const edgesAtOnce = 20;
/** Maximum number of characters of traffic policies scanned, oldest edges first: that takes about 30 ms. */
const textMax = 4_000_000;

/** Reads, page by page, the ids of the IP policies named by enabled traffic policies. */
async function* readPolicies({ db }: AccountView) {
  let last = '';
  for (let read = 0; read < textMax; ) {
    const names = { contains: '"ip_policies"' };
    const page = await db.tlsEdge.findMany({
      where: { id: { gt: last }, policy: { enabled: true, OR: [{ inbound: names }, { outbound: names }] } },
      orderBy: { id: 'asc' },
      select: { id: true, description: true, hostports: true, policy: { select: { inbound: true, outbound: true } } },
      take: edgesAtOnce,
    });
    yield page.map(({ id, description, hostports, policy }) => {
      const texts = [policy?.inbound, policy?.outbound].filter((text) => text != null);
      read += texts.reduce((sum, text) => sum + text.length, 0);
      return { id, description, hostports: readTextList(hostports), named: namedIpPolicies(texts.flatMap(readRules)) };
    });
    last = page.at(-1)?.id ?? '';
    if (page.length < edgesAtOnce) return;
    await nextTurn();
  }
}
