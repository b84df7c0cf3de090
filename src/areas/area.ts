// What an area brings to the rest. Types from all floors, and nothing that is loaded.

import type { Command } from 'commander';
import type { AreaUpkeep, UpkeepSettings } from '../storage/lifecycle/upkeep.ts';
import type { AttentionSource } from '../storage/objects/attention-source.ts';
import type { Restorers } from '../storage/objects/restoring.ts';
import type { PublicFile } from '../surfaces/public-files.ts';
import type { Route } from '../surfaces/rest/route.ts';

/** A kind of object that has an id. */
export interface KindDeclaration {
  /** No two kinds share a prefix, and no secret uses one. */
  readonly prefix: string;
  /** The path of its REST collection. Absent if it has none, or one under another object. */
  readonly path?: `/${string}`;
  /** A scope that suffices for this kind alone, or for a use of it (see `domain/access/key-scopes.ts`). */
  readonly narrow?: string;
  /** The column, besides the account, of an index that finds its objects in the order of their times. */
  readonly listedBy?: string;
}

/** The parts of an area, each loaded when it is first needed. */
export interface Parts {
  /** Adds the types and fields to the schema. */
  readonly schema: () => Promise<unknown>;
  readonly routes: () => Promise<{
    readonly routes: readonly Route[];
    /** Routes that answer with streams of events: their documents are subscriptions. */
    readonly streams?: readonly Route[];
  }>;
  /** The files that are served without an API key. */
  readonly publicFiles?: () => Promise<{ readonly publicFiles: readonly PublicFile[] }>;
  /** How objects return to earlier states: every kind that can be changed needs a restorer. */
  readonly restorers?: () => Promise<{ readonly restorers: Restorers }>;
  /** What the server does on its own: hourly work, gauges, checks for `doctor`. */
  readonly upkeep?: () => Promise<{ readonly upkeep: (settings: UpkeepSettings) => readonly AreaUpkeep[] }>;
  /** What users should see to. */
  readonly attention?: () => Promise<{ readonly attention: readonly AttentionSource[] }>;
  /** Adds commands to the command line. */
  readonly commands?: () => Promise<{ readonly addCommands: (program: Command) => void }>;
}

/** What others know of an area without loading it. */
export interface Outlook {
  /**
   * Columns and relations, such as `IpPolicy.ruleCount`, that the trail leaves out because they are internal to the server:
   * counters that hold bounds, values derived from other columns, traces that requests leave behind, modules that are recorded with
   * another object. Everything else that is not secret is recorded, so that nothing is forgotten.
   */
  readonly bookkeeping?: readonly `${string}.${string}`[];
  /** What of it is enforced, as a sentence, and what is not: for people who start. Names of values are in backticks. */
  readonly enforced?: string;
  readonly notEnforced?: readonly string[];
  /** Words of its paths that are written in capitals. */
  readonly acronyms?: readonly string[];
  /** The titles of routes that belong to no collection, by the beginning of their paths. */
  readonly groups?: Readonly<Record<`/${string}/`, string>>;
}

/** An area and what it brings. */
export interface Area extends Parts, Outlook {
  /** Its folder in `src/areas`, which is also the name of its scopes. */
  readonly name: string;
  /** The keys are the names of the models and the GraphQL types. */
  readonly kinds: Readonly<Record<string, KindDeclaration>>;
}
