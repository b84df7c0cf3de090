// nginx without the rights of root.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Makes directories for the temporary files of nginx, which would else be where only root may write; gives its directives. */
export function temporaryPaths(directory: string): string {
  return ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => {
      mkdirSync(join(directory, name), { recursive: true });
      return `${name}_temp_path ${join(directory, name)};`;
    })
    .join(' ');
}
