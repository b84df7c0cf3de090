// Takes what exists into the ownership of a document, and changes nothing else of it.

import type { Steps } from '../../domain/concurrency/steps.ts';
import type { ConfigurationDocument } from './entries-schema.ts';
import type { ConfiguredKind } from './kind-schema.ts';
import type { ConfiguredName } from './names-store.ts';
import { createNaming } from './naming-schema.ts';
import type { ConfiguredState } from './state-schema.ts';
import { keyOf } from './steps-schema.ts';

/**
 * Finds the objects that belong to no document and that an export calls as a document does, one name in each step. A part goes only with
 * its whole.
 *
 * @param before the objects of the account
 * @param names the names that all documents have
 */
export function* findUnowned(
  kinds: readonly ConfiguredKind[],
  document: ConfigurationDocument,
  before: ReadonlyMap<string, ConfiguredState>,
  names: readonly ConfiguredName[],
): Steps<ConfiguredName[]> {
  const naming = yield* createNaming(kinds, before, names);
  const own = names.filter((one) => one.document === document.name && before.has(one.objectId));
  const ids = new Map(own.map(({ kind, name, objectId }) => [keyOf(kind, name), objectId]));
  const found: ConfiguredName[] = [];
  // Wholes before their parts.
  for (const { kind, name, whole } of document.entries) {
    yield;
    const key = keyOf(kind.kind, name);
    const objectId = ids.has(key) ? undefined : naming.unowned(kind.kind, name);
    if (objectId === undefined || kind.isSingle) continue;
    const wholeId = whole === null ? null : (ids.get(keyOf(whole.kind.kind, whole.name)) ?? '');
    if (before.get(objectId)?.wholeId !== wholeId) continue;
    ids.set(key, objectId);
    // What it has in place of the secrets that the document says is not known.
    found.push({ objectId, document: document.name, kind: kind.kind, name, secrets: null });
  }
  return found;
}
