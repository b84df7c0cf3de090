// What a change of everything at once would do: asked of the areas before the changes of a draft are stored. Each area answers in its
// `effects-store.ts`, by the functions that decide.

import type { KeyScope } from '../../domain/access/key-scopes.ts';
import type { SallyportError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ip/cidr.ts';
import type { OwnTraffic } from '../../domain/ip/own-traffic.ts';
import type { AccountView } from './account-scope.ts';

/** An account as it is and as it would be. */
export interface DraftedAccount {
  readonly before: AccountView;
  readonly after: AccountView;
  /** What whoever makes the change may read: nothing else is shown. */
  readonly rights: ReadonlySet<KeyScope>;
  /** Who makes the change. The address is null if it is unknown; the client is null if nobody can be locked out, as on the command line. */
  readonly client: {
    readonly address: Address | null;
    readonly traffic: OwnTraffic;
    /** The person who makes the change; absent for an API key of the account. */
    readonly personId?: string | undefined;
  } | null;
}

/** Whom a change lets in and shuts out, at all restrictions of a kind of traffic together. */
export interface AccessEffect {
  readonly traffic: string;
  /** The first ranges in ascending order, and the number of all. */
  readonly newlyAllowed: readonly string[];
  readonly newlyAllowedCount: number;
  readonly newlyRefused: readonly string[];
  readonly newlyRefusedCount: number;
}

export interface Effects {
  readonly access: readonly AccessEffect[];
  /** Errors that the change is refused with unless it is forced, such as LOCKOUT. */
  readonly refusals: readonly SallyportError[];
  /** Called once the change is stored, for what this process keeps in memory. */
  readonly acknowledged?: () => void;
}

/** Finds effects that an area knows of. */
export type FindEffects = (account: DraftedAccount) => Promise<Effects>;
