// The functions that decide, as they are asked what is expected. Each area has those about its own objects, in a `decider-store.ts`.

import type { Answer, ExpectationKind, Question } from '../../domain/access/expected.ts';
import type { MaybePromise } from '../../domain/concurrency/at-once.ts';
import type { AccountView } from './account-scope.ts';
import type { RowDelta } from './row-deltas.ts';

/** Answers the questions of a kind. */
export interface Decider {
  /** Returns whether a write may change an answer. What hosts and visitors do by themselves must not: they would be refused. */
  readonly dependsOn: (delta: RowDelta) => boolean;
  /**
   * Answers questions by what the view holds, which may be a state that is only proposed (`proposedView`). What many of them need is
   * read once.
   *
   * @param ask answers questions of other kinds, on which the answers depend
   */
  readonly answer: (view: AccountView, questions: readonly Question[], ask: Ask) => Promise<Answer[]>;
}

/** Answers questions, in their order. */
export type Ask = (questions: readonly Question[]) => Promise<Answer[]>;

/** Deciders by kind. */
export type Deciders = Readonly<Partial<Record<ExpectationKind, Decider>>>;

/** Looks at a change of an account before it is stored. Throws to refuse it. */
export type CheckChange = (account: AccountView, deltas: readonly RowDelta[]) => MaybePromise<void>;

/** Returns the function that tells whether a write is to one of some models; `Model remove` stands for one kind of write alone. */
export function writesTo(...models: readonly string[]): Decider['dependsOn'] {
  const named = new Set(models);
  return (delta) => (named.has(delta.model) || named.has(`${delta.model} ${delta.kind}`)) && !isNote(delta);
}

/** Columns of objects that decide nothing. */
const notes: ReadonlySet<string> = new Set(['description', 'metadata', 'version', 'updatedAt']);

/** Returns whether a write changes nothing but notes, or locks an object. */
function isNote(delta: RowDelta): boolean {
  return delta.kind === 'update' && Object.keys(delta.columns).every((name) => notes.has(name));
}
