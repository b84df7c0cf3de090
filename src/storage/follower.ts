// A follower of an account's events: it reads by itself until it has caught up with the others, and then gets what is read for all.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { SallyportError } from '../domain/errors.ts';
import {
  type AuditEvent,
  type Cursor,
  cursorOf,
  type EventHead,
  type EventPage,
  type EventReads,
  isBehind,
} from './event-reads.ts';

/** Events of an account as they are stored. Who asks for the next one has done with those before. */
export interface Following extends AsyncIterableIterator<AuditEvent, undefined> {
  /** Id of the event to go on after later, if everything wanted up to it has been given; null while more is at hand. */
  readonly position: string | null;
  /** Ends it: the next event is none. */
  return(): Promise<IteratorReturnResult<undefined>>;
}

/** Bytes of states that wait for one follower, beyond the first event. What is behind them is read again when it is asked for. */
const waitingBytesMax = 65_536;

/** What a follower needs of the feed. */
export interface Audience {
  readonly reads: EventReads;
  /** Reads for one follower alone when it is the turn of its account: a client that was away for long must not take all the time. */
  inTurn<T>(accountId: string, read: () => Promise<T>): Promise<T>;
  /** Adds a follower that has read up to a place to those that are served together; false where these are further by now. */
  join(follower: Follower, accountId: string, place: Cursor): boolean;
  leave(follower: Follower, accountId: string): void;
  /** Gives the place up to which others have been given the events of an account. */
  placeIn(accountId: string): Cursor | undefined;
  ended(follower: Follower): void;
}

/** Where one begins to follow. */
export interface FollowingStart {
  readonly place: Cursor;
  /** The bound of deleted events (`EventReads.forgotten`) up to which nothing behind the place is missing. */
  readonly forgotten: string | null;
  /** Events behind the place that have been there before. */
  readonly passed: ReadonlySet<string>;
}

/** Makes the error for a place behind which events may have been deleted. */
export function eventGone(): SallyportError {
  return new SallyportError(
    'EVENT_GONE',
    'There is no such event in this account, or events after it may have been deleted because of their age. Read the objects ' +
      'that you follow anew, and follow from the newest event on.',
  );
}

/** Reads by itself until it has caught up with the others, and whenever more waits than it may keep. */
export class Follower implements Following {
  readonly #audience: Audience;
  readonly #accountId: string;
  readonly #wants: (event: EventHead) => boolean;
  /** Events that are still to come, and are not to be given. */
  readonly #passed: Set<string>;
  /** Everything up to here has been taken or passed over. */
  #place: Cursor;
  /** As in `FollowingStart`. */
  #forgotten: string | null;
  #waiting: AuditEvent[] = [];
  #waitingBytes = 0;
  /** Whether the last reading found nothing more. */
  #isNearEnd = false;
  #isLive = false;
  #hasBegun = false;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  constructor(audience: Audience, accountId: string, start: FollowingStart, wants: (event: EventHead) => boolean) {
    this.#audience = audience;
    this.#accountId = accountId;
    this.#place = start.place;
    this.#forgotten = start.forgotten;
    this.#passed = new Set(start.passed);
    this.#wants = wants;
  }

  get position(): string | null {
    const hasAll = !this.#hasBegun || (this.#wake !== undefined && this.#waiting.length === 0);
    return hasAll && this.#place.id !== '' ? this.#place.id : null;
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

  /** Tells whether an event is to be read. */
  wants(head: EventHead): boolean {
    return this.#passed.has(head.id) || this.#wants(head);
  }

  /** Takes events that follow each other: those that it has not had, up to as many as it may keep. */
  take({ events, place: end }: EventPage): void {
    for (const event of events) {
      const place = cursorOf(event);
      if (!isBehind(place, this.#place)) continue;
      if (this.#waitingBytes > waitingBytesMax) {
        this.#audience.leave(this, this.#accountId);
        this.#isLive = false;
        this.#isNearEnd = false;
        this.#wake?.();
        return;
      }
      this.#place = place;
      if (this.#passed.delete(event.id) || !this.#wants(event)) continue;
      this.#waiting.push(event);
      this.#waitingBytes += bytesOf(event);
    }
    if (isBehind(end, this.#place)) this.#place = end;
    this.#wake?.();
  }

  async #readOn(): Promise<void> {
    const shared = this.#audience.placeIn(this.#accountId);
    const page = await this.#audience.inTurn(this.#accountId, () =>
      this.#audience.reads.after(this.#accountId, this.#place, (head) => this.wants(head), waitingBytesMax),
    );
    if (isBehind(page.place, this.#place)) await this.#checkNothingForgotten();
    // What the others have been given before this reading is deleted by now, if there is nothing.
    else if (shared !== undefined && isBehind(shared, this.#place)) this.#place = shared;
    this.#isNearEnd = !page.hasMore;
    this.take(page);
    // However few of them are wanted, everybody else gets a turn.
    await nextTurn();
  }

  /**
   * Checks, after a page was read, that events between its place and the page had not been deleted by then: whoever deletes moves
   * the bound first. Throws EVENT_GONE.
   */
  async #checkNothingForgotten(): Promise<void> {
    const forgotten = await this.#audience.reads.forgotten();
    if (forgotten !== null && forgotten !== this.#forgotten && this.#place.id < forgotten) throw eventGone();
    this.#forgotten = forgotten;
  }

  #join(): void {
    this.#isLive = this.#audience.join(this, this.#accountId, this.#place);
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
