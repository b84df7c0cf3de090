// The only way to send an answer. Headers set earlier are sent with it; a body that the client already has is not sent again.

import type { ServerResponse } from 'node:http';
import { readEntityTags } from '../domain/values/entity-tags.ts';
import type { Written } from '../graphql/execution/answer.ts';
import { createTurnEnd } from './departures.ts';

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

/** Sends an answer. A `Content-Type` among its headers is kept. */
export function sendAnswer(reply: ServerResponse, { status, headers, body }: Answer): void {
  for (const [name, value] of Object.entries(headers)) reply.setHeader(name, value);
  if (body === null) sendNothing(reply, status);
  else if (typeof body === 'string') send(reply, status, jsonMediaType, body);
  else sendPieces(reply, status, jsonMediaType, body);
}

/** Most answers sent together: at a tenth of a millisecond for each, the first one waits for three milliseconds. */
const answersTogetherMax = 32;
const turnEnd = createTurnEnd(answersTogetherMax);

/** Sends an answer like `sendAnswer`, together with the others of this event loop turn. */
export async function sendTogether(reply: ServerResponse, answer: Answer): Promise<void> {
  await turnEnd();
  // Data after the head of the request may have been refused meanwhile, and the request with it.
  if (!reply.headersSent) sendAnswer(reply, answer);
}

/** Sends text or bytes with their media type. */
export function send(reply: ServerResponse, status: number, type: string, content: string | Buffer): void {
  // Text stays text: Node writes it together with the head, in half the time that bytes take (measured for 40 KB).
  const length = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  if (begin(reply, status, type, length)) reply.end(content);
}

/** Sends an answer without a body. */
export function sendNothing(reply: ServerResponse, status: number): void {
  reply.writeHead(status);
  reply.end();
}

/** Redirects a browser to another path, relative to the one that it requested, so that any prefix is kept. */
export function redirectTo(reply: ServerResponse, location: string): void {
  reply.setHeader('Location', location);
  reply.setHeader('Content-Length', '0');
  sendNothing(reply, 302);
}

/** Sends the head of an answer. Returns false if that is all, because the client already has the body. */
function begin(reply: ServerResponse, status: number, type: string, bytes: number): boolean {
  if (status === 200 && isKnown(reply)) {
    sendNothing(reply, 304);
    return false;
  }
  if (!reply.hasHeader('Content-Type')) reply.setHeader('Content-Type', type);
  reply.writeHead(status, { 'Content-Length': bytes });
  return true;
}

function sendPieces(reply: ServerResponse, status: number, type: string, pieces: readonly Buffer[]): void {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (!begin(reply, status, type, bytes)) return;
  const last = pieces.at(-1);
  for (const piece of pieces) if (piece !== last) reply.write(piece);
  reply.end(last);
}

/** Returns whether the client already has the answer: its `If-None-Match` names the `ETag` (RFC 9110, section 13.1.2). */
function isKnown(reply: ServerResponse): boolean {
  const { method, headers } = reply.req;
  const known = headers['if-none-match'];
  if (known === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
  const etag = reply.getHeader('ETag');
  // A client that bypasses all caches wants the whole answer, too.
  if (etag === undefined || /\bno-cache\b/.test(headers['cache-control'] ?? '')) return false;
  return known.trim() === '*' || (readEntityTags(known) ?? []).some((tag) => `"${tag}"` === etag);
}
