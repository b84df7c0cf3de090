// Where a request ends. Nothing is executed before the end has arrived, because the request may still turn out broken.

import type { IncomingMessage } from 'node:http';
import { SallyportError } from '../domain/errors.ts';

/** Largest body in bytes: 1 MiB. */
export const bodyBytesMax = 1_048_576;

/** Methods whose handlers read the body, and notice by themselves if it is incomplete. */
const readsBody = new Set(['POST', 'PATCH', 'PUT']);

/**
 * Returns the error in how a request announces its end; null if there is none. Node checks this only after it has passed the head
 * on, and accepts forms that a proxy in front may read differently.
 */
export function framingError({ headers, httpVersion }: IncomingMessage): SallyportError | null {
  const encoding = headers['transfer-encoding'];
  if (encoding === undefined) return null;
  if (/^chunked$/i.test(encoding) && headers['content-length'] === undefined && httpVersion === '1.1') return null;
  return new SallyportError(
    'BAD_REQUEST',
    'Send the body with "Content-Length", or with "Transfer-Encoding: chunked" over HTTP/1.1.',
  );
}

/** Returns whether a request has a body that its handler will not read, so that nothing would notice that it is broken. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  return !readsBody.has(request.method ?? '') && announcesBody(request);
}

/** Discards a body up to its end. Throws MALFORMED_BODY if the end does not arrive, BODY_TOO_LARGE. */
export function skipBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) {
        reject(new SallyportError('BODY_TOO_LARGE', `The body must be at most ${bodyBytesMax} bytes.`));
      }
    });
    request.on('end', resolve);
    request.on('error', () => reject(cutOff()));
  });
}

/** Returns whether a request announces a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Creates the error for a body whose end does not arrive. */
export function cutOff(): SallyportError {
  return new SallyportError('MALFORMED_BODY', 'The body is shorter or longer than its Content-Length.');
}
