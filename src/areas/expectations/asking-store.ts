// Asks the functions that decide whether what is expected holds: now, or after a change that is not stored.

import {
  type Answer,
  type ExpectationKind,
  expectationKinds,
  isMet,
  type Question,
} from '../../domain/access/expected.ts';
import { createEffort } from '../../domain/concurrency/effort.ts';
import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import { kindByPrefixOf } from '../../domain/values/ids.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { Ask, Asking, DecidedBy, Decider, Deciders } from '../../storage/objects/deciders.ts';
import { proposedView } from '../../storage/objects/proposed-view.ts';
import type { RowDelta } from '../../storage/objects/row-deltas.ts';
import { loadParts } from '../parts.ts';
import { expectationsMax, expectedOf, questionOf, type StoredExpectation } from './rules.ts';

const deciders: Deciders = Object.assign({}, ...(await loadParts('deciders')).map((part) => part.deciders));

export interface Asked<E extends StoredExpectation = StoredExpectation> {
  readonly expectation: E;
  readonly question: Question;
  readonly answer: Answer;
  readonly isMet: boolean;
}

/** What one evaluation may take altogether, in microseconds as counted (`Effort`). What is left over is unknown. */
const evaluationCostMax = 400_000;

/** One evaluation of an account at a time, so that many of them together take no longer turns than one. */
const evaluating = createWorkQueue({ atOnce: 8, atOnceOfOwner: 1, waitingMax: 1_000 });

/**
 * Asks about expectations, in their order, by what a view of the account holds: what they share is read and compiled once, within one
 * budget, and with turns for other work in between.
 *
 * @param signal ends it when nobody is waiting for it any more
 * @throws UNAVAILABLE if too many evaluations of the account are waiting, and the reason of the signal
 */
export async function askAbout<E extends StoredExpectation>(
  view: AccountView,
  expectations: readonly E[],
  signal?: AbortSignal,
  costMax = evaluationCostMax,
): Promise<Asked<E>[]> {
  const questions = expectations.map(questionOf);
  const work = () =>
    asker<Answer>(costMax, signal, (decider, some, asking) => decider.answer(view, some, asking))(questions);
  const answers = questions.length === 0 ? [] : await evaluating.run(view.accountId, work, signal);
  return expectations.map((expectation, index) => {
    const [question, answer] = [questions[index], answers[index]];
    // There is one of each.
    if (question === undefined || answer === undefined) throw new Error('A question has no answer.');
    return { expectation, question, answer, isMet: isMet(expectedOf(expectation), answer) };
  });
}

/** Returns a function that puts questions to the deciders of their kinds, and they to each other, within one budget. */
function asker<A>(
  costMax: number,
  signal: AbortSignal | undefined,
  put: (decider: Decider, questions: readonly Question[], asking: Asking<A>) => Promise<A[]>,
): Ask<A> {
  const effort = createEffort(costMax, signal);
  const ask: Ask<A> = async (questions) => {
    const answers = new Map<Question, A>();
    for (const kind of expectationKinds) {
      const some = questions.filter((question) => question.kind === kind);
      if (some.length === 0) continue;
      const found = await put(deciderOf(kind), some, { ask, effort, signal });
      for (const [index, question] of some.entries()) {
        const answer = found[index];
        if (answer !== undefined) answers.set(question, answer);
      }
    }
    return questions.flatMap((question) => {
      const answer = answers.get(question);
      // Within a list, because an answer may be one.
      return answer === undefined ? [] : [answer];
    });
  };
  return ask;
}

function deciderOf(kind: ExpectationKind) {
  const decider = deciders[kind];
  if (decider === undefined) throw new Error(`No area answers questions of the kind ${kind}.`);
  return decider;
}

/** Returns the kinds of questions whose answers may be others after some writes. */
export function kindsTouched(deltas: readonly RowDelta[]): ExpectationKind[] {
  return expectationKinds.filter((kind) => deltas.some(deciderOf(kind).dependsOn));
}

/** What a question is made from. */
const askedColumns = [
  'id',
  'name',
  'kind',
  'expected',
  'address',
  'trafficType',
  'httpsEdgeId',
  'url',
  'method',
  'signedIn',
  'groups',
  'tlsEdgeId',
  'serverName',
  'logged',
  'hostName',
  'sshCertificateAuthorityId',
] as const satisfies readonly (keyof StoredExpectation)[];

/** Reads all expectations of an account, oldest first. */
export function readExpectations({ rows }: AccountView): Promise<StoredExpectation[]> {
  const all = { equal: {}, lessThan: undefined, greaterThan: undefined, ascending: true, take: expectationsMax };
  return rows.pickRange('Expectation', askedColumns, all);
}

/** What finding out what decides may take: more than the answers, because one that is left out would be missed. */
const findingCostMax = 1_000_000;

/**
 * Finds the expectations that each of some objects decides about: their ids, newest first.
 *
 * @throws QUERY_TOO_COMPLEX if the account has too much to look at, UNAVAILABLE as `askAbout`, and the reason of the signal
 */
export async function decidedByEach(
  view: AccountView,
  objectIds: readonly string[],
  signal?: AbortSignal,
): Promise<string[][]> {
  const expectations = (await readExpectations(view)).toReversed();
  if (expectations.length === 0) return objectIds.map(() => []);
  const find = asker<DecidedBy>(findingCostMax, signal, (decider, some, asking) =>
    decider.decidedBy(view, some, asking),
  );
  const found = await evaluating.run(view.accountId, () => find(expectations.map(questionOf)), signal);
  return objectIds.map((id) => {
    const kind = kindByPrefixOf(id) ?? id;
    const isDecided = (sets: DecidedBy | undefined) => sets?.some((ids) => ids.has(id) || ids.has(kind)) === true;
    return expectations.flatMap((expectation, index) => (isDecided(found[index]) ? expectation.id : []));
  });
}

/** An expectation that a change leaves unmet. */
export interface Failure extends Asked {
  /** Whether it is met now, so that the change would break it. */
  readonly isBroken: boolean;
}

/**
 * Finds the expectations that would not be met after a change: those that it can touch are asked, and of those that fail, also
 * whether they fail already. What would take too much to find out counts as met. The change is not stored.
 *
 * @param deltas what all writes of the change do, as those of a batch (`ObjectWrite.deltas`) say
 * @param expectations those to ask about: all by default
 * @param signal ends it when nobody is waiting for it any more
 */
export async function failuresAfter(
  view: AccountView,
  deltas: readonly RowDelta[],
  expectations?: readonly StoredExpectation[],
  signal?: AbortSignal,
  costMax = evaluationCostMax,
): Promise<Failure[]> {
  const kinds = new Set<string>(kindsTouched(deltas));
  const known = kinds.size === 0 ? [] : (expectations ?? (await readExpectations(view)));
  const touched = known.filter(({ kind }) => kinds.has(kind));
  if (touched.length === 0) return [];
  const after = await askAbout(proposedView(view, deltas), touched, signal, costMax);
  const failing = after.filter((asked) => !asked.isMet && asked.answer.isTooMuch !== true);
  if (failing.length === 0) return [];
  const before = await askAbout(
    view,
    failing.map(({ expectation }) => expectation),
    signal,
    costMax,
  );
  return failing.map((asked, index) => ({ ...asked, isBroken: before[index]?.isMet === true }));
}
