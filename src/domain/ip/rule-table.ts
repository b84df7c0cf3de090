// The rules of an IP policy, compiled to sorted ranges that do not overlap, so that a decision is one binary search. Pure. `decide`
// in `src/areas/ip-restrictions/rules.ts` is the slow, readable version; a test compares the two.

import { type AddressWords, readStoredWords } from './cidr.ts';

/** The properties of a rule that decide. `range` is in canonical form. */
export interface DecidingRule {
  readonly id: string;
  readonly action: string;
  readonly range: string;
}

/**
 * The compiled rules of a policy. The rule that decides for an address is the most specific one that denies it or, if none denies
 * it, the most specific one that allows it.
 */
export interface RuleTable {
  readonly ruleCount: number;
  /**
   * Returns the rank of the deciding rule, for comparing the deciding rules of several policies: a rule that denies ranks above
   * every rule that allows, and a longer prefix above a shorter one. `noRank` if no rule matches the address.
   */
  rankOf(address: AddressWords): number;
  /** Returns the id of the deciding rule for an address; null if no rule matches it. */
  decidingId(address: AddressWords): string | null;
}

/** The rank if no rule matches an address. */
export const noRank = -1;
const denyRank = 256;

/** Returns the rank of a rule. */
export function rankOfRule(action: string, prefixBits: number): number {
  return (action === 'deny' ? denyRank : 0) + prefixBits;
}

/** Returns whether rules of this rank deny addresses. */
export function denies(rank: number): boolean {
  return rank >= denyRank;
}

/** Returns whether policies together let an address pass: at least one of their rules allows it, and none denies it. */
export function letPass(tables: readonly RuleTable[], address: AddressWords): boolean {
  let rank = noRank;
  for (const table of tables) rank = Math.max(rank, table.rankOf(address));
  return rank !== noRank && !denies(rank);
}

/** A rule while the table is compiled: its first and last address, and its index among the rules. */
interface Span {
  readonly first: AddressWords;
  readonly last: AddressWords;
  readonly rule: number;
}

/** Adjacent ranges without gaps between them, and the rule that decides in each. */
interface Ranges {
  /** The first address of each range, word by word. */
  readonly starts: Uint32Array;
  /** The index of the deciding rule of each range; `noRule` if there is none. */
  readonly rules: Int32Array;
  /** The rank of that rule; `noRank` if there is none. */
  readonly ranks: Int16Array;
}

/** Compiles rules. Their ranges must be in canonical form. */
export function compileRules(rules: readonly DecidingRule[]): RuleTable {
  const ranks = new Uint16Array(rules.length);
  const spans = rules.map(({ action, range }, index): Span => {
    const [first, prefixBits] = readStoredWords(range);
    ranks[index] = rankOfRule(action, prefixBits);
    return { first, last: lastOf(first, prefixBits), rule: index };
  });
  const idOf = (rule: number) => rules[rule]?.id ?? '';
  // Of two rules for the same range, the stronger one must come last, as if it were more specific.
  const byStrength = (a: Span, b: Span) =>
    compare(a.first, b.first) || compare(b.last, a.last) || (idOf(a.rule) < idOf(b.rule) ? 1 : -1);
  const rangesOf = (words: number) =>
    rangesWith(spans.filter(({ first }) => first.length === words).sort(byStrength), ranks);
  return tableOf(
    rules.map(({ id }) => id),
    rangesOf(1),
    rangesOf(4),
  );
}

/** Creates the table. A separate function, so that its closures keep nothing else of the rules in memory. */
function tableOf(ids: readonly string[], ipv4: Ranges, ipv6: Ranges): RuleTable {
  // One string instead of thousands, which the garbage collector would visit each time.
  const text = ids.join('');
  const ends = new Uint32Array(ids.length);
  let end = 0;
  for (const [index, id] of ids.entries()) {
    end += id.length;
    ends[index] = end;
  }
  return {
    ruleCount: ends.length,
    rankOf(address) {
      const { starts, ranks } = address.length === 1 ? ipv4 : ipv6;
      return ranks[lastAtOrBefore(starts, address)] ?? noRank;
    },
    decidingId(address) {
      const { starts, rules } = address.length === 1 ? ipv4 : ipv6;
      const rule = rules[lastAtOrBefore(starts, address)] ?? noRule;
      return rule === noRule ? null : text.slice(ends[rule - 1] ?? 0, ends[rule]);
    },
  };
}

/** The index that stands for no rule. */
const noRule = -1;

/**
 * Walks through the rules of one IP version in address order, and records where another rule begins to decide. CIDR ranges are
 * either nested or disjoint, so the ranges around an address form a stack.
 */
function rangesWith(sorted: readonly Span[], ranks: Uint16Array): Ranges {
  const starts: AddressWords[] = [];
  const rules: number[] = [];
  const beginAt = (start: AddressWords, rule: number) => {
    const newest = starts.at(-1);
    if (newest !== undefined && compare(newest, start) === 0) {
      starts.pop();
      rules.pop();
    }
    if ((rules.at(-1) ?? noRule) === rule) return;
    starts.push(start);
    rules.push(rule);
  };

  const around: { last: AddressWords; rule: number }[] = [];
  const closeBefore = (address: AddressWords | null) => {
    for (let inner = around.at(-1); inner !== undefined; inner = around.at(-1)) {
      if (address !== null && compare(inner.last, address) >= 0) return;
      around.pop();
      const next = after(inner.last);
      if (next !== null) beginAt(next, around.at(-1)?.rule ?? noRule);
    }
  };
  for (const { first, last, rule } of sorted) {
    closeBefore(first);
    const outer = around.at(-1)?.rule ?? noRule;
    const denied = outer !== noRule && (ranks[outer] ?? 0) >= denyRank && (ranks[rule] ?? 0) < denyRank;
    const deciding = denied ? outer : rule;
    around.push({ last, rule: deciding });
    beginAt(first, deciding);
  }
  closeBefore(null);
  return {
    starts: Uint32Array.from(starts.flat()),
    rules: Int32Array.from(rules),
    ranks: Int16Array.from(rules, (rule) => ranks[rule] ?? noRank),
  };
}

/**
 * Returns the index of the last range that begins at or before an address; -1 if all begin after it.
 *
 * @param starts the lowest addresses of ranges in ascending order, word by word
 */
export function lastAtOrBefore(starts: Uint32Array, address: AddressWords): number {
  const words = address.length;
  let low = 0;
  let high = starts.length / words;
  while (low < high) {
    const middle = (low + high) >>> 1;
    let difference = 0;
    for (let word = 0; word < words && difference === 0; word += 1) {
      difference = (starts[middle * words + word] ?? 0) - (address[word] ?? 0);
    }
    if (difference > 0) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

function compare(a: AddressWords, b: AddressWords): number {
  for (let word = 0; word < a.length; word += 1) {
    const difference = (a[word] ?? 0) - (b[word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function lastOf(first: AddressWords, prefixBits: number): AddressWords {
  return first.map((value, word) => {
    const hostBits = Math.min(32, Math.max(0, 32 * (word + 1) - prefixBits));
    return value + 2 ** hostBits - 1;
  });
}

/** Returns the next address; null after the last one. */
function after(address: AddressWords): AddressWords | null {
  const next = [...address];
  for (let word = next.length - 1; word >= 0; word -= 1) {
    const value = (next[word] ?? 0) + 1;
    next[word] = value % 2 ** 32;
    if (value < 2 ** 32) return next;
  }
  return null;
}
