// What an area brings to the rest. Types from all floors, and nothing that is loaded.

import type { Command } from 'commander';
import type { AreaUpkeep, UpkeepSettings } from '../storage/lifecycle/upkeep.ts';
import type { AttentionSource } from '../storage/objects/attention-source.ts';
import type { CheckChange, Deciders } from '../storage/objects/deciders.ts';
import type { FindEffects } from '../storage/objects/effects.ts';
import type { Restorers } from '../storage/objects/restoring.ts';
import type { PublicFile } from '../surfaces/public-files.ts';
import type { Route } from '../surfaces/rest/route.ts';
import type { Outlook } from './outlook.ts';

export interface Parts {
  readonly schema: unknown;
  readonly routes: {
    readonly routes: readonly Route[];
    /** Routes that answer with streams of events: their documents are subscriptions. */
    readonly streams?: readonly Route[];
  };
  /** The files that are served without an API key. */
  readonly publicFiles: { readonly publicFiles: readonly PublicFile[] };
  /** How objects return to earlier states: every kind that can be changed needs a restorer. */
  readonly restorers: { readonly restorers: Restorers };
  /** What the server does on its own: hourly work, gauges, checks for `doctor`. */
  readonly upkeep: { readonly upkeep: (settings: UpkeepSettings) => readonly AreaUpkeep[] };
  /** What users should see to. */
  readonly attention: { readonly attention: readonly AttentionSource[] };
  /** Answers what can be expected of its objects, by the functions that decide. */
  readonly deciders: { readonly deciders: Deciders };
  /** Looks at every change before it is stored. */
  readonly changeCheck: { readonly checkChange: CheckChange };
  /** What a change of everything at once would do. */
  readonly effects: { readonly findEffects: FindEffects };
  readonly commands: { readonly addCommands: (program: Command) => void };
}

/** The parts that an area has, each loaded when it is first needed. */
export type PartLoaders = { readonly [Name in keyof Parts]?: () => Promise<Parts[Name]> };

export interface Area extends Outlook, PartLoaders {}
