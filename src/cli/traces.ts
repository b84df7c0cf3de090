// Traces of errors name the lines of our sources, by the maps beside the bundles. Node could do that as well, by an option that each way
// of starting the programs would have to give, and by reading all maps at each start.

import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Has the traces of all errors of this thread name sources, where there are maps. A map is read when a trace needs it. The programs call it
 * in their main thread. The two threads of the storage do without: what ends a migration is told with its message, which names the migration
 * and what the database says, and a trace with places in the bundles; of what ends an inspection, the main thread tells by an error of its own.
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
  // V8 gives the places, and takes what it returns for the trace (https://v8.dev/docs/stack-trace-api).
  Error.prepareStackTrace = (error, places) =>
    [headOf(error), ...places.map((place) => nameSource(place, mapOf))].join('\n    at ');
}

/** Codes of Node's own errors (https://nodejs.org/api/errors.html#nodejs-error-codes). */
const nodeCode = /^ERR_[A-Z0-9_]+$/;

/** Writes the first line of a trace as Node does, with the code of an error of its own. An error of GraphQL would write its document as well. */
function headOf(error: Error & { readonly code?: unknown }): string {
  try {
    const { code } = error;
    return typeof code === 'string' && nodeCode.test(code)
      ? `${error.name} [${code}]: ${error.message}`
      : Error.prototype.toString.call(error);
  } catch {
    // Anything may be thrown by what an error is made of. This is what V8 writes then.
    return '<error>';
  }
}

/** Writes a place as V8 does, with that of the source where the map tells it. What is thrown here would end the process. */
function nameSource(place: NodeJS.CallSite, mapOf: (file: string) => SourceMap | null): string {
  const written = String(place);
  try {
    return inSource(written, place, mapOf);
  } catch {
    // A damaged map.
    return written;
  }
}

function inSource(written: string, place: NodeJS.CallSite, mapOf: (file: string) => SourceMap | null): string {
  const [name, line, column] = [place.getFileName(), place.getLineNumber(), place.getColumnNumber()];
  if (!name || line === null || column === null) return written;
  // Our bundles are modules, which have URLs.
  const file = name.startsWith('file:') ? fileURLToPath(name) : name;
  const map = file.startsWith(import.meta.dirname) ? mapOf(file) : null;
  const entry: Partial<SourceMapping> = map?.findEntry(line - 1, column - 1) ?? {};
  const { originalSource, originalLine = 0, originalColumn = 0 } = entry;
  // What the bundler added comes from no source.
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
