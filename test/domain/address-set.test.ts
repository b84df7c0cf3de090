// The addresses that rules let pass, as a list of ranges: always the same as the compiled rules let pass one by one.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  coveredBy,
  difference,
  everybody,
  firstRanges,
  includes,
  intersection,
  intervalsOf,
  isEmpty,
  isEverybody,
  passedBy,
  rangesOf,
  type SetRule,
  union,
} from '../../src/domain/ip/address-set.ts';
import { covers, formatRange, parseAddress, parseRange, readStoredWords, wordsOf } from '../../src/domain/ip/cidr.ts';
import { compileRules, denies, noRank } from '../../src/domain/ip/rule-table.ts';
import { runs } from '../support/runs.ts';

const rulesOf = (...texts: string[]): SetRule[] =>
  texts.map((text) => {
    const [action = '', range = ''] = text.split(' ');
    return { action, range };
  });
const bothOf = (set: Parameters<typeof rangesOf>[0]) => [...rangesOf(set, 'ipv4'), ...rangesOf(set, 'ipv6')];

describe('passedBy', () => {
  it.each<[string[], string[]]>([
    [[], []],
    [['deny 10.0.0.0/8'], []],
    [['allow 10.0.0.0/8'], ['10.0.0.0/8']],
    [['allow 10.0.0.0/9', 'allow 10.128.0.0/9'], ['10.0.0.0/8']],
    [['allow 10.0.0.0/8', 'allow 10.1.0.0/16'], ['10.0.0.0/8']],
    [
      ['allow 10.0.0.0/30', 'deny 10.0.0.1/32'],
      ['10.0.0.0/32', '10.0.0.2/31'],
    ],
    [['allow 10.0.0.1/32', 'deny 10.0.0.0/8'], []],
    [['allow 0.0.0.0/0', 'deny 0.0.0.0/1'], ['128.0.0.0/1']],
    [
      ['allow 255.255.255.255/32', 'allow ::/0'],
      ['255.255.255.255/32', '::/0'],
    ],
    [['allow 2001:db8::/32', 'deny 2001:db8:8000::/33'], ['2001:db8::/33']],
    [['allow ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127'], ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127']],
  ])('%j: %j', (rules, ranges) => {
    expect(bothOf(passedBy(rulesOf(...rules)))).toEqual(ranges);
  });

  it('writes intervals', () => {
    const set = passedBy(rulesOf('allow 10.0.0.0/29', 'deny 10.0.0.0/32', 'allow 2001:db8::1/128'));
    expect([intervalsOf(set, 'ipv4'), intervalsOf(set, 'ipv6')]).toEqual([['10.0.0.1-10.0.0.7'], ['2001:db8::1']]);
  });

  it('knows nobody and everybody', () => {
    const all = passedBy(rulesOf('allow 0.0.0.0/0', 'allow ::/0'));
    expect(all).toEqual(everybody);
    expect([isEverybody(all), isEmpty(all)]).toEqual([true, false]);
    expect([isEverybody(passedBy([])), isEmpty(passedBy([]))]).toEqual([false, true]);
    expect(isEverybody(passedBy(rulesOf('allow 0.0.0.0/0')))).toBe(false);
  });

  /** Ranges and addresses that often overlap, because few bits vary. */
  const number = fc.integer({ min: 0, max: 31 });
  const version4 = (n: number, bits: number) => `10.0.${n >> 3}.${(n & 7) << 5}/${bits}`;
  const version6 = (n: number, bits: number) => `2001:db8:${n >> 3}:${((n & 7) << 5).toString(16)}::/${bits}`;
  const canonical = (text: string) => {
    const [address = '', bits = ''] = text.split('/');
    const whole = wordsOf(parseAddress('', address));
    const masked = whole.map((word, index) => {
      const hostBits = Math.min(32, Math.max(0, 32 * (index + 1) - Number(bits)));
      return Math.floor(word / 2 ** hostBits) * 2 ** hostBits;
    });
    const groups = masked.flatMap((word) => [Math.floor(word / 65_536), word % 65_536]);
    const lowest =
      masked.length === 1
        ? groups.flatMap((group) => [group >> 8, group & 255]).join('.')
        : groups.map((group) => group.toString(16)).join(':');
    return formatRange(parseRange('', `${lowest}/${bits}`));
  };
  const range = fc.oneof(
    fc.tuple(number, fc.integer({ min: 0, max: 32 })).map(([n, bits]) => canonical(version4(n, bits))),
    fc.tuple(number, fc.integer({ min: 0, max: 128 })).map(([n, bits]) => canonical(version6(n, bits))),
  );
  const policy = fc.array(fc.record({ action: fc.constantFrom('allow', 'deny'), range }), { maxLength: 12 });
  const address = fc.oneof(
    fc.tuple(number, fc.integer({ min: 0, max: 31 })).map(([n, low]) => `10.0.${n >> 3}.${((n & 7) << 5) + low}`),
    fc.tuple(number, number).map(([n, low]) => `2001:db8:${n >> 3}:${((n & 7) << 5).toString(16)}::${low}`),
    fc.constantFrom('0.0.0.0', '255.255.255.255', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '192.0.2.1'),
  );

  it('decides as the compiled rules of every restriction do, for any address', () => {
    const tableSays = (rules: readonly SetRule[], text: string) => {
      const rank = compileRules(rules.map((rule, index) => ({ ...rule, id: `${index}` }))).rankOf(
        wordsOf(parseAddress('', text)),
      );
      return rank !== noRank && !denies(rank);
    };
    const restrictions = fc.array(policy, { maxLength: 3 });
    fc.assert(
      fc.property(restrictions, fc.array(address, { minLength: 1, maxLength: 20 }), (all, addresses) => {
        const set = all.map(passedBy).reduce(intersection, everybody);
        const ranges = bothOf(set);
        for (const text of addresses) {
          const words = wordsOf(parseAddress('', text));
          const held = ranges.filter((one) => covers(readStoredWords(one), words));
          expect(held.length).toBe(all.every((rules) => tableSays(rules, text)) ? 1 : 0);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('combines sets as their addresses say', () => {
    const ranges = fc.array(range, { maxLength: 8 });
    fc.assert(
      fc.property(ranges, ranges, fc.array(address, { minLength: 1, maxLength: 20 }), (one, other, addresses) => {
        const [a, b] = [coveredBy(one), coveredBy(other)];
        for (const text of addresses) {
          const words = wordsOf(parseAddress('', text));
          const [inA, inB] = [one, other].map((all) => all.some((each) => covers(readStoredWords(each), words)));
          const found = [a, union([a, b]), difference(a, b)].map((set) => includes(set, parseAddress('', text)));
          expect(found).toEqual([inA, inA || inB, inA && !inB]);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('firstRanges', () => {
  it('writes blocks by their prefix and other ranges by their ends, no more than asked for', () => {
    const set = passedBy(rulesOf('allow 10.0.0.0/29', 'deny 10.0.0.0/32', 'allow 192.0.2.0/24', 'allow 2001:db8::/32'));
    expect(firstRanges(set, 2)).toEqual([
      { first: '10.0.0.1', last: '10.0.0.7', text: '10.0.0.1-10.0.0.7' },
      { first: '192.0.2.0', last: '192.0.2.255', text: '192.0.2.0/24' },
    ]);
    expect(firstRanges(set, 9).map(({ text }) => text)).toEqual(['10.0.0.1-10.0.0.7', '192.0.2.0/24', '2001:db8::/32']);
    expect(firstRanges(everybody, 9).map(({ text }) => text)).toEqual(['0.0.0.0/0', '::/0']);
  });
});
