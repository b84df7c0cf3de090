// Request and response classes for Node that have Express's prototypes from the start.

import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import express, { type Express } from 'express';

/** Classes to pass to `http.createServer` and then to one Express application. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
  /** Makes the application accept these messages as its own. Called once, before its first request. */
  belongTo(app: Express): void;
  /**
   * Makes Node stop parsing what it has already read from a connection. Called once, before the first request.
   *
   * @param closeIfFull called at the beginning of each request on a connection; if it returns true, it has closed the connection, and
   *   the request is not handled
   */
  stopReading(closeIfFull: (socket: Socket) => boolean): void;
}

/**
 * Creates classes whose instances already have Express's methods.
 *
 * Express replaces the prototype of every request and response when it arrives. V8 optimizes code for objects by their prototypes,
 * so all of Node's HTTP code runs slowly from then on. If the prototype is already the one that Express sets, nothing changes.
 * `docs/performance/notes.md` says what that is worth.
 */
export function createMessageClasses(): MessageClasses {
  let closeIfFull = (_socket: Socket) => false;
  class Request extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      // Node parses everything it has read, 64 KiB at a time: thousands of requests. It stops after a request for another protocol,
      // because what follows is not HTTP (Node 20, `parserOnIncoming` in `_http_server.js`, which sets the property after checking
      // it).
      if (closeIfFull(socket)) Object.defineProperty(this, 'upgrade', { get: () => true, set: () => {} });
    }
  }
  class Response<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(Request.prototype, express.request);
  Object.setPrototypeOf(Response.prototype, express.response);
  return {
    IncomingMessage: Request,
    ServerResponse: Response,
    stopReading(close) {
      closeIfFull = close;
    },
    belongTo(app) {
      // Anything that inherits from Express's prototype has all that Express needs, except the application.
      app.request = Object.assign(Request.prototype, { app }) as unknown as Express['request'];
      app.response = Object.assign(Response.prototype, { app }) as unknown as Express['response'];
    },
  };
}
