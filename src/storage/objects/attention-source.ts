// Findings that need attention. Each area reports those about its own objects in an `attention-store.ts`.

import type { KeyScope } from '../../domain/access/key-scopes.ts';
import type { Warnings } from '../../domain/access/warnings.ts';
import type { Attention } from '../../domain/attention.ts';
import type { AccountView } from './account-scope.ts';

/** Where to look, and how many findings to return. */
export interface AttentionRequest {
  readonly scope: AccountView;
  /** Maximum number of findings to describe, the most urgent. The others are counted (`mostUrgent`). */
  readonly most: number;
  /** Returns a signal that fires when nobody is waiting for the findings any more; absent if nobody can leave. */
  readonly signal?: () => AbortSignal;
  /** Returns how often IP restrictions have warned lately, as far as this server knows. */
  readonly warningsOf: (restrictionIds: readonly string[]) => Promise<Warnings[]>;
}

/** Looks for things that need attention. */
export interface AttentionSource {
  /** The scopes that a key needs to see the findings. */
  readonly needs: readonly KeyScope[];
  /** Returns the findings, in a time that does not grow with the number of objects that are fine. */
  readonly find: (request: AttentionRequest) => Promise<Attention[]>;
}
