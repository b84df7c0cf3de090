// Where the package is, for reading migrations and models from it.

import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/**
 * The directory of the package. `package.json` defines the name `#package.json`, which resolves both from the sources and from a
 * bundle.
 */
export const packageDirectory = dirname(createRequire(import.meta.url).resolve('#package.json'));
