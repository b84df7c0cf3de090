// What the head of a request must be like before anybody looks at its path. Node lets these pass, or answers them without a
// body.

import type { IncomingMessage } from 'node:http';
import { SallyportError } from '../domain/errors.ts';

/** Most fields of a head. Each takes 60 bytes of memory besides its text (measured), as long as the request waits or is under way. */
export const headerFieldsMax = 100;

/** Gives what is wrong with the head of a request, or null. */
export function headError({ headers, httpVersion, rawHeaders }: IncomingMessage): SallyportError | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return new SallyportError('BAD_REQUEST', 'Send the request as HTTP/1.1.');
  }
  if (rawHeaders.length > 2 * headerFieldsMax) {
    return new SallyportError('HEADERS_TOO_LARGE', `Send at most ${headerFieldsMax} header fields.`);
  }
  const hosts = countOf('host', rawHeaders);
  // Proxies in front may follow another one of several (RFC 9112, section 3.2).
  if (hosts > 1) return new SallyportError('BAD_REQUEST', 'Send the Host header only once.');
  if (httpVersion === '1.0') return null;
  if (hosts === 0) return new SallyportError('BAD_REQUEST', 'Send a Host header.');
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    return new SallyportError('EXPECTATION_FAILED', 'The only supported expectation is "100-continue".');
  }
  return null;
}

/** Counts the lines of a header: `headers` keeps only the first `Host`. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const given = rawHeaders[place];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
