// How statements are written for an engine, and how its values are read.

import type { Prisma } from '../generated/client/client.ts';

/** How statements are written for an engine, and how its driver's values are read. */
export interface Dialect {
  /** Writes a time in a column as seconds since 1970, with their fraction. */
  seconds(column: string): string;
  /** Writes the placeholder of a value in a statement; the first is number 1. */
  placeholder(number: number): string;
  /** Whether look-ups by id in one turn of the event loop share a statement, which pays off if each is a round trip. */
  readonly gathersIds: boolean;
  /** Whether all reads in one turn of the event loop see the same moment. */
  readonly turnIsMoment: boolean;
  /**
   * Whether the statement of a list has to order by the first column of the index to read it by. A planner that goes by statistics
   * assumes that the rows of an account are spread evenly among all ids, and would read the rows of others in id order until it has
   * found enough: the whole table, if those are newer.
   */
  readonly ordersByIndex: boolean;
  /** Writes, after a table, the index to read it by; nothing if the planner finds it by statistics. */
  indexedBy(name: string): string;
  /** Whether a sub-select in a join may refer to the tables before it. */
  readonly joinsLaterally: boolean;
  /**
   * Writes the position at which a value, already in lower case, begins in text, ignoring the case of ASCII letters; 0 if it is not
   * there. Other letters are compared as they are, because the engines disagree on their case.
   */
  positionOf(text: string, value: string): string;
  /**
   * Converts the driver's values into Prisma's, by the type of the field; undefined if both are the same. Never called with null.
   */
  readonly decode: Decoders;
  readonly json: JsonWriting;
  readonly commitOrder: CommitOrder;
}

/** How a statement builds JSON from rows, and reads rows from JSON. Both engines produce the same values. */
export interface JsonWriting {
  object(entries: readonly (readonly [name: string, value: string])[]): string;
  /** Writes the value of the one row that `from` finds, or null. */
  one(value: string, from: string): string;
  /** Writes the values of all rows that `from` finds, in an order. */
  list(value: string, order: string, from: string): string;
  /** Writes a column as a value: times as `2027-01-31T09:30:00.000Z`, and as text a number that a double cannot hold exactly. */
  readonly value: Readonly<Record<Exclude<keyof Decoders, 'Bytes'>, (column: string) => string>>;
  text(value: string): string;
  /** Writes the entries of a list, which is JSON text, as a table with the column `value`. */
  entries(list: string): Prisma.Sql;
  /**
   * Writes the SHA-256, in hexadecimal digits, of the JSON of a list of values: the text that `JSON.stringify` writes. Texts, whole
   * numbers and nulls only.
   */
  hash(values: readonly string[]): string;
  /** Writes a time in a column as milliseconds since 1970. */
  milliseconds(column: string): string;
  /**
   * Converts the text of an entry to the value of a column: times from the form of `storedTime`, JSON from its text, booleans from 1
   * and 0, bytes from hexadecimal digits.
   */
  readonly stored: Readonly<Record<keyof Decoders, (text: string) => string>>;
}

/** Converts a value from the driver into Prisma's. */
export type Decode = (value: unknown) => unknown;

/** The conversion for each type of field that models have. */
export interface Decoders {
  readonly String: Decode | undefined;
  readonly Int: Decode | undefined;
  readonly Boolean: Decode | undefined;
  readonly BigInt: Decode | undefined;
  readonly Json: Decode | undefined;
  readonly DateTime: (value: unknown) => Date;
  readonly Bytes: (value: unknown) => Uint8Array<ArrayBuffer>;
}

/** How the events of an account are put into commit order: by number, and events with the same number by id. */
export interface CommitOrder {
  /** Writes the expression for the number of an account's new event, inside the statement that stores the event. */
  next(accountId: string): Prisma.Sql;
  /**
   * Writes the condition on a number that no event with a lower number can appear any more. A reader that reads in order, and only
   * where the condition holds, misses none.
   */
  settled(number: string): string;
  /** Writes the numbers of transactions in progress, whose events cannot be read yet, as a JSON list of texts. */
  readonly open: string;
  /**
   * Writes the statements by which a change, before it gets its number, waits until other changes with the same keys are committed.
   * Null if the numbers are in commit order anyway.
   */
  readonly turns: TurnStatements | null;
}

/** How changes wait for each other. All changes of an account wait for those that take its turn as a whole. */
export interface TurnStatements {
  /** Waits for one key, as nearly all changes do, with no more work than that takes. */
  take(account: string, key: string): Prisma.Sql;
  /** Waits for the keys that a statement finds. */
  takeAll(account: string, keys: Prisma.Sql): Prisma.Sql;
  /** Waits for all changes of an account. */
  takeWhole(account: string): Prisma.Sql;
}
