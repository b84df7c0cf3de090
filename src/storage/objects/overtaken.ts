// Changes that depend on rows read before: if one of them has changed in between, they begin anew.

import { SallyportError } from '../../domain/errors.ts';
import { isMissingRow } from '../errors.ts';

/** Most attempts. Each failure means that another change has succeeded. */
const attemptsMax = 20;

/**
 * Makes a change, and begins anew if other changes have overtaken it.
 *
 * @param attempt reads what the change depends on, and makes it on condition that this is unchanged
 * @param isOvertaken returns whether an error says that it is not
 * @throws UNAVAILABLE if others keep overtaking it, and what `attempt` throws
 */
export async function unlessOvertaken<T>(
  attempt: () => Promise<T>,
  isOvertaken: (error: unknown) => boolean = isMissingRow,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      if (attempts === attemptsMax) throw overtaken(error);
    }
  }
}

function overtaken(cause: unknown): SallyportError {
  return new SallyportError('UNAVAILABLE', 'Other requests keep changing the same objects. Retry in a few seconds.', {
    cause,
  });
}
