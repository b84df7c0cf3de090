// Reads lists of ranges as people have them: from mails, tables, and the configuration of proxies, routers and firewalls.
//
// A line may hold several ranges: as CIDR, with a netmask, from one address to another, or single addresses. What stands after `#` or
// `;` describes them, and so do the other words of the line. A line may begin with `allow` or `deny`, or have it in a column.

import type { IpPolicyRuleAction } from '../../client/types.generated.ts';
import { type Address, formatRange, isLowest, prefixOfMask, rangesBetween, readAddress } from '../../impact/ranges.ts';

/** A part of the pasted text. */
interface Span {
  /** The number of its line, from 1. */
  readonly line: number;
  /** Where it begins and ends in the whole text. */
  readonly start: number;
  readonly end: number;
}

/** A rule that a list names. */
export interface PastedRule extends Span {
  readonly cidr: string;
  /** What its line says; null if it says nothing. */
  readonly action: IpPolicyRuleAction | null;
  readonly description: string;
}

/** A part of a list that names no rule. */
export interface LeftOut extends Span {
  /** A sentence that says why. */
  readonly why: string;
  /** What was probably meant. */
  readonly mended?: string;
}

/** A list as it was read. */
export interface Pasted {
  readonly rules: readonly PastedRule[];
  readonly leftOut: readonly LeftOut[];
}

/** A word of a line, and where it is there. */
interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What the first of some words mean: ranges, or why they mean none. */
type Meaning = { readonly words: number } & (
  | { readonly cidrs: readonly string[] }
  | { readonly why: string; readonly mended?: string }
);

const wordForm = /[^\s,;"'`()[\]{}|]+/g;
/** Matches what was meant as an address or a range, right or wrong. */
const rangeForm = /^(\d{1,3}(\.\d*)+|[\da-f]*:[\da-f.]*:[\da-f:.]*)([/–-]|$)/i;
const dashes = ['-', '–'];

const wordsOf = (text: string): Word[] =>
  [...text.matchAll(wordForm)].map(({ 0: word, index }) => ({ text: word, start: index, end: index + word.length }));

/** Reads the range of a prefix, or of all bits. */
function readBlock(address: Address, prefix: number): { cidrs: string[] } | { why: string; mended: string } {
  const cidr = formatRange(address, prefix);
  if (isLowest(address, prefix)) return { cidrs: [cidr] };
  return { why: `Its address lies within the range, which begins at ${cidr}.`, mended: cidr };
}

/** Reads the range from an address to another, of which the last number is enough: `192.0.2.10-20`. */
function readInterval(first: Address, firstText: string, lastText: string): { cidrs: string[] } | { why: string } {
  const isShort = first.bits === 32 && /^\d{1,3}$/.test(lastText);
  const last = readAddress(isShort ? firstText.replace(/\d+$/, lastText) : lastText);
  if (last === null || last.bits !== first.bits) return { why: 'It does not end with an address like its first.' };
  if (last.value < first.value) return { why: 'It ends before it begins.' };
  return { cidrs: rangesBetween(first, last) };
}

/** Reads an address with a mask: the number of bits, or a netmask. */
function readMasked(address: Address, mask: string): { cidrs: string[] } | { why: string; mended?: string } {
  if (/^\d{1,3}$/.test(mask) && Number(mask) <= address.bits) return readBlock(address, Number(mask));
  const asAddress = readAddress(mask);
  const prefix = asAddress && prefixOfMask(asAddress, address);
  return prefix === null
    ? { why: `Its mask is neither a number up to ${address.bits} nor a netmask.` }
    : readBlock(address, prefix);
}

/** Reads the words at the beginning; null if the first is not meant as a range. */
function readMeaning([first = '', second = '', third]: readonly string[]): Meaning | null {
  const address = readAddress(first);
  if (address !== null) {
    if (dashes.includes(second) && third !== undefined) return { words: 3, ...readInterval(address, first, third) };
    const mask = readAddress(second);
    const prefix = mask && prefixOfMask(mask, address);
    return prefix === null
      ? { words: 1, ...readBlock(address, address.bits) }
      : { words: 2, ...readBlock(address, prefix) };
  }
  const [beginning = '', rest, ...others] = first.split(/[/–-]/);
  const beginningAddress = readAddress(beginning);
  if (beginningAddress !== null && rest !== undefined && others.length === 0) {
    const isMasked = first.includes('/');
    return {
      words: 1,
      ...(isMasked ? readMasked(beginningAddress, rest) : readInterval(beginningAddress, beginning, rest)),
    };
  }
  return rangeForm.test(first) ? { words: 1, why: 'It is not an address or a range.' } : null;
}

/** Returns where the comment of a line begins: at a `#`, or at a `;` that does not separate ranges; the length if there is none. */
function commentStart(line: string): number {
  let isQuoted = false;
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (line[index] === '#') return index;
    if (line[index] !== ';') continue;
    const isFirst = line.slice(0, index).trim() === '';
    if (isFirst || !isRangeNext(line.slice(index + 1))) return index;
  }
  return line.length;
}

const isRangeNext = (text: string) => readMeaning(wordsOf(text).map((word) => word.text)) !== null;

/** Returns the action that a word is; null for none. Within other words, it is only a word: "block of flats". */
function actionOf({ text, start, end }: Word, line: string): IpPolicyRuleAction | null {
  const action = { allow: 'allow', permit: 'allow', deny: 'deny' }[text.toLowerCase()];
  const before = line.slice(0, start).replace(/[ "]+$/, '');
  const isColumn = /(^|[,\t;])$/.test(before) && /^[ "]*([,\t;]|$)/.test(line.slice(end));
  if (action === undefined || (before !== '' && !isColumn)) return null;
  return action === 'allow' ? 'allow' : 'deny';
}

/** Returns the words between others, without the separators and quotes around them, and without brackets that have no counterpart. */
function plain(text: string): string {
  const isPaired = /[([{][^([{]*[)\]}]/.test(text);
  const ends = isPaired ? /^[\s,;:"'`|]+|[\s,;:"'`|]+$/g : /^[\s,;:"'`|()[\]{}]+|[\s,;:"'`|()[\]{}]+$/g;
  return text
    .replace(/"([^"]*)"/g, '$1')
    .replace(ends, '')
    .replace(/\s*[,|\t]+\s*/g, ', ');
}

/** Reads one line; `offset` is where it begins in the text. */
function readLine(whole: string, line: number, offset: number): Pasted {
  const comment = commentStart(whole);
  const content = whole.slice(0, comment);
  const words = wordsOf(content);
  const found: (Word & Meaning)[] = [];
  const between: string[] = [];
  let action: IpPolicyRuleAction | null = null;
  let passed = 0;
  for (let index = 0; index < words.length; ) {
    const word = words[index];
    if (word === undefined) break;
    const meaning = readMeaning(words.slice(index, index + 3).map(({ text }) => text));
    const said = actionOf(word, content);
    action ??= said;
    const end = words[index + (meaning?.words ?? 1) - 1]?.end ?? word.end;
    if (meaning !== null) found.push({ ...word, ...meaning, end });
    if (meaning !== null || said !== null) {
      between.push(plain(content.slice(passed, word.start)));
      passed = end;
    }
    index += meaning?.words ?? 1;
  }
  between.push(plain(content.slice(passed)));
  const description = whole.slice(comment + 1).trim() || between.filter((text) => text !== '').join(', ');
  const spanOf = ({ start, end }: Pick<Word, 'start' | 'end'>) => ({ line, start: offset + start, end: offset + end });
  if (found.length === 0) {
    const isEmpty = content.trim() === '';
    const why = 'There is no address in it.';
    return { rules: [], leftOut: isEmpty ? [] : [{ ...spanOf({ start: 0, end: whole.length }), why }] };
  }
  return {
    rules: found.flatMap((each) =>
      'cidrs' in each ? each.cidrs.map((cidr) => ({ ...spanOf(each), cidr, action, description })) : [],
    ),
    leftOut: found.flatMap((each) => ('why' in each ? [{ ...spanOf(each), ...reasonOf(each) }] : [])),
  };
}

const reasonOf = ({ why, mended }: { why: string; mended?: string }) => ({
  why,
  ...(mended !== undefined && { mended }),
});

/** Separates the rules of a list from those whose range it has before. */
function once(rules: readonly PastedRule[]): Pasted {
  const lines = new Map<string, number>();
  const kept: PastedRule[] = [];
  const leftOut: LeftOut[] = [];
  for (const rule of rules) {
    const { cidr, line, start, end } = rule;
    const before = lines.get(cidr);
    if (before === undefined) kept.push(rule);
    else leftOut.push({ line, start, end, why: `Line ${before} has ${cidr} already.` });
    lines.set(cidr, before ?? line);
  }
  return { rules: kept, leftOut };
}

/** Reads a list. Empty lines and lines with only a comment are passed over. */
export function readPasted(text: string): Pasted {
  let offset = 0;
  const lines = text.split('\n').map((line, index) => {
    const read = readLine(line, index + 1, offset);
    offset += line.length + 1;
    return read;
  });
  const { rules, leftOut: repeated } = once(lines.flatMap((line) => line.rules));
  const leftOut = [...lines.flatMap((line) => line.leftOut), ...repeated];
  return { rules, leftOut: leftOut.sort((one, other) => one.start - other.start) };
}

/** Replaces what was left out by what was probably meant. */
export function mend(text: string, leftOut: readonly LeftOut[]): string {
  let mended = text;
  // From the end, so that the spans before stay.
  for (const part of [...leftOut].reverse()) {
    if (part.mended !== undefined) mended = mended.slice(0, part.start) + part.mended + mended.slice(part.end);
  }
  return mended;
}
