// Makes stack traces name the lines of our sources, through the source maps beside the bundles. Node has an option for that, but
// every way of starting the programs would have to pass it, and it reads all maps at each start.

import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Makes all stack traces of this thread name sources, if there are maps. A map is read when a trace first needs it. The programs
 * call this in their main thread. The two worker threads of the storage do not need it: the message of a failed migration names the
 * migration and the database's message, and a failed inspection is reported by an error of the main thread.
 */
export function nameSourcesInTraces(): void {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (file: string) => {
    const known = maps.get(file);
    if (known !== undefined) return known;
    const map = readMap(`${file}.map`);
    maps.set(file, map);
    return map;
  };
  // V8 passes the call sites, and uses the result as the trace (https://v8.dev/docs/stack-trace-api).
  Error.prepareStackTrace = (error, sites) =>
    [headOf(error), ...sites.map((site) => nameSource(site, mapOf))].join('\n    at ');
}

/** Codes of Node's own errors (https://nodejs.org/api/errors.html#nodejs-error-codes). */
const nodeCode = /^ERR_[A-Z0-9_]+$/;

/** Writes the first line of a trace as Node does: with the code, for Node's own errors. GraphQL's `toString` would add the document. */
function headOf(error: Error & { readonly code?: unknown }): string {
  try {
    const { code } = error;
    return typeof code === 'string' && nodeCode.test(code)
      ? `${error.name} [${code}]: ${error.message}`
      : Error.prototype.toString.call(error);
  } catch {
    // An error's properties may throw anything. V8 writes `<error>` in that case.
    return '<error>';
  }
}

/** Writes a call site as V8 does, but with the position in the source if the map has it. An exception here would end the process. */
function nameSource(site: NodeJS.CallSite, mapOf: (file: string) => SourceMap | null): string {
  const written = String(site);
  try {
    return inSource(written, site, mapOf);
  } catch {
    // The map is damaged.
    return written;
  }
}

function inSource(written: string, site: NodeJS.CallSite, mapOf: (file: string) => SourceMap | null): string {
  const [name, line, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()];
  if (!name || line === null || column === null) return written;
  // Our bundles are modules, which have URLs.
  const file = name.startsWith('file:') ? fileURLToPath(name) : name;
  const map = file.startsWith(import.meta.dirname) ? mapOf(file) : null;
  const entry: Partial<SourceMapping> = map?.findEntry(line - 1, column - 1) ?? {};
  const { originalSource, originalLine = 0, originalColumn = 0 } = entry;
  // The bundler's own code has no source.
  if (originalSource === undefined) return written;
  const source = resolve(dirname(file), originalSource);
  return written.replace(`${name}:${line}:${column}`, () => `${source}:${originalLine + 1}:${originalColumn + 1}`);
}

function readMap(path: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // A trace without sources is better than none.
    return null;
  }
}
