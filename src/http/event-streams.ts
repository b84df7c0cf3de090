// Streams of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): one answer that goes on until its
// client leaves, its key or its session ends, or the server stops. What is sent, the surfaces say; the rest is the same for both.

import { SallyportError } from '../domain/errors.ts';
import type { Written } from '../graphql/answer.ts';
import { inLaterTurn } from '../graphql/pacing.ts';
import type { AuditEvent } from '../storage/event-reads.ts';
import type { Following } from '../storage/follower.ts';
import { toSallyportError } from './errors.ts';
import type { Reply } from './request.ts';

/** How a surface writes its streams. */
export interface StreamForm {
  /** Whether messages carry the ids of their events, so that clients can go on after the last one that they have had. */
  readonly hasIds: boolean;
  /** Name of the messages that carry events; null for the name that they have without one. */
  readonly name: string | null;
  /** Writes the last message of a stream that ends for a reason which the client should know. */
  readonly lastWords: (error: SallyportError) => string;
}

/** A stream to be served. */
export interface NewStream {
  readonly form: StreamForm;
  readonly accountId: string;
  /** Tells, once, that whom it is for may have no more of it, and why. Gives what ends the watch. */
  readonly watch: (ended: (message: string) => void) => () => void;
  /** Begins to follow. Throws what the request is refused with. */
  readonly begin: () => Promise<Following>;
  /** Makes what the client gets of an event. Throws where it may not have it any more, which ends the stream. */
  readonly answer: (event: AuditEvent) => Promise<Written>;
}

/** The streams of a process. */
export interface EventStreams {
  /**
   * Serves a stream to its end.
   *
   * @throws TOO_MANY_STREAMS, UNAVAILABLE when the server stops or has no room (as no account has more streams), and whatever `begin`
   *   throws: nothing is sent then
   */
  serve(reply: Reply, stream: NewStream): Promise<void>;
  /** How many are open. */
  count(): number;
  /** Ends all streams, with a hint when to come again, and refuses new ones. */
  stop(): void;
}

/** The bounds of the streams of a process. */
export interface StreamBounds {
  /** Streams of one account, and of all: well below the connections that a server takes (see `listen.ts`). */
  readonly ofAccountMax: number;
  readonly ofAllMax: number;
  /**
   * Milliseconds without a message after which a stream sends one without an event: well below the minute after which proxies take
   * a silent connection for dead.
   */
  readonly heartbeatMs: number;
}

const defaultBounds: StreamBounds = { ofAccountMax: 1_000, ofAllMax: 2_000, heartbeatMs: 15_000 };

/** How often streams are looked through for those that were silent, as a part of `heartbeatMs`, and how many are written to then. */
const looksPerHeartbeat = 30;
const heartbeatsAtOnce = 100;
/** Milliseconds after which clients come again whose stream ended with the server: not all at once. */
const retryMs = { least: 1_000, spread: 4_000 };
/** Cost of an event, as `pacing.ts` counts: those of many streams are made in slices. */
const eventCost = 100;

/** Why a stream has ended that is to be followed again. */
const serverStops = 'the server stops';

/** A stream that is served. */
interface OpenStream {
  readonly accountId: string;
  readonly beat: (now: number) => boolean;
  /** Ends it with a hint when to come again; the log gets the reason. */
  readonly stop: (reason: string) => void;
  /** Gives its place back, if it still has it. */
  readonly leave: () => void;
}

/**
 * Creates the streams of a process.
 *
 * @param reportFailure takes the causes of failures that the client does not get to see, with the id of the request
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
   * Ends the oldest stream of the account that has the most, if that is more than another one is about to have: whoever comes first
   * must not keep everybody else out. Tells whether there is room now.
   */
  const makeRoom = (ofOther: number): boolean => {
    const most = Math.max(...counts.values());
    if (most <= ofOther) return false;
    // In the order in which they were opened.
    const oldest = [...open].find(({ accountId }) => counts.get(accountId) === most);
    if (oldest === undefined) return false;
    oldest.stop('another account has fewer streams');
    oldest.leave();
    return true;
  };

  /** Takes a place for a stream. Gives what gives it back. */
  const takePlace = (accountId: string): (() => void) => {
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

  /** Sends what is followed until it ends. */
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
    /** Ends the stream. What is still being made for it is not sent. */
    const end = (reason: string, words: string) => {
      if (reply.writableEnded || reply.destroyed) return;
      trace.ended ??= reason;
      reply.end(words);
      void source.return();
    };
    const fail = (error: SallyportError) => {
      trace.errorCode = error.code;
      // What passes is no end for the client, which comes again.
      end(error.message, error.code === 'UNAVAILABLE' ? retryHint() : form.lastWords(error));
    };
    const stream: OpenStream = {
      accountId,
      leave,
      beat(now) {
        if (now - wroteAt < heartbeatMs || reply.writableNeedDrain || reply.writableEnded) return false;
        wroteAt = now;
        // An id without data moves the place to go on after (section 9.2.6), also where no event was wanted for long.
        const id = form.hasIds ? source.position : null;
        reply.write(id === null || id === lastId ? ':\n\n' : `id: ${id}\n\n`);
        lastId = id ?? lastId;
        return true;
      },
      stop: (reason) => end(reason, retryHint()),
    };
    const unwatch = watch((message) => fail(new SallyportError('UNAUTHENTICATED', message)));
    reply.once('close', () => void source.return());
    open.add(stream);
    beating ??= setInterval(beat, heartbeatMs / looksPerHeartbeat).unref();
    try {
      // Something at once: some clients and proxies wait for the first byte of the body.
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
      const leave = takePlace(stream.accountId);
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

/** Writes when to come again. */
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
