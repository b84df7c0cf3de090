// Packs ranges into a list: sorts them, and leaves out those inside others. Pure.

import type { Steps } from '../concurrency/steps.ts';
import { type AddressWords, readStoredWords } from './cidr.ts';
import { rangesPerStep, type Version, versions, wordsOf } from './range-list.ts';

/** Packs ranges in canonical form, in any order, without those that are inside others. */
export function* packRanges(ranges: readonly string[]): Steps<Uint8Array<ArrayBuffer>> {
  const found: Record<Version, Entry[]> = { ipv4: [], ipv6: [] };
  for (const [index, range] of ranges.entries()) {
    const [words, bits] = readStoredWords(range);
    found[words.length === 1 ? 'ipv4' : 'ipv6'].push({ words, bits });
    if (index % rangesPerStep === 0) yield;
  }
  const kept: Record<Version, Entry[]> = { ipv4: yield* outermost(found.ipv4), ipv6: yield* outermost(found.ipv6) };
  const bytes = versions.reduce((sum, version) => sum + 4 + kept[version].length * (4 * wordsOf[version] + 1), 0);
  const packed = new Uint8Array(bytes);
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const version of versions) {
    view.setUint32(at, kept[version].length);
    at += 4;
    for (const [index, { words }] of kept[version].entries()) {
      for (const word of words) {
        view.setUint32(at, word);
        at += 4;
      }
      if (index % rangesPerStep === 0) yield;
    }
    for (const { bits } of kept[version]) {
      view.setUint8(at, bits);
      at += 1;
    }
    yield;
  }
  return packed;
}

interface Entry {
  readonly words: AddressWords;
  readonly bits: number;
}

/** Sorts ranges and leaves out those inside others. CIDR ranges are nested or disjoint. */
function* outermost(entries: readonly Entry[]): Steps<Entry[]> {
  // Sorted in runs that are merged two by two, because sorting 100,000 at once takes a tenth of a second.
  let runs: Entry[][] = [];
  for (let start = 0; start < entries.length; start += rangesPerStep) {
    runs.push(entries.slice(start, start + rangesPerStep).sort(byStart));
    yield;
  }
  while (runs.length > 1) {
    const merged: Entry[][] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(yield* mergedRuns(runs[index] ?? [], runs[index + 1] ?? []));
    runs = merged;
  }
  const kept: Entry[] = [];
  for (const [index, entry] of (runs[0] ?? []).entries()) {
    const last = kept.at(-1);
    if (last === undefined || !covers(last, entry)) kept.push(entry);
    if (index % rangesPerStep === 0) yield;
  }
  return kept;
}

function* mergedRuns(one: readonly Entry[], other: readonly Entry[]): Steps<Entry[]> {
  const merged: Entry[] = [];
  let [inOne, inOther] = [0, 0];
  for (;;) {
    const [a, b] = [one[inOne], other[inOther]];
    if (a === undefined && b === undefined) return merged;
    if (b === undefined || (a !== undefined && byStart(a, b) <= 0)) {
      if (a !== undefined) merged.push(a);
      inOne += 1;
    } else {
      merged.push(b);
      inOther += 1;
    }
    if (merged.length % rangesPerStep === 0) yield;
  }
}

/** The wider of two ranges with the same start comes first. */
function byStart(a: Entry, b: Entry): number {
  for (const [word, value] of a.words.entries()) {
    const difference = value - (b.words[word] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.bits - b.bits;
}

function covers(outer: Entry, inner: Entry): boolean {
  if (inner.bits < outer.bits) return false;
  return outer.words.every((value, word) => {
    const scale = 2 ** Math.min(32, Math.max(0, 32 * (word + 1) - outer.bits));
    return Math.floor(value / scale) === Math.floor((inner.words[word] ?? 0) / scale);
  });
}
