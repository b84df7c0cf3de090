// The connections of a server, with the answers that each of them still owes.

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { traceOf } from './trace.ts';

export interface Connection {
  readonly socket: Socket;
  /** Answers to its requests, until they have left the process or the connection is gone. */
  readonly answers: ReadonlySet<ServerResponse>;
}

/** A connection as it is tracked: the same object from its first request to its last. */
interface KeptConnection extends Connection {
  readonly answers: Set<ServerResponse>;
  /** The answer to the newest request, while one is owed. */
  last: ServerResponse | undefined;
  /** Whether the newest request was answered before all of it had arrived. */
  wasAnsweredEarly: boolean;
}

/** How many connections and requests there may be at once. */
export interface ConnectionBounds {
  /**
   * Each connection beyond these closes the one that has owed no answer for the longest, so that clients that only hold connections
   * open make room for those that use them. If all owe one, the first that still waits for the rest of its request is closed: only
   * a whole request is worth an answer. If there is none, the new connection is closed.
   */
  readonly connectionsMax: number;
  /** How many requests may wait for answers on one connection. With one more, the connection is closed. */
  readonly owedMax: number;
  /**
   * How many requests may wait behind others, over all connections. Each one beyond these closes the connection that has such
   * requests and has got no answer for the longest.
   */
  readonly waitingMax: number;
}

export interface Connections {
  /** Returns the connections that owe answers. */
  owing(): Iterable<Connection>;
  /** Returns the answers that a connection owes, oldest first. */
  answersOn(socket: Socket): ReadonlySet<ServerResponse>;
  /**
   * Returns whether the newest request on a connection was answered before all of it had arrived: what arrives may still be the
   * rest of it.
   */
  wasAnsweredEarly(socket: Socket): boolean;
  /** Closes a connection on which another request begins, if it owes as many answers as it may. Returns whether it did. */
  closeIfFull(socket: Socket): boolean;
  /** Notes a new request. Returns the answer before its own on the connection; undefined if there is none. */
  begun(answer: ServerResponse): ServerResponse | undefined;
  /** Closes connections that have never received anything: Node considers them busy with their first request. */
  closeUnused(): void;
  /** Closes all connections, whatever they owe, including those that Node no longer tracks, as after a CONNECT. */
  closeAll(): void;
}

/** Closes a connection. The log says why, in the lines of the requests that it leaves unanswered. */
export function drop({ socket, answers }: Connection, reason: string): void {
  for (const answer of answers) {
    const trace = traceOf(answer);
    if (trace !== undefined) trace.ended ??= reason;
  }
  socket.destroy();
}

const none: ReadonlySet<ServerResponse> = new Set();

/** Tracks the connections of a server, from before it listens. */
export function keepConnections(
  server: Server,
  { connectionsMax, owedMax, waitingMax }: ConnectionBounds,
): Connections {
  const connectionOf = new WeakMap<Socket, KeptConnection>();
  // In order of last use: a connection goes to the end when it opens, begins to owe answers, or gets one.
  const resting = new Set<KeptConnection>();
  const owing = new Set<KeptConnection>();
  let waiting = 0;

  /** Stops counting a connection, although its `close` may come later. */
  const forget = (connection: KeptConnection) => {
    resting.delete(connection);
    if (owing.delete(connection)) waiting -= Math.max(connection.answers.size - 1, 0);
  };
  const closeCrowded = (connection: KeptConnection) => {
    forget(connection);
    drop(connection, 'too many requests wait behind others');
  };

  server.on('connection', (socket: Socket) => {
    if (resting.size + owing.size >= connectionsMax) {
      const [oldest = firstOf(owing, isUnfinished)] = resting;
      (oldest?.socket ?? socket).destroy();
      if (oldest !== undefined) forget(oldest);
    }
    if (socket.destroyed) return;
    const connection: KeptConnection = { socket, answers: new Set(), last: undefined, wasAnsweredEarly: false };
    connectionOf.set(socket, connection);
    resting.add(connection);
    socket.once('close', () => {
      forget(connection);
      // When a client disconnects, Node tells only the answer whose turn it is. Those that wait behind it must know too.
      for (const answer of connection.answers) {
        if (answer.socket !== null) continue;
        answer.destroy();
        answer.emit('close');
      }
    });
  });

  /** Notes that an answer is closed. One function for all answers: creating one for each would cost more than it does. */
  function closed(this: ServerResponse): void {
    const connection = connectionOf.get(this.req.socket);
    if (connection?.answers.delete(this) !== true || !owing.delete(connection)) return;
    // A connection that has got an answer moves to the end.
    if (connection.answers.size > 0) {
      owing.add(connection);
      waiting -= 1;
    } else {
      resting.add(connection);
      connection.last = undefined;
      connection.wasAnsweredEarly = !this.req.complete;
    }
  }

  return {
    owing: () => owing,
    answersOn: (socket) => connectionOf.get(socket)?.answers ?? none,
    wasAnsweredEarly: (socket) => connectionOf.get(socket)?.wasAnsweredEarly ?? false,
    closeIfFull(socket) {
      const connection = connectionOf.get(socket);
      if (connection === undefined || connection.answers.size < owedMax) return false;
      closeCrowded(connection);
      return true;
    },
    closeUnused() {
      for (const { socket } of resting) if (socket.bytesRead === 0) socket.destroy();
    },
    closeAll() {
      for (const { socket } of [...resting, ...owing]) socket.destroy();
    },
    begun(answer) {
      const connection = connectionOf.get(answer.req.socket);
      if (connection === undefined) return undefined;
      const ahead = connection.last;
      connection.last = answer;
      connection.wasAnsweredEarly = false;
      connection.answers.add(answer);
      owing.add(connection);
      resting.delete(connection);
      answer.on('close', closed);
      if (ahead !== undefined) waiting += 1;
      if (waiting > waitingMax) {
        const crowded = firstOf(owing, ({ answers }) => answers.size > 1);
        if (crowded !== undefined) closeCrowded(crowded);
      }
      return ahead;
    },
  };
}

function firstOf(
  connections: Iterable<KeptConnection>,
  isIt: (connection: KeptConnection) => boolean,
): KeptConnection | undefined {
  for (const connection of connections) if (isIt(connection)) return connection;
  return undefined;
}

/** Returns whether a connection owes answers only to requests that have not fully arrived. */
function isUnfinished({ answers }: KeptConnection): boolean {
  return [...answers].every(({ req }) => !req.complete);
}
