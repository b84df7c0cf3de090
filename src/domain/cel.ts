// Expressions in CEL (https://cel.dev): whether they parse, which is all that is asked of those that are stored: a variable or a
// function that an edge does not know is no mistake yet. `domain/tls-policy` evaluates them. Pure.

import { ParseError, parse } from '@marcbachmann/cel-js';
import { SallyportError } from './errors.ts';
import { checkText } from './text.ts';

/** Longest expression, in bytes of UTF-8. */
export const celBytesMax = 4096;

/** The error for text that is no CEL expression. */
export class InvalidCel extends SallyportError {
  /** The place in the text at which reading stopped, from 0. */
  readonly position: number;

  constructor(field: string, problem: string, position: number) {
    super('INVALID_INPUT', `${problem}, at position ${position}.`, { field });
    this.position = position;
  }
}

/**
 * Checks that text is one CEL expression.
 *
 * @throws INVALID_INPUT as `checkText`; and as `InvalidCel`, also for an expression that nests deeper or lists more than the parser
 *   takes (its limits are the minimums that the CEL specification asks for)
 */
export function checkCel(field: string, expression: string): void {
  checkText(field, expression, celBytesMax);
  try {
    parse(expression);
  } catch (error) {
    if (error instanceof ParseError) {
      throw new InvalidCel(field, `must be a CEL expression. ${error.summary}`, error.range?.start ?? 0);
    }
    // What the limits do not count, such as a row of `!`, may still exhaust the stack of a caller that is deep already.
    if (error instanceof RangeError) throw new InvalidCel(field, 'must be a CEL expression with less nesting', 0);
    throw error;
  }
}
