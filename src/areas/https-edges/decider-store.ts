// What the gate decides about requests, as expectations ask it.

import type { Answer, Question } from '../../domain/access/expected.ts';
import { decideBeforeLogin, decideLogin, type GateDecision } from '../../domain/gate/decide.ts';
import { compileEdge, type EdgeTable } from '../../domain/gate/edge-table.ts';
import { splitUrl } from '../../domain/gate/url.ts';
import { addressModels } from '../../domain/ip/address-models.ts';
import { parseAddress } from '../../domain/ip/cidr.ts';
import { getOrInsertComputed, groupBy } from '../../domain/values/maps.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { type Deciders, inOrder, writesTo } from '../../storage/objects/deciders.ts';
import { readBareEdge, readEdgeTable } from './edge-view-store.ts';

const modules = ['SamlModule', 'OidcModule', 'HttpsIpRestrictionModule', 'HttpsIpRestrictionPolicy'] as const;

export const deciders: Deciders = {
  gate: {
    dependsOn: writesTo('HttpsEdge', 'HttpsEdgeRoute', ...modules, ...addressModels),
    async answer(view, questions, asking) {
      const objections = await asking.ask(
        questions.map((question) => ({ ...question, kind: 'ip', trafficType: 'endpoints' })),
      );
      const edges = new Map<string, Promise<EdgeTable | null>>();
      const read = (id: string) =>
        getOrInsertComputed(edges, id, async () => {
          asking.effort.spend(edgeCost);
          return readEdgeTable(view, id);
        });
      return inOrder(asking, questions, async (question, index) => {
        const objection = objections[index];
        if (objection?.isTooMuch === true) return objection;
        asking.effort.spend(requestCost);
        return answerOne(view, question, await read(question.httpsEdgeId ?? ''), objection);
      });
    },
    async decidedBy(view, questions, { ask, effort }) {
      const restricting = await ask(
        questions.map((question) => ({ ...question, kind: 'ip', trafficType: 'endpoints' })),
      );
      const edges = new Map<string, Promise<EdgeTable | null>>();
      const read = (id: string) =>
        getOrInsertComputed(edges, id, async () => {
          effort.spend(edgeCost);
          const edge = await readBareEdge(view, id);
          return edge === null ? null : compileEdge(edge);
        });
      const routeIds: (string | null)[] = [];
      for (const question of questions) {
        routeIds.push(routeAnswering(view, question, await read(question.httpsEdgeId ?? '')));
        await effort.breathe();
      }
      const columns = ['routeId', 'ipPolicyId'] as const;
      const ids = [...new Set(routeIds.flatMap((id) => id ?? []))];
      const named = groupBy(
        await view.rows.pick('HttpsIpRestrictionPolicy', columns, 'routeId', ids),
        ({ routeId }) => routeId,
      );
      return questions.map(({ httpsEdgeId }, index) => {
        const routeId = routeIds[index] ?? '';
        const policyIds = (named.get(routeId) ?? []).map(({ ipPolicyId }) => ipPolicyId);
        return [...(restricting[index] ?? []), new Set([httpsEdgeId ?? '', routeId, ...policyIds])];
      });
    },
  },
};

/** What reading an edge and deciding about a request take, in microseconds. */
const edgeCost = 2_000;
const requestCost = 100;

/** Finds the route that answers a request; null if the edge has none for it. */
function routeAnswering(
  { deciding }: AccountView,
  { url, method, address }: Question,
  edge: EdgeTable | null,
): string | null {
  const parts = splitUrl(url);
  if (edge === null || parts === null) return null;
  const rules = {
    edge,
    objections: { refusedBy: [], wouldRefuse: [] },
    allowSemicolon: deciding.gateAllowSemicolon,
  };
  const found = decideBeforeLogin(rules, { method, ...parts, address: parseAddress('address', address) });
  return 'login' in found ? found.route.id : found.routeId;
}

function answerOne(
  { deciding }: AccountView,
  { url, method, address, groups }: Question,
  edge: EdgeTable | null,
  objection: Answer | undefined,
): Answer {
  if (edge === null) return { outcome: 'unknown', logged: null, reason: 'The HTTPS edge has been deleted.' };
  const parts = splitUrl(url);
  if (parts === null) return { outcome: 'unknown', logged: null, reason: 'The URL has no scheme, host and path.' };
  const refusedBy = objection?.refusedBy === undefined ? [] : [objection.refusedBy];
  const rules = {
    edge,
    objections: { refusedBy, wouldRefuse: [] },
    allowSemicolon: deciding.gateAllowSemicolon,
  };
  const found = decideBeforeLogin(rules, { method, ...parts, address: parseAddress('address', address) });
  if (!('login' in found)) return answerOf(found);
  if (groups !== null) {
    return answerOf(decideLogin(found, { user: '', email: null, name: null, groups, attributeNames: null }));
  }
  return { outcome: 'login', logged: null, reason: reasonOf(decideLogin(found, null)) };
}

function answerOf(decision: GateDecision): Answer {
  return { outcome: decision.allowed ? 'allowed' : 'refused', logged: null, reason: reasonOf(decision) };
}

/** Returns the last step of a decision, which is the one that decides. */
function reasonOf({ steps }: GateDecision): string {
  return steps.at(-1)?.message() ?? '';
}
