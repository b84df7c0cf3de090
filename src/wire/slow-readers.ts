// Closes connections whose clients do not read their answers, because unread answers stay in memory.

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Connection, type Connections, drop } from './connections.ts';

export interface Patience {
  /** Seconds within which a client must take some of what waits for it. */
  readonly stalledSecondsMax: number;
  /** Bytes that may wait for all clients together. */
  readonly waitingBytesMax: number;
}

export interface SlowReaders {
  /** Returns the bytes of answers that wait for their clients, over all connections. */
  waitingBytes(): number;
  /** Checks at once whether too much is waiting, if the answer just written is large. */
  added(answer: ServerResponse): void;
}

/** How much of what waits for a client it has taken. */
interface Progress {
  /** Bytes of all writes that the system has taken completely. */
  done: number;
  /** Bytes of the current write that the system has not taken. */
  queued: number;
  /** Consecutive checks in which nothing had changed. */
  stalled: number;
}

const secondMs = 1_000;
/** Bytes from which an answer is large enough to check all connections. */
const largeBytes = 65_536;

/**
 * Watches the connections of a server. Data counts as taken when the operating system has taken it. The system buffers a few
 * megabytes for each connection and takes more only when a good part of the buffer is free, so a client that reads less than some
 * tens of kilobytes a second may look as if it took nothing.
 */
export function watchSlowReaders(server: Server, connections: Connections, patience: Patience): SlowReaders {
  const progress = new WeakMap<Socket, Progress>();
  const stalledOf = (socket: Socket) => progress.get(socket)?.stalled ?? 0;

  const waitingBytes = () => {
    let total = 0;
    for (const connection of connections.owing()) total += waitingOn(connection);
    return total;
  };

  const closeUntilItFits = () => {
    let total = waitingBytes();
    if (total <= patience.waitingBytesMax) return;
    const readers = [...connections.owing()].map((reader) => ({ reader, bytes: waitingOn(reader) }));
    // The connection that has taken nothing for the longest goes first; of equals, the one with the most waiting.
    readers.sort((a, b) => stalledOf(b.reader.socket) - stalledOf(a.reader.socket) || b.bytes - a.bytes);
    for (const { reader, bytes } of readers) {
      if (total <= patience.waitingBytesMax) return;
      drop(reader, 'the client reads too slowly');
      total -= bytes;
    }
  };

  // Counted in checks rather than by the clock: during a long event loop turn, no client could have taken anything.
  const look = () => {
    for (const connection of connections.owing()) {
      const { socket } = connection;
      const now = { ...stateOf(socket), stalled: 0 };
      const before = progress.get(socket);
      const moved = before === undefined || before.done !== now.done || before.queued !== now.queued;
      // An answer queued behind one that we are still making waits for us.
      if (!moved && socket.writableLength > 0) now.stalled = before.stalled + 1;
      progress.set(socket, now);
      if (now.stalled >= patience.stalledSecondsMax) drop(connection, 'the client reads nothing');
    }
    closeUntilItFits();
  };
  const looking = setInterval(look, secondMs).unref();
  server.once('close', () => clearInterval(looking));

  return {
    waitingBytes,
    added({ writableLength }) {
      if (writableLength >= largeBytes) closeUntilItFits();
    },
  };
}

/** Returns the bytes held for a client, including answers queued behind another one. */
function waitingOn({ socket, answers }: Connection): number {
  if (socket.destroyed) return 0;
  let bytes = socket.writableLength;
  for (const answer of answers) if (answer.socket === null) bytes += answer.writableLength;
  return bytes;
}

/**
 * Returns how far the writes of a socket have come. In Node's documented counters, a write counts as a whole, however large it is:
 * only the socket's handle knows how much of it is left. Node's own socket timeouts use the same number. Without it, a client would
 * have to take a large answer as a whole in time, hence the test with a slow reader.
 */
function stateOf(socket: Socket): Pick<Progress, 'done' | 'queued'> {
  // Not in Node's types.
  const handle = (socket as { _handle?: { writeQueueSize?: number } | null })._handle;
  return { done: socket.bytesWritten - socket.writableLength, queued: handle?.writeQueueSize ?? 0 };
}
