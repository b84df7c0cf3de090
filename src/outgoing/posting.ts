// Posts messages: many small requests to few receivers, over connections that are kept and lead to checked addresses. It keeps to the
// bounds of `exchange` with less than half of its processor time, which counts where thousands are sent each second: one timer for the
// whole request, no decompression, and all that is the same for every message of a receiver made once.

import { Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { SallyportError } from '../domain/errors.ts';
import type { Address } from '../domain/ip/cidr.ts';
import { pinnedTo, reasonOf } from './exchange.ts';

/** Milliseconds for a message as a whole, with its connection and its answer. */
export const messageMsMax = 15_000;

/** What is posted. */
export interface OutgoingMessage {
  /** Header fields, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Most bytes of the answer's body that are read. */
  readonly bytesMax: number;
}

/** What a receiver answered. */
export interface MessageAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The beginning of the body; empty if it is in an encoding, which was not asked for. */
  readonly body: Buffer;
}

/** Where messages are posted. */
export interface MessageReceiver {
  readonly host: string;
  readonly send: typeof requestHttp;
  readonly options: RequestOptions;
  readonly agent: HttpAgent;
}

/**
 * Returns a receiver of messages.
 *
 * @param addresses where to connect, all of them checked
 * @param idleMs milliseconds after which a connection without a message ends
 */
export function messageReceiver(url: URL, addresses: readonly Address[], idleMs: number): MessageReceiver {
  const { protocol, hostname, port, path } = urlToHttpOptions(url);
  const isSecure = protocol === 'https:';
  const agent = { keepAlive: true, maxFreeSockets: 16, timeout: idleMs };
  return {
    host: url.host,
    send: isSecure ? requestHttps : requestHttp,
    options: { protocol, hostname, port, path, method: 'POST', lookup: pinnedTo(addresses) },
    agent: isSecure ? new HttpsAgent(agent) : new HttpAgent(agent),
  };
}

/**
 * Posts a message.
 *
 * @throws OUTGOING_FAILED for a server that cannot be reached, breaks off, or has not answered in time; the reason of the signal
 */
export function postMessage(
  receiver: MessageReceiver,
  message: OutgoingMessage,
  signal: AbortSignal,
  isAgain = false,
): Promise<MessageAnswer> {
  const { host, send, options, agent } = receiver;
  const { headers, body, bytesMax } = message;
  return new Promise((resolve, reject) => {
    // It may have fired while the addresses were looked up.
    signal.throwIfAborted();
    const lines = ['host', host, 'accept', '*/*', 'user-agent', 'Sallyport'];
    for (const name of Object.keys(headers)) lines.push(name, headers[name] ?? '');
    lines.push('content-length', String(Buffer.byteLength(body)));
    const sent = send({ ...options, headers: lines, agent: isAgain ? false : agent });
    let isOver = false;
    let isHeard = false;
    const end = () => {
      isOver = true;
      clearTimeout(late);
      signal.removeEventListener('abort', stop);
    };
    const fail = (error: unknown) => {
      if (isOver) return;
      end();
      sent.destroy();
      reject(error);
    };
    const failed = (reason: string, cause?: unknown) =>
      fail(new SallyportError('OUTGOING_FAILED', `${host} ${reason}`, { cause }));
    const stop = () => fail(signal.reason);
    const late = setTimeout(() => failed(`did not answer within ${messageMsMax / 1000} seconds.`), messageMsMax);
    signal.addEventListener('abort', stop, { once: true });
    const broken = (error: unknown) => {
      if (isOver) return;
      // The server ended a kept connection just when it was used again: that says nothing about a new one.
      if (!sent.reusedSocket || isHeard) return failed(reasonOf(error), error);
      end();
      resolve(postMessage(receiver, message, signal, true));
    };
    sent.on('error', broken);
    sent.on('close', () => broken(new Error('The connection was closed.')));
    sent.on('response', (answer) => {
      isHeard = true;
      const { 'retry-after': retryAfter, 'content-encoding': encoding } = answer.headers;
      const pieces: Buffer[] = [];
      let bytes = 0;
      const done = () => {
        if (isOver) return;
        end();
        const read = encoding === undefined ? Buffer.concat(pieces).subarray(0, bytesMax) : Buffer.alloc(0);
        resolve({ status: answer.statusCode ?? 0, retryAfter, body: read });
      };
      answer.on('data', (piece: Buffer) => {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes <= bytesMax) return;
        // Enough is known; the rest is not read, and its connection is not used again.
        done();
        sent.destroy();
      });
      answer.on('end', done).on('error', broken);
    });
    sent.end(body);
  });
}
