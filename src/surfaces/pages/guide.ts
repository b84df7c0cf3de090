// The guide at `/docs/guide/`: the pages of `docs`, rendered by the build. They work without JavaScript.

import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import express, { type Request, type Router } from 'express';
import type { Reply } from '../../pipeline/request.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { redirectTo } from '../../wire/send.ts';
import { type ContentSecurityPolicy, createPageProtection } from '../kit/protection.ts';
import { createFileHandler } from '../kit/sent-file.ts';

export interface GuideFile {
  /** Its path below the guide: for a page without its ending, and empty for the first one. */
  readonly path: string;
  readonly type: string;
  readonly read: () => Promise<Buffer>;
}

/** What the pages load: the style and the pictures of the guide. */
const policy: ContentSecurityPolicy = {
  'default-src': ["'none'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** Lists the files that the build has made in a directory; none if it is not there. Their contents are read when they are asked for. */
export function listGuide(directory: string): GuideFile[] {
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const file = join(entry.parentPath, entry.name);
    const type = types[extname(entry.name)];
    if (type === undefined) return [];
    const path = relative(directory, file).split(sep).join('/');
    return { path: path.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, ''), type, read: () => readFile(file) };
  });
}

const root = '/docs/guide';

/** Creates the router of the guide. */
export function createGuideRouter(files: readonly GuideFile[], isSecure: boolean): Router {
  // `/docs/guide` and `/docs/guide/` are different: links between pages are relative.
  const router = express.Router({ caseSensitive: true, strict: true });
  const protect = createPageProtection(policy, isSecure);
  const paths = files.map(({ path }) => `${root}/${path}`);
  for (const [index, { type, read }] of files.entries()) {
    const sendFile = createFileHandler(type, read);
    router.get(paths[index] ?? root, async (request: Request, reply: Reply) => {
      await protect(request, reply);
      await sendFile(request, reply);
    });
  }
  router.get(root, (_request: Request, reply: Reply) => redirectTo(reply, 'guide/'));
  for (const path of [root, ...paths]) {
    router.all(path, (request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));
  }
  return router;
}
