// What becomes of a source that has been read again: its ranges are taken, wait to be confirmed, or stay.

import { inTurns } from '../../domain/concurrency/steps.ts';
import { SallyportError } from '../../domain/errors.ts';
import { differenceOf, type ListDifference, type RangeList, unpackRanges } from '../../domain/ip/range-list.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion } from '../../storage/objects/collection.ts';
import { storeRecords } from '../../storage/objects/records.ts';
import type { Reading } from './reading-store.ts';
import { hasShrunk, intervalMax, intervals } from './source-rules.ts';
import {
  after,
  changeOf,
  changingSource,
  differencesNamed,
  expectRoom,
  ipPolicySources,
  prepareCount,
  readList,
  type Source,
  sourceLists,
} from './source-store.ts';

/**
 * Stores what a source has now. If its list has shrunk by more than half, or to nothing, or would break an expectation, the ranges in
 * force stay until somebody confirms it. Only a change of what is in force, or waits for that, has an event and counts as a change of the source.
 *
 * @param reading as `readSource`
 */
export async function takeReading(
  scope: AccountScope,
  id: string,
  { ranges, entityTag, maxAgeSeconds }: Omit<Reading, 'ranges'> & { readonly ranges: Reading['ranges'] | null },
): Promise<Source> {
  return changingSource(scope, id, null, async (source, version) => {
    const now = scope.now();
    const quiet = {
      readAt: now,
      triedAt: now,
      failure: null,
      entityTag,
      nextAt: after(now, Math.max(source.intervalSeconds, Math.min(maxAgeSeconds, intervalMax))),
    };
    if (ranges === null) return noted(scope, source, quiet);
    const { list, pending } = await readList(scope, id);
    const found = unpackRanges(ranges);
    const difference = await inTurns(scope.accountId, differenceOf(list, found, differencesNamed));
    if (difference.added + difference.removed === 0) {
      if (source.pendingCount === null) return noted(scope, source, quiet);
      const following = [sourceLists.prepareUpdate(scope, { sourceId: id }, { pending: null })];
      return ipPolicySources.update(scope, id, { ...quiet, pendingCount: null }, version, { following });
    }
    const keepWaiting = () => {
      if (pending !== null && Buffer.compare(pending, ranges) === 0) return noted(scope, source, quiet);
      const following = [sourceLists.prepareUpdate(scope, { sourceId: id }, { pending: ranges })];
      return ipPolicySources.update(scope, id, { ...quiet, pendingCount: found.size }, version, { following });
    };
    if (found.size === 0 || hasShrunk(list.size, found.size)) return keepWaiting();
    try {
      return await putInForce(scope, source, { ranges, list: found, difference }, quiet);
    } catch (error) {
      if (!(error instanceof SallyportError) || error.code !== 'EXPECTATION_FAILED') throw error;
      return keepWaiting();
    }
  });
}

/** Puts the list in force that waits to be confirmed. Throws NOT_FOUND, VERSION_CONFLICT, and OUT_OF_ORDER if none waits. */
export async function confirmIpPolicySource(
  scope: AccountScope,
  id: string,
  expectedVersion: ExpectedVersion,
): Promise<Source> {
  return changingSource(scope, id, expectedVersion, async (source) => {
    const { list, pending } = await readList(scope, id);
    if (pending === null) throw nothingToConfirm();
    const found = unpackRanges(pending);
    const difference = await inTurns(scope.accountId, differenceOf(list, found, differencesNamed));
    return putInForce(scope, source, { ranges: pending, list: found, difference }, {});
  });
}

/** Reads the list that waits to be confirmed. Throws OUT_OF_ORDER if none does. */
export async function pendingOf(scope: AccountView, id: string): Promise<RangeList> {
  const { pending } = await readList(scope, id);
  if (pending === null) throw nothingToConfirm();
  return unpackRanges(pending);
}

function nothingToConfirm(): SallyportError {
  return new SallyportError('OUT_OF_ORDER', 'No list of the source waits to be confirmed.');
}

/** Notes that a source could not be read: it is tried again soon, and its ranges stay. */
export async function noteFailure(scope: AccountScope, id: string, failure: string): Promise<void> {
  const source = await ipPolicySources.get(scope, id);
  const now = scope.now();
  const retrySeconds = Math.min(source.intervalSeconds, intervals.dns.default);
  await noted(scope, source, { triedAt: now, failure, nextAt: after(now, retrySeconds) });
}

/** Puts a list in force, in one batch with its event and the counts of the policy. */
async function putInForce(
  scope: AccountScope,
  { id, ipPolicyId, rangeCount, version }: Source,
  { ranges, list, difference }: { ranges: Uint8Array<ArrayBuffer>; list: RangeList; difference: ListDifference },
  others: ReadState,
): Promise<Source> {
  await expectRoom(scope, list.size - rangeCount);
  const columns = { ...others, rangeCount: list.size, pendingCount: null, lastChange: changeOf(scope, difference) };
  const alongside = [prepareCount(scope, ipPolicyId, { sources: 0, ranges: list.size - rangeCount })];
  const following = [sourceLists.prepareUpdate(scope, { sourceId: id }, { ranges, pending: null })];
  return ipPolicySources.update(scope, id, columns, version, { alongside, following });
}

/** What reading a source leaves behind, whether or not anything has changed. */
type ReadState = Partial<Pick<Source, 'readAt' | 'triedAt' | 'failure' | 'entityTag' | 'nextAt'>>;

/** Stores what no version of the source covers. */
async function noted(scope: AccountScope, source: Source, columns: ReadState): Promise<Source> {
  await storeRecords(scope, ipPolicySources.prepareUpdate(scope, { id: source.id }, columns));
  return { ...source, ...columns };
}
