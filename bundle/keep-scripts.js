// @ts-check
// Loaded before a program by `code-cache.js`: at the end of the process, it writes the code of the scripts that were run.

import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import vm from 'node:vm';

class KeptScript extends vm.Script {
  /**
   * @param {string} code
   * @param {vm.ScriptOptions & { filename: string }} options
   */
  constructor(code, options) {
    super(code, options);
    process.once('exit', () => writeFileSync(`${options.filename}.cache`, this.createCachedData()));
  }
}

Object.assign(vm, { Script: KeptScript });
syncBuiltinESMExports();
