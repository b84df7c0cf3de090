// Streams of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): an answer that continues until
// the client leaves, its key or session ends, or the server stops. The surfaces decide what is sent; the rest is the same for both.

import { SallyportError } from '../../domain/errors.ts';
import type { Written } from '../../graphql/execution/answer.ts';
import { inLaterTurn } from '../../load/pacing.ts';
import type { Reply } from '../../pipeline/request.ts';
import { toSallyportError } from '../../pipeline/rest-errors.ts';
import type { AuditEvent } from '../../storage/trail/event-reads.ts';
import type { Following } from '../../storage/trail/follower.ts';

export interface StreamForm {
  /** Whether messages carry event ids, so that clients can resume after the last event they received. */
  readonly hasIds: boolean;
  /** Name of the messages that carry events; null for the default name. */
  readonly name: string | null;
  /** Writes the last message of a stream that ends for a reason the client should know. */
  readonly lastWords: (error: SallyportError) => string;
}

export interface NewStream {
  readonly form: StreamForm;
  readonly accountId: string;
  /**
   * Calls `ended` once, with the reason, when the client may no longer receive the stream. Returns a function that ends the watch.
   */
  readonly watch: (ended: (message: string) => void) => () => void;
  /** Starts to follow events. Throws the error that refuses the request. */
  readonly begin: () => Promise<Following>;
  /** Writes an event for the client. Throws if the client may no longer receive it, which ends the stream. */
  readonly answer: (event: AuditEvent) => Promise<Written>;
}

export interface EventStreams {
  /**
   * Serves a stream to its end.
   *
   * @throws TOO_MANY_STREAMS, UNAVAILABLE if the server stops, or has no room and no account has more streams, and whatever
   *   `begin` throws: nothing has been sent then
   */
  serve(reply: Reply, stream: NewStream): Promise<void>;
  count(): number;
  /** Ends all streams with a hint when to reconnect, and refuses new ones. */
  stop(): void;
}

/** Limits on the streams of a process. */
export interface StreamBounds {
  /** Most streams of one account, and of all accounts: well below the connections that a server accepts (see `listen.ts`). */
  readonly ofAccountMax: number;
  readonly ofAllMax: number;
  /**
   * Milliseconds without a message after which a stream sends one without an event: well below the minute after which proxies
   * consider a silent connection dead.
   */
  readonly heartbeatMs: number;
}

const defaultBounds: StreamBounds = { ofAccountMax: 1_000, ofAllMax: 2_000, heartbeatMs: 15_000 };

/** How many times per `heartbeatMs` silent streams are looked for, and how many are written to each time. */
const looksPerHeartbeat = 30;
const heartbeatsAtOnce = 100;
/** Milliseconds after which clients reconnect if the server ended their stream, spread so that they do not all come at once. */
const retryMs = { least: 1_000, spread: 4_000 };
/** Cost of an event in the units of `pacing.ts`: events of many streams are written in slices. */
const eventCost = 100;

/** Reason for the end of a stream after which the client is to reconnect. */
const serverStops = 'the server stops';

/** A stream being served. */
interface OpenStream {
  readonly accountId: string;
  readonly beat: (now: number) => boolean;
  /** Ends the stream with a hint when to reconnect; the log gets the reason. */
  readonly stop: (reason: string) => void;
  /**
   * Ends the stream as `stop` does, and releases its slot at once. A client that has not taken everything is cut off: the end would
   * wait behind the rest for as long as the client likes.
   */
  readonly evict: (reason: string) => void;
}

/**
 * Creates the streams of a process.
 *
 * @param reportFailure receives the causes of failures that the client does not see, with the request id
 */
export function createEventStreams(
  reportFailure: (requestId: string, error: unknown) => void,
  bounds: Partial<StreamBounds> = {},
): EventStreams {
  const { ofAccountMax, ofAllMax, heartbeatMs } = { ...defaultBounds, ...bounds };
  const counts = new Map<string, number>();
  const open = new Set<OpenStream>();
  let ofAll = 0;
  let hasStopped = false;
  let beating: NodeJS.Timeout | undefined;

  const beat = () => {
    const now = performance.now();
    let sent = 0;
    for (const stream of open) {
      if (sent >= heartbeatsAtOnce) break;
      if (stream.beat(now)) sent += 1;
    }
  };

  /**
   * Ends the oldest stream of the account that has the most, if that is more than the other account is about to have: early
   * accounts must not keep all others out. Returns whether there is room now.
   */
  const makeRoom = (ofOther: number): boolean => {
    const most = Math.max(...counts.values());
    if (most <= ofOther) return false;
    // `open` is in the order in which streams were opened.
    const oldest = [...open].find(({ accountId }) => counts.get(accountId) === most);
    if (oldest === undefined) return false;
    oldest.evict('another account has fewer streams');
    return true;
  };

  /** Reserves a slot for a stream. Returns a function that releases it. */
  const takeSlot = (accountId: string): (() => void) => {
    if (hasStopped)
      throw new SallyportError('UNAVAILABLE', 'The server is shutting down. Follow the changes again in a moment.');
    const ofAccount = counts.get(accountId) ?? 0;
    if (ofAccount >= ofAccountMax) {
      throw new SallyportError(
        'TOO_MANY_STREAMS',
        `The account has ${ofAccount} event streams open on this server, which is the most that it may have. Close some of them.`,
      );
    }
    if (ofAll >= ofAllMax && !makeRoom(ofAccount + 1)) {
      throw new SallyportError('UNAVAILABLE', 'The server has no room for more event streams now.');
    }
    counts.set(accountId, ofAccount + 1);
    ofAll += 1;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      ofAll -= 1;
      const left = (counts.get(accountId) ?? 1) - 1;
      if (left > 0) counts.set(accountId, left);
      else counts.delete(accountId);
    };
  };

  /** Sends the followed events until the stream ends. */
  const send = async (
    reply: Reply,
    { form, accountId, watch, answer }: NewStream,
    source: Following,
    leave: () => void,
  ) => {
    const { trace, info } = reply.locals;
    trace.isStream = true;
    let lastId = form.hasIds ? source.position : null;
    let wroteAt = performance.now();
    /** Ends the stream. An event that is still being written for it is not sent. */
    const end = (reason: string, words: string) => {
      if (reply.writableEnded || reply.destroyed) return;
      trace.ended ??= reason;
      reply.end(words);
      void source.return();
    };
    const fail = (error: SallyportError) => {
      trace.errorCode = error.code;
      // A temporary error is not final for the client, which reconnects.
      end(error.message, error.code === 'UNAVAILABLE' ? retryHint() : form.lastWords(error));
    };
    const stream: OpenStream = {
      accountId,
      beat(now) {
        if (now - wroteAt < heartbeatMs || reply.writableNeedDrain || reply.writableEnded) return false;
        wroteAt = now;
        // An id without data moves the position to resume from (section 9.2.6), even if no event has been wanted for long.
        const id = form.hasIds ? source.position : null;
        reply.write(id === null || id === lastId ? ':\n\n' : `id: ${id}\n\n`);
        lastId = id ?? lastId;
        return true;
      },
      stop: (reason) => end(reason, retryHint()),
      evict(reason) {
        stream.stop(reason);
        open.delete(stream);
        leave();
        if (reply.writableLength > 0) reply.destroy();
      },
    };
    const unwatch = watch((message) => fail(new SallyportError('UNAUTHENTICATED', message)));
    reply.once('close', () => void source.return());
    open.add(stream);
    beating ??= setInterval(beat, heartbeatMs / looksPerHeartbeat).unref();
    try {
      // Sent at once: some clients and proxies wait for the first byte of the body.
      reply.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
      reply.write(lastId === null ? ':\n\n' : `id: ${lastId}\n\n`);
      for await (const event of source) {
        const written = await inLaterTurn(accountId, eventCost, () => answer(event));
        if (reply.writableEnded || reply.destroyed) break;
        reply.write(
          `${form.hasIds ? `id: ${event.id}\n` : ''}${form.name === null ? '' : `event: ${form.name}\n`}data: `,
        );
        for (const piece of [written].flat()) reply.write(piece);
        reply.write('\n\n');
        lastId = event.id;
        wroteAt = performance.now();
        if (reply.writableNeedDrain) await emptied(reply);
      }
      stream.stop(serverStops);
    } catch (error) {
      const refused = toSallyportError(error);
      if (refused.cause !== undefined) reportFailure(info.requestId, refused.cause);
      fail(refused);
    } finally {
      unwatch();
      open.delete(stream);
      if (open.size === 0) {
        clearInterval(beating);
        beating = undefined;
      }
      await source.return();
    }
  };

  return {
    async serve(reply, stream) {
      const leave = takeSlot(stream.accountId);
      try {
        const source = await stream.begin();
        if (reply.destroyed || reply.closed) await source.return();
        else await send(reply, stream, source, leave);
      } finally {
        leave();
      }
    },
    count: () => open.size,
    stop() {
      hasStopped = true;
      for (const { stop } of open) stop(serverStops);
    },
  };
}

/** Writes the hint when to reconnect. */
function retryHint(): string {
  return `retry: ${Math.round(retryMs.least + Math.random() * retryMs.spread)}\n\n`;
}

/** Waits until the client has taken what was written, or is gone. */
function emptied(reply: Reply): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      reply.off('drain', done);
      reply.off('close', done);
      resolve();
    };
    reply.once('drain', done);
    reply.once('close', done);
  });
}
