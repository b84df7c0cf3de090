// The addresses that a change keeps out or lets in: computed by sets, the same as address by address.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { includes, passedTogether } from '../../src/domain/ip/address-set.ts';
import { parseAddress, wordsOf } from '../../src/domain/ip/cidr.ts';
import { decidedWithin, impactOf, touchedBy } from '../../src/domain/ip/restriction-impact.ts';
import { compileRules, type DecidingRule, denies, noRank } from '../../src/domain/ip/rule-table.ts';
import { runs } from '../support/runs.ts';

const range = fc
  .tuple(fc.integer({ min: 0, max: 63 }), fc.integer({ min: 26, max: 32 }))
  .map(([low, bits]) => `10.0.0.${(low >> (32 - bits)) << (32 - bits)}/${bits}`);
const rules = fc.array(
  fc.record({ action: fc.constantFrom('allow', 'deny'), range }).map((rule): DecidingRule => ({ id: '', ...rule })),
  { maxLength: 8 },
);
const addresses = Array.from({ length: 66 }, (_, low) => parseAddress('', `10.0.0.${low}`));

test('a change of a policy affects exactly those whom the rules of the restriction decide otherwise', () => {
  const says = (all: readonly DecidingRule[], address: (typeof addresses)[number]) => {
    const rank = compileRules(all).rankOf(wordsOf(address));
    return rank !== noRank && !denies(rank);
  };
  fc.assert(
    fc.property(rules, rules, rules, fc.boolean(), (other, before, after, enforced) => {
      const within = touchedBy({ ipPolicyId: '', before, after, listsBefore: [], listsAfter: [], listedRanges: [] });
      const state = (all: DecidingRule[]) => ({
        enforced,
        passes: passedTogether([decidedWithin(other, within), decidedWithin(all, within)]),
      });
      const { newlyRefused, newlyAllowed } = impactOf(state(before), state(after));
      for (const address of addresses) {
        const [was, is] = [says([...other, ...before], address), says([...other, ...after], address)];
        expect([includes(newlyRefused, address), includes(newlyAllowed, address)]).toEqual([was && !is, is && !was]);
      }
    }),
    { numRuns: runs(200) },
  );
});
