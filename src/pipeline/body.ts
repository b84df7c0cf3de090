// Reads JSON bodies for both surfaces: within one size limit, as strict UTF-8, and by `domain/values/json-text.ts`.

import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { SallyportError } from '../domain/errors.ts';
import { readJson } from '../domain/values/json-text.ts';
import { readInTurn, receiveInTurn } from '../load/admission.ts';
import { smallBodyBytesMax } from '../load/limits.ts';
import { announcesBody, bodyBytesMax, cutOff } from '../wire/framing.ts';
import { clientGone } from './request.ts';

/** The encodings of bodies that are undone. The parser's own list depends on Node's version: from 22.15 on, it has zstd. */
const encodings = ['identity', 'gzip', 'deflate', 'br'];

// Accepts bodies of any type, so that we answer a wrong type ourselves, and decompresses them within the limit.
const readBytes = express.raw({ type: () => true, limit: bodyBytesMax });

/**
 * Reads the body of a request as one JSON object.
 *
 * @param account whose request it is: a body that may be large waits for its turn
 * @returns undefined if the request has no body
 * @throws UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, UNAVAILABLE, and as `readJson`
 */
export async function readJsonBody(request: Request, response: Response, account: string): Promise<object | undefined> {
  return receiveInTurn(
    account,
    announcedBytes(request),
    () => receiveObject(request, response, account),
    () => clientGone(response),
  );
}

/** Returns how many bytes of body a request announces. */
function announcedBytes({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
}

const piecesMax = 4_096;

/**
 * Reads the body of a request with an Express parser.
 *
 * @param piecesMax maximum number of pieces that the body may arrive in: chunks, or TCP segments. The parser keeps each piece as a
 *   buffer, which takes some 600 bytes however short the piece is: 1 MiB in chunks of one byte took 600 MiB (measured). A limit should
 *   leave room for segments of 536 bytes, the default maximum (RFC 9293, section 3.7.1)
 * @throws cutOff if the client disconnects meanwhile or has already, which the parser does not report; BODY_TOO_LARGE for more than
 *   `piecesMax` pieces; and what the parser throws
 */
export function receiveBytes(
  parser: RequestHandler,
  request: Request,
  response: Response,
  piecesMax: number,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    let isOver = false;
    let pieces = 0;
    const goneAway = () => reject(cutOff());
    if (request.destroyed || response.destroyed) return goneAway();
    response.once('close', goneAway);
    const count = () => {
      pieces += 1;
      if (pieces <= piecesMax) return;
      // Nothing more reaches the parser. It keeps what it has until the request is over, so the client must not draw that out.
      request.removeAllListeners('data');
      response.setHeader('Connection', 'close');
      response.off('close', goneAway);
      reject(tooManyPieces(piecesMax));
    };
    parser(request, response, (error?: unknown) => {
      isOver = true;
      request.off('data', count);
      response.off('close', goneAway);
      if (error === undefined) resolve();
      else reject(error);
    });
    // A listener makes a body flow, also one that the parser has not begun to read.
    if (!isOver) request.on('data', count);
  });
}

function wrongEncoding(): SallyportError {
  return new SallyportError(
    'UNSUPPORTED_MEDIA_TYPE',
    'Send the body uncompressed, or compressed with gzip, deflate or br.',
  );
}

function tooManyPieces(max: number): SallyportError {
  const message = `The body must arrive in at most ${max} pieces. Send it with Content-Length, or in larger chunks.`;
  return new SallyportError('BODY_TOO_LARGE', message);
}

async function receiveObject(request: Request, response: Response, account: string): Promise<object | undefined> {
  if (!encodings.includes((request.headers['content-encoding'] || 'identity').toLowerCase())) throw wrongEncoding();
  try {
    await receiveBytes(readBytes, request, response, piecesMax);
  } catch (error) {
    throw bodyError(error);
  }
  const bytes: unknown = request.body;
  // The parser silently treats a request whose connection is gone as one without a body.
  if (!request.complete || (bytes === undefined && announcesBody(request))) throw cutOff();
  if (!(bytes instanceof Buffer) || bytes.length === 0) return undefined;
  if (!isJson(request)) {
    throw new SallyportError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as "Content-Type: application/json", in UTF-8.');
  }
  return bytes.length <= smallBodyBytesMax
    ? readObject(bytes)
    : readInTurn(account, () => readObject(bytes), clientGone(response));
}

function readObject(bytes: Buffer): object {
  const value = readJson('The body', decode(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SallyportError('MALFORMED_BODY', 'The body must be a JSON object.');
  }
  return value;
}

/** Returns whether the body that was read of a request is so large that whatever looks through it waits for the account's turn. */
export function hasLargeBody({ body }: { body?: unknown }): boolean {
  return body instanceof Buffer && body.length > smallBodyBytesMax;
}

function isJson(request: Request): boolean {
  // What nearly every client sends, checked in a fiftieth of the time.
  if (request.headers['content-type'] === 'application/json') return true;
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.get('content-type') ?? '')?.[1] ?? 'utf-8';
  return request.is('application/json') !== false && /^utf-?8$/i.test(charset);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new SallyportError('MALFORMED_BODY', 'The body is not valid UTF-8.');
  }
}

/** Translates the errors of the body parser (https://github.com/expressjs/body-parser#errors). */
function bodyError(error: unknown): unknown {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return new SallyportError('BODY_TOO_LARGE', `The body must be at most ${bodyBytesMax} bytes.`);
    case 'request.aborted':
    case 'request.size.invalid':
      return cutOff();
    default:
      // Only decompression can still fail with a 4xx status.
      return error instanceof Error && 'status' in error && error.status === 400
        ? new SallyportError('MALFORMED_BODY', 'The body could not be decompressed.')
        : error;
  }
}
