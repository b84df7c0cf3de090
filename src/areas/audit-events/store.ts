// The trail, to read. It is written with the changes that it records, in `storage/object-changes.ts`.

import type { AccountView } from '../../storage/account-scope.ts';

export { auditEvents } from '../../storage/collections.ts';

/** An object at one of its versions. */
export interface ObjectVersion {
  readonly objectId: string;
  readonly version: number;
}

/** Reads the states of objects at some of their versions, in no particular order; nothing of one that the trail does not know. */
export function readStates({ db }: AccountView, versions: readonly ObjectVersion[]) {
  return db.auditEvent.findMany({
    where: { OR: versions.map(({ objectId, version }) => ({ objectId, version })) },
    select: { objectId: true, version: true, state: true },
  });
}
