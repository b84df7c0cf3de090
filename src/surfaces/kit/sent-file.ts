// Files that are generated or read once and do not change while the server runs.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { send } from '../../wire/send.ts';

/** The encodings that files are sent in, the best first. */
const encodings = ['br', 'gzip'] as const;

interface Prepared {
  readonly plain: Buffer;
  readonly packed: Readonly<Record<(typeof encodings)[number], Buffer>>;
  readonly etag: string;
}

/** Takes about as long as gzip, and makes less of it. The highest takes seconds for the API description. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Creates the handler that serves a file. The file is read and compressed at the first request. */
export function createFileHandler(type: string, read: () => Promise<string | Buffer>) {
  let prepared: Promise<Prepared> | undefined;
  const prepare = async (): Promise<Prepared> => {
    const plain = Buffer.from(await read());
    const [br, gzipped] = await Promise.all([promisify(brotliCompress)(plain, quality), promisify(gzip)(plain)]);
    return { plain, packed: { br, gzip: gzipped }, etag: createHash('sha256').update(plain).digest('base64url') };
  };
  return async (request: Request, response: Response): Promise<void> => {
    prepared ??= prepare().catch((error: unknown) => {
      // A failure is not kept: the next request tries again.
      prepared = undefined;
      throw error;
    });
    const { plain, packed, etag } = await prepared;
    const encoding = encodings.find((one) => request.acceptsEncodings(one) === one);
    response.set({
      'Cache-Control': 'public, no-cache',
      Vary: 'Accept-Encoding',
      // Each form of a file has its own tag (RFC 9110, section 8.8.3.3).
      ETag: encoding === undefined ? `"${etag}"` : `"${etag}-${encoding}"`,
    });
    if (encoding !== undefined) response.set('Content-Encoding', encoding);
    const body = encoding === undefined ? plain : packed[encoding];
    send(response, 200, type.startsWith('image/') ? type : `${type}; charset=utf-8`, body);
  };
}
