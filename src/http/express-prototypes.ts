// The classes that Node makes requests and answers of, so that they are Express's from birth.

import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import express, { type Express } from 'express';

/** Classes for `http.createServer`, which one Express application is then told of. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
  /** Makes the application take these messages as its own. Called once, before it gets its first request. */
  belongTo(app: Express): void;
  /**
   * Has Node leave alone what it has read from a connection and not parsed yet. Called once, before the first request.
   *
   * @param isOver asked at the beginning of each request on a connection; the request is not taken where it says yes
   */
  stopReading(isOver: (socket: Socket) => boolean): void;
}

/**
 * Creates classes whose instances have the methods of Express already.
 *
 * Express gives every request and answer its own prototype when it arrives. V8 optimises code for objects by their
 * prototypes, so that all of Node's code for HTTP runs slowly from then on. Where the prototype is already the one that
 * Express sets, nothing changes: `docs/performance.md` tells what that is worth.
 */
export function createMessageClasses(): MessageClasses {
  let isOver = (_socket: Socket) => false;
  class Request extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      // Node parses all that it has read, 64 KiB at a time: thousands of requests. After one that asks for another protocol it stops, because
      // what follows is none of its own (Node 20, `parserOnIncoming` in `_http_server.js`, which sets the property once it has looked).
      if (isOver(socket)) Object.defineProperty(this, 'upgrade', { get: () => true, set: () => {} });
    }
  }
  class Response<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(Request.prototype, express.request);
  Object.setPrototypeOf(Response.prototype, express.response);
  return {
    IncomingMessage: Request,
    ServerResponse: Response,
    stopReading(tellsIsOver) {
      isOver = tellsIsOver;
    },
    belongTo(app) {
      // What has a prototype of Express below it has all that Express wants, but for the application.
      app.request = Object.assign(Request.prototype, { app }) as unknown as Express['request'];
      app.response = Object.assign(Response.prototype, { app }) as unknown as Express['response'];
    },
  };
}
