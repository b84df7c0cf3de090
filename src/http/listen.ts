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

/** The bounds that a server holds its connections to. */
export interface Bounds extends Patience, ConnectionBounds {
  /**
   * Milliseconds that a client may take to send the head of a request and all of it, and between looks at who took longer. Node's
   * own are 60 seconds, 300 and 30. A head is a packet or two, and a body of the largest size needs a minute on the slowest of
   * lines (18 kB/s).
   */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
  /**
   * Milliseconds that a connection may wait for its next request. Longer than load balancers keep theirs (60 seconds is usual), so
   * that they close them and not we: a request that meets our closing is lost. Node's own 5 seconds lost 4 of 90,000.
   */
  readonly keepAliveTimeout: number;
  /** Milliseconds that requests under way get to finish when the server stops. */
  readonly drainMsMax: number;
}

/** Connections at once, unless told otherwise: far more than proxies keep, at a few tens of kilobytes each. */
export const usualConnectionsMax = 4_000;

const defaultBounds: Bounds = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 72_000,
  drainMsMax: 10_000,
  connectionsMax: usualConnectionsMax,
  // Hardly any client sends a request before it has the answer to the last one. One that waits takes a kilobyte (measured), and at most 40
  // with what it brings.
  owedMax: 50,
  waitingMax: 2_500,
  stalledSecondsMax: 30,
  waitingBytesMax: 268_435_456,
};

/** Milliseconds for taking the connections that wait, should new ones come without end. */
const takingMsMax = 5_000;
/** Milliseconds in which connections without a request may still bring the one that their client is just sending. */
const idleMs = 1_000;
/** Milliseconds between looks for answers that are still being read. */
const readingMs = 50;

/** A server that listens. */
export interface DrainingServer {
  /** The port, also when a free one was asked for. */
  readonly port: number;
  /** Bytes of answers that wait in memory for clients who have not taken them yet, over all connections. */
  waitingBytes(): number;
  /** Stops listening, lets requests under way end, and resolves when the last connection is closed. */
  drain(): Promise<void>;
  /** Stops at once, whatever is under way. */
  cut(): void;
}

/**
 * Listens. Rejects when the address cannot be had.
 *
 * @param messages what Node makes requests and answers of
 * @param recorder told of the requests that cannot be read, which the listener never gets
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
  // One more than a request may have: Node leaves out the rest.
  server.maxHeadersCount = headerFieldsMax + 1;
  const connections = keepConnections(server, { connectionsMax, owedMax, waitingMax });
  messages.stopReading(connections.closeIfFull);
  const readers = watchSlowReaders(server, connections, times);
  refuseBrokenRequests(server, connections, recorder);
  let draining = false;
  let accepted = 0;
  /** Looks at an answer that has been written. One function for all answers, as in `connections.ts`. */
  function written(this: ServerResponse): void {
    readers.added(this);
  }
  const begin: RequestListener = (request, response) => {
    if (!request.socket.destroyed) listener(request, response);
  };
  const take: RequestListener = (request, response) => {
    // Node reads on in what a connection had brought before it was closed.
    if (request.socket.destroyed) return;
    const ahead = connections.begun(response);
    response.on('prefinish', written);
    // Node loses what comes in one piece with a request that has an `Upgrade` (measured with 20): its client must send that again.
    if (draining || request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    // Answers leave in order: those to pipelined requests would all be made at once, and wait in memory. Each gets a turn of its own, or a
    // client that sends thousands in one go would keep all others waiting.
    if (ahead !== undefined) ahead.once('close', () => setImmediate(begin, request, response));
    else begin(request, response);
  };
  server.on('request', take);
  // Where a client expects what Node cannot give, Node would answer by itself.
  server.on('checkExpectation', take);
  server.on('connection', () => {
    accepted += 1;
  });
  /**
   * Waits until no connection is left that the system has made and Node has not taken: to stop listening breaks those.
   * Node takes one in each turn of the event loop.
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
  /** Closes connections that wait for a request. Node takes one for such whose answer is written, but not yet read. */
  const closeIdleConnections = () => {
    connections.closeUnused();
    if (answers().some(({ writableEnded }) => writableEnded)) closeIdleConnectionsAfter(readingMs);
    else server.closeIdleConnections();
  };
  // Timers come before input in a turn of the event loop. After a turn that took long, a request may have arrived and not
  // been read: its connection only looks idle, and closing it would break the request.
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
      // The `close` of an HTTP server also cuts idle connections off at once, on which a request may be on its way. The
      // one of TCP only stops listening; the answer to such a request then tells the client to close.
      return new Promise((resolve) => void TcpServer.prototype.close.call(server, () => resolve()));
    },

    cut() {
      server.close();
      connections.closeAll();
    },
  };
}
