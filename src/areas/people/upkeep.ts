// The upkeep of people: forgets used answers of providers that would not be accepted again anyway, and reads metadata again.

import { readingSeconds } from '../../domain/saml/identity-provider.ts';
import { type Due, doDue } from '../../storage/lifecycle/due-rows.ts';
import { forgetUntil } from '../../storage/lifecycle/forgetting.ts';
import type { AreaUpkeep, UpkeepSettings } from '../../storage/lifecycle/upkeep.ts';
import { refreshProviderMetadata } from './metadata-store.ts';

/** The upkeep of the area. */
export const upkeep = ({ outgoing }: UpkeepSettings): readonly AreaUpkeep[] => [
  {
    hourly: (scope, now, signal) =>
      forgetUntil(scope, { table: 'UsedSignIn', key: ['providerId', 'idHash'], time: 'usableUntil' }, now, signal),
    eachRound: (server, now, signal) =>
      doDue(server, metadata, now, signal, (scope, id) => refreshProviderMetadata(scope, outgoing.fetch, id, signal)),
  },
];

/** When metadata is read again. */
const metadata = {
  table: 'SignInProvider',
  key: 'id',
  time: 'metadataNextAt',
  secondsMax: readingSeconds.max,
} as const satisfies Due;
