// @ts-check
// Loaded before a program by `code-cache.js`: at the end of the process, it writes the code of the scripts that were run.

import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import vm from 'node:vm';

class KeptScript extends vm.Script {
  /**
   * @param {string} code
   * @param {vm.ScriptOptions & { filename: string }} options
   */
  constructor(code, options) {
    super(code, options);
    const file = join(dirname(process.argv[1] ?? ''), `${options.filename}.cache`);
    process.once('exit', () => writeFileSync(file, this.createCachedData()));
  }
}

Object.assign(vm, { Script: KeptScript });
syncBuiltinESMExports();
