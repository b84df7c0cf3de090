// How an answer that is known whole is sent, without the questions that Express asks about whatever may be sent.

import type { ServerResponse } from 'node:http';

/** Sends text with its media type. Headers that were set before go with it. */
export function sendText(reply: ServerResponse, status: number, type: string, text: string): void {
  const bytes = Buffer.from(text);
  reply.writeHead(status, { 'Content-Type': type, 'Content-Length': bytes.length });
  reply.end(bytes);
}

/** Sends a value as JSON. */
export function sendJson(reply: ServerResponse, status: number, body: object): void {
  sendText(reply, status, 'application/json; charset=utf-8', JSON.stringify(body));
}
