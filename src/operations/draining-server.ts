// An HTTP server that can stop without breaking a request.

import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';

/** Milliseconds that requests under way get to finish when the server stops. */
const drainMsMax = 10_000;
/** Milliseconds in which connections without a request may still bring the one that their client is just sending. */
const idleMs = 500;

/** A server that listens. */
export interface DrainingServer {
  /** The port, also when a free one was asked for. */
  readonly port: number;
  /** Stops listening, lets requests under way end, and resolves when the last connection is closed. */
  drain(): Promise<void>;
  /** Stops at once, whatever is under way. */
  cut(): void;
}

/** Listens. Rejects when the address cannot be had. */
export async function listen(listener: RequestListener, port: number, host: string): Promise<DrainingServer> {
  const answering = new Set<ServerResponse>();
  let draining = false;
  const server = createServer((request, response) => {
    answering.add(response);
    response.once('close', () => answering.delete(response));
    if (draining) response.setHeader('Connection', 'close');
    listener(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    // A listening TCP server has an address with a port.
    port: (server.address() as AddressInfo).port,

    drain() {
      draining = true;
      for (const response of answering) if (!response.headersSent) response.setHeader('Connection', 'close');
      setTimeout(() => server.closeIdleConnections(), idleMs).unref();
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
