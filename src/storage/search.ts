// Finding objects by what they are called: their ids, names and notes, the addresses that ranges hold, the fingerprints of keys.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { canonicalAddress, networkOf } from '../domain/cidr.ts';
import { readTextList } from '../domain/decode.ts';
import type { Kind } from '../domain/ids.ts';
import { blobOfLine, fingerprint } from '../domain/ssh/public-key.ts';
import type { Dialect } from './engine.ts';
import { translated } from './errors.ts';
import { argType } from './statement-values.ts';

/** An object that was found, with the first of its fields that holds the text. */
export interface Found {
  readonly kind: SearchedKind;
  readonly id: string;
  readonly field: string;
  /** The value of the field; of a list, the entry. */
  readonly text: string;
}

/**
 * Finds the newest objects of a kind that hold a text. Letters of ASCII may be of either case. Throws UNAVAILABLE where the storage
 * cannot serve it now.
 */
export type Search = (kind: SearchedKind, text: string, take: number) => Promise<Found[]>;

/** A field that a kind is searched by, beside the id and the notes that all have. */
interface SearchedField {
  readonly name: string;
  readonly column: string;
  /** Reads what the column holds: the texts that may be the one. */
  readonly read: (stored: string) => readonly string[];
}

/** Rows of a kind that are looked through, the newest: so that no search takes longer the more there is (`docs/performance.md`). */
export const searchedRowsMax = 10_000;
/** Authorities whose fingerprints are computed for a search. */
const fingerprintedMax = 1_000;

const itself = (stored: string) => [stored];
const list = (stored: string) => readTextList(JSON.parse(stored));
const labels = (stored: string) => Object.entries(JSON.parse(stored)).flat().map(String);
const hostports: SearchedField = { name: 'hostports', column: 'hostports', read: list };
const principals: SearchedField = { name: 'principals', column: 'principals', read: list };
const cidr: SearchedField = { name: 'cidr', column: 'cidr', read: itself };
const keyFingerprint: SearchedField = {
  name: 'fingerprint',
  column: 'publicKey',
  read: (stored) => [fingerprint(blobOfLine(stored))],
};

const fieldsOf = {
  ApiKey: [],
  HttpsEdge: [hostports],
  HttpsEdgeRoute: [{ name: 'match', column: 'match', read: itself }],
  IpPolicy: [],
  IpPolicyRule: [cidr],
  IpRestriction: [],
  SshCertificateAuthority: [keyFingerprint],
  SshEnrollmentToken: [principals],
  SshHostCertificate: [principals, { name: 'fingerprint', column: 'fingerprint', read: itself }],
  TlsEdge: [hostports],
  TunnelGroupBackend: [{ name: 'labels', column: 'labels', read: labels }],
} as const satisfies Partial<Record<Kind, readonly SearchedField[]>>;

/** A kind of objects that can be searched for. */
export type SearchedKind = keyof typeof fieldsOf;

// `Object.keys` forgets that the keys of this constant are exactly these.
export const searchedKinds = Object.keys(fieldsOf) as SearchedKind[];

const notes: readonly SearchedField[] = ['description', 'metadata'].map((name) => ({
  name,
  column: name,
  read: itself,
}));

/** Text that may be in a fingerprint: more of it than a word has. */
const fingerprintForm = /^(sha256:)?[a-z0-9+/]{8,43}$/;

/** Creates the search of an account over a connection of Prisma's driver adapter, in the dialect of its engine. */
export function createSearchOf(connection: SqlQueryable, dialect: Dialect): (accountId: string) => Search {
  const { quote, placeholder, placeOf, ordersByIndex } = dialect;

  return (accountId) => async (kind, given, take) => {
    const text = folded(given);
    const fields: readonly SearchedField[] = [...fieldsOf[kind], ...notes];
    const ranges = kind === 'IpPolicyRule' ? rangesOf(given) : [];
    // The database knows no fingerprint of an authority: of the newest, all are computed.
    const isComputed = kind === 'SshCertificateAuthority' && fingerprintForm.test(text);
    const args: (string | number)[] = [];
    const argument = (value: string | number) => {
      args.push(value);
      return placeholder(args.length);
    };
    const newest = () => {
      const columns = fields.map(({ column }) => `CAST(${quote(column)} AS TEXT) AS ${quote(column)}`);
      // As in `plain-reads.ts`: held between two bounds, which no planner takes for one value.
      const own = ordersByIndex
        ? `"accountId" >= ${argument(accountId)} AND "accountId" <= ${argument(accountId)} ORDER BY "accountId" DESC, "id" DESC`
        : `"accountId" = ${argument(accountId)} ORDER BY "id" DESC`;
      const all = `SELECT "id", ${columns.join(', ')}, ${quote(rangeColumn(kind))} AS held FROM ${quote(kind)} WHERE ${own}`;
      return `${all} LIMIT ${argument(isComputed ? fingerprintedMax : searchedRowsMax)}`;
    };
    const matching = () =>
      [
        `${placeOf('s."id"', argument(text))} = 1`,
        ...fields
          .filter((field) => field !== keyFingerprint)
          .map(({ column }) => `${placeOf(`s.${quote(column)}`, argument(text))} > 0`),
        ...(ranges.length === 0 ? [] : [`s.held IN (${ranges.map(argument).join(', ')})`]),
      ].join(' OR ');
    // Each part takes its arguments when it is written, in the order in which they stand.
    const sql =
      `SELECT s."id", ${fields.map(({ column }) => `s.${quote(column)}`).join(', ')}, s.held FROM (${newest()}) s ` +
      `WHERE ${isComputed ? '1 = 1' : matching()} ` +
      `ORDER BY s."id" DESC LIMIT ${argument(isComputed ? fingerprintedMax : take)}`;
    const { rows } = await translated(connection.queryRaw({ sql, args, argTypes: args.map(argType) }));
    return rows.flatMap((row) => matchOf(kind, row, fields, text, ranges) ?? []).slice(0, take);
  };
}

/** Names the column of what holds addresses; any other column where a kind has none. */
function rangeColumn(kind: SearchedKind): string {
  return kind === 'IpPolicyRule' ? 'range' : 'id';
}

/** Finds the field that holds the text; null where only the form in which a list is stored does. */
function matchOf(
  kind: SearchedKind,
  row: readonly unknown[],
  fields: readonly SearchedField[],
  text: string,
  ranges: readonly string[],
): Found | null {
  const id = String(row[0]);
  if (folded(id).startsWith(text)) return { kind, id, field: 'id', text: id };
  const values = fields.map(({ name, read }, place) => {
    const stored = row[place + 1];
    return { name, texts: stored === null ? [] : read(String(stored)) };
  });
  for (const { name, texts } of values) {
    const matching = texts.find((one) => folded(one).includes(text));
    if (matching !== undefined) return { kind, id, field: name, text: matching };
  }
  const held = values.find(({ name }) => name === cidr.name && ranges.includes(String(row.at(-1))));
  return held === undefined ? null : { kind, id, field: held.name, text: held.texts[0] ?? '' };
}

/** Gives the ranges that hold an address, in their canonical form; none for what is no address. */
function rangesOf(text: string): string[] {
  const address = canonicalAddress(text);
  if (address === null) return [];
  const bitsMax = address.includes(':') ? 128 : 32;
  return Array.from({ length: bitsMax + 1 }, (_, bits) => networkOf(`${address}/${bits}`)).filter(
    (range) => range !== null,
  );
}

/** Writes the letters of ASCII small, and leaves all others. */
function folded(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
