// Closes connections whose clients do not take their answers, because answers wait in memory until they are taken.

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Connection, type Connections, drop } from './connections.ts';

/** How much patience there is with readers. */
export interface Patience {
  /** Seconds in which a client must take something of what waits for it. */
  readonly stalledSecondsMax: number;
  /** Bytes that may wait for all clients together. */
  readonly waitingBytesMax: number;
}

/** The watch over those who read. */
export interface SlowReaders {
  /** Bytes of answers that wait for their clients, over all connections. */
  waitingBytes(): number;
  /** Looks at once whether too much waits, when an answer that is large has been written. */
  added(answer: ServerResponse): void;
}

/** How far a client has come with what waits for it. */
interface Progress {
  /** Bytes of all writes that the system has taken as a whole. */
  done: number;
  /** Bytes of the present write that the system has not taken. */
  queued: number;
  /** How often in a row nothing had changed. */
  stalled: number;
}

const secondMs = 1_000;
/** Bytes of an answer from which on it is worth a look at all connections. */
const largeBytes = 65_536;

/**
 * Watches the connections of a server. What counts as taken is what the operating system has taken, which has buffers of a
 * few megabytes for each connection and wants more only when a good part of them is free: a client that reads less than
 * some tens of kilobytes a second may look as if it took nothing.
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
    // Who has taken nothing for the longest goes first; of equals, who has the most waiting.
    readers.sort((a, b) => stalledOf(b.reader.socket) - stalledOf(a.reader.socket) || b.bytes - a.bytes);
    for (const { reader, bytes } of readers) {
      if (total <= patience.waitingBytesMax) return;
      drop(reader, 'the client reads too slowly');
      total -= bytes;
    }
  };

  // Counted in looks and not by the clock: after a turn of the event loop that took long, nobody could have taken anything.
  const look = () => {
    for (const connection of connections.owing()) {
      const { socket } = connection;
      const now = { ...stateOf(socket), stalled: 0 };
      const before = progress.get(socket);
      const moved = before === undefined || before.done !== now.done || before.queued !== now.queued;
      // An answer that waits behind one that we still make waits for us.
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

/** Bytes that are kept for a client, those of answers that wait behind another one among them. */
function waitingOn({ socket, answers }: Connection): number {
  if (socket.destroyed) return 0;
  let bytes = socket.writableLength;
  for (const answer of answers) if (answer.socket === null) bytes += answer.writableLength;
  return bytes;
}

/**
 * A write counts as a whole in what Node documents, however large it is: only the handle of the socket knows how much of it
 * is left. Node's own time-outs of sockets look at the same number. Without it, a large answer would have to be taken as a
 * whole in time, hence the test with a slow reader.
 */
function stateOf(socket: Socket): Pick<Progress, 'done' | 'queued'> {
  // No type has it.
  const handle = (socket as { _handle?: { writeQueueSize?: number } | null })._handle;
  return { done: socket.bytesWritten - socket.writableLength, queued: handle?.writeQueueSize ?? 0 };
}
