// Validation of the sources of IP policies, and how their lists are read. Pure.

import type { Steps } from '../../domain/concurrency/steps.ts';
import { invalid, SallyportError } from '../../domain/errors.ts';
import { canonicalAddress, networkOf } from '../../domain/ip/cidr.ts';
import type { ListDifference } from '../../domain/ip/range-list.ts';
import { readAs } from '../../domain/values/decode.ts';
import { checkOutgoingUrl } from '../../domain/values/outgoing-url.ts';

export const sourceKinds = ['dns', 'text', 'json'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** Maximum number of sources of one policy, of ranges of one source, and of ranges of all sources of an account. */
export const sourcesMax = 20;
const rangesMax = 100_000;
export const accountRangesMax = 500_000;

/** Seconds between two reads: by default, at least, and at most. */
export const intervals = {
  dns: { default: 300, min: 60 },
  text: { default: 3_600, min: 300 },
  json: { default: 3_600, min: 300 },
} as const satisfies Record<SourceKind, { default: number; min: number }>;
export const intervalMax = 86_400;

/** Most bytes of a list: 100,000 ranges of IPv6 with a comment beside each. */
export const listBytesMax = 8 * 1024 * 1024;
const pathCharactersMax = 500;
const pathsMax = 10;

export interface SourceDraft {
  readonly kind: SourceKind;
  readonly address: string;
  readonly jsonPath: string;
  readonly intervalSeconds: number;
}

/** Checks what a source reads, and how often. Throws INVALID_INPUT. */
export function checkSource({
  kind,
  address,
  jsonPath,
  intervalSeconds,
}: Omit<SourceDraft, 'intervalSeconds' | 'jsonPath'> & {
  readonly jsonPath?: string | null | undefined;
  readonly intervalSeconds?: number | null | undefined;
}): SourceDraft {
  // Clients that always send a number send 0 for none.
  const seconds = intervalSeconds || intervals[kind].default;
  const { min } = intervals[kind];
  if (seconds < min || seconds > intervalMax) {
    throw invalid('intervalSeconds', `must be from ${min} to ${intervalMax} for a source of kind ${kind}.`);
  }
  const path = jsonPath ?? '';
  if (kind === 'json') parsePaths(path);
  else if (path !== '') throw invalid('jsonPath', 'must be left out: only a source of kind json has one.');
  return {
    kind,
    address: kind === 'dns' ? checkName(address) : checkOutgoingUrl('address', address).href,
    jsonPath: path,
    intervalSeconds: seconds,
  };
}

/** A label of a name as in host names, also with underscores, which DNS has. */
const name = /^(?=.{1,253}$)([a-z\d_]([\w-]{0,61}[a-z\d])?\.)*[a-z\d_]([\w-]{0,61}[a-z\d])?$/i;

function checkName(address: string): string {
  if (canonicalAddress(address) !== null) throw invalid('address', 'must be a name: add a rule for an address.');
  if (!name.test(address) || /^[\d.]+$/.test(address)) {
    throw invalid('address', 'must be a DNS name such as office.example.com, without a scheme, port or path.');
  }
  return address.toLowerCase();
}

/** A step in a document: the value of a key, and then its entries if it is a list. */
type Path = readonly { readonly key: string; readonly each: boolean }[];

/** Parses paths such as `prefixes[].ip_prefix,ipv6_prefixes[].ipv6_prefix`. Throws INVALID_INPUT. */
function parsePaths(text: string): readonly Path[] {
  const paths = text.split(',').map((path) =>
    path
      .trim()
      .split('.')
      .map((part) => ({ key: part.replace(/\[\]$/, ''), each: part.endsWith('[]') })),
  );
  const isSound = paths.every((path) => path.every(({ key, each }) => /^[^[\]]*$/.test(key) && (key !== '' || each)));
  if (text.length <= pathCharactersMax && paths.length <= pathsMax && isSound) return paths;
  throw invalid(
    'jsonPath',
    `must be 1 to ${pathsMax} paths such as prefixes[].ip_prefix, with commas between and at most ${pathCharactersMax} characters.`,
  );
}

/**
 * Reads the ranges of a text: one a line, with comments after # or ;. A single address counts as a range of its own, and a range need
 * not begin at its lowest address.
 *
 * @throws OUTGOING_FAILED for a line that is neither, and for more ranges than a source may have
 */
export function* rangesOfText(text: string): Steps<string[]> {
  const ranges: string[] = [];
  let line = 0;
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start);
    const until = end === -1 ? text.length : end;
    line += 1;
    const [entry = ''] = (/^[^#;]*/.exec(text.slice(start, Math.min(until, start + 1_000))) ?? [''])[0]
      .trim()
      .split(/[\s,]/, 1);
    start = until + 1;
    if (line % entriesPerStep === 0) yield;
    if (entry !== '') add(ranges, entry, () => `line ${line}`);
  }
  return ranges;
}

/**
 * Reads the ranges of a JSON document. Entries that lack the last key are skipped, as where some have IPv4 and others IPv6.
 *
 * @throws OUTGOING_FAILED as `rangesOfText`, and for a text that is not JSON or has nothing at a path
 */
export function* rangesOfJson(text: string, jsonPath: string): Steps<string[]> {
  const document = parseJson(text);
  yield;
  const ranges: string[] = [];
  for (const path of parsePaths(jsonPath)) {
    let found: unknown[] = [document];
    for (const { key, each } of path) {
      const values = found.flatMap((value) => (key === '' ? [value] : valueAt(value, key)));
      found = each ? values.flatMap((value) => (Array.isArray(value) ? value : [])) : values;
      yield;
    }
    const entries = found.flat();
    if (entries.length === 0) throw unreadable(`has nothing at ${path.map(({ key }) => key).join('.')}.`);
    for (const [index, entry] of entries.entries()) {
      if (index % entriesPerStep === 0) yield;
      if (typeof entry !== 'string') throw unreadable(`has an entry that is not text at ${jsonPath}.`);
      add(ranges, entry.trim(), () => `entry ${index + 1}`);
    }
  }
  return ranges;
}

const entriesPerStep = 500;

function add(ranges: string[], entry: string, where: () => string): void {
  const range = rangeOf(entry);
  if (range === null)
    throw unreadable(`has no range in ${where()}: it must be an address or a range in CIDR notation.`);
  if (ranges.length >= rangesMax) throw unreadable(`has more than ${rangesMax} ranges, the maximum.`);
  ranges.push(range);
}

/** Returns an entry as a range in canonical form; null if it is none. IPv4 in the notation of IPv6 is none, as in rules. */
function rangeOf(entry: string): string | null {
  const address = entry.includes('/') ? null : canonicalAddress(entry);
  if (address !== null) return `${address}/${address.includes(':') ? 128 : 32}`;
  const range = networkOf(entry);
  return range === null || /^::ffff:/i.test(range) ? null : range;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable('is not JSON.');
  }
}

function valueAt(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return [];
  return [Reflect.get(value, key)];
}

/** Creates the error for a list that cannot be used. What is in it is not repeated: it may be anything. */
export function unreadable(how: string): SallyportError {
  return new SallyportError('OUTGOING_FAILED', `The list ${how}`);
}

/** Returns whether a list has shrunk so much that it is not taken without somebody's confirmation. */
export function hasShrunk(before: number, after: number): boolean {
  return before > 0 && after * 2 < before;
}

/** Reads `max-age` of a `Cache-Control` header, in seconds; 0 without one. */
export function maxAgeOf(cacheControl: string | undefined): number {
  if (cacheControl === undefined || /\bno-(cache|store)\b/i.test(cacheControl)) return 0;
  return Number(/(?:^|[\s,])max-age="?(\d{1,9})/i.exec(cacheControl)?.[1] ?? 0);
}

/** The last change of the ranges of a source, as it is stored. */
export interface LastChange extends ListDifference {
  /** As an RFC 3339 timestamp. */
  readonly at: string;
}

/** Reads the last change of a source; null if there was none. */
export function lastChangeOf({ lastChange }: { readonly lastChange: unknown }): LastChange | null {
  const isChange = (value: unknown): value is LastChange | Record<never, never> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const change = readAs(lastChange, isChange, 'a change of ranges');
  return 'at' in change ? change : null;
}
