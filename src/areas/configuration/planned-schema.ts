// What planning a document starts from, and what it finds.

import type { Steps } from '../../domain/concurrency/steps.ts';
import type { Kind } from '../../domain/values/ids.ts';
import type { PlannedField } from './comparing-schema.ts';
import type { ConfigurationDocument } from './entries-schema.ts';
import type { ConfiguredKind } from './kind-schema.ts';
import type { ConfiguredName } from './names-store.ts';
import type { ConfiguredState, Run } from './state-schema.ts';

/** What happens to an object. */
const plannedActions = ['create', 'update', 'replace', 'delete'] as const;
export type PlannedAction = (typeof plannedActions)[number];

/** A change of a plan. */
export interface PlannedChange {
  readonly action: PlannedAction;
  readonly kind: Kind;
  readonly name: string;
  /** Null for a new object. */
  readonly id: string | null;
  readonly fields: readonly PlannedField[];
}

/** What is shown only once, of an object that is created. */
export interface ShownOnce {
  readonly kind: Kind;
  readonly name: string;
  readonly field: string;
  readonly value: string;
}

/** What the planner starts from. */
export interface PlannerOptions {
  readonly kinds: readonly ConfiguredKind[];
  readonly document: ConfigurationDocument;
  readonly before: ReadonlyMap<string, ConfiguredState>;
  readonly names: readonly ConfiguredName[];
  readonly run: Run;
  /** Does long work in the turns of the account (`domain/concurrency/steps.ts`). */
  readonly inTurns: <T>(steps: Steps<T>) => Promise<T>;
  readonly prune: boolean;
}

/** What the planner has done in the draft. */
export interface PlannerResult {
  readonly changes: readonly PlannedChange[];
  /** Objects that belong to the document although it does not describe them. */
  readonly left: readonly Pick<PlannedChange, 'kind' | 'name'>[];
  readonly shownOnce: readonly ShownOnce[];
  readonly addedNames: readonly ConfiguredName[];
  readonly removedNames: readonly string[];
  /** How many mutations were made. */
  readonly mutations: number;
  /** Objects whose changes in the draft changed nothing that shows: what the document says differs only in its writing. */
  readonly unchanged: readonly string[];
}
