// Opens drafts, for which more is loaded: few accounts are configured by documents.

import type { OpenedEngine } from '../engine.ts';
import type { AccountDraft } from '../objects/account-scope.ts';
import type { DraftOptions } from './draft.ts';

/**
 * Opens a draft.
 *
 * @param closing fires when the database is closed: a draft reads by a connection of its own, which knows nothing of that
 * @throws as `openDraft`; the reason of `closing`; Error for a draft of a draft
 */
export async function drafting({
  engine: { reading, dialect },
  closing,
  signal,
  ...options
}: Omit<DraftOptions, 'engine'> & {
  readonly engine: Pick<OpenedEngine, 'dialect' | 'reading'>;
  readonly closing: AbortSignal;
}): Promise<AccountDraft> {
  if (reading === undefined) throw new Error('There are no drafts of drafts.');
  const ends = AbortSignal.any([signal, closing]);
  ends.throwIfAborted();
  const { openDraft } = await import('./draft.ts');
  return openDraft({ ...options, engine: { reading, dialect }, signal: ends });
}
