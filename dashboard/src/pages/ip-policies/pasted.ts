// A list of ranges as people paste it: one range or address per line, comments after #.

import { rangeOf } from '../../impact/range.ts';

/** A line that names a range. */
export interface PastedLine {
  /** The number of the line, from 1. */
  readonly line: number;
  readonly cidr: string;
  /** What stands after #. */
  readonly comment: string;
}

/** Reads a list. Empty lines, and those that are a comment as a whole, name nothing. */
export function readPasted(text: string): PastedLine[] {
  return text.split('\n').flatMap((each, index) => {
    const [range = '', ...comments] = each.split('#');
    // A comma or semicolon at the end of a line is what a list in a program has.
    const cidr = rangeOf(range.replace(/[\s,;]+$/, ''));
    return cidr === '' ? [] : [{ line: index + 1, cidr, comment: comments.join('#').trim() }];
  });
}

/** Takes lines out of a text, by their numbers. */
export function withoutLines(text: string, lines: ReadonlySet<number>): string {
  return text
    .split('\n')
    .filter((_, index) => !lines.has(index + 1))
    .join('\n');
}
