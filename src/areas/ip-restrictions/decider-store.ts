// What IP restrictions decide, as expectations ask it: about one address, or about all of a range.

import type { Answer } from '../../domain/access/expected.ts';
import { addressModels } from '../../domain/ip/address-models.ts';
import {
  type AddressSet,
  coveredBy,
  difference,
  intersection,
  partsOf,
  setSize,
  together,
} from '../../domain/ip/address-set.ts';
import { parseAddress } from '../../domain/ip/cidr.ts';
import { typesJudging } from '../../domain/ip/own-traffic.ts';
import { type RestrictionType, restrictionTypes } from '../../domain/ip/restriction-types.ts';
import { readChoice } from '../../domain/values/decode.ts';
import { getOrInsertComputed, groupBy } from '../../domain/values/maps.ts';
import { called } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { type Asking, type Deciders, inOrder, writesTo } from '../../storage/objects/deciders.ts';
import { type Evaluation, findRestricting, prepareEvaluation, type Restricting } from './evaluation-store.ts';
import { rangeCount, readDecidedSets } from './impact-store.ts';

export const deciders: Deciders = {
  ip: {
    dependsOn: writesTo(...addressModels),
    async answer(view, questions, asking) {
      const prepared = new Map<RestrictionType, Promise<Evaluation>>();
      const prepare = (type: RestrictionType) =>
        getOrInsertComputed(prepared, type, () => prepareEvaluation(view, type, asking.signal, enforced));
      const ranges = coveredBy(questions.flatMap(({ address }) => (isRange(address) ? address : [])));
      const compiled = new Map<RestrictionType, Promise<AddressSet>>();
      const passing = (type: RestrictionType) =>
        getOrInsertComputed(compiled, type, async () => passedByAll(view, await prepare(type), ranges, asking));
      const joined = new Map<string, Promise<AddressSet>>();
      const passingAll = (types: readonly RestrictionType[]) =>
        getOrInsertComputed(joined, types.join(' '), async () => {
          const sets = await Promise.all(types.map(passing));
          asking.effort.spend(sets.reduce((sum, set) => sum + setSize(set), 0) * mergeCost);
          return sets.reduce(intersection, ranges);
        });
      return inOrder(asking, questions, async ({ address, trafficType }) => {
        const types = await typesFor(readChoice(restrictionTypes, trafficType), prepare);
        return isRange(address)
          ? answerRange(address, await passingAll(types), asking)
          : answerAddress(address, await Promise.all(types.map(prepare)), asking);
      });
    },
    decidedBy(view, questions, { signal }) {
      const found = new Map<RestrictionType, Promise<Restricting>>();
      const find = (type: RestrictionType) =>
        getOrInsertComputed(found, type, () => findRestricting(view, type, signal));
      return Promise.all(
        questions.map(async ({ trafficType }) => {
          const types = await typesFor(readChoice(restrictionTypes, trafficType), find);
          return (await Promise.all(types.map(find))).map(({ ids }) => ids);
        }),
      );
    },
  },
};

const isRange = (address: string) => address.includes('/');

/** Those that only warn refuse nobody. */
const enforced = { enforcedOnly: true, sizeMax: Number.POSITIVE_INFINITY } as const;

// What work takes, in microseconds (measured).
/** Looking an address up in a policy. */
const lookCost = 0.2;
/** Looking a range up in all. */
const rangeCost = 10;
/** Reading a rule, or a range of a list, and merging it with others. */
const ruleCost = 10;
/** Merging an interval with those of other policies. */
const mergeCost = 2;
const referenceCost = 2;

async function answerAddress(address: string, judging: readonly Evaluation[], { effort }: Asking): Promise<Answer> {
  const client = parseAddress('address', address);
  for (const { ask, policyCount, restrictions } of judging) {
    effort.spend(1 + (policyCount + restrictions.length) * lookCost);
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
  find: (type: RestrictionType) => Promise<Pick<Evaluation, 'restrictions'>>,
): Promise<readonly RestrictionType[]> {
  if (type === 'endpoints') return [type];
  const { restrictions } = await find(type);
  return typesJudging(
    type,
    restrictions.some(({ enforced }) => enforced),
  );
}

/** Answers whether restrictions let all addresses of a range pass, none, or some. */
function answerRange(range: string, passing: AddressSet, { effort }: Asking): Answer {
  effort.spend(rangeCost);
  const { inside, outside } = partsOf(passing, range);
  const logged = null;
  if (inside === undefined) return { outcome: 'refused', logged, reason: `No address of ${range} is let in.` };
  if (outside === undefined) return { outcome: 'allowed', logged, reason: `Every address of ${range} is let in.` };
  return { outcome: 'mixed', logged, reason: `Of ${range}, ${inside} is let in, and ${outside} is not.` };
}

/** Restrictions whose policies are read with one statement. */
const restrictionsAtOnce = 100;

/**
 * Returns the addresses of some ranges that all restrictions of a type let pass. Each policy is read once.
 *
 * @throws QUERY_TOO_COMPLEX if it goes beyond the budget
 */
async function passedByAll(
  view: AccountView,
  { restrictions, policyCount }: Evaluation,
  ranges: AddressSet,
  { effort }: Asking,
): Promise<AddressSet> {
  effort.spend((restrictions.length + policyCount) * referenceCost);
  const ids = restrictions.map(({ id }) => id);
  const refs: { readonly ipRestrictionId: string; readonly ipPolicyId: string }[] = [];
  for (let start = 0; start < ids.length; start += restrictionsAtOnce) {
    const some = ids.slice(start, start + restrictionsAtOnce);
    const columns = ['ipRestrictionId', 'ipPolicyId'] as const;
    refs.push(...(await view.rows.pick('IpRestrictionPolicy', columns, 'ipRestrictionId', some)));
    await effort.breathe();
  }
  const named = groupBy(refs, ({ ipRestrictionId }) => ipRestrictionId);
  const policyIds = refs.map(({ ipPolicyId }) => ipPolicyId);
  const charge = (count: number) => effort.spend(count * ruleCost);
  const inTurn = async <T>(_count: number, work: () => T | Promise<T>) => {
    await effort.breathe();
    return work();
  };
  const sets = await readDecidedSets(view, policyIds, ranges, charge, { inTurn });
  let passing = ranges;
  for (const id of ids) {
    const decided = (named.get(id) ?? []).flatMap(({ ipPolicyId }) => sets.get(ipPolicyId) ?? []);
    effort.spend(decided.reduce((sum, one) => sum + rangeCount(one), setSize(passing)) * mergeCost);
    await effort.breathe();
    const { allowed, denied } = together(decided);
    await effort.breathe();
    passing = difference(intersection(passing, allowed), denied);
  }
  return passing;
}
