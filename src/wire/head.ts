// Checks the head of a request, and reads its target, before anything looks at its path. Node lets these errors pass, or answers them without a body.

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
    return new SallyportError('EXPECT_UNSUPPORTED', 'The only supported expectation is "100-continue".');
  }
  return null;
}

/** An absolute target: scheme, authority without user information, and what follows. */
const absoluteForm = /^https?:\/\/([^/?#@\\]+)([/?].*)?$/is;

/**
 * Turns a request whose target is a whole URL, as clients of proxies send it, into the same request with a path. The host of the URL
 * replaces that of the header (RFC 9112, section 3.2.2), in all its forms, so that nothing sees another one.
 */
export function readTarget(request: IncomingMessage): void {
  const { url = '', headers, rawHeaders } = request;
  // Nearly every request.
  if (url.startsWith('/')) return;
  const [, host, target = '/'] = absoluteForm.exec(url) ?? [];
  if (host === undefined) return;
  request.url = target.startsWith('/') ? target : `/${target}`;
  headers.host = host;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') rawHeaders[index + 1] = host;
  }
}

/** Counts how often a header was sent: `headers` keeps only the first `Host`. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
