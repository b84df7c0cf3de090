// The one way to send an answer. Headers that were set before go with it; what the client has already is not sent again.

import type { ServerResponse } from 'node:http';
import type { Written } from '../graphql/answer.ts';

/** An answer that is ready to be sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; null for an answer without a body. */
  readonly body: Written | null;
}

const jsonMediaType = 'application/json; charset=utf-8';

/** Sends a value as JSON. */
export function sendJson(reply: ServerResponse, status: number, body: object): void {
  send(reply, status, jsonMediaType, JSON.stringify(body));
}

/** Sends an answer. A media type among its headers is kept. */
export function sendAnswer(reply: ServerResponse, { status, headers, body }: Answer): void {
  for (const [name, value] of Object.entries(headers)) reply.setHeader(name, value);
  if (body === null) sendNothing(reply, status);
  else sendPieces(reply, status, jsonMediaType, typeof body === 'string' ? [Buffer.from(body)] : body);
}

/** Sends text or bytes with their media type. */
export function send(reply: ServerResponse, status: number, type: string, content: string | Buffer): void {
  sendPieces(reply, status, type, [typeof content === 'string' ? Buffer.from(content) : content]);
}

/** Sends an answer without a body. */
export function sendNothing(reply: ServerResponse, status: number): void {
  reply.writeHead(status);
  reply.end();
}

function sendPieces(reply: ServerResponse, status: number, type: string, pieces: readonly Buffer[]): void {
  if (status === 200 && isKnown(reply)) {
    sendNothing(reply, 304);
    return;
  }
  if (!reply.hasHeader('Content-Type')) reply.setHeader('Content-Type', type);
  reply.writeHead(status, { 'Content-Length': pieces.reduce((sum, { length }) => sum + length, 0) });
  const last = pieces.at(-1);
  for (const piece of pieces) if (piece !== last) reply.write(piece);
  reply.end(last);
}

/** Tells whether the client has the answer already: its `If-None-Match` names the `ETag` (RFC 9110, section 13.1.2). */
function isKnown(reply: ServerResponse): boolean {
  const { method, headers } = reply.req;
  const known = headers['if-none-match'];
  if (known === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
  const etag = reply.getHeader('ETag');
  // Whoever asks past all caches wants the whole answer, too.
  if (etag === undefined || /\bno-cache\b/.test(headers['cache-control'] ?? '')) return false;
  return known.trim() === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
