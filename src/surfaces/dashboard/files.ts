// The dashboard's files as its build leaves them, read once at the start. They are few, and requests never read the disk.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

/** A file, with the compressed forms that the build made. */
export interface DashboardFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
  /** Hash of its content, without quotes; the ETag of each form is derived from it. */
  readonly tag: string;
}

export interface DashboardFiles {
  /** The page, which is served for every path that is not a file. */
  readonly page: string;
  /** By their paths, such as `assets/index-B2xk.js`. */
  readonly files: ReadonlyMap<string, DashboardFile>;
}

const pageName = 'index.html';

/** Types of the files that the build makes. Browsers do not guess others (`nosniff`). */
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/**
 * Reads the files of a directory; returns null if there is none, or no page in it. Throws if it cannot be read. Synchronous,
 * because it runs before any file can be requested: with promises, nearly three hundred small files take three times the processor
 * time.
 */
export function readDashboard(directory: string): DashboardFiles | null {
  const isThere = statSync(directory, { throwIfNoEntry: false }) !== undefined;
  const entries = isThere ? readdirSync(directory, { recursive: true, withFileTypes: true }) : [];
  const contents = new Map<string, Buffer>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path
      .slice(directory.length)
      .split(sep)
      .filter((part) => part !== '');
    contents.set(name.join('/'), readFileSync(path));
  }
  const page = contents.get(pageName);
  if (page === undefined) return null;
  const files = new Map<string, DashboardFile>();
  for (const [name, plain] of contents) {
    const type = types[extname(name)];
    if (type === undefined || name === pageName) continue;
    const tag = createHash('sha256').update(plain).digest('base64url');
    files.set(name, {
      type,
      plain,
      br: contents.get(`${name}.br`) ?? null,
      gzip: contents.get(`${name}.gz`) ?? null,
      tag,
    });
  }
  return { page: page.toString(), files };
}
