// A client that costs little, because it shares two cores with the server that it tortures: persistent connections, no fetch.

import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { errorCatalogue } from '../../src/domain/error-catalogue.ts';
import { statusOf } from '../../src/domain/error-status.ts';
import { isErrorCode } from '../../src/graphql/kit/public-errors.ts';

/** An answer. `body` is undefined if there is none, or it was discarded. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
  // biome-ignore lint/suspicious/noExplicitAny: the runs compare whole bodies, or pick values that a wrong body lacks
  readonly body: any;
}

/** A request, besides method and path. */
export interface Sending {
  /** Sent as JSON, unless it is text or bytes already. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** If an answer is longer than an error would be, only counts its bytes and does not parse it. */
  readonly discard?: boolean;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

/** Longest answer, in bytes, that is parsed although it is to be discarded. */
const errorBytesMax = 65_536;

/** Thrown if there was no answer: the connection broke, or the answer took too long. */
export class NoAnswer extends Error {}

/** Calls a server as one account. */
export interface TortureClient {
  readonly token: string;
  /** Sends a request. Rejects with NoAnswer if there is no answer. */
  send(method: string, path: string, sending?: Sending): Promise<Answer>;
  /** Sends a REST request. */
  rest(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Sends a GraphQL request. */
  graphql(query: string, variables?: object): Promise<Answer>;
  close(): void;
}

/** Creates a client with its own connections. */
export function createClient(url: string, token: string, connections = 1): TortureClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);
  const common = { authorization: `Bearer ${token}`, 'service-version': '2', 'content-type': 'application/json' };

  const send = (method: string, path: string, sending: Sending = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { body, headers = {}, timeoutMs = 30_000, discard = false, signal } = sending;
      const payload =
        body === undefined || typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body);
      const length = payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) };
      const noAnswer = (reason: string) => {
        clearTimeout(timer);
        reject(new NoAnswer(reason));
      };
      const options = { agent, hostname, port, path, method, headers: { ...common, ...length, ...headers } };
      const request = httpRequest({ ...options, ...(signal === undefined ? {} : { signal }) }, (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (!discard || bytes <= errorBytesMax) chunks.push(chunk);
        });
        response.on('error', (error) => noAnswer(error.message));
        response.on('aborted', () => noAnswer('the answer was cut off'));
        response.on('end', () => {
          clearTimeout(timer);
          const isWhole = !discard || bytes <= errorBytesMax;
          const isJson = isWhole && bytes > 0 && /json/.test(response.headers['content-type'] ?? '');
          const text = isJson ? Buffer.concat(chunks).toString() : undefined;
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, bytes, body: text === undefined ? undefined : JSON.parse(text) });
        });
      });
      const timer = setTimeout(() => {
        noAnswer(`there was no answer in ${timeoutMs / 1000} s`);
        request.destroy();
      }, timeoutMs);
      request.on('error', (error: NodeJS.ErrnoException) => noAnswer(error.code ?? error.message));
      request.end(payload);
    });

  return {
    token,
    send,
    rest: (method, path, body) => send(method, path, { body }),
    graphql: (query, variables = {}) => send('POST', '/graphql', { body: { query, variables } }),
    close: () => agent.destroy(),
  };
}

/** Returns what is wrong with a REST answer, which should be the success or a documented error; null if nothing is. */
export function findRestFault({ status, body, headers }: Answer, success: number): string | null {
  if (status === success) return null;
  const code = body?.error_code;
  if (!isErrorCode(code) || statusOf[code] !== status || typeof body.msg !== 'string') {
    return `${status} is not an answer of the catalogue: ${shorten(body)}`;
  }
  if (status >= 500 && !isHonestRefusal({ status, code, headers })) return `${status} ${code}: ${body.msg}`;
  return null;
}

/** Returns what is wrong with an answer to a GraphQL document; null if nothing is. */
export function findGraphqlFault({ status, body, headers }: Answer): string | null {
  if (body === undefined || typeof body !== 'object') return `${status} without a body in JSON`;
  for (const { message, extensions } of body.errors ?? []) {
    const code = extensions?.code;
    if (!(code in errorCatalogue) || typeof message !== 'string')
      return `an error without a code: ${shorten(body.errors)}`;
    if (code === 'INTERNAL') return `INTERNAL: ${message}`;
    if (status >= 500 && !isHonestRefusal({ status, code, headers })) return `${status} ${code}: ${message}`;
  }
  return status >= 500 && body.errors === undefined ? `${status} without errors` : null;
}

/** Returns whether an answer is a 503 with Retry-After, which is honest for a server that is overloaded. */
function isHonestRefusal({ status, code, headers }: { status: number; code: string; headers: IncomingHttpHeaders }) {
  return status === 503 && code === 'UNAVAILABLE' && headers['retry-after'] !== undefined;
}

/** Shortens a value for a message. */
export function shorten(value: unknown, characters = 300): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > characters ? `${text.slice(0, characters)}...` : text;
}
