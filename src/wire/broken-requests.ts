// Refuses what Node cannot parse as HTTP, in the form of every other error, and without harm to the whole requests that came before
// it on its connection.

import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../domain/error-catalogue.ts';
import { statusOf } from '../domain/error-status.ts';
import { SallyportError } from '../domain/errors.ts';
import type { Connections } from './connections.ts';
import { errorBody } from './error-body.ts';
import { sendJson } from './send.ts';
import { type RequestRecorder, traceOf, watchRequest } from './trace.ts';

/** What Node's errors mean, by code. Any other code is a request that violates the grammar of HTTP. */
const meanings: Readonly<Record<string, readonly [ErrorCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The headers must be at most 16 KiB in total.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['BODY_TOO_LARGE', 'The chunk extensions of the body are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request did not arrive in time. Send it again.'],
};

/**
 * Refuses what cannot be parsed. Node would answer at once, before whole requests that are still being executed: their client would
 * take the refusal for the answer to them.
 */
export function refuseBrokenRequests(server: Server, connections: Connections, recorder: RequestRecorder): void {
  /** Connections that have delivered something that cannot be parsed. Whole requests before it still pass (see `probes.ts`). */
  const refused = new WeakSet<Socket>();

  const refuse = (socket: Socket, error: SallyportError) => {
    // What follows unparsable data cannot be parsed either.
    if (refused.has(socket)) return;
    refused.add(socket);
    const answerNow = () => {
      const [owed] = connections.answersOn(socket);
      // A connection that only stayed open has no request to answer, and an answered request already has its answer.
      const isAnswered = owed === undefined ? connections.wasAnsweredEarly(socket) : owed.headersSent;
      if (!socket.writable || socket.bytesRead === 0 || isAnswered) socket.destroySoon();
      // A better answer to this request leaves at the end of this turn.
      else if (owed !== undefined && traceOf(owed)?.errorCode) owed.once('finish', () => socket.destroySoon());
      else answer(socket, owed, error, recorder);
    };
    const whole = [...connections.answersOn(socket)].filter(({ req }) => req.complete);
    const last = whole.at(-1);
    // The code that has the head of the request may be about to refuse it.
    const answerSoon = () => setImmediate(answerNow);
    if (!socket.writable) answerNow();
    else if (last === undefined) answerSoon();
    else last.once('close', answerSoon);
  };

  // Sockets of an HTTP server are TCP ones; the types leave room for others.
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const [code, message] = meanings[error.code ?? ''] ?? ['BAD_REQUEST', 'The request is not valid HTTP.'];
    refuse(stream as Socket, new SallyportError(code, message));
  });
  server.on('connect', (_request, stream) => {
    // Node stops listening for errors of this socket: an unhandled one, such as a reset, would end the process.
    stream.on('error', () => stream.destroy());
    refuse(
      stream as Socket,
      new SallyportError('BAD_REQUEST', 'This server is not a proxy and does not support CONNECT.'),
    );
  });
}

/** Answers with an error and closes the connection. `owed` is the answer to a request whose head was read. */
function answer(
  socket: Socket,
  owed: ServerResponse | undefined,
  error: SallyportError,
  { newRequestId, requestEnded }: RequestRecorder,
): void {
  const reply = owed ?? new ServerResponse(new IncomingMessage(socket));
  const known = owed && traceOf(owed);
  const requestId = known === undefined ? newRequestId() : String(reply.getHeader('X-Request-Id'));
  const trace = known ?? watchRequest(reply.req, reply, requestId, requestEnded, 'unknown');
  trace.errorCode = error.code;
  if (owed === undefined) {
    reply.assignSocket(socket);
    reply.once('finish', () => {
      reply.detachSocket(socket);
      reply.emit('close');
    });
  }
  reply.once('finish', () => socket.destroySoon());
  reply.setHeader('X-Request-Id', requestId);
  reply.setHeader('X-Content-Type-Options', 'nosniff');
  reply.setHeader('Cache-Control', 'no-store');
  reply.setHeader('Connection', 'close');
  sendJson(reply, statusOf[error.code], errorBody(error, requestId));
}
