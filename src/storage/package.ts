// Where the package is, for what is read from it: migrations and models.

import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** The directory of the package. The name is defined in `package.json`, and found from the sources and from a bundle alike. */
export const packageDirectory = dirname(createRequire(import.meta.url).resolve('#package.json'));
