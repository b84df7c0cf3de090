// Loads what the areas bring.

import type { PartLoaders, Parts } from './area.ts';
import { namedAreas } from './areas.ts';

const areas: readonly PartLoaders[] = namedAreas;

/**
 * Loads a part of all areas that have it, in the order of the areas. One after the other, because the order in which schemas are
 * loaded is the order of their types.
 */
export async function loadParts<Name extends keyof Parts>(name: Name): Promise<Parts[Name][]> {
  const parts: Parts[Name][] = [];
  for (const area of areas) {
    const load = area[name];
    if (load !== undefined) parts.push(await load());
  }
  return parts;
}
