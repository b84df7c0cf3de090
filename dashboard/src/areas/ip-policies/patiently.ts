// Series of requests that back off while the key's rate limit is exceeded.

import type { OperationResult } from 'urql';
import { type Problem, problemOf } from '../../client/problem.ts';

const waitMs = 2_000;
const triesMax = 5;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Problems that the next request would run into as well. */
const ofAll = ['LOCKOUT', 'UNREACHABLE', 'UNAUTHENTICATED', 'FORBIDDEN'];

/** Returns whether a problem ends a series of requests. */
export const endsAll = ({ code }: Problem): boolean => ofAll.includes(code);

/**
 * Sends a request. Retries it after a pause, up to 5 tries in all, while the server answers TOO_MANY_REQUESTS.
 *
 * @param isOver returns whether nobody is waiting for the result any more, which ends the retries
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
