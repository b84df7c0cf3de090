// The upkeep of webhooks: sends their messages, and forgets old deliveries.

import type { AreaUpkeep, UpkeepSettings } from '../../storage/lifecycle/upkeep.ts';
import { deliver } from './delivering-store.ts';
import { forgetDeliveries } from './lane-store.ts';

/** The upkeep of the area. */
export const upkeep = ({ outgoing }: UpkeepSettings): readonly AreaUpkeep[] => [
  {
    beside: (server, now, signal, onFailure) => deliver(server, outgoing, now, signal, onFailure),
    eachRound: (server, _now, signal) => forgetDeliveries(server, signal),
  },
];
