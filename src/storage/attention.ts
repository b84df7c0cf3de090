// What areas find that needs attention. Each says it of its own objects in an `attention-store.ts`; `cli/attention.ts` lists them.

import type { Warnings } from '../domain/activity.ts';
import type { Attention } from '../domain/attention.ts';
import type { KeyScope } from '../domain/key-scopes.ts';
import type { AccountView } from './account-scope.ts';

/** What is looked in. */
export interface AttentionRequest {
  readonly scope: AccountView;
  /** How many findings are wanted at most: no more need be given, as long as they are the most urgent. */
  readonly most: number;
  /** Tells how often IP restrictions have warned lately, as far as this server knows. */
  readonly warningsOf: (restrictionIds: readonly string[]) => Promise<Warnings[]>;
}

/** What looks for things that need attention. */
export interface AttentionSource {
  /** The scopes without which a key is not told what it finds. */
  readonly needs: readonly KeyScope[];
  /** Looks, in a time that does not grow with what is all right. */
  readonly find: (request: AttentionRequest) => Promise<Attention[]>;
}
