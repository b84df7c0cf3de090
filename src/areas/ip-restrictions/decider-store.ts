// What IP restrictions decide, as expectations ask it: about one address, or about all of a range.

import type { Answer, Question } from '../../domain/access/expected.ts';
import { getOrInsertComputed } from '../../domain/concurrency/get-or-insert.ts';
import { SallyportError } from '../../domain/errors.ts';
import { addressModels } from '../../domain/ip/address-models.ts';
import {
  type AddressSet,
  coveredBy,
  difference,
  intervalsOf,
  isEmpty,
  passedTogether,
} from '../../domain/ip/address-set.ts';
import { parseAddress } from '../../domain/ip/cidr.ts';
import { typesJudging } from '../../domain/ip/own-traffic.ts';
import { type RestrictionType, restrictionTypes } from '../../domain/ip/restriction-types.ts';
import { readChoice } from '../../domain/values/decode.ts';
import { called } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { type Deciders, writesTo } from '../../storage/objects/deciders.ts';
import { type Evaluation, prepareEvaluation, readPolicyIds } from './evaluation-store.ts';
import { readDecidedSets } from './impact-store.ts';

export const deciders: Deciders = {
  ip: {
    dependsOn: writesTo(...addressModels),
    async answer(view, questions) {
      const prepared = new Map<RestrictionType, Promise<Evaluation>>();
      const prepare = (type: RestrictionType) =>
        getOrInsertComputed(prepared, type, () => prepareEvaluation(view, type, undefined, enforced));
      const answers: Answer[] = [];
      for (const question of questions) answers.push(await orUnknown(() => answerOne(view, question, prepare)));
      return answers;
    },
  },
};

/** Answers that it is unknown if there is more to look at than is looked at: that must not hold up changes. */
async function orUnknown(answer: () => Promise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof SallyportError) || error.code !== 'QUERY_TOO_COMPLEX') throw error;
    return { outcome: 'unknown', logged: null, reason: error.message };
  }
}

/** Those that only warn refuse nobody. */
const enforced = { enforcedOnly: true, sizeMax: Number.POSITIVE_INFINITY } as const;

async function answerOne(
  view: AccountView,
  { address, trafficType }: Question,
  prepare: (type: RestrictionType) => Promise<Evaluation>,
): Promise<Answer> {
  const judging: Evaluation[] = [];
  for (const type of await typesFor(readChoice(restrictionTypes, trafficType), prepare)) {
    judging.push(await prepare(type));
  }
  if (address.includes('/')) return answerRange(view, address, judging);
  const client = parseAddress('address', address);
  for (const { ask } of judging) {
    const refusing = (await ask(client)).find(({ restriction, passes }) => restriction.enforced && !passes);
    if (refusing === undefined) continue;
    const { restriction: refusedBy } = refusing;
    const reason = `The IP restriction ${called(refusedBy)} refuses ${address}.`;
    return { outcome: 'refused', logged: null, reason, refusedBy };
  }
  return { outcome: 'allowed', logged: null, reason: `No enforced IP restriction refuses ${address}.` };
}

/** Returns the types whose restrictions apply to traffic, as `typesInForce`. */
async function typesFor(
  type: RestrictionType,
  prepare: (type: RestrictionType) => Promise<Evaluation>,
): Promise<readonly RestrictionType[]> {
  if (type === 'endpoints') return [type];
  const { restrictions } = await prepare(type);
  return typesJudging(
    type,
    restrictions.some(({ enforced }) => enforced),
  );
}

/** Answers whether restrictions let all addresses of a range pass, none, or some. */
async function answerRange(view: AccountView, range: string, evaluations: readonly Evaluation[]): Promise<Answer> {
  const asked = coveredBy([range]);
  let passing: AddressSet = asked;
  for (const { restrictions } of evaluations) {
    for (const { id } of restrictions.filter(({ enforced }) => enforced)) {
      const ids = await readPolicyIds(view, id);
      const sets = await readDecidedSets(view, ids, passing, () => {}, { inTurn: async (_count, work) => work() });
      passing = passedTogether([...sets.values()]);
    }
  }
  const logged = null;
  if (isEmpty(passing)) return { outcome: 'refused', logged, reason: `No address of ${range} is let in.` };
  const refused = difference(asked, passing);
  if (isEmpty(refused)) return { outcome: 'allowed', logged, reason: `Every address of ${range} is let in.` };
  const reason = `Of ${range}, ${firstOf(passing)} is let in, and ${firstOf(refused)} is not.`;
  return { outcome: 'mixed', logged, reason };
}

function firstOf(set: AddressSet): string {
  return [...intervalsOf(set, 'ipv4'), ...intervalsOf(set, 'ipv6')][0] ?? 'nothing';
}
