// The types of lists, such as `IpPolicyConnection` and `IpPolicyEdge`: one of each per kind, shared by all lists of that kind.

import { getOrInsertComputed } from '../../domain/values/maps.ts';
import type { ResourceModel } from '../../storage/objects/collection.ts';
import { builder } from '../kit/builder.ts';
import { needsTo } from '../wrappers/rights.ts';

const made = new Map<ResourceModel, ReturnType<typeof make>>();

/** Returns the connection type of a kind. */
export function connectionOf<M extends ResourceModel>(kind: M): ReturnType<typeof make<M>> {
  // Safe cast: the map holds the type of each kind under that kind.
  return getOrInsertComputed(made, kind, make) as ReturnType<typeof make<M>>;
}

function make<M extends ResourceModel>(kind: M) {
  const extensions = needsTo('read', kind);
  return builder.connectionObject(
    { type: kind, name: `${kind}Connection`, description: 'A page of a list.', extensions },
    { name: `${kind}Edge`, description: 'An object of a list, with its cursor.', extensions },
  );
}
