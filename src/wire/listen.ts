// An HTTP server that can stop without breaking a request.

import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { refuseBrokenRequests } from './broken-requests.ts';
import { type ConnectionBounds, keepConnections } from './connections.ts';
import type { MessageClasses } from './express-prototypes.ts';
import { headerFieldsMax } from './head.ts';
import { type Patience, watchSlowReaders } from './slow-readers.ts';
import type { RequestRecorder } from './trace.ts';

/** Limits that a server enforces on its connections. */
export interface Bounds extends Patience, ConnectionBounds {
  /**
   * Milliseconds that a client may take to send the head of a request, and the whole request; and milliseconds between checks for
   * clients that take longer. Node's defaults are 60, 300 and 30 seconds. A head is a packet or two, and the largest body needs a
   * minute on the slowest of lines (18 kB/s).
   */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
  /**
   * Milliseconds that a connection may wait for its next request. Longer than load balancers keep idle connections (60 seconds is
   * usual), so that they close them and not we: a request that arrives while we close is lost. Node's default of 5 seconds lost 4
   * of 90,000.
   */
  readonly keepAliveTimeout: number;
  /** Milliseconds that requests in flight get to finish when the server stops. */
  readonly drainMsMax: number;
}

/** Default for the most connections at once: far more than proxies keep, at a few tens of kilobytes each. */
export const usualConnectionsMax = 4_000;

const defaultBounds: Bounds = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 72_000,
  drainMsMax: 10_000,
  connectionsMax: usualConnectionsMax,
  // Hardly any client sends a request before it has the answer to the previous one. A waiting request takes a kilobyte (measured),
  // and at most 40 with its contents.
  owedMax: 50,
  waitingMax: 2_500,
  stalledSecondsMax: 30,
  waitingBytesMax: 268_435_456,
};

/** Most milliseconds spent accepting waiting connections, in case new ones never stop coming. */
const takingMsMax = 5_000;
/** Milliseconds that idle connections get to deliver a request that their client is just sending. */
const idleMs = 1_000;
/** Milliseconds between checks for answers that clients are still reading. */
const readingMs = 50;

export interface DrainingServer {
  /** The port, including one that the system chose. */
  readonly port: number;
  /** Returns the bytes of answers in memory that clients have not taken yet, over all connections. */
  waitingBytes(): number;
  /** Stops listening, lets requests in flight finish, and resolves when the last connection is closed. */
  drain(): Promise<void>;
  /** Stops at once, even with requests in flight. */
  cut(): void;
}

/**
 * Starts listening. Rejects if the address is not available.
 *
 * @param messages the classes that Node creates requests and responses from
 * @param recorder notified of requests that cannot be parsed, which never reach the listener
 */
export async function listen(
  listener: RequestListener,
  messages: MessageClasses,
  port: number,
  host: string,
  recorder: RequestRecorder,
  bounds: Partial<Bounds> = {},
): Promise<DrainingServer> {
  const { drainMsMax, connectionsMax, owedMax, waitingMax, ...times } = { ...defaultBounds, ...bounds };
  // The listener refuses a request without a Host header itself, with a body like every other error's.
  const server = createServer({ ...messages, ...times, requireHostHeader: false });
  // One more than a request may have, so that too many are noticed: Node drops the rest.
  server.maxHeadersCount = headerFieldsMax + 1;
  const connections = keepConnections(server, { connectionsMax, owedMax, waitingMax });
  messages.stopReading(connections.closeIfFull);
  const readers = watchSlowReaders(server, connections, times);
  refuseBrokenRequests(server, connections, recorder);
  let draining = false;
  let accepted = 0;
  /** Checks an answer that has been written. One function for all answers, as in `connections.ts`. */
  function written(this: ServerResponse): void {
    readers.added(this);
  }
  const begin: RequestListener = (request, response) => {
    if (!request.socket.destroyed) listener(request, response);
  };
  const take: RequestListener = (request, response) => {
    // Node goes on parsing what a connection had delivered before it was closed.
    if (request.socket.destroyed) return;
    const ahead = connections.begun(response);
    response.on('prefinish', written);
    // Node loses data that arrives in one piece with a request that has an `Upgrade` header (measured with Node 20): the client
    // must send it again.
    if (draining || request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    // Answers leave in order, so those to pipelined requests would all be made at once and wait in memory. Each request gets an
    // event loop turn of its own, or a client that sends thousands in one go would keep all others waiting.
    if (ahead !== undefined) ahead.once('close', () => setImmediate(begin, request, response));
    else begin(request, response);
  };
  server.on('request', take);
  // Node would itself answer a request whose `Expect` header it does not support.
  server.on('checkExpectation', take);
  server.on('connection', () => {
    accepted += 1;
  });
  /**
   * Waits until Node has accepted all connections that the system has established, because closing the listener would break them.
   * Node accepts one per event loop turn.
   */
  const takeWaitingConnections = async () => {
    const endMs = performance.now() + takingMsMax;
    for (let before = -1; before !== accepted && performance.now() < endMs; ) {
      before = accepted;
      await nextTurn();
      await nextTurn();
    }
  };
  const answers = () => [...connections.owing()].flatMap((connection) => [...connection.answers]);
  /** Closes idle connections once no written answer is still being read: Node counts a connection with such an answer as idle. */
  const closeIdleConnections = () => {
    connections.closeUnused();
    if (answers().some(({ writableEnded }) => writableEnded)) closeIdleConnectionsAfter(readingMs);
    else server.closeIdleConnections();
  };
  // Timers run before input in an event loop turn. After a long turn, a request may have arrived and not been read: its connection
  // only looks idle, and closing it would break the request.
  const closeIdleConnectionsAfter = (ms: number) => {
    setTimeout(() => setImmediate(closeIdleConnections), ms).unref();
  };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    // A listening TCP server has an address with a port.
    port: (server.address() as AddressInfo).port,

    waitingBytes: readers.waitingBytes,

    async drain() {
      await takeWaitingConnections();
      draining = true;
      for (const answer of answers()) if (!answer.headersSent) answer.setHeader('Connection', 'close');
      closeIdleConnectionsAfter(idleMs);
      setTimeout(() => connections.closeAll(), drainMsMax).unref();
      // An HTTP server's `close` also closes idle connections at once, although a request may be on its way on one of them. A TCP
      // server's `close` only stops listening; the answer to such a request then tells the client to close.
      return new Promise((resolve) => void TcpServer.prototype.close.call(server, () => resolve()));
    },

    cut() {
      server.close();
      connections.closeAll();
    },
  };
}
