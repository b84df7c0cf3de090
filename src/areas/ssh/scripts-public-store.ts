// Reads the scripts that hosts and clients run from the package.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageDirectory } from '../../storage/lifecycle/package.ts';

/** Reads a script of the package. Rejects as `readFile` does: a package without the script is broken. */
export function readSshScript(name: 'sallyport-ssh-host' | 'sallyport-ssh-client'): Promise<Buffer> {
  return readFile(join(packageDirectory, 'deploy/ssh', name));
}
