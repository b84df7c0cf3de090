// How an answer that is known whole is sent, without the questions that Express asks about whatever may be sent.

import type { ServerResponse } from 'node:http';
import type { Written } from '../graphql/answer.ts';

/** Sends text with its media type. Headers that were set before go with it. */
export function sendText(reply: ServerResponse, status: number, type: string, text: string): void {
  const bytes = Buffer.from(text);
  reply.writeHead(status, { 'Content-Type': type, 'Content-Length': bytes.length });
  reply.end(bytes);
}

const jsonMediaType = 'application/json; charset=utf-8';

/** Sends a value as JSON. */
export function sendJson(reply: ServerResponse, status: number, body: object): void {
  sendText(reply, status, jsonMediaType, JSON.stringify(body));
}

/** Sends JSON that was written before. Headers that were set before go with it. */
export function sendWritten(reply: ServerResponse, status: number, written: Written): void {
  const pieces = typeof written === 'string' ? [Buffer.from(written)] : written;
  if (!reply.hasHeader('Content-Type')) reply.setHeader('Content-Type', jsonMediaType);
  reply.writeHead(status, { 'Content-Length': pieces.reduce((sum, { length }) => sum + length, 0) });
  const last = pieces.at(-1);
  for (const piece of pieces) if (piece !== last) reply.write(piece);
  reply.end(last);
}
