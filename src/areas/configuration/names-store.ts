// The names that documents have for objects, by which the objects belong to them.

import { ownerOf } from '../../storage/keys/secrets.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import { records, storeRecords } from '../../storage/objects/records.ts';
import { documentObjectsMax } from './rules.ts';

const configuredObjects = records('ConfiguredObject', 'objectId');

/** The name of an object in a document. */
export interface ConfiguredName {
  readonly objectId: string;
  readonly document: string;
  readonly kind: string;
  readonly name: string;
  /** What the document says of it that cannot be read back, as JSON text; null if nothing. */
  readonly secrets: string | null;
}

/** A name with the requests that gave the object to its document and took it away; null for unknown, and for none. */
export interface StoredName extends ConfiguredName {
  readonly givenBy: string | null;
  readonly takenBy: string | null;
}

/** Reads the names that all documents of the account have or had for objects. */
export async function readNames({ db, secrets }: AccountView): Promise<StoredName[]> {
  const rows = await db.configuredObject.findMany({ orderBy: { objectId: 'asc' } });
  return rows.map(({ objectId, document, kind, name, sealedSecrets, givenBy, takenBy }) => ({
    objectId,
    document,
    kind,
    name,
    secrets:
      sealedSecrets === null
        ? null
        : Buffer.from(secrets.open(sealedSecrets, ownerOf('ConfiguredObject', objectId))).toString(),
    givenBy,
    takenBy,
  }));
}

/** Returns the names that documents have. */
export function namesInUse(names: readonly StoredName[]): StoredName[] {
  return names.filter(({ takenBy }) => takenBy === null);
}

/**
 * Stores which objects a request gives to documents and takes from them. For drafts, which have no other changes meanwhile.
 *
 * @param names all names
 */
export async function changeNames(
  scope: AccountScope,
  names: readonly StoredName[],
  { given, taken, requestId }: { given: readonly ConfiguredName[]; taken: readonly string[]; requestId: string },
): Promise<void> {
  const known = new Map(names.map((one) => [one.objectId, one]));
  const isGiven = new Set(given.map(({ objectId }) => objectId));
  const gone = taken.flatMap((id) => (isGiven.has(id) ? [] : (known.get(id) ?? [])));
  const changed = [
    ...given.map((one): StoredName => {
      const before = known.get(one.objectId);
      return { ...one, givenBy: before?.takenBy === null ? before.givenBy : requestId, takenBy: null };
    }),
    ...gone.map((one) => ({ ...one, takenBy: requestId })),
  ];
  const isChanged = new Set(changed.map(({ objectId }) => objectId));
  // The oldest are forgotten: requests have their IDs in the order of time.
  const past = [...names.filter(({ objectId }) => !isChanged.has(objectId)), ...changed]
    .filter(({ takenBy }) => takenBy !== null)
    .sort((a, b) => ((a.takenBy ?? '') < (b.takenBy ?? '') ? 1 : -1));
  await storeNames(scope, changed, [...isChanged, ...past.slice(documentObjectsMax).map(({ objectId }) => objectId)]);
}

/**
 * Gives back what a request took from documents, unless the name is in use again, and takes back what it gave them. For drafts.
 *
 * @param requestId the request that is undone
 * @param by the request that undoes it
 * @returns those that belong to no document again
 */
export async function undoNames(scope: AccountScope, requestId: string, by: string): Promise<readonly StoredName[]> {
  const names = await readNames(scope);
  const taken = namesInUse(names).filter(({ givenBy }) => givenBy === requestId);
  const keyOf = ({ document, kind, name }: StoredName) => `${document} ${kind} ${name}`;
  const isTaken = new Set(taken);
  const inUse = new Set(namesInUse(names).flatMap((one) => (isTaken.has(one) ? [] : keyOf(one))));
  const given = names.filter((one) => one.takenBy === requestId && !inUse.has(keyOf(one)));
  const changed = [
    ...taken.map((one) => ({ ...one, takenBy: by })),
    ...given.map((one) => ({ ...one, givenBy: by, takenBy: null })),
  ];
  await storeNames(
    scope,
    changed,
    changed.map(({ objectId }) => objectId),
  );
  return taken;
}

/** Removes the names of objects, and stores others. */
async function storeNames(scope: AccountScope, rows: readonly StoredName[], removed: readonly string[]): Promise<void> {
  for (let start = 0; start < removed.length; start += namesAtOnce) {
    const objectId = { in: removed.slice(start, start + namesAtOnce) };
    await storeRecords(scope, configuredObjects.prepareRemoveAll(scope, { objectId }));
  }
  const open = rows.filter(({ secrets }) => secrets === null).map(({ secrets: _none, ...row }) => row);
  for (const write of configuredObjects.prepareCreateAll(scope, open)) await storeRecords(scope, write);
  for (const { secrets, ...row } of rows) {
    if (secrets === null) continue;
    const sealedSecrets = scope.secrets.seal(Buffer.from(secrets), ownerOf('ConfiguredObject', row.objectId));
    await storeRecords(scope, configuredObjects.prepareCreate(scope, { ...row, sealedSecrets }));
  }
}

/** Names that one statement removes. */
const namesAtOnce = 200;
