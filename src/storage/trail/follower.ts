// A follower of an account's events: it reads by itself until it has caught up with the others, and then gets the events that are
// read for all.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { SallyportError } from '../../domain/errors.ts';
import {
  type AuditEvent,
  type Cursor,
  comesAfter,
  cursorOf,
  type EventHead,
  type EventPage,
  type EventReads,
} from './event-reads.ts';

/** Events of an account as they are stored. A caller that asks for the next one is done with those before. */
export interface Following extends AsyncIterableIterator<AuditEvent, undefined> {
  /** Id of the event to continue after later, if every wanted event up to it has been delivered; null while more are waiting. */
  readonly position: string | null;
  /** Ends the iteration: no further event is delivered. */
  return(): Promise<IteratorReturnResult<undefined>>;
}

/**
 * Bytes of states that may wait for one follower; the last event may exceed it. Later events are read again when they are asked
 * for.
 */
const waitingBytesMax = 65_536;

/** What a follower needs of the feed. */
export interface Audience {
  readonly reads: EventReads;
  /**
   * Reads for one follower alone, when it is the turn of its account: a client that was away for long must not take all the time.
   */
  inTurn<T>(accountId: string, read: () => Promise<T>): Promise<T>;
  /** Adds a follower that has read up to a position to those that are served together; false if those have read further by now. */
  join(follower: Follower, accountId: string, cursor: Cursor): boolean;
  leave(follower: Follower, accountId: string): void;
  /** Returns the position up to which the other followers have received the events of an account. */
  cursorIn(accountId: string): Cursor | undefined;
  ended(follower: Follower): void;
}

export interface FollowingStart {
  readonly cursor: Cursor;
  /** The bound of deleted events (`EventReads.forgotten`) for which nothing after the position is missing. */
  readonly forgotten: string | null;
  /** Returns whether an event after the position was there before. */
  readonly isPassed: (event: EventHead) => boolean;
}

/** Creates the error for a position after which events may have been deleted. */
export function eventGone(): SallyportError {
  return new SallyportError(
    'EVENT_GONE',
    'There is no such event in this account, or events after it may have been deleted because of their age. Read the objects ' +
      'that you follow anew, and follow from the newest event on.',
  );
}

/** Reads by itself until it has caught up with the others, and whenever more events wait than it may keep. */
export class Follower implements Following {
  readonly #audience: Audience;
  readonly #accountId: string;
  readonly #wants: (event: EventHead) => boolean;
  /** Every event up to here has been taken or skipped. */
  #cursor: Cursor;
  /** As in `FollowingStart`. */
  #forgotten: string | null;
  #waiting: AuditEvent[] = [];
  #waitingBytes = 0;
  /** Whether the last read reached the end. */
  #isNearEnd = false;
  #isLive = false;
  #hasBegun = false;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  constructor(audience: Audience, accountId: string, start: FollowingStart, wants: (event: EventHead) => boolean) {
    this.#audience = audience;
    this.#accountId = accountId;
    this.#cursor = start.cursor;
    this.#forgotten = start.forgotten;
    this.#wants = (event) => wants(event) && !start.isPassed(event);
  }

  get position(): string | null {
    const hasAll = !this.#hasBegun || (this.#wake !== undefined && this.#waiting.length === 0);
    return hasAll && this.#cursor.id !== '' ? this.#cursor.id : null;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<AuditEvent, undefined>> {
    this.#hasBegun = true;
    while (!this.#hasEnded) {
      const event = this.#waiting.shift();
      if (event !== undefined) {
        this.#waitingBytes -= bytesOf(event);
        return { done: false, value: event };
      }
      if (this.#isLive) await this.#somethingNew();
      else if (this.#isNearEnd) this.#join();
      else await this.#readOn();
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#hasEnded = true;
    this.#waiting = [];
    this.#audience.leave(this, this.#accountId);
    this.#audience.ended(this);
    this.#wake?.();
    return { done: true, value: undefined };
  }

  /** Returns whether an event is to be read. */
  wants(head: EventHead): boolean {
    return this.#wants(head);
  }

  /** Takes the events of a page that it has not had, up to as many as it may keep. */
  take({ events, cursor: end }: EventPage): void {
    for (const event of events) {
      const cursor = cursorOf(event);
      if (!comesAfter(cursor, this.#cursor)) continue;
      if (this.#waitingBytes > waitingBytesMax) {
        this.#audience.leave(this, this.#accountId);
        this.#isLive = false;
        this.#isNearEnd = false;
        this.#wake?.();
        return;
      }
      this.#cursor = cursor;
      if (!this.#wants(event)) continue;
      this.#waiting.push(event);
      this.#waitingBytes += bytesOf(event);
    }
    if (comesAfter(end, this.#cursor)) this.#cursor = end;
    this.#wake?.();
  }

  async #readOn(): Promise<void> {
    const shared = this.#audience.cursorIn(this.#accountId);
    const page = await this.#audience.inTurn(this.#accountId, () =>
      this.#audience.reads.after(this.#accountId, this.#cursor, (head) => this.wants(head), waitingBytesMax),
    );
    if (comesAfter(page.cursor, this.#cursor)) await this.#checkNothingForgotten();
    // If this read found nothing, the events that the others received before it have been deleted by now.
    else if (shared !== undefined && comesAfter(shared, this.#cursor)) this.#cursor = shared;
    this.#isNearEnd = !page.hasMore;
    this.take(page);
    // Everybody else gets a turn, however few of the events are wanted.
    await nextTurn();
  }

  /**
   * Checks, after a page was read, that no events between the position and the page had been deleted by then: a deletion moves the
   * bound first. Throws EVENT_GONE.
   */
  async #checkNothingForgotten(): Promise<void> {
    const forgotten = await this.#audience.reads.forgotten();
    if (forgotten !== null && forgotten !== this.#forgotten && this.#cursor.id < forgotten) throw eventGone();
    this.#forgotten = forgotten;
  }

  #join(): void {
    this.#isLive = this.#audience.join(this, this.#accountId, this.#cursor);
    this.#isNearEnd = this.#isLive;
  }

  async #somethingNew(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }
}

function bytesOf({ state }: AuditEvent): number {
  return Buffer.byteLength(state);
}
