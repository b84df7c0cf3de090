// Expressions in CEL (https://cel.dev): whether they parse, which is all that is asked of those that are stored: a variable or a
// function that an edge does not know is no mistake yet. `domain/tls-policy` evaluates them. Pure.

import { ParseError, parse } from '@marcbachmann/cel-js';
import { invalid } from './errors.ts';
import { checkText } from './text.ts';

/** Longest expression, in bytes of UTF-8. */
export const celBytesMax = 4096;

/**
 * Checks that text is one CEL expression.
 *
 * @throws INVALID_INPUT with the position, from 0, at which reading stopped; also for an expression that nests deeper
 *   or lists more than the parser takes (its limits are the minimums that the CEL specification asks for)
 */
export function checkCel(field: string, expression: string): void {
  checkText(field, expression, celBytesMax);
  try {
    parse(expression);
  } catch (error) {
    if (error instanceof ParseError) {
      throw invalid(field, `must be a CEL expression. ${error.summary}, at position ${error.range?.start ?? 0}.`);
    }
    // What the limits do not count, such as a row of `!`, may still exhaust the stack of a caller that is deep already.
    if (error instanceof RangeError) {
      throw invalid(field, 'must be a CEL expression with less nesting, at position 0.');
    }
    throw error;
  }
}
