// The names that documents have for objects, by which the objects belong to them.

import { ownerOf } from '../../storage/keys/secrets.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import { records, storeRecords } from '../../storage/objects/records.ts';

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

/** Reads the names that all documents of the account have for objects. */
export async function readNames({ db, secrets }: AccountView): Promise<ConfiguredName[]> {
  const rows = await db.configuredObject.findMany({ orderBy: { objectId: 'asc' } });
  return rows.map(({ objectId, document, kind, name, sealedSecrets }) => ({
    objectId,
    document,
    kind,
    name,
    secrets:
      sealedSecrets === null
        ? null
        : Buffer.from(secrets.open(sealedSecrets, ownerOf('ConfiguredObject', objectId))).toString(),
  }));
}

/** Stores names of objects that have none yet, and removes names. For drafts, which have no other changes meanwhile. */
export async function changeNames(
  scope: AccountScope,
  added: readonly ConfiguredName[],
  removed: readonly string[],
): Promise<void> {
  for (let start = 0; start < removed.length; start += namesAtOnce) {
    const objectId = { in: removed.slice(start, start + namesAtOnce) };
    await storeRecords(scope, configuredObjects.prepareRemoveAll(scope, { objectId }));
  }
  const [open, sealed] = [
    added.filter(({ secrets }) => secrets === null),
    added.filter(({ secrets }) => secrets !== null),
  ];
  const rows = open.map(({ objectId, document, kind, name }) => ({ objectId, document, kind, name }));
  for (const write of configuredObjects.prepareCreateAll(scope, rows)) await storeRecords(scope, write);
  for (const { objectId, document, kind, name, secrets } of sealed) {
    const sealedSecrets = scope.secrets.seal(Buffer.from(secrets ?? ''), ownerOf('ConfiguredObject', objectId));
    await storeRecords(
      scope,
      configuredObjects.prepareCreate(scope, { objectId, document, kind, name, sealedSecrets }),
    );
  }
}

/** Names that one statement removes. */
const namesAtOnce = 200;
