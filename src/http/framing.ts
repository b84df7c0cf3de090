// Where a request ends. Nothing is executed before its end has come, because until then it may still turn out broken.

import type { IncomingMessage } from 'node:http';
import { SallyportError } from '../domain/errors.ts';
import { announcesBody, bodyBytesMax, cutOff } from './body.ts';

/** Methods whose handlers read the body, and notice by themselves when it does not come whole. */
const readsBody = new Set(['POST', 'PATCH', 'PUT']);

/**
 * Gives what is wrong with how a request says where it ends, or null. Node looks at that only once the head has been passed
 * on, and takes forms that a proxy in front may read in another way.
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

/** Tells whether a request has a body that its handler will not read, so that nobody would notice that it is broken. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  return !readsBody.has(request.method ?? '') && announcesBody(request);
}

/**
 * Throws a body away, up to its end.
 *
 * @throws MALFORMED_BODY when the end does not come, BODY_TOO_LARGE
 */
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
