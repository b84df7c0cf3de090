// What the modules of TLS edges decide about connections, as expectations ask it.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer, Question } from '../../domain/access/expected.ts';
import { SallyportError } from '../../domain/errors.ts';
import { addressModels } from '../../domain/ip/address-models.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { type Deciders, writesTo } from '../../storage/objects/deciders.ts';
import { evaluateTlsPolicy, isRefused, refuses, type Turn } from './evaluation-store.ts';
import { readConnection } from './policy/variables.ts';

const modules = ['TlsPolicyModule', 'TlsIpRestrictionModule', 'TlsIpRestrictionPolicy'] as const;

export const deciders: Deciders = {
  tls: {
    dependsOn: writesTo('TlsEdge', ...modules, ...addressModels),
    async answer(view, questions) {
      const answers: Answer[] = [];
      for (const question of questions) answers.push(await answerOne(view, question));
      return answers;
    },
  },
};

/** What bounds an evaluation is the number of rules of a policy and of its IP policies. */
const unbudgeted: Turn = { charge() {}, chargeText() {}, breathe: () => nextTurn() };

async function answerOne(view: AccountView, { tlsEdgeId, address, serverName }: Question): Promise<Answer> {
  const given = { clientIp: address, serverName: serverName === '' ? null : serverName };
  const connection = readConnection(given, view.now());
  try {
    const evaluation = await evaluateTlsPolicy(view, tlsEdgeId ?? '', null, connection, unbudgeted);
    const actions = evaluation.steps.flatMap((step) => step.actions);
    const logged = actions.some(({ type }) => type === 'log');
    if (!isRefused(evaluation)) return { outcome: 'allowed', logged, reason: 'No rule refuses the connection.' };
    const rule = evaluation.steps.find(refuses);
    const reason =
      rule === undefined
        ? `The IP restriction module of the edge does not allow ${address}.`
        : `The rule ${rule.direction}[${rule.position}] refuses the connection.`;
    return { outcome: 'refused', logged, reason };
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    if (error.code === 'NOT_FOUND')
      return { outcome: 'unknown', logged: null, reason: 'The TLS edge has been deleted.' };
    if (error.code === 'QUERY_TOO_COMPLEX') return { outcome: 'unknown', logged: null, reason: error.message };
    throw error;
  }
}
