// The scripts that hosts and clients run, as the package has them.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageDirectory } from '../../storage/package.ts';

/** Reads a script of the package. Rejects as `readFile` does: a package without it is broken. */
export function readSshScript(name: 'sallyport-ssh-host' | 'sallyport-ssh-client'): Promise<Buffer> {
  return readFile(join(packageDirectory, 'deploy/ssh', name));
}
