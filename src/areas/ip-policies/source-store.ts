// The sources of IP policies in the database.

import { inTurns } from '../../domain/concurrency/steps.ts';
import { invalid, unknownReference } from '../../domain/errors.ts';
import {
  differenceOf,
  emptyList,
  type ListDifference,
  type RangeList,
  unpackRanges,
} from '../../domain/ip/range-list.ts';
import { readChoice } from '../../domain/values/decode.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { isMissingRow } from '../../storage/errors.ts';
import { ipPolicies } from '../../storage/ip/policy-references.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, NewObject, Row, Write } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { records } from '../../storage/objects/records.ts';
import { isVersionConflict } from '../../storage/objects/version-conflict.ts';
import type { Reading } from './reading-store.ts';
import type { RuleAction } from './rules.ts';
import {
  accountRangesMax,
  checkSource,
  intervalMax,
  intervals,
  type SourceDraft,
  type SourceKind,
  sourceKinds,
  sourcesMax,
  unreadable,
} from './source-rules.ts';
import { rulesChanged } from './store.ts';

export const ipPolicySources = collectionOf('IpPolicySource');
export const sourceLists = records('IpPolicySourceList', 'sourceId');

export type Source = Row<'IpPolicySource'>;

/** Most differences that an event names of each kind. */
export const differencesNamed = 100;

/** What came of reading a source: its ranges, or why there are none. */
export type Outcome = { readonly reading: Reading } | { readonly failure: string; readonly retrySeconds?: number };

/** The outcome for a source that comes back from the trail, which has no ranges: it is read in the next round. */
export const notReadYet: Outcome = { failure: 'It was restored, and has not been read since.', retrySeconds: 0 };

export interface NewSource extends Notes, SourceDraft {
  readonly ipPolicyId: string;
  readonly action: RuleAction;
}

/**
 * Adds a source to a policy, with what it has now.
 *
 * @throws UNKNOWN_REFERENCE for a policy that does not belong to this account, INVALID_INPUT for more sources or ranges than there may
 *   be and for notes that are too long
 */
export async function createIpPolicySource(
  scope: AccountScope,
  { ipPolicyId, kind, address, jsonPath, action, intervalSeconds, ...notes }: NewSource,
  outcome: Outcome,
  object: NewObject = ipPolicySources.newObject(scope),
): Promise<Source> {
  const list = listOf(outcome);
  await expectRoom(scope, list.size);
  const { difference, columns } = await firstState(scope, emptyList, outcome, intervalSeconds);
  const alongside = [prepareCount(scope, ipPolicyId, { sources: 1, ranges: list.size })];
  const row = { sourceId: object.id, ipPolicyId, action, ranges: rangesOf(outcome) };
  const what = { ipPolicyId, kind, address, jsonPath, action, intervalSeconds, ...notesForCreate(notes) };
  try {
    return await ipPolicySources.create(
      scope,
      { ...what, ...columns, lastChange: difference },
      { object, alongside, following: [sourceLists.prepareCreate(scope, row)] },
    );
  } catch (error) {
    if (!isMissingRow(error)) throw error;
    const [policy] = await scope.rows.pick('IpPolicy', ['sourceCount'], 'id', [ipPolicyId]);
    if (policy === undefined) throw unknownReference('ipPolicyId', 'IP policy', ipPolicyId);
    throw invalid('ipPolicyId', `names a policy that would have more than ${sourcesMax} sources, the maximum.`);
  }
}

/** Prepares the sources of a policy that comes back, to be stored with it. */
export async function prepareRestoredSources(
  scope: AccountScope,
  ipPolicyId: string,
  sources: readonly {
    readonly object: NewObject;
    readonly state: Notes & SourceDraft & { readonly action: RuleAction };
  }[],
): Promise<Write[]> {
  const writes: Write[] = [];
  for (const { object, state } of sources) {
    const { kind, address, jsonPath, action, intervalSeconds } = state;
    const { difference, columns } = await firstState(scope, emptyList, notReadYet, intervalSeconds);
    const what = { ipPolicyId, kind, address, jsonPath, action, intervalSeconds, ...notesForCreate(state) };
    const row = { sourceId: object.id, ipPolicyId, action, ranges: rangesOf(notReadYet) };
    writes.push(
      ipPolicySources.prepareCreate(scope, object, { ...what, ...columns, lastChange: difference }),
      sourceLists.prepareCreate(scope, row),
    );
  }
  return writes;
}

/** A change of a source; what is null or left out stays as it is. */
export interface SourceChange extends Notes {
  readonly id: string;
  readonly expectedVersion?: ExpectedVersion;
  readonly address?: string | null | undefined;
  readonly jsonPath?: string | null | undefined;
  readonly action?: RuleAction | null | undefined;
  readonly intervalSeconds?: number | null | undefined;
}

/**
 * Returns what a source would read after a change, and whether that is something else than now.
 *
 * @throws NOT_FOUND, INVALID_INPUT
 */
export async function draftSourceChange(
  scope: AccountView,
  { id, address, jsonPath, intervalSeconds }: SourceChange,
): Promise<{ readonly source: Source; readonly draft: SourceDraft; readonly readsAnew: boolean }> {
  const source = await ipPolicySources.get(scope, id);
  const draft = checkSource({
    kind: kindOf(source),
    address: address ?? source.address,
    jsonPath: jsonPath ?? source.jsonPath,
    intervalSeconds: intervalSeconds || source.intervalSeconds,
  });
  return { source, draft, readsAnew: draft.address !== source.address || draft.jsonPath !== source.jsonPath };
}

/**
 * Changes a source.
 *
 * @param outcome what it has at its new address; null if that stays
 * @throws NOT_FOUND, VERSION_CONFLICT and INVALID_INPUT as `collection.update` and `createIpPolicySource`
 */
export async function updateIpPolicySource(
  scope: AccountScope,
  { id, expectedVersion, action, ...input }: SourceChange,
  draft: SourceDraft,
  outcome: Outcome | null,
): Promise<Source> {
  return changingSource(scope, id, expectedVersion, async (source, version) => {
    const { address, jsonPath, intervalSeconds } = draft;
    const changes = {
      ...(address === source.address ? {} : { address }),
      ...(jsonPath === source.jsonPath ? {} : { jsonPath }),
      ...(intervalSeconds === source.intervalSeconds ? {} : { intervalSeconds, nextAt: scope.now() }),
      ...(action == null || action === source.action ? {} : { action }),
      ...notesForUpdate(input),
    };
    if (outcome === null) {
      const isDeciding = 'action' in changes;
      const alongside = isDeciding ? [prepareCount(scope, source.ipPolicyId, { sources: 0, ranges: 0 })] : [];
      const following = isDeciding
        ? [sourceLists.prepareUpdate(scope, { sourceId: id }, { action: changes.action ?? source.action })]
        : [];
      return ipPolicySources.update(scope, id, changes, version, { alongside, following });
    }
    const list = listOf(outcome);
    await expectRoom(scope, list.size - source.rangeCount);
    const before = (await readList(scope, id)).list;
    const { difference, columns } = await firstState(scope, before, outcome, intervalSeconds);
    const alongside = [prepareCount(scope, source.ipPolicyId, { sources: 0, ranges: list.size - source.rangeCount })];
    const row = { action: changes.action ?? source.action, ranges: rangesOf(outcome), pending: null };
    const following = [sourceLists.prepareUpdate(scope, { sourceId: id }, row)];
    const all = { ...changes, ...columns, lastChange: difference };
    return ipPolicySources.update(scope, id, all, version, { alongside, following });
  });
}

/** Deletes a source with its ranges. Throws as `collection.remove`. */
export async function deleteIpPolicySource(
  scope: AccountScope,
  id: string,
  expectedVersion: ExpectedVersion,
): Promise<void> {
  await changingSource(scope, id, expectedVersion, async ({ ipPolicyId, rangeCount }, version) => {
    const alongside = [prepareCount(scope, ipPolicyId, { sources: -1, ranges: -rangeCount })];
    await ipPolicySources.remove(scope, id, version, { alongside });
  });
}

/** The ranges of a source in force, and those that wait, packed. */
export async function readList(
  { rows }: AccountView,
  id: string,
): Promise<{ readonly list: RangeList; readonly pending: Uint8Array<ArrayBuffer> | null }> {
  const [row] = await rows.pick('IpPolicySourceList', ['ranges', 'pending'], 'sourceId', [id]);
  if (row === undefined) return { list: emptyList, pending: null };
  return { list: unpackRanges(row.ranges), pending: row.pending === null ? null : new Uint8Array(row.pending) };
}

/** Returns the kind of a source. */
export function kindOf({ kind }: Pick<Source, 'kind'>): SourceKind {
  return readChoice(sourceKinds, kind);
}

/** Returns the list of an outcome; the empty one if there is none. */
export function listOf(outcome: Outcome): RangeList {
  return 'reading' in outcome ? unpackRanges(outcome.reading.ranges) : emptyList;
}

function rangesOf(outcome: Outcome): Uint8Array<ArrayBuffer> {
  return 'reading' in outcome ? outcome.reading.ranges : new Uint8Array(8);
}

/** Returns the columns of a source that has been read for the first time, or at a new address. */
async function firstState(scope: AccountScope, before: RangeList, outcome: Outcome, intervalSeconds: number) {
  const now = scope.now();
  const list = listOf(outcome);
  const difference = await inTurns(scope.accountId, differenceOf(before, list, differencesNamed));
  const failed = 'failure' in outcome;
  const seconds = failed
    ? (outcome.retrySeconds ?? Math.min(intervalSeconds, intervals.dns.default))
    : Math.max(intervalSeconds, Math.min(outcome.reading.maxAgeSeconds, intervalMax));
  return {
    difference: changeOf(scope, difference),
    columns: {
      rangeCount: list.size,
      pendingCount: null,
      readAt: failed ? null : now,
      triedAt: now,
      failure: failed ? outcome.failure : null,
      entityTag: failed ? null : outcome.reading.entityTag,
      nextAt: after(now, seconds),
    },
  };
}

/** Describes a change of ranges that is made now. */
export function changeOf({ now }: AccountScope, difference: ListDifference) {
  const { added, removed, addedRanges, removedRanges } = difference;
  return { at: now().toISOString(), added, removed, addedRanges: [...addedRanges], removedRanges: [...removedRanges] };
}

/** Returns the time some seconds after another. */
export function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}

/** Prepares to count sources and ranges of a policy, and marks its decisions as changed. The statement also checks the bound. */
export function prepareCount(
  scope: AccountScope,
  ipPolicyId: string,
  { sources, ranges }: { readonly sources: number; readonly ranges: number },
): Write {
  if (!isIdOf('IpPolicy', ipPolicyId)) throw unknownReference('ipPolicyId', 'IP policy', ipPolicyId);
  const room = sources <= 0 ? {} : { sourceCount: { lte: sourcesMax - sources } };
  return ipPolicies.prepareUpdate(
    scope,
    { id: ipPolicyId, ...room },
    { sourceCount: { increment: sources }, sourceRangeCount: { increment: ranges }, ...rulesChanged },
  );
}

/** Throws OUTGOING_FAILED if the sources of the account would have more ranges together than they may. */
export async function expectRoom(scope: AccountScope, added: number): Promise<void> {
  if (added <= 0) return;
  const { _sum } = await scope.db.ipPolicySource.aggregate({ _sum: { rangeCount: true } });
  if ((_sum.rangeCount ?? 0) + added <= accountRangesMax) return;
  throw unreadable(
    `cannot be taken: the sources of the account would have more than ${accountRangesMax} ranges, the maximum.`,
  );
}

/** Makes a change that depends on the state of a source, anew if a refresh has overtaken it. */
export function changingSource<T>(
  scope: AccountScope,
  id: string,
  expectedVersion: ExpectedVersion,
  change: (source: Source, version: number) => Promise<T>,
): Promise<T> {
  const attempt = async () => {
    const source = await ipPolicySources.get(scope, id);
    return change(source, expectedVersion ?? source.version);
  };
  return unlessOvertaken(attempt, (error) => expectedVersion == null && isVersionConflict(error));
}
