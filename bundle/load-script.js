// @ts-check
// What the import of a script becomes in a program (`bundle.js`). V8 takes the code of its functions from the file beside it, which
// the build has made (`code-cache.js`), and compiles them itself where that is missing or comes from another version of V8.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

/**
 * Runs a script of the directory that the program is in, and gives its exports.
 *
 * @param {string} name of the file
 * @returns {Record<string, unknown>}
 */
export function loadScript(name) {
  const file = join(import.meta.dirname, name);
  const cache = `${file}.cache`;
  const script = new Script(readFileSync(file, 'latin1'), {
    // Without its directory: V8 takes the name of the script together with the code, also where that was made somewhere else.
    filename: name,
    cachedData: existsSync(cache) ? readFileSync(cache) : undefined,
  });
  const module = { exports: {} };
  script.runInThisContext()(module, createRequire(file), file, dirname(file), pathToFileURL(file).href);
  return module.exports;
}
