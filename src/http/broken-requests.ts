// What Node cannot read as HTTP is refused, without harm to the whole requests that came before it on its connection.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';

/** The answers that Node gives by itself, by the code of the error. */
const statusLines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Refuses what cannot be read. Node would answer at once, before whole requests that are still executed: their client would
 * take the refusal for the answer to them.
 */
export function refuseBrokenRequests(server: Server, connections: Connections): void {
  const refused = new WeakSet<Socket>();
  // Sockets of an HTTP server are TCP ones; the type leaves room for others.
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // Whatever comes after what cannot be read cannot be read either.
    if (refused.has(socket)) return;
    refused.add(socket);
    const refuse = () => {
      const begun = [...connections.answersOn(socket)].some(({ headersSent }) => headersSent);
      const status = statusLines[error.code ?? ''] ?? '400 Bad Request';
      if (socket.writable && !begun) socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
      socket.destroySoon();
    };
    const whole = [...connections.answersOn(socket)].filter(({ req }) => req.complete);
    const last = whole.at(-1);
    if (!socket.writable) refuse();
    // Whoever has the head of the request may be about to refuse it in better words.
    else if (last === undefined) setImmediate(refuse);
    else last.once('close', refuse);
  });
}
