// Checks the head of a request before anything looks at its path. Node lets these errors pass, or answers them without a body.

import type { IncomingMessage } from 'node:http';
import { SallyportError } from '../domain/errors.ts';

/** Most header fields of a request. Each takes 60 bytes besides its text (measured) while the request waits or is in flight. */
export const headerFieldsMax = 100;

/** Returns the error in the head of a request; null if there is none. */
export function headError({ headers, httpVersion, rawHeaders }: IncomingMessage): SallyportError | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return new SallyportError('BAD_REQUEST', 'Send the request as HTTP/1.1.');
  }
  if (rawHeaders.length > 2 * headerFieldsMax) {
    return new SallyportError('HEADERS_TOO_LARGE', `Send at most ${headerFieldsMax} header fields.`);
  }
  const hosts = countOf('host', rawHeaders);
  // Of several, a proxy in front may follow another one (RFC 9112, section 3.2).
  if (hosts > 1) return new SallyportError('BAD_REQUEST', 'Send the Host header only once.');
  if (httpVersion === '1.0') return null;
  if (hosts === 0) return new SallyportError('BAD_REQUEST', 'Send a Host header.');
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    return new SallyportError('EXPECTATION_FAILED', 'The only supported expectation is "100-continue".');
  }
  return null;
}

/** Counts how often a header was sent: `headers` keeps only the first `Host`. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const given = rawHeaders[place];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
