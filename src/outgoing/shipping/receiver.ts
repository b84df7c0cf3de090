// What a receiver of the shipped trail is, whichever way it is reached.

import type { ShippedRecord } from './records.ts';

/** The kinds of receivers; the operator may set each up once. */
export const receiverNames = ['file', 'syslog', 'otlp'] as const;
export type ReceiverName = (typeof receiverNames)[number];

/** Records that a receiver has said it will never take. */
export interface Rejection {
  readonly count: number;
  /** What it said, without line breaks or secrets. */
  readonly message: string;
}

export interface Receiver {
  readonly name: ReceiverName;
  /**
   * Milliseconds after which something that was sent counts as received, if nothing failed meanwhile: 0 where the receiver
   * acknowledges.
   */
  readonly doubtMs: number;
  /** Returns which records it has lately got, so that they are not sent again after a crash; null if that cannot be known. */
  readonly known: (() => Promise<ReadonlySet<string>>) | null;
  /**
   * Sends records, one call after the other.
   *
   * @returns what was rejected; null if nothing was
   * @throws ShippingFailure if they did not arrive, or not all of them: they have to be sent again
   */
  send(records: readonly ShippedRecord[], signal: AbortSignal): Promise<Rejection | null>;
  /** Ends the connection. Returns whether everything that was sent has arrived, as far as that can be known. */
  close(): Promise<boolean>;
}

/** Records that did not arrive. The message is for the operator, and holds no secret. */
export class ShippingFailure extends Error {
  /** Seconds that the receiver asked to wait; null if it did not. */
  readonly retryAfterSeconds: number | null;
  /** Whether the receiver understood and refused what was sent: other records may be taken. */
  readonly isRefused: boolean;

  constructor(
    message: string,
    options: {
      readonly cause?: unknown;
      readonly retryAfterSeconds?: number | null;
      readonly isRefused?: boolean;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.isRefused = options.isRefused ?? false;
  }
}

/** Returns a function that runs work of a receiver one after the other. */
export function inOrder(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
