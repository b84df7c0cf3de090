// Packed lists of ranges, compared with the rules that they stand for.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce } from '../../src/domain/concurrency/steps.ts';
import { decidedBy } from '../../src/domain/ip/address-set.ts';
import { networkOf, parseAddress, wordsOf } from '../../src/domain/ip/cidr.ts';
import {
  countWithin,
  differenceOf,
  listsWithin,
  rangesOfList,
  rankInList,
  unpackRanges,
  withLists,
} from '../../src/domain/ip/range-list.ts';
import { packRanges } from '../../src/domain/ip/range-packing.ts';
import { compileRules, denies, noRank } from '../../src/domain/ip/rule-table.ts';

const listOf = (ranges: readonly string[]) => unpackRanges(atOnce(packRanges(ranges)));

const range = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 63 }), fc.integer({ min: 26, max: 32 }))
    .map(([low, bits]) => networkOf(`10.0.0.${low}/${bits}`) ?? ''),
  fc
    .tuple(fc.integer({ min: 0, max: 63 }), fc.integer({ min: 122, max: 128 }))
    .map(([low, bits]) => networkOf(`2001:db8::${low.toString(16)}/${bits}`) ?? ''),
);
const ranges = fc.array(range, { maxLength: 12 });
const addresses = Array.from({ length: 66 }, (_, low) => [`10.0.0.${low}`, `2001:db8::${low.toString(16)}`])
  .flat()
  .map((text) => parseAddress('address', text));

describe('a packed list', () => {
  test('covers what its ranges cover, and decides with rules as they would', () => {
    fc.assert(
      fc.property(ranges, ranges, fc.constantFrom('allow', 'deny'), (listed, ruled, action) => {
        const acted = { sourceId: 'ips_1', action, list: listOf(listed) };
        const rules = ruled.map((one, index) => ({ id: `ipr_${index}`, action: 'allow', range: one }));
        const table = withLists(compileRules(rules), [acted]);
        const asRules = compileRules([...rules, ...listed.map((one) => ({ id: 'ips_1', action, range: one }))]);
        for (const address of addresses.map(wordsOf)) {
          const [rank, expected] = [table.rankOf(address), asRules.rankOf(address)];
          expect([rank === noRank, denies(rank)]).toEqual([expected === noRank, denies(expected)]);
          expect(rankInList(acted, address) === noRank).toBe(
            compileRules(listed.map((one) => ({ id: '', action, range: one }))).rankOf(address) === noRank,
          );
          expect(table.decidingId(address) === null).toBe(rank === noRank);
        }
      }),
    );
  });

  test('is sorted, has no range inside another, and is the same in every order', () => {
    fc.assert(
      fc.property(ranges, (listed) => {
        const list = listOf(listed);
        const texts = rangesOfList(list);
        expect(rangesOfList(listOf([...listed].reverse()))).toEqual(texts);
        expect(list.size).toBe(texts.length);
        expect(rangesOfList(listOf(texts))).toEqual(texts);
        expect(decidedBy(texts.map((one) => ({ action: 'allow', range: one })))).toEqual(
          decidedBy(listed.map((one) => ({ action: 'allow', range: one }))),
        );
      }),
    );
  });

  test('decides within a set what its ranges decide there', () => {
    fc.assert(
      fc.property(ranges, ranges, (listed, asked) => {
        const within = decidedBy(asked.map((one) => ({ action: 'allow', range: one }))).allowed;
        const list = listOf(listed);
        const [decided] = listsWithin([{ sourceId: '', action: 'allow', list }], within);
        const all = decidedBy(listed.map((one) => ({ action: 'allow', range: one }))).allowed;
        const alone = listsWithin([{ sourceId: '', action: 'allow', list: listOf(asked) }], all)[0];
        expect(decided?.allowed).toEqual(alone?.allowed);
        expect(countWithin(list, within) === 0).toBe(
          decided?.allowed.ipv4.length === 0 && decided.allowed.ipv6.length === 0,
        );
      }),
    );
  });

  test('differs from another by the ranges that only one of them has', () => {
    fc.assert(
      fc.property(ranges, ranges, (before, after) => {
        const [old, now] = [listOf(before), listOf(after)];
        const [oldTexts, nowTexts] = [rangesOfList(old), rangesOfList(now)];
        const added = nowTexts.filter((one) => !oldTexts.includes(one));
        const removed = oldTexts.filter((one) => !nowTexts.includes(one));
        expect(atOnce(differenceOf(old, now, 3))).toEqual({
          added: added.length,
          removed: removed.length,
          addedRanges: added.slice(0, 3),
          removedRanges: removed.slice(0, 3),
        });
      }),
    );
  });

  test('packs 100,000 ranges into half a megabyte', () => {
    const many = Array.from(
      { length: 100_000 },
      (_, index) => `${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}.0/24`,
    );
    const packed = atOnce(packRanges(many));
    expect([packed.length, unpackRanges(packed).size]).toEqual([500_008, 100_000]);
  });
});
