// Compiled rules decide as the rules themselves do, according to the readable form of the decision in the IP restrictions.

import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/areas/ip-restrictions/rules.ts';
import {
  type Address,
  formatRange,
  parseAddress,
  parseRange,
  readStoredWords,
  wordsOf,
} from '../../src/domain/ip/cidr.ts';
import { compileRules, type DecidingRule, letPass, noRank } from '../../src/domain/ip/rule-table.ts';
import { runs } from '../support/runs.ts';

/** Ranges that often overlap: few bits differ, at both ends of the address. */
const bytesOf = (length: number) =>
  fc.array(fc.constantFrom(0, 0, 0, 1, 2, 127, 128, 254, 255), { minLength: length, maxLength: length });

const addresses = fc.oneof(bytesOf(4), bytesOf(16)).map((bytes): Address => ipaddr.fromByteArray(bytes));

const ranges = fc.tuple(addresses, fc.nat(128)).map(([address, bits]): string => {
  const prefixBits = address.kind() === 'ipv4' ? bits % 33 : bits;
  const text = `${address}/${prefixBits}`;
  const lowest =
    address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(text) : ipaddr.IPv6.networkAddressFromCIDR(text);
  return formatRange([lowest, prefixBits]);
});

const rules = fc.array(fc.record({ action: fc.constantFrom('allow', 'deny'), range: ranges }), { maxLength: 40 });

/** Policies whose rules have ids of different ages in no particular order. */
const policies = fc
  .tuple(fc.array(rules, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat(999_999)))
  .map(([all, ages]) => {
    let count = 0;
    return all.map((some) =>
      some.map((rule): DecidingRule => {
        count += 1;
        return { ...rule, id: `${ages.next().value} ${count}` };
      }),
    );
  });

/** Decides as the IP restrictions do with the tables of several policies. */
function decideByTables(address: Address, all: readonly (readonly DecidingRule[])[]) {
  const words = wordsOf(address);
  const tables = all.map(compileRules);
  const rank = Math.max(...tables.map((table) => table.rankOf(words)));
  const ids = tables.filter((table) => table.rankOf(words) === rank).map((table) => table.decidingId(words));
  const [oldest] = ids.filter((id) => id !== null).sort();
  return { passes: letPass(tables, words), decidedBy: oldest ?? null };
}

describe('compiled rules', () => {
  test('decide what the rules of all policies together decide', () => {
    fc.assert(
      fc.property(policies, fc.array(addresses, { maxLength: 5 }), (all, asked) => {
        const together = all.flat();
        // The ends of every range, where the deciding rule changes.
        const ends = together.slice(0, 10).flatMap(({ range }) => {
          const [lowest, bits] = ipaddr.parseCIDR(range);
          const highest = lowest.kind() === 'ipv4' ? ipaddr.IPv4.broadcastAddressFromCIDR(range) : lowest;
          return [lowest, highest, ...(bits === 0 ? [] : [neighbour(highest)])];
        });
        for (const address of [...asked, ...ends]) {
          const { passes, decidedBy } = decide(address, together);
          expect(decideByTables(address, all)).toEqual({ passes, decidedBy: decidedBy?.id ?? null });
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test('speak of the whole of both address spaces and of nothing', () => {
    const whole = compileRules([
      { id: 'four', action: 'allow', range: '0.0.0.0/0' },
      { id: 'six', action: 'deny', range: '::/0' },
    ]);
    for (const [text, id] of [
      ['0.0.0.0', 'four'],
      ['255.255.255.255', 'four'],
      ['::', 'six'],
      ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'six'],
    ] as const) {
      expect(whole.decidingId(wordsOf(parseAddress('address', text)))).toBe(id);
      expect(compileRules([]).decidingId(wordsOf(parseAddress('address', text)))).toBe(null);
      expect(compileRules([]).rankOf(wordsOf(parseAddress('address', text)))).toBe(noRank);
    }
  });
});

test('stored ranges are read as numbers exactly as they are read as addresses', () => {
  fc.assert(
    fc.property(ranges, (range) => {
      const [lowest, prefixBits] = parseRange('range', mappedAside(range));
      expect(readStoredWords(formatRange([lowest, prefixBits]))).toEqual([wordsOf(lowest), prefixBits]);
    }),
    { numRuns: runs(1_000) },
  );
});

/** Replaces IPv4 ranges mapped into IPv6, which are not accepted and so never stored. */
function mappedAside(range: string): string {
  return range.startsWith('::ffff:') ? '::/0' : range;
}

/** Returns the next address, or any other address at the end of the address space. */
function neighbour(address: Address): Address {
  const bytes = address.toByteArray();
  for (let index = bytes.length - 1; index >= 0; index -= 1) {
    const next = ((bytes[index] ?? 0) + 1) % 256;
    bytes[index] = next;
    if (next !== 0) break;
  }
  return ipaddr.fromByteArray(bytes);
}
