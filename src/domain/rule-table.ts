// The rules of an IP policy, compiled: what they decide for every address, in sorted ranges that do not overlap, so that an
// answer is one binary search. Pure. `decide` of the IP restrictions says the same slowly; a test compares the two.

import { type AddressWords, readStoredWords } from './cidr.ts';

/** What of a rule decides. `range` is in canonical form. */
export interface DecidingRule {
  readonly id: string;
  readonly action: string;
  readonly range: string;
}

/** The rule that decides for an address: the most specific one that denies it or, if none does, that allows it. */
export interface Deciding {
  readonly id: string;
  /** Orders rules by what they have to say: those that deny above all that allow, and then by the bits of the prefix. */
  readonly rank: number;
}

/** What the rules of a policy decide. */
export interface RuleTable {
  readonly ruleCount: number;
  /** Finds the rule that decides for an address; null when none speaks of it. */
  lookUp(address: AddressWords): Deciding | null;
}

const denyRank = 256;

/** Tells whether a rule keeps addresses out. */
export function denies({ rank }: Deciding): boolean {
  return rank >= denyRank;
}

/** Finds which of two rules decides where both speak of an address: of equal ones the oldest. */
export function strongerOf(a: Deciding | null, b: Deciding | null): Deciding | null {
  if (a === null || b === null) return a ?? b;
  if (a.rank !== b.rank) return a.rank > b.rank ? a : b;
  return a.id < b.id ? a : b;
}

/** A rule in the making of a table: its first and its last address, and its place among the rules. */
interface Span {
  readonly first: AddressWords;
  readonly last: AddressWords;
  readonly place: number;
}

/** Compiles rules. Their ranges must be in canonical form. */
export function compileRules(rules: readonly DecidingRule[]): RuleTable {
  const ranks = new Uint16Array(rules.length);
  const spans = new Map<number, Span[]>();
  rules.forEach(({ action, range }, place) => {
    const [first, prefixBits] = readStoredWords(range);
    ranks[place] = (action === 'deny' ? denyRank : 0) + prefixBits;
    const ofVersion = spans.get(first.length) ?? [];
    ofVersion.push({ first, last: lastOf(first, prefixBits), place });
    spans.set(first.length, ofVersion);
  });
  // One text instead of thousands: what is kept for long costs the garbage collector.
  const ids = rules.map(({ id }) => id).join('');
  const idEnds = new Uint32Array(rules.length);
  rules.reduce((end, { id }, place) => {
    idEnds[place] = end + id.length;
    return end + id.length;
  }, 0);
  // Whichever of two rules for one range is the stronger must come last, as if it were the more specific one.
  const byStrength = (a: Span, b: Span) =>
    compare(a.first, b.first) ||
    compare(b.last, a.last) ||
    ((rules[a.place]?.id ?? '') < (rules[b.place]?.id ?? '') ? 1 : -1);
  const maps = new Map(
    [...spans].map(([words, ofVersion]) => [words, mapOf(words, ofVersion.sort(byStrength), ranks)] as const),
  );
  return {
    ruleCount: rules.length,
    lookUp(address) {
      const place = maps.get(address.length)?.(address) ?? nobody;
      if (place === nobody) return null;
      return { id: ids.slice(idEnds[place - 1] ?? 0, idEnds[place]), rank: ranks[place] ?? 0 };
    },
  };
}

/** The place of no rule. */
const nobody = -1;

/**
 * Goes through the rules of one IP version in the order of their addresses, and notes where another one begins to decide.
 * Ranges in CIDR notation lie inside of each other or apart, so that those around an address are a stack.
 *
 * @returns finds the place of the rule that decides for an address
 */
function mapOf(words: number, sorted: readonly Span[], ranks: Uint16Array): (address: AddressWords) => number {
  const starts: AddressWords[] = [];
  const places: number[] = [];
  const beginAt = (start: AddressWords, place: number) => {
    const newest = starts.at(-1);
    if (newest !== undefined && compare(newest, start) === 0) {
      starts.pop();
      places.pop();
    }
    if ((places.at(-1) ?? nobody) === place) return;
    starts.push(start);
    places.push(place);
  };

  const around: { last: AddressWords; place: number }[] = [];
  const closeBefore = (address: AddressWords | null) => {
    for (let inner = around.at(-1); inner !== undefined; inner = around.at(-1)) {
      if (address !== null && compare(inner.last, address) >= 0) return;
      around.pop();
      const next = after(inner.last);
      if (next !== null) beginAt(next, around.at(-1)?.place ?? nobody);
    }
  };
  for (const { first, last, place } of sorted) {
    closeBefore(first);
    const outer = around.at(-1)?.place ?? nobody;
    const denied = outer !== nobody && (ranks[outer] ?? 0) >= denyRank && (ranks[place] ?? 0) < denyRank;
    const deciding = denied ? outer : place;
    around.push({ last, place: deciding });
    beginAt(first, deciding);
  }
  closeBefore(null);
  return search(words, Uint32Array.from(starts.flat()), Int32Array.from(places));
}

/** Searches for the last range that begins at an address or before it. */
function search(words: number, starts: Uint32Array, places: Int32Array): (address: AddressWords) => number {
  const isAfter = (range: number, address: AddressWords) => {
    for (let word = 0; word < words; word += 1) {
      const difference = (starts[range * words + word] ?? 0) - (address[word] ?? 0);
      if (difference !== 0) return difference > 0;
    }
    return false;
  };
  return (address) => {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isAfter(middle, address)) high = middle;
      else low = middle + 1;
    }
    return places[low - 1] ?? nobody;
  };
}

function compare(a: AddressWords, b: AddressWords): number {
  for (let word = 0; word < a.length; word += 1) {
    const difference = (a[word] ?? 0) - (b[word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Gives the last address of a range. */
function lastOf(first: AddressWords, prefixBits: number): AddressWords {
  return first.map((value, word) => {
    const hostBits = Math.min(32, Math.max(0, 32 * (word + 1) - prefixBits));
    return value + 2 ** hostBits - 1;
  });
}

/** Gives the address after an address; null after the last one. */
function after(address: AddressWords): AddressWords | null {
  const next = [...address];
  for (let word = next.length - 1; word >= 0; word -= 1) {
    const value = (next[word] ?? 0) + 1;
    next[word] = value % 2 ** 32;
    if (value < 2 ** 32) return next;
  }
  return null;
}
