// The functions that decide, as they are asked what is expected. Each area has those about its own objects, in a `decider-store.ts`.

import type { Answer, ExpectationKind, Question } from '../../domain/access/expected.ts';
import type { MaybePromise } from '../../domain/concurrency/at-once.ts';
import type { Effort } from '../../domain/concurrency/effort.ts';
import { SallyportError } from '../../domain/errors.ts';
import type { AccountView } from './account-scope.ts';
import type { RowDelta } from './row-deltas.ts';

/** Answers the questions of a kind. */
export interface Decider {
  /** Returns whether a write may change an answer. What hosts and visitors do by themselves must not: they would be refused. */
  readonly dependsOn: (delta: RowDelta) => boolean;
  /**
   * Answers questions by what the view holds, which may be a state that is only proposed (`proposedView`). What many of them need is
   * read once, and what goes beyond the budget is unknown (`orUnknown`).
   */
  readonly answer: (view: AccountView, questions: readonly Question[], asking: Asking) => Promise<Answer[]>;
  /** Finds the objects that decide about questions, without looking at rules. */
  readonly decidedBy: (
    view: AccountView,
    questions: readonly Question[],
    asking: Asking<DecidedBy>,
  ) => Promise<DecidedBy[]>;
}

/** The ids of the objects that decide about a question, in sets that questions may share. A kind stands for all of its objects. */
export type DecidedBy = readonly ReadonlySet<string>[];

/** How questions are asked. */
export interface Asking<A = Answer> {
  /** Asks questions of other kinds, on which answers depend. */
  readonly ask: Ask<A>;
  /** The budget of all questions together. */
  readonly effort: Effort;
  /** Fires when nobody is waiting for the answers any more. */
  readonly signal: AbortSignal | undefined;
}

/** Answers that it is unknown if there is more to look at than is looked at: that must not hold up changes. */
async function orUnknown(answer: () => MaybePromise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof SallyportError) || error.code !== 'QUERY_TOO_COMPLEX') throw error;
    return { outcome: 'unknown', logged: null, reason: error.message, isTooMuch: true };
  }
}

/** Answers questions one after the other, each or that it is unknown, with turns for other work in between. */
export async function inOrder(
  { effort }: Asking,
  questions: readonly Question[],
  answer: (question: Question, index: number) => MaybePromise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [index, question] of questions.entries()) {
    answers.push(await orUnknown(() => answer(question, index)));
    await effort.breathe();
  }
  return answers;
}

/** Asks questions, and returns what is said to each in their order. */
export type Ask<A = Answer> = (questions: readonly Question[]) => Promise<A[]>;

export type Deciders = Readonly<Partial<Record<ExpectationKind, Decider>>>;

/** Looks at a change of an account before it is stored. Throws to refuse it. */
export type CheckChange = (
  account: AccountView,
  deltas: readonly RowDelta[],
  signal?: () => AbortSignal,
) => MaybePromise<void>;

/** Returns the function that tells whether a write is to one of some models; `Model remove` stands for one kind of write alone. */
export function writesTo(...models: readonly string[]): Decider['dependsOn'] {
  const named = new Set(models);
  return (delta) => (named.has(delta.model) || named.has(`${delta.model} ${delta.kind}`)) && !isNote(delta);
}

const notes: ReadonlySet<string> = new Set(['description', 'metadata', 'version', 'updatedAt']);

/** Returns whether a write changes nothing but notes, or locks an object. */
function isNote(delta: RowDelta): boolean {
  return delta.kind === 'update' && Object.keys(delta.columns).every((name) => notes.has(name));
}
