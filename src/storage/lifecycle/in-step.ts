// The steps in which a database is opened: a failure says in which of them it happened, and what to do.

import { SallyportError } from '../../domain/errors.ts';
import { messageOf } from '../../domain/wording.ts';
import type { Engine } from '../engine.ts';
import { failureOf } from '../errors.ts';

/** The part of an engine that a failed step tells of. */
export type Opened = Pick<Engine, 'name' | 'remedy'>;

/**
 * Does a step.
 *
 * @param doing what was being done, as in `its secret key was read`
 * @throws Error that names the database, the step and what to do, if the database cannot be used now; any other error as it is
 */
export async function inStep<T>({ name, remedy }: Opened, doing: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (failureOf(error) === null) throw error;
    // What clients are told does not say why.
    const message = messageOf(error instanceof SallyportError ? error.cause : error).replace(/[.:]? *$/, '');
    const about = message.includes(name) ? '' : `The database ${name} cannot be used: `;
    throw new Error(`${about}${message}. This happened while ${doing}. ${remedy}`, { cause: error });
  }
}
