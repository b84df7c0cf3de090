// Whom a change of everything at once lets in and shuts out, and whether that is the client.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTimedPauses } from '../../domain/concurrency/pauses.ts';
import { lockout } from '../../domain/errors.ts';
import { type AddressSet, difference, firstRanges, setSize } from '../../domain/ip/address-set.ts';
import { restrictionTypes } from '../../domain/ip/restriction-types.ts';
import { restrictionNamesFor } from '../../domain/wording.ts';
import type { AccessEffect, FindEffects } from '../../storage/objects/effects.ts';
import { findAllowed } from './allowed-store.ts';
import { objectionsToOwn } from './enforcement-store.ts';

const rangesMax = 20;

export const findEffects: FindEffects = async ({ before, after, client, rights }) => {
  const access: AccessEffect[] = [];
  const pauses = createTimedPauses();
  const isShown = rights.has('ip-restrictions:read') && rights.has('ip-policies:read');
  for (const traffic of isShown ? restrictionTypes : []) {
    const [was, is] = [await findAllowed(before, traffic), await findAllowed(after, traffic)];
    const [refused, allowed] = [difference(was.set, is.set), difference(is.set, was.set)];
    if (pauses.due()) await nextTurn();
    if (setSize(refused) + setSize(allowed) === 0) continue;
    access.push({
      traffic,
      newlyAllowed: shown(allowed),
      newlyAllowedCount: setSize(allowed),
      newlyRefused: shown(refused),
      newlyRefusedCount: setSize(refused),
    });
  }
  if (client === null) return { access, refusals: [] };
  const { address, traffic } = client;
  const [refusing] = (await objectionsToOwn(after, traffic, address)).refusedBy;
  if (refusing === undefined) return { access, refusals: [] };
  const from = address === null ? 'your address, which the proxy does not tell' : `your own address, ${address}`;
  return {
    access,
    refusals: [
      lockout(`The IP restriction ${restrictionNamesFor(rights)(refusing)} would refuse requests from ${from}.`),
    ],
  };
};

function shown(set: AddressSet): string[] {
  return firstRanges(set, rangesMax).map(({ text }) => text);
}
