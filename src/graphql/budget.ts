// What the answer to one request may hold, and what it holds so far.

import { SallyportError } from '../domain/errors.ts';
import {
  answerBytesMax,
  answerFieldsMax,
  listedObjectsMax,
  objectsOfLookup,
  readBytesMax,
  textBytesOfField,
  textUnitBytes,
} from './limits.ts';
import { noteWork } from './pacing.ts';

/** A place among the large answers. */
export interface Place {
  readonly isTaken: boolean;
  /** Takes the place when it is the turn of the account. Throws UNAVAILABLE when too many wait for one. */
  take(): Promise<void>;
}

/** The place of answers that nobody has to wait for. */
const everywhere: Place = { isTaken: true, take: async () => {} };

/** How many times the estimate of its introspection an answer may have: estimates are averages over the schema. */
const estimateTolerance = 1.5;

/** What the answer to one request may hold, and holds so far. */
export class Budget {
  #fields = 0;
  #textBytes = 0;
  #objects = 0;
  #readBytes = 0;
  #fieldsMax = answerFieldsMax;
  readonly #isBounded: boolean;
  #excess: SallyportError | null = null;
  /** The place among the few large answers that are made at once, which an answer takes when it gets large. */
  place: Place = everywhere;

  /** @param isBounded false for documents of our own, whose answers are bounded by what they ask for */
  constructor(isBounded: boolean) {
    this.#isBounded = isBounded;
  }

  /** Makes room for the introspection that a document asks for, if that is more than other answers may have. */
  expectIntrospection(fields: number): void {
    this.#fieldsMax = Math.max(answerFieldsMax, Math.ceil(fields * estimateTolerance));
  }

  /** What has been counted so far, in the units of costs. */
  get spent(): number {
    return this.#fields + (this.#textBytes + this.#readBytes) / textUnitBytes;
  }

  /**
   * Counts fields of the answer before they are made, or rows before they are read.
   *
   * @throws QUERY_TOO_COMPLEX when the answer gets too large
   */
  charge(fields: number): void {
    noteWork(fields);
    this.count(fields);
  }

  /** Counts fields of the answer that are made later. Throws as `charge`. */
  count(fields: number): void {
    this.#fields += fields;
    // Also where the sum is no number.
    if (!(this.#fields <= this.#fieldsMax + this.#textBytes / textBytesOfField))
      this.#refuse(`${this.#fieldsMax} fields`);
  }

  /** Counts text of the answer in bytes. Throws as `charge`. */
  chargeText(bytes: number): void {
    noteWork(bytes / textUnitBytes);
    this.countText(bytes);
  }

  /** Counts text of the answer that is made later. Throws as `charge`. */
  countText(bytes: number): void {
    this.#textBytes += bytes;
    if (this.#textBytes > answerBytesMax) this.#refuse(`${answerBytesMax} bytes of text`);
  }

  /** Counts the objects that a list asks for, before any of its rows is read. Throws as `charge`. */
  expectObjects(count: number): void {
    this.#objects += count;
    if (this.#objects <= listedObjectsMax) return;
    this.#refuse(`${listedObjectsMax} objects in its lists, where each look-up by id counts for ${objectsOfLookup}`);
  }

  /** Counts text of rows that were read, which the answer need not show. Throws as `charge`. */
  countRead(bytes: number): void {
    noteWork(bytes / textUnitBytes);
    this.#readBytes += bytes;
    if (this.#readBytes > readBytesMax) this.#refuse(`${readBytesMax} bytes of text in the rows it is made of`);
  }

  /** Why the answer is refused; null as long as it is not too large. */
  get excess(): SallyportError | null {
    return this.#excess;
  }

  #refuse(bound: string): void {
    if (!this.#isBounded) return;
    this.#excess ??= new SallyportError(
      'QUERY_TOO_COMPLEX',
      `The answer would have more than ${bound}. Ask for fewer fields or smaller pages.`,
    );
    throw this.#excess;
  }
}

/** Cost up to which an answer is made without ever waiting: small ones never wait for large ones. */
const smallAnswerCost = 2_000;

/** Tells whether an answer has become so large that it is made in slices. */
export function isLargeAnswer({ spent }: Budget): boolean {
  return spent > smallAnswerCost;
}
