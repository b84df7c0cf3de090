// Loads the samples of the areas, which it finds by file name. Separate from `samples.ts`, which those files import: modules that
// wait for each other would never load.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AreaSamples, CollectionSample } from './samples.ts';
import { root } from './source-files.ts';

const areas = join(root, 'test/areas');

/** The samples of every area. */
export const areaSamples: readonly AreaSamples[] = await Promise.all(
  readdirSync(areas)
    .sort()
    .map((area) => join(areas, area, 'samples.ts'))
    .filter((file) => existsSync(file))
    .map(async (file): Promise<AreaSamples> => (await import(file)).samples),
);

/** Every collection. */
export const collections: readonly CollectionSample[] = areaSamples.flatMap((area) => area.collections);
