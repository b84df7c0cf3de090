// Many requests, one after another: a key may send a few at once, and the others wait for their turn.

import type { OperationResult } from 'urql';
import { type Problem, problemOf } from '../../client/problem.ts';

const waitMs = 2_000;
const triesMax = 5;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Problems that the next request would meet as well. */
const ofAll = ['LOCKOUT', 'UNREACHABLE', 'UNAUTHENTICATED', 'FORBIDDEN'];

/** Tells whether a problem ends a series of requests. */
export const endsAll = ({ code }: Problem): boolean => ofAll.includes(code);

/**
 * Sends a request, and again after a pause while too many are sent.
 *
 * @param isOver tells whether nobody waits for it any more
 */
export async function patiently<D>(
  send: () => PromiseLike<OperationResult<D>>,
  isOver: () => boolean = () => false,
): Promise<{ readonly data: D | undefined; readonly problem: Problem | null }> {
  for (let tries = 1; ; tries += 1) {
    const { data, error } = await send();
    if (!error) return { data, problem: null };
    const problem = problemOf(error);
    if (problem.code !== 'TOO_MANY_REQUESTS' || tries === triesMax) return { data, problem };
    await pause(waitMs);
    if (isOver()) return { data, problem };
  }
}
