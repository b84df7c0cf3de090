// How a storage is opened.

import type { DecidingSettings } from '../domain/access/expected.ts';
import type { SigningAgentSetting } from '../domain/access/signing-agents.ts';
import type { OpenedEngine, OpenOptions } from './engine.ts';
import type { KeyMaking } from './keys/key-generation.ts';
import type { AreaUpkeep } from './lifecycle/upkeep.ts';
import type { CheckChange } from './objects/deciders.ts';

export interface StorageOptions extends OpenOptions, KeyMaking {
  /** The database to open. It must exist and be migrated (see `migrate.ts`). */
  engine: OpenedEngine;
  /** The clock; tests pass a fixed one. */
  now: () => Date;
  /** A monotonic clock, in milliseconds; that of the process by default. */
  monotonicMs?: () => number;
  /** The source of randomness for ids, tokens and nonces; tests pass a repeatable one. */
  randomBytes: (size: number) => Uint8Array;
  /** A separate source of randomness for the ids of audit events: it lets tests keep the other ids stable. */
  eventRandomBytes?: (size: number) => Uint8Array;
  /**
   * Finds the key that secrets are sealed under. It receives the sealed check of the database, or null if nothing has been sealed
   * yet (see `secret-key.ts`).
   */
  secretKey: (sealedCheck: Uint8Array | null) => Uint8Array;
  /** The agents that sign for authorities of accounts; none by default. */
  signingAgents?: readonly SigningAgentSetting[];
  /** The upkeep of the areas, if this process holds the database. */
  areas?: readonly Pick<AreaUpkeep, 'beside' | 'catchUp' | 'eachRound' | 'hourly'>[] | undefined;
  /** Milliseconds between two rounds of upkeep; a minute by default. */
  upkeepEveryMs?: number | undefined;
  /** Looks at a change of an account before it is stored, unless it is forced. Throws to refuse it. */
  checkChange?: CheckChange | undefined;
  /** The settings of the server that decisions depend on; the defaults of those by default. */
  deciding?: DecidingSettings | undefined;
  /** Called with the error when upkeep fails. The next round tries again. */
  onUpkeepFailure?: ((error: unknown) => void) | undefined;
  /** Called with the error when other work fails that no request is waiting for. */
  onBackgroundFailure?: ((work: BackgroundWork, error: unknown) => void) | undefined;
}

/** Background work: reading events for followers, recording refusals, watching the keys of streams, storing activity. */
export type BackgroundWork = 'feed' | 'refusals' | 'keyWatch' | 'activity';
