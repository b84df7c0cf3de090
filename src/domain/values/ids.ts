// Identifiers: all kinds with their prefixes and collections, and how ids are created and recognised. Pure.

import { v7 } from 'uuid';
import { namedAreas } from '../../areas/areas.ts';
import type { KindDeclaration } from '../../areas/outlook.ts';

type Areas = (typeof namedAreas)[number];
type Intersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
type KindsOfAreas = Intersection<Areas['kinds']>;

/**
 * Every kind of object that has an id (spec, "Conventions"): those of the areas, and those that every key may see. The keys are the
 * names of the GraphQL types.
 */
export const kinds = {
  Account: { prefix: 'acct' },
  // `Object.assign` forgets which kinds there are.
  ...(Object.assign({}, ...namedAreas.map((area) => area.kinds)) as KindsOfAreas),
  // Called `operation_id` in responses and `requestId` in the log.
  Request: { prefix: 'op' },
} as const satisfies Readonly<Record<string, KindDeclaration>>;

/** Name of a kind of object that has an id. */
export type Kind = keyof typeof kinds;

/** Name of a kind that has its own REST collection. */
export type CollectionKind = { [K in Kind]: (typeof kinds)[K] extends { path: string } ? K : never }[Kind];

/** Name of an area: its folder in `src/areas`. */
export type Area = Areas['name'];

/** A scope for the objects of one kind, or for a use of them, and for nothing else in their area. */
export type NarrowScope = Extract<(typeof kinds)[Kind], { narrow: string }>['narrow'];

/** A scope for what an area does for programs, and for no objects. */
export type PassScope = Extract<Areas, { passes: string }>['passes'];

/** The scopes for what areas do for programs, with the areas. */
export const passScopes = namedAreas.flatMap((area): (readonly [PassScope, Area])[] =>
  'passes' in area ? [[area.passes, area.name]] : [],
);

const areaByKind = new Map<string, Area>(
  namedAreas.flatMap(({ name, kinds: own }) => Object.keys(own).map((kind) => [kind, name] as const)),
);

// `Object.keys` forgets that the keys of this constant are exactly the kinds.
const kindByPrefix = new Map<string, Kind>((Object.keys(kinds) as Kind[]).map((kind) => [kinds[kind].prefix, kind]));

/** 26 digits of Crockford's base 32 in lower case; the first is at most 7, because 26 digits hold 130 bits. */
const idForm = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Returns the kind of an id by its form alone; null if the text is not an id of ours. */
export function kindOfId(id: string): Kind | null {
  const prefix = idForm.exec(id)?.[1];
  return prefix === undefined ? null : (kindByPrefix.get(prefix) ?? null);
}

/**
 * Returns the kind of text that is known to be an id, such as the id of a row; null if no kind has the prefix. A page of a list
 * calls this a hundred times, so the form is not checked again.
 */
export function kindByPrefixOf(id: string): Kind | null {
  return kindByPrefix.get(id.slice(0, id.indexOf('_'))) ?? null;
}

/** Returns whether text is the name of a kind. */
export function isKind(name: string): name is Kind {
  return Object.hasOwn(kinds, name);
}

/** Returns the area of a kind; null for kinds that every key may see: accounts and requests. */
export function areaOf(kind: Kind): Area | null {
  return areaByKind.get(kind) ?? null;
}

/** Returns the narrow scope that suffices for the objects of a kind; null if there is none. */
export function narrowScopeOf(kind: Kind): NarrowScope | null {
  const properties = kinds[kind];
  return 'narrow' in properties ? properties.narrow : null;
}

/** Returns whether a kind has a REST collection. */
export function hasCollection(kind: Kind): kind is CollectionKind {
  return 'path' in kinds[kind];
}

/** Returns whether text has the form of an id of this kind. Malformed text cannot name an object, so it never reaches a query. */
export function isIdOf(kind: Kind, id: string): boolean {
  return kindOfId(id) === kind;
}

/** Creates the next id of a kind. */
export type NewId = (kind: Kind) => string;

/**
 * Creates a generator of ids in the TypeID format: prefix, `_`, and a UUIDv7 as 26 digits. The ids of one generator increase
 * strictly, even within a millisecond and if the clock goes back, so that the order of ids is the order of creation.
 *
 * @param now returns milliseconds since 1970
 * @param randomBytes returns the given number of random bytes
 */
export function createNewId(now: () => number, randomBytes: (size: number) => Uint8Array): NewId {
  let lastMs = 0;
  let sequence = 0;
  return (kind) => {
    const ms = now();
    if (ms > lastMs) {
      lastMs = ms;
      // Half of the range stays free for counting up within the millisecond (RFC 9562, section 6.2, method 1).
      sequence = Buffer.from(randomBytes(4)).readUInt32BE() & 0x7fffffff;
    } else {
      sequence += 1;
    }
    const bytes = v7({ msecs: lastMs, seq: sequence, random: randomBytes(16) }, Buffer.alloc(16));
    return `${kinds[kind].prefix}_${encodeBase32(bytes)}`;
  };
}

/**
 * Returns the boundary between ids created before a moment and ids created from that moment on. It is not itself a valid id.
 *
 * @param moment an earlier one counts as 1970
 */
export function idBoundAt(kind: Kind, moment: Date): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.min(Math.max(moment.getTime(), 0), 2 ** 48 - 1), 0, 6);
  return `${kinds[kind].prefix}_${encodeBase32(bytes)}`;
}

/** Returns the moment of a boundary between ids, or when an id was created. */
export function momentOfId(id: string): Date {
  // Two zero bits and 48 bits of milliseconds.
  const digits = [...id.slice(id.indexOf('_') + 1).slice(0, 10)];
  return new Date(digits.reduce((ms, digit) => ms * 32 + crockford.indexOf(digit), 0));
}

export const crockford = '0123456789abcdefghjkmnpqrstvwxyz';

/** Encodes 128 bits as 26 digits. Lower case sorts the same in every collation, unlike base 62. */
function encodeBase32(bytes: Uint8Array): string {
  let digits = '';
  // Two leading zero bits: 26 digits hold 130 bits.
  let waiting = 2;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    waiting += 8;
    while (waiting >= 5) {
      waiting -= 5;
      digits += crockford.charAt((value >>> waiting) & 31);
    }
    value &= (1 << waiting) - 1;
  }
  return digits;
}
