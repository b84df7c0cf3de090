// Opens drafts, for which more is loaded: few accounts are configured by documents.

import type { OpenedEngine } from '../engine.ts';
import type { AccountDraft } from '../objects/account-scope.ts';
import type { DraftOptions } from './draft.ts';

/** Opens a draft. Throws as `openDraft`, and Error for a draft of a draft. */
export async function drafting({
  engine: { reading, dialect },
  ...options
}: Omit<DraftOptions, 'engine'> & {
  readonly engine: Pick<OpenedEngine, 'dialect' | 'reading'>;
}): Promise<AccountDraft> {
  if (reading === undefined) throw new Error('There are no drafts of drafts.');
  const { openDraft } = await import('./draft.ts');
  return openDraft({ ...options, engine: { reading, dialect } });
}
