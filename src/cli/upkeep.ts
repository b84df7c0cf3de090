// All upkeep of a server: that of the areas, and the expiry of remembered requests and of activity.

import { loadParts } from '../areas/parts.ts';
import { activityUpkeep } from '../storage/activity.ts';
import { idempotencyUpkeep } from '../storage/lifecycle/idempotency-upkeep.ts';
import type { AreaUpkeep, UpkeepSettings } from '../storage/lifecycle/upkeep.ts';

/** Loads all upkeep that a server runs, in the order in which `doctor` prints it. */
export async function serverUpkeep(settings: UpkeepSettings): Promise<readonly AreaUpkeep[]> {
  const parts = await loadParts('upkeep');
  return [...parts.flatMap(({ upkeep }) => upkeep(settings)), idempotencyUpkeep, activityUpkeep];
}
