// Refuses changes that would break what is expected. Every change of an account passes it, whoever makes it and by whatever way, where
// its writes become a batch (`storage/objects/object-changes.ts`). As the check for lockouts, it protects against mistakes: another
// change in between may break an expectation, which attention then tells.

import { LRUCache } from 'lru-cache';
import { outcomeInWords } from '../../domain/access/expected.ts';
import type { MaybePromise } from '../../domain/concurrency/at-once.ts';
import { type SallyportError, unlessForced } from '../../domain/errors.ts';
import { counted } from '../../domain/wording.ts';
import { type AccountView, perDatabase } from '../../storage/objects/account-scope.ts';
import { trustMs } from '../../storage/objects/freshness.ts';
import type { RowDelta } from '../../storage/objects/row-deltas.ts';
import { type Failure, failuresAfter, kindsTouched, readExpectations } from './asking-store.ts';
import { expectedInWords, expectedOf, questionInWords, type StoredExpectation } from './rules.ts';

/** The expectations of an account as of a moment. */
interface Held {
  readonly expectations: readonly StoredExpectation[];
  readonly changeCount: number;
  readonly readAtMs: number;
}

const heldOf = perDatabase(() => new LRUCache<string, Held>({ maxSize: 100_000, sizeCalculation: sizeOf }));

function sizeOf({ expectations }: Held): number {
  return expectations.length + 1;
}

/**
 * Looks at a change of an account before it is stored: at once if it touches nothing that is expected.
 *
 * @throws EXPECTATION_FAILED if an expectation that is met would not be after the change
 */
export function checkChange(
  view: AccountView,
  deltas: readonly RowDelta[],
  signal?: () => AbortSignal,
): MaybePromise<void> {
  const kinds = new Set<string>(kindsTouched(deltas));
  if (kinds.size === 0) return;
  const known = held(view);
  if (known?.every(({ kind }) => !kinds.has(kind)) === true) return;
  return check(view, deltas, known, signal?.());
}

async function check(
  view: AccountView,
  deltas: readonly RowDelta[],
  known: readonly StoredExpectation[] | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const failures = await failuresAfter(view, deltas, known ?? (await read(view)), signal);
  const broken = failures.filter(({ isBroken }) => isBroken);
  if (broken.length > 0) throw refusal(broken);
}

function held(view: AccountView): readonly StoredExpectation[] | undefined {
  const known = heldOf(view).get(view.accountId);
  if (known === undefined || performance.now() - known.readAtMs >= trustMs) return undefined;
  return known.changeCount === view.changeCount(['Expectation']) ? known.expectations : undefined;
}

async function read(view: AccountView): Promise<readonly StoredExpectation[]> {
  const moment = { changeCount: view.changeCount(['Expectation']), readAtMs: performance.now() };
  const expectations = await readExpectations(view);
  heldOf(view).set(view.accountId, { expectations, ...moment });
  return expectations;
}

/** Creates the error for a change that would break expectations, at least one. */
export function refusal(broken: readonly Omit<Failure, 'isBroken'>[]): SallyportError {
  const [first, ...others] = broken.map(
    ({ expectation, question, answer }) =>
      `"${expectation.name}": ${questionInWords(question)} would be ${outcomeInWords(answer.outcome, answer.logged)} instead of ` +
      `${expectedInWords(expectedOf(expectation))}`,
  );
  const more = others.length === 0 ? '' : `, and ${counted(others.length, 'further one')}`;
  return unlessForced('EXPECTATION_FAILED', `The change would break the expectation ${first}${more}.`);
}
