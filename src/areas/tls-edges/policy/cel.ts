// Checks that expressions in CEL (https://cel.dev) parse. Nothing more is required to store one: a variable or function that an
// edge does not know is not an error yet. `expressions.ts` evaluates them. Pure.

import { ParseError, parse } from '@marcbachmann/cel-js';
import { SallyportError } from '../../../domain/errors.ts';
import { checkText } from '../../../domain/values/text.ts';

/** Longest expression, in bytes of UTF-8. */
export const celBytesMax = 4096;

export class InvalidCel extends SallyportError {
  /** The position in the text at which parsing stopped, from 0. */
  readonly position: number;

  constructor(field: string, problem: string, position: number) {
    super('INVALID_INPUT', `${problem}, at position ${position}.`, { field });
    this.position = position;
  }
}

/**
 * Checks that text is one CEL expression.
 *
 * @throws INVALID_INPUT as `checkText`, and as `InvalidCel`, also for an expression with deeper nesting or longer lists than the
 *   parser allows (its limits are the minimums that the CEL specification requires)
 */
export function checkCel(field: string, expression: string): void {
  checkText(field, expression, celBytesMax);
  try {
    parse(expression);
  } catch (error) {
    if (error instanceof ParseError) {
      throw new InvalidCel(field, `must be a CEL expression. ${error.summary}`, error.range?.start ?? 0);
    }
    // Syntax that the limits do not count, such as a row of `!`, may still exhaust the stack if the caller is already deep.
    if (error instanceof RangeError) throw new InvalidCel(field, 'must be a CEL expression with less nesting', 0);
    throw error;
  }
}
