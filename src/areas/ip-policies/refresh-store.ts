// Reading sources again, and what that would change.

import { inTurns } from '../../domain/concurrency/steps.ts';
import { SallyportError } from '../../domain/errors.ts';
import { type ActedList, differenceOf, type ListDifference, unpackRanges } from '../../domain/ip/range-list.ts';
import type { PolicyChange } from '../../domain/ip/restriction-impact.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import { draftPolicyChange } from './draft-store.ts';
import { readSource } from './reading-store.ts';
import { hasShrunk, type SourceDraft } from './source-rules.ts';
import { differencesNamed, ipPolicySources, kindOf, type Outcome, readList, type Source } from './source-store.ts';
import { noteFailure, takeReading } from './taking-store.ts';

/** Whether the reason that a source could not be read is on its side. */
function isFailure(error: unknown): error is SallyportError {
  return error instanceof SallyportError && ['OUTGOING_FAILED', 'OUTGOING_REFUSED'].includes(error.code);
}

/**
 * Reads a source again and stores what it has. Throws NOT_FOUND, UNAVAILABLE, and the reason of the signal; a source that cannot be
 * read is returned with the reason.
 */
export async function readAgain(
  scope: AccountScope,
  outgoing: Outgoing,
  id: string,
  signal?: AbortSignal,
): Promise<Source> {
  const source = await ipPolicySources.get(scope, id);
  try {
    const { entityTag } = source;
    return await takeReading(
      scope,
      id,
      await readSource(outgoing, scope.accountId, draftOf(source), entityTag, signal),
    );
  } catch (error) {
    if (!isFailure(error)) throw error;
    await noteFailure(scope, id, error.message);
    return ipPolicySources.get(scope, id);
  }
}

/**
 * Reads what a new source has.
 *
 * @param force returns why it cannot be read, instead of failing
 * @throws OUTGOING_FAILED, OUTGOING_REFUSED and UNAVAILABLE as `readSource`, with the field
 */
export async function readFirst(
  { accountId }: AccountView,
  outgoing: Outgoing,
  draft: SourceDraft,
  force: boolean,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const { ranges, ...others } = await readSource(outgoing, accountId, draft, null, signal);
    if (ranges === null || unpackRanges(ranges).size === 0) {
      throw new SallyportError('OUTGOING_FAILED', 'The list has no ranges.');
    }
    return { reading: { ranges, ...others } };
  } catch (error) {
    if (!isFailure(error)) throw error;
    if (force) return { failure: error.message };
    const message = `${error.message} To store the source all the same, and have it read later, force it.`;
    throw new SallyportError(error.code, message, { field: 'address', cause: error.cause });
  }
}

/** What reading a source again would change. */
export interface RefreshPreview extends ListDifference {
  readonly needsConfirmation: boolean;
  /** Null if more ranges differ than are compared. */
  readonly change: (PolicyChange & { readonly problems: readonly [] }) | null;
}

/** Most ranges that differ for which is told whom the change concerns. */
const comparedMax = 10_000;

/**
 * Reads a source without storing anything, and compares. Throws NOT_FOUND, and OUTGOING_FAILED, OUTGOING_REFUSED and UNAVAILABLE as
 * `readSource`.
 */
export async function previewRefresh(
  scope: AccountView,
  outgoing: Outgoing,
  id: string,
  signal: AbortSignal,
): Promise<RefreshPreview> {
  const source = await ipPolicySources.get(scope, id);
  const { ranges } = await readSource(outgoing, scope.accountId, draftOf(source), null, signal);
  const { list } = await readList(scope, id);
  const found = ranges === null ? list : unpackRanges(ranges);
  const all = await inTurns(scope.accountId, differenceOf(list, found, comparedMax));
  const shown = {
    ...all,
    addedRanges: all.addedRanges.slice(0, differencesNamed),
    removedRanges: all.removedRanges.slice(0, differencesNamed),
  };
  const needsConfirmation = found.size === 0 || hasShrunk(list.size, found.size);
  if (all.added + all.removed > comparedMax) return { ...shown, needsConfirmation, change: null };
  const { ipPolicyId } = source;
  const draft = await draftPolicyChange(scope, { ipPolicyId, add: [], remove: [] });
  const listedRanges = [...all.addedRanges, ...all.removedRanges];
  const listsAfter = withList(draft.listsBefore, { sourceId: id, action: source.action, list: found });
  return { ...shown, needsConfirmation, change: { ...draft, listsAfter, listedRanges, problems: [] } };
}

/** Returns lists with another one of a source. */
export function withList(lists: readonly ActedList[], changed: ActedList): ActedList[] {
  return [...lists.filter(({ sourceId }) => sourceId !== changed.sourceId), changed];
}

function draftOf(source: Source): SourceDraft {
  return { ...source, kind: kindOf(source) };
}
