// An HTTP server that can stop without breaking a request.

import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Messages } from './messages.ts';

/** Milliseconds that requests under way get to finish when the server stops. */
const drainMsMax = 10_000;
/** Milliseconds for taking the connections that wait, should new ones come without end. */
const takingMsMax = 5_000;
/** Milliseconds in which connections without a request may still bring the one that their client is just sending. */
const idleMs = 1_000;

/** A server that listens. */
export interface DrainingServer {
  /** The port, also when a free one was asked for. */
  readonly port: number;
  /** Stops listening, lets requests under way end, and resolves when the last connection is closed. */
  drain(): Promise<void>;
  /** Stops at once, whatever is under way. */
  cut(): void;
}

/** Listens. Rejects when the address cannot be had. `messages` are what Node makes requests and answers of. */
export async function listen(
  listener: RequestListener,
  messages: Messages,
  port: number,
  host: string,
): Promise<DrainingServer> {
  const answering = new Set<ServerResponse>();
  let draining = false;
  let accepted = 0;
  const server = createServer(messages, (request, response) => {
    answering.add(response);
    response.on('close', () => answering.delete(response));
    if (draining) response.setHeader('Connection', 'close');
    listener(request, response);
  });
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    // A listening TCP server has an address with a port.
    port: (server.address() as AddressInfo).port,

    async drain() {
      await takeWaitingConnections();
      draining = true;
      for (const response of answering) if (!response.headersSent) response.setHeader('Connection', 'close');
      // Timers come before input in a turn of the event loop. After a turn that took long, a request may have arrived and
      // not been read: its connection only looks idle, and closing it would break the request.
      setTimeout(() => setImmediate(() => server.closeIdleConnections()), idleMs).unref();
      setTimeout(() => server.closeAllConnections(), drainMsMax).unref();
      // The `close` of an HTTP server also cuts idle connections off at once, on which a request may be on its way. The
      // one of TCP only stops listening; the answer to such a request then tells the client to close.
      return new Promise((resolve) => void TcpServer.prototype.close.call(server, () => resolve()));
    },

    cut() {
      server.close();
      server.closeAllConnections();
    },
  };
}
