// What the gate decides about requests, as expectations ask it.

import type { Answer, Question } from '../../domain/access/expected.ts';
import { decideBeforeLogin, decideLogin, type GateDecision } from '../../domain/gate/decide.ts';
import type { EdgeTable } from '../../domain/gate/edge-table.ts';
import { splitUrl } from '../../domain/gate/url.ts';
import { addressModels } from '../../domain/ip/address-models.ts';
import { parseAddress } from '../../domain/ip/cidr.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { type Deciders, writesTo } from '../../storage/objects/deciders.ts';
import { readEdgeTable } from './edge-view-store.ts';

const modules = ['SamlModule', 'OidcModule', 'HttpsIpRestrictionModule', 'HttpsIpRestrictionPolicy'] as const;

export const deciders: Deciders = {
  gate: {
    dependsOn: writesTo('HttpsEdge', 'HttpsEdgeRoute', ...modules, ...addressModels),
    async answer(view, questions, ask) {
      const objections = await ask(
        questions.map((question) => ({ ...question, kind: 'ip', trafficType: 'endpoints' })),
      );
      const edges = new Map<string, EdgeTable | null>();
      for (const { httpsEdgeId } of questions) {
        if (httpsEdgeId === null || edges.has(httpsEdgeId)) continue;
        edges.set(httpsEdgeId, await readEdgeTable(view, httpsEdgeId));
      }
      return questions.map((question, index) => {
        const edge = edges.get(question.httpsEdgeId ?? '') ?? null;
        return answerOne(view, question, edge, objections[index]);
      });
    },
  },
};

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
