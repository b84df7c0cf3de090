// Reads the states of objects at given versions from the trail.

import type { AccountView } from '../objects/account-scope.ts';

/** An object at one of its versions. */
export interface ObjectVersion {
  readonly objectId: string;
  readonly version: number;
}

/** Returns a lookup key for a version of an object. */
export function keyOfVersion({ objectId, version }: ObjectVersion): string {
  return `${objectId} ${version}`;
}

/** Parses a key made by `keyOfVersion`. */
export function versionOfKey(key: string): ObjectVersion {
  const [objectId = '', version] = key.split(' ');
  return { objectId, version: Number(version) };
}

/**
 * Returns the condition for the events of objects at given versions. The object ids are also listed separately, because for the
 * pairs alone SQLite reads the whole trail of the account (measured: 130 ms instead of 1.6 ms for 100 objects among 17,000 events).
 */
export function atVersions(versions: readonly ObjectVersion[]) {
  return {
    objectId: { in: [...new Set(versions.map(({ objectId }) => objectId))] },
    OR: versions.map(({ objectId, version }) => ({ objectId, version })),
  };
}

/** Reads the states of objects at given versions, in no particular order. Versions that the trail does not have are left out. */
export function readStates({ db }: AccountView, versions: readonly ObjectVersion[]) {
  return db.auditEvent.findMany({
    where: atVersions(versions),
    select: { objectId: true, version: true, state: true },
  });
}
