// Sends a request with exactly the given headers: `fetch` adds its own.

import { request } from 'node:http';
import type { RestAnswer } from './service.ts';

/** A request. The body is sent unchanged. */
export interface RawRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Sends a request, and parses the answer as JSON; `body` is undefined if there is none. */
export function sendRaw(url: string, { method, path, headers, body }: RawRequest): Promise<RestAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(
            Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]),
          ),
          body: text === '' ? undefined : JSON.parse(text),
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
