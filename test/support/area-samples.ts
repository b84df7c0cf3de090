// Finds what the areas bring, by the name of its file. Apart from `samples.ts`, which those files import: a module that waits
// for modules that wait for it never loads.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AreaSamples, CollectionSample } from './samples.ts';
import { root } from './source-files.ts';

const areas = join(root, 'test/areas');

/** What every area brings. */
export const areaSamples: readonly AreaSamples[] = await Promise.all(
  readdirSync(areas)
    .sort()
    .map((area) => join(areas, area, 'samples.ts'))
    .filter((file) => existsSync(file))
    .map(async (file): Promise<AreaSamples> => (await import(file)).samples),
);

/** Every collection. */
export const collections: readonly CollectionSample[] = areaSamples.flatMap((area) => area.collections);
