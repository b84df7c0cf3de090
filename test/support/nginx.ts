// Configuration of nginx for a user other than root.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Creates directories for the temporary files of nginx, which by default are where only root may write; returns the directives. */
export function temporaryPaths(directory: string): string {
  return ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => {
      mkdirSync(join(directory, name), { recursive: true });
      return `${name}_temp_path ${join(directory, name)};`;
    })
    .join(' ');
}
