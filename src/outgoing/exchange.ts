// One HTTP request to one checked address: the connection is pinned to it, and the answer is read within bounds.

import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { SallyportError } from '../domain/errors.ts';
import { type Address, parseAddress } from '../domain/ip/cidr.ts';

/** Milliseconds for a connection with its TLS, and between two pieces of an answer. */
const silenceMsMax = 10_000;

/** What is asked of a server. */
export interface OutgoingRequest {
  readonly method?: 'GET' | 'POST';
  /** Header fields, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Most bytes of the answer's body, after decompression. */
  readonly bytesMax: number;
  /** Whether of a longer body only that many are read, and no more; otherwise it is a failure. */
  readonly isCut?: boolean;
  /** Milliseconds that may pass without a sign of the server, unless the usual ones. */
  readonly silenceMs?: number;
}

/** What a server answered. */
export interface OutgoingAnswer {
  readonly status: number;
  /** Header fields, in lower case; of those that are repeated, all, with commas between. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Sends a request to one of the addresses and reads the answer.
 *
 * @param addresses where to connect, all of them checked; the host of the URL is only what the server is told, and what its
 *   certificate must name
 * @param agent whose connections may be used again, all of them to these addresses; by default, the request has one of its own
 * @throws OUTGOING_FAILED for a server that cannot be reached, breaks off, says nothing for too long or too much; the reason of
 *   the signal
 */
export async function exchange(
  url: URL,
  addresses: readonly Address[],
  request: OutgoingRequest,
  signal: AbortSignal,
  agent: Agent | false = false,
): Promise<OutgoingAnswer> {
  const { method = 'GET', headers = {}, body, bytesMax, isCut = false, silenceMs = silenceMsMax } = request;
  const failed = (reason: string, cause?: unknown) =>
    new SallyportError('OUTGOING_FAILED', `${url.host} ${reason}`, { cause });
  let sent: ClientRequest | undefined;
  let silence: NodeJS.Timeout | undefined;
  let isHeard = false;
  let isWhole = false;
  const silent = failed(`said nothing for ${silenceMs / 1000} seconds. Try again later, or check that it runs.`);
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => sent?.destroy(silent), silenceMs);
  };
  try {
    heard();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const send = url.protocol === 'https:' ? requestHttps : requestHttp;
      sent = send(url, {
        method,
        headers: { accept: '*/*', 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'Sallyport', ...headers },
        agent,
        lookup: pinnedTo(addresses),
        signal,
      });
      sent.on('response', resolve).on('error', reject);
      sent.end(body);
    });
    isHeard = true;
    const read = await readBody(answer, bytesMax, isCut, heard, failed);
    isWhole = read.isWhole;
    return {
      status: answer.statusCode ?? 0,
      headers: Object.fromEntries(
        Object.entries(answer.headersDistinct).map(([name, values = []]) => [name, values.join(', ')]),
      ),
      body: read.body,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SallyportError) throw error;
    // The server ended a kept connection just when it was used again: that says nothing about a new one.
    if (sent?.reusedSocket && !isHeard) return exchange(url, addresses, request, signal);
    throw failed(reasonOf(error), error);
  } finally {
    clearTimeout(silence);
    // A connection whose answer has been read whole may be used again, if its agent says so.
    if (agent === false || !isWhole) sent?.destroy();
  }
}

/** Answers every look-up of a connection with the checked addresses, so that the name cannot lead elsewhere meanwhile. */
export function pinnedTo(addresses: readonly Address[]): LookupFunction {
  const found = addresses.map((address) => ({
    address: String(address),
    family: address.kind() === 'ipv4' ? 4 : 6,
  }));
  return (_name, { all }, callback) => {
    const [first] = found;
    if (first === undefined) callback(new Error('No address is allowed.'), []);
    else if (all) callback(null, found);
    else callback(null, first.address, first.family);
  };
}

/** Reads a body within its bound, piece by piece, so that neither a long nor a well-packed one is ever held as a whole. */
async function readBody(
  answer: IncomingMessage,
  bytesMax: number,
  isCut: boolean,
  heard: () => void,
  failed: (reason: string) => SallyportError,
): Promise<{ readonly body: Buffer; readonly isWhole: boolean }> {
  const pieces: Buffer[] = [];
  const tooLong = failed(`answers with more than ${bytesMax} bytes, the most that are read.`);
  let bytes = 0;
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const piece of source) {
      bytes += piece.length;
      if (bytes > bytesMax && !isCut) throw tooLong;
      pieces.push(piece);
      if (bytes > bytesMax) return;
    }
  };
  answer.on('data', heard);
  // It is read below; until then nothing flows.
  answer.pause();
  const encoding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = decoders[encoding];
  if (decoder === undefined) throw failed('answers in an encoding that was not asked for.');
  const reading = decoder === null ? pipeline(answer, collect) : pipeline(answer, decoder(), collect);
  await reading.catch((error: unknown) => {
    // With a decoder in between, the pipeline tells of the end that it made and not of the reason for it.
    if (bytes <= bytesMax) throw error;
    if (!isCut) throw tooLong;
  });
  return { body: Buffer.concat(pieces).subarray(0, bytesMax), isWhole: bytes <= bytesMax };
}

const decoders: Readonly<Record<string, (() => Transform) | null>> = {
  identity: null,
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Says what happened to a connection, in words for who wrote the URL. */
export function reasonOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = first instanceof Error && 'code' in first ? String(first.code) : '';
  const known = reasons.find(([codes]) => codes.test(code))?.[1];
  return known ?? `broke the connection off, or does not speak HTTP${code === '' ? '' : ` (${code})`}.`;
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'refuses connections. Check the port, and that the server runs.'],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/, 'cannot be reached from this server.'],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, 'has a certificate that is not valid now.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'has a certificate for another name.'],
  [/CERT|ISSUER|SIGNATURE/, 'has a certificate that no known authority signed.'],
  [/^(EPROTO|ERR_SSL_\w+)$/, 'does not speak TLS there.'],
  [/^Z_/, 'sends data that cannot be decompressed.'],
  [/^HPE_HEADER_OVERFLOW$/, 'answers with headers of more than 16 KiB.'],
];

/** Returns the address that the host of a URL is; null if it is a name. */
export function addressOfHost(url: URL): Address | null {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  try {
    return parseAddress('url', host);
  } catch {
    return null;
  }
}
