// All upkeep of a server: that of the areas, the expiry of remembered requests and of activity, and the age of the secret key.

import { loadParts } from '../areas/parts.ts';
import { activityUpkeep } from '../storage/activity.ts';
import { secretKeyUpkeep } from '../storage/keys/key-age.ts';
import { idempotencyUpkeep } from '../storage/lifecycle/idempotency-upkeep.ts';
import type { AreaUpkeep, UpkeepSettings } from '../storage/lifecycle/upkeep.ts';

/** Loads all upkeep that a server runs, in the order in which `doctor` prints it. */
export async function serverUpkeep(settings: Omit<UpkeepSettings, 'attention'>): Promise<readonly AreaUpkeep[]> {
  const parts = await loadParts('upkeep');
  const attention = async () => (await loadParts('attention')).flatMap((part) => part.attention);
  return [
    ...parts.flatMap(({ upkeep }) => upkeep({ ...settings, attention })),
    idempotencyUpkeep,
    activityUpkeep,
    secretKeyUpkeep(settings.keyAges.secretKeyDays),
  ];
}
