// The upkeep of webhooks: sends their messages, tells them what needs attention, and forgets old deliveries.

import type { AreaUpkeep, UpkeepSettings } from '../../storage/lifecycle/upkeep.ts';
import { deliver } from './delivering-store.ts';
import { forgetDeliveries } from './forgetting-store.ts';
import { tellAttention } from './telling-store.ts';

/** The upkeep of the area. */
export const upkeep = ({ outgoing, attention }: UpkeepSettings): readonly AreaUpkeep[] => [
  {
    beside: (server, now, signal, onFailure) => deliver(server, outgoing, now, signal, onFailure),
    async eachRound(server, now, signal) {
      // First: what the attention of one account fails with ends the round.
      await forgetDeliveries(server, signal);
      await tellAttention(server, attention, now, signal);
    },
  },
];
