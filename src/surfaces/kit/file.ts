// Files that are generated or read once and do not change while the server runs.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { send } from '../../wire/send.ts';

interface Prepared {
  readonly plain: Buffer;
  readonly packed: Buffer;
  readonly etag: string;
}

/** Creates the handler that serves a file. The file is read and compressed at the first request. */
export function createFileHandler(type: string, read: () => Promise<string | Buffer>) {
  let prepared: Promise<Prepared> | undefined;
  const prepare = async (): Promise<Prepared> => {
    const plain = Buffer.from(await read());
    const packed = await promisify(gzip)(plain);
    return { plain, packed, etag: createHash('sha256').update(plain).digest('base64url') };
  };
  return async (request: Request, response: Response): Promise<void> => {
    prepared ??= prepare().catch((error: unknown) => {
      // A failure is not kept: the next request tries again.
      prepared = undefined;
      throw error;
    });
    const { plain, packed, etag } = await prepared;
    const takesPacked = request.acceptsEncodings('gzip') === 'gzip';
    response.set({
      'Cache-Control': 'public, no-cache',
      Vary: 'Accept-Encoding',
      // Each form of a file has its own tag (RFC 9110, section 8.8.3.3).
      ETag: takesPacked ? `"${etag}-gzip"` : `"${etag}"`,
    });
    if (takesPacked) response.set('Content-Encoding', 'gzip');
    send(response, 200, type.startsWith('image/') ? type : `${type}; charset=utf-8`, takesPacked ? packed : plain);
  };
}
