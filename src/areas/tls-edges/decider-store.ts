// What the modules of TLS edges decide about connections, as expectations ask it.

import type { Answer, Question } from '../../domain/access/expected.ts';
import { SallyportError } from '../../domain/errors.ts';
import { addressModels } from '../../domain/ip/address-models.ts';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { type Asking, type Deciders, inOrder, writesTo } from '../../storage/objects/deciders.ts';
import {
  evaluateConnection,
  isRefused,
  readBareModules,
  readModules,
  refuses,
  type TlsModules,
  type Turn,
} from './evaluation-store.ts';
import { readConnection } from './policy/variables.ts';

const modules = ['TlsPolicyModule', 'TlsIpRestrictionModule', 'TlsIpRestrictionPolicy'] as const;

export const deciders: Deciders = {
  tls: {
    dependsOn: writesTo('TlsEdge', ...modules, ...addressModels),
    answer(view, questions, asking) {
      const turn = turnOf(asking);
      const known = new Map<string, Promise<TlsModules>>();
      const read = (edgeId: string) =>
        getOrInsertComputed(known, edgeId, async () => {
          asking.effort.spend(statementsCost);
          const charge = (cost: number) => asking.effort.spend(cost * costOfReading);
          return readModules(view, edgeId, null, { ...turn, charge });
        });
      return inOrder(asking, questions, (question) => answerOne(view, question, read, turn));
    },
    async decidedBy(view, questions, asking) {
      const turn = turnOf(asking);
      const known = new Map<string, ReadonlySet<string>>();
      for (const { tlsEdgeId } of questions) {
        const id = tlsEdgeId ?? '';
        if (known.has(id)) continue;
        asking.effort.spend(statementsCost);
        const modules = await unlessDeleted(readBareModules(view, id, null, turn));
        known.set(id, new Set([id, ...(modules?.ipPolicyIds ?? [])]));
        await asking.effort.breathe();
      }
      return questions.map(({ tlsEdgeId }) => [known.get(tlsEdgeId ?? '') ?? new Set()]);
    },
  },
};

/** What reading the modules of an edge takes without their rules, in microseconds. */
const statementsCost = 1_000;
/** How many microseconds reading takes that evaluations count as one unit (measured: 10 for a rule of an IP policy). */
const costOfReading = 20;
/** How many units of steps are done in a microsecond (measured: 6 to 25). */
const unitsOfCost = 10;
/** How many bytes of a policy are read in a microsecond. */
const bytesOfCost = 20;

function turnOf({ effort }: Pick<Asking, 'effort'>): Turn {
  return {
    charge: (cost) => effort.spend(cost / unitsOfCost),
    chargeText: (bytes) => effort.spend(bytes / bytesOfCost),
    breathe: () => effort.breathe(),
  };
}

async function answerOne(
  view: AccountView,
  { tlsEdgeId, address, serverName }: Question,
  read: (edgeId: string) => Promise<TlsModules>,
  turn: Turn,
): Promise<Answer> {
  const given = { clientIp: address, serverName: serverName === '' ? null : serverName };
  const connection = readConnection(given, view.now());
  const modules = await unlessDeleted(read(tlsEdgeId ?? ''));
  if (modules === null) return { outcome: 'unknown', logged: null, reason: 'The TLS edge has been deleted.' };
  const evaluation = await evaluateConnection(modules, connection, turn);
  const actions = evaluation.steps.flatMap((step) => step.actions);
  const logged = actions.some(({ type }) => type === 'log');
  if (!isRefused(evaluation)) return { outcome: 'allowed', logged, reason: 'No rule refuses the connection.' };
  const rule = evaluation.steps.find(refuses);
  const reason =
    rule === undefined
      ? `The IP restriction module of the edge does not allow ${address}.`
      : `The rule ${rule.direction}[${rule.position}] refuses the connection.`;
  return { outcome: 'refused', logged, reason };
}

/** Returns what is read of an edge; null if the edge does not exist. */
async function unlessDeleted<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof SallyportError) || error.code !== 'NOT_FOUND') throw error;
    return null;
  }
}
