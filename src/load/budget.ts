// Limits on the answer to one request, and counts of its contents so far.

import { SallyportError } from '../domain/errors.ts';
import {
  answerBytesMax,
  answerFieldsMax,
  entriesOfCost,
  listedObjectsMax,
  lookedEntriesMax,
  objectsOfLookup,
  readBytesMax,
  textBytesOfField,
  textUnitBytes,
  unitCost,
} from './limits.ts';
import { noteWork } from './pacing.ts';

/** A slot among the large answers. */
export interface Slot {
  readonly isTaken: boolean;
  /** Takes the slot in the account's turn. Throws UNAVAILABLE if too many are waiting for a slot. */
  take(): Promise<void>;
}

const alwaysFree: Slot = { isTaken: true, take: async () => {} };

/** How far the introspection in an answer may exceed its estimate, as a factor: estimates are averages over the schema. */
const estimateTolerance = 1.5;

/** Counts the contents of one answer and enforces their limits. */
export class Budget {
  #fields = 0;
  #textBytes = 0;
  #objects = 0;
  #readBytes = 0;
  #lookedEntries = 0;
  #fieldsMax = answerFieldsMax;
  readonly #isBounded: boolean;
  #excess: SallyportError | null = null;
  /** The slot among the few large answers made at once. The answer takes it when it gets large. */
  slot: Slot = alwaysFree;

  /** @param isBounded false for our own documents, whose selections already bound their answers */
  constructor(isBounded: boolean) {
    this.#isBounded = isBounded;
  }

  /** Raises the limit on fields if the introspection that a document asks for needs more than other answers may have. */
  expectIntrospection(fields: number): void {
    this.#fieldsMax = Math.max(answerFieldsMax, Math.ceil(fields * estimateTolerance));
  }

  /** The total counted so far, in units of cost. */
  get spent(): number {
    return this.#fields + (this.#textBytes + this.#readBytes) / textUnitBytes + this.#lookedEntries / entriesOfCost;
  }

  /**
   * Counts fields of the answer before they are made, or rows before they are read, as work of this turn of the event loop.
   *
   * @throws QUERY_TOO_COMPLEX if the answer gets too large
   */
  charge(fields: number): void {
    noteWork(fields);
    this.count(fields);
  }

  /** Counts fields of the answer that are made in a later turn. Throws as `charge`. */
  count(fields: number): void {
    this.#fields += fields;
    // Negated, so that NaN is refused as well.
    if (!(this.#fields <= this.#fieldsMax + this.#textBytes / textBytesOfField))
      this.#refuseAnswer(`${this.#fieldsMax} fields`);
  }

  /** Counts text of the answer in bytes. Throws as `charge`. */
  chargeText(bytes: number): void {
    noteWork(bytes / textUnitBytes);
    this.countText(bytes);
  }

  /** Counts text of the answer that is made in a later turn. Throws as `charge`. */
  countText(bytes: number): void {
    this.#textBytes += bytes;
    if (this.#textBytes > answerBytesMax) this.#refuseAnswer(`${answerBytesMax} bytes of text`);
  }

  /** Counts the objects that a list asks for, before any row is read. Throws as `charge`. */
  expectObjects(count: number): void {
    this.#objects += count;
    if (this.#objects <= listedObjectsMax) return;
    this.#refuseAnswer(
      `${listedObjectsMax} objects in its lists, where each look-up by id counts for ${objectsOfLookup}`,
    );
  }

  /** Counts the text of rows that were read, whether or not the answer shows it. Throws as `charge`. */
  countRead(bytes: number): void {
    noteWork(bytes / textUnitBytes);
    this.#readBytes += bytes;
    if (this.#readBytes > readBytesMax) this.#refuseAnswer(`${readBytesMax} bytes of text in the rows it is made of`);
  }

  /**
   * Counts entries of indexes that were looked at, whether or not their rows are part of the answer. Throws as `charge`.
   *
   * @returns for how many more units of the rate limit that is
   */
  countLooked(entries: number): number {
    noteWork(entries / entriesOfCost);
    const units = () => Math.floor(this.#lookedEntries / (entriesOfCost * unitCost));
    const before = units();
    this.#lookedEntries += entries;
    if (this.#lookedEntries > lookedEntriesMax) {
      this.#refuse(
        `The lists of the document have to be looked through for more than ${lookedEntriesMax} rows. Count or search fewer of them, or narrow them: by a time, or by one object.`,
      );
    }
    return units() - before;
  }

  /** The error that the answer is refused with; null unless it is too large. */
  get excess(): SallyportError | null {
    return this.#excess;
  }

  #refuseAnswer(bound: string): void {
    this.#refuse(`The answer would have more than ${bound}. Ask for fewer fields or smaller pages.`);
  }

  #refuse(message: string): void {
    if (!this.#isBounded) return;
    this.#excess ??= new SallyportError('QUERY_TOO_COMPLEX', message);
    throw this.#excess;
  }
}

/** Cost up to which an answer is made without waiting: small answers never wait for large ones. */
const smallAnswerCost = 2_000;

/** Returns whether an answer has become so large that it must be made in slices. */
export function isLargeAnswer({ spent }: Budget): boolean {
  return spent > smallAnswerCost;
}
