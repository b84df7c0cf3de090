// Reads JSON bodies, for both surfaces alike: one size limit, one depth limit, strict UTF-8.

import type { IncomingMessage } from 'node:http';
import express, { type Request, type Response } from 'express';
import { SallyportError } from '../domain/errors.ts';
import { readInTurn } from '../graphql/admission.ts';
import { clientGone } from './request.ts';

/** Largest body in bytes: 1 MiB. */
export const bodyBytesMax = 1_048_576;
/** Deepest nesting of arrays and objects. What nests deeper cannot be written out again by `JSON.stringify`. */
export const bodyDepthMax = 64;

// Takes bodies of any type, so that a wrong type is answered by us, and unpacks them within the limit.
const readBytes = express.raw({ type: () => true, limit: bodyBytesMax });

/**
 * Reads the body of a request as one JSON object.
 *
 * @param account whose request it is: a large body waits for its turn
 * @returns undefined when the request has no body
 * @throws UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, BODY_TOO_DEEP, MALFORMED_BODY, UNAVAILABLE
 */
export async function readJsonBody(request: Request, response: Response, account: string): Promise<object | undefined> {
  await new Promise<void>((resolve, reject) => {
    readBytes(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(bodyError(error))));
  });
  const bytes: unknown = request.body;
  // The parser takes a request whose connection is gone by now for one without a body, and says nothing.
  if (!request.complete || (bytes === undefined && announcesBody(request))) throw cutOff();
  if (!(bytes instanceof Buffer) || bytes.length === 0) return undefined;
  if (!isJson(request)) {
    throw new SallyportError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as "Content-Type: application/json", in UTF-8.');
  }
  return readInTurn(
    account,
    bytes.length,
    () => readObject(bytes),
    () => clientGone(response),
  );
}

function readObject(bytes: Buffer): object {
  const value = parse(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SallyportError('MALFORMED_BODY', 'The body must be one JSON object, in braces.');
  }
  checkDepth(value);
  return value;
}

/** Tells whether a request says that it has a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Makes the error of a body whose end does not come. */
export function cutOff(): SallyportError {
  return new SallyportError('MALFORMED_BODY', 'The body is shorter or longer than its Content-Length.');
}

function isJson(request: Request): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.get('content-type') ?? '')?.[1] ?? 'utf-8';
  return request.is('application/json') !== false && /^utf-?8$/i.test(charset);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new SallyportError('MALFORMED_BODY', 'The body is not valid UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message of V8 names the position, but may quote the text around it, which may be a secret.
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const place = position === undefined ? '' : ` Reading stopped at position ${position}.`;
    throw new SallyportError('MALFORMED_BODY', `The body is not valid JSON.${place}`);
  }
}

function checkDepth(root: object): void {
  let level: object[] = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > bodyDepthMax) {
      throw new SallyportError('BODY_TOO_DEEP', `The body must not nest deeper than ${bodyDepthMax} levels.`);
    }
    level = level.flatMap((parent) => Object.values(parent).filter((v) => typeof v === 'object' && v !== null));
  }
}

/** Translates the errors of the body parser (https://github.com/expressjs/body-parser#errors). */
function bodyError(error: unknown): unknown {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return new SallyportError('BODY_TOO_LARGE', `The body must be at most ${bodyBytesMax} bytes.`);
    case 'encoding.unsupported':
      return new SallyportError('UNSUPPORTED_MEDIA_TYPE', 'Send the body unpacked, or packed with gzip or deflate.');
    case 'request.aborted':
    case 'request.size.invalid':
      return cutOff();
    default:
      // Only unpacking is left to fail with a status of the client's.
      return error instanceof Error && 'status' in error && error.status === 400
        ? new SallyportError('MALFORMED_BODY', 'The body cannot be unpacked.')
        : error;
  }
}
