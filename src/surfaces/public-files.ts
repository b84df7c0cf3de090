// Files served without an API key, to programs that have none, such as ssh and identity providers. They do not use GraphQL, because
// everything there belongs to an account.

import { createHash } from 'node:crypto';
import express, { type Request, type Router } from 'express';
import type { Reply } from '../pipeline/request.ts';
import type { ServerReads } from '../storage/objects/server-scope.ts';
import { answerOtherMethod } from '../wire/methods.ts';
import { send } from '../wire/send.ts';

/** A file that anybody who has its address may read. Areas declare theirs in `public.ts`. */
export interface PublicFile {
  /** Path with its parameters in braces. */
  readonly path: `/${string}`;
  /** The name that generated clients call it by. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly mediaType: string;
  /** Describes each parameter in the path. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Creates the reader of the file, once per server. */
  readonly createReader: (database: ServerReads) => ReadPublicFile;
}

/**
 * Reads a file.
 *
 * @param parameters those in the path
 * @param baseUrl scheme and host for URLs in the file
 * @throws NOT_FOUND
 */
export type ReadPublicFile = (parameters: Readonly<Record<string, string>>, baseUrl: string) => Promise<Buffer>;

/** Creates the router of the files. Its handlers throw coded errors. */
export function createPublicFilesRouter(files: readonly PublicFile[], database: ServerReads): Router {
  const router = express.Router({ caseSensitive: true });
  for (const { path, mediaType, createReader } of files) {
    const route = router.route(path.replace(/\{(\w+)\}/g, ':$1'));
    const read = createReader(database);
    route.get(async (request: Request<Record<string, string>>, reply: Reply) => {
      const content = await read(request.params, reply.locals.info.baseUrl);
      reply.set({ 'Cache-Control': 'public, no-cache', ETag: tagOf(content) });
      send(reply, 200, mediaType, content);
    });
    route.all((request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));
  }
  return router;
}

// Repeated reads return the same buffer, and hashing a long list takes milliseconds.
const tags = new WeakMap<Buffer, string>();

/** Returns a strong ETag of the content, so that clients can revalidate cheaply. */
function tagOf(content: Buffer): string {
  const known = tags.get(content);
  if (known !== undefined) return known;
  const tag = `"${createHash('sha256').update(content).digest('base64url')}"`;
  tags.set(content, tag);
  return tag;
}
