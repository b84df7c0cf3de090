// What follows a change of everything at once for webhooks: their messages are sent as the changed ones want them.

import type { FindEffects } from '../../storage/objects/effects.ts';
import { deliveryOf } from './waking-store.ts';

export const findEffects: FindEffects = async ({ before }) => {
  return { access: [], refusals: [], acknowledged: () => deliveryOf(before).wake() };
};
